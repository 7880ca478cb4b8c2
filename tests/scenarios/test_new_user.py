"""What somebody who has only read `oc --help` would do, at a terminal of 80 columns."""

import re
import subprocess
from pathlib import Path

from support.daemon import LIFE_S, SCRIPTS, Daemon
from support.pseudo_terminal import lines_of, on_a_terminal
from support.site import Site

ROOT = Path(__file__).parents[2]


class Terminal:
    """A terminal of 80 columns; it counts the commands."""

    def __init__(self, daemon: Daemon) -> None:
        self.commands = 0
        self._env = {**daemon.home.environ, "TERM": "xterm"}
        del self._env["COLUMNS"]

    def oc(self, *words: str) -> str:
        """Run a command and return the lines that stood there; each fits."""
        self.commands += 1
        lines = lines_of(on_a_terminal([str(SCRIPTS / "oc"), *words], self._env))
        return "\n".join(lines)


def test_open_a_page_and_fill_in_its_form(daemon: Daemon, site: Site) -> None:
    new = Terminal(daemon)
    assert "title: Sign up" in new.oc("open", site.url("form.html"))
    assert 'combobox "Colour" [ref=e' in new.oc("snapshot")
    assert re.search(
        r'textbox "Full name" \[ref=e\d+\] = "Ada"', new.oc("fill", "Full name", "Ada")
    )
    assert re.search(r'combobox "Colour" \[ref=e\d+\] = "Green"', new.oc("fill", "Colour", "Green"))
    news = new.oc("click", "Send me news")
    assert re.search(r'checkbox "Send me news" \[ref=e\d+\] = true', news), news
    assert "Received" in new.oc("click", "Create account")
    received = new.oc("text")
    assert "name=Ada" in received
    assert "colour=g" in received
    assert "news=yes" in received
    assert new.commands < 10


def test_a_click_downloads_a_file_and_names_its_path(daemon: Daemon, site: Site) -> None:
    new = Terminal(daemon)
    new.oc("open", site.url("state/downloads.html"))
    clicked = new.oc("click", "Report")
    path = re.search(r"/\S+/report[^/ ]*\.csv", clicked)
    assert path, clicked
    assert Path(path[0]).read_bytes() == b"a,b\n1,2\n"
    assert "report" in new.oc("downloads")
    assert new.commands < 10


def test_crawl_a_site_and_search_what_it_found(daemon: Daemon, site: Site) -> None:
    """The command to search with is said; what is found is on the pages that were crawled."""
    new = Terminal(daemon)
    url = site.url("many-pages/1.html")
    stored = new.oc("crawl", url, "--max-pages", "5", "--output-mode", "handle")
    hint = re.search(r"Hint: oc (output search oh_\w{12}) WORDS", stored)
    assert hint, stored
    assert "Chapter" in new.oc(*hint[1].split(), "Chapter")
    started = new.oc("task", "start", "crawl", url, "--max-pages", "5", "--wait")
    assert re.search(r"^COMPLETED  crawl  5/5", started, re.MULTILINE), started
    assert re.search(r"^\w{16}  crawl +COMPLETED  5/5", new.oc("task", "list"), re.MULTILINE)
    assert len(site.seen("many-pages/*")) >= 10
    assert new.commands < 10


def test_make_demo() -> None:
    """`make demo` acts on a page, and resumes a crawl; what it shows can be pasted."""
    done = subprocess.run(
        [ROOT / "scripts" / "demo"], capture_output=True, text=True, timeout=LIFE_S, check=False
    )
    assert done.returncode == 0, done
    assert "$ oc act 'type Ada Lovelace into Full name, check Send me news, then" in done.stdout
    assert "navigated: http://127.0.0.1:" in done.stdout
    assert "COMPLETED  crawl  10/10" in done.stdout
    assert "COMPLETED  crawl  25/25" in done.stdout
