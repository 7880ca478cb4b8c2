"""What a newcomer pastes works as is: README's first five minutes, the client's README."""

import re
import subprocess
import sys
from html import unescape
from pathlib import Path

from support.cookbook import SITE, snippets
from support.daemon import LIFE_S, Daemon, Home
from support.site import Site

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"^```(?P<language>\w*)\n(?P<text>.*?)^```", re.DOTALL | re.MULTILINE)
HANDLE = re.compile(r"oh_[A-Z2-7]{12}")
TEXT = re.compile(r">([^<>]+)</text>")
TASK = re.compile(r"\b[0-9a-f]{16}\b")


def section(document: str, title: str) -> str:
    text = (ROOT / document).read_text(encoding="utf-8")
    return text.partition(f"\n## {title}\n")[2].partition("\n## ")[0]


def run(home: Home, *words: str) -> str:
    environ = {name: value for name, value in home.environ.items() if name != "OPENCHROME_HOME"}
    done = subprocess.run(
        words, env=environ, cwd=home.base, text=True, stdin=subprocess.DEVNULL,
        capture_output=True, timeout=LIFE_S, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done
    return done.stdout


def test_first_five_minutes_of_the_readme(home: Home, site: Site) -> None:
    """Line by line, in README's order; ID and HANDLE are what the answers have named."""
    text = section("README.md", "First five minutes").replace(SITE, site.origin)
    names = {"ID": "", "HANDLE": ""}
    commands = 0
    for block in BLOCK.finditer(text):
        if block["language"] == "python":
            assert "lighthouse" in run(home, sys.executable, "-c", block["text"])
            continue
        for line in block["text"].replace("\\\n", "").splitlines():
            if line == "ocd practice":  # the fixture site has it
                continue
            command = re.sub(r"\b(ID|HANDLE)\b", lambda name: names[name[0]], line)
            said = run(home, "bash", "-euo", "pipefail", "-c", command)
            commands += 1
            if line.startswith("oc task list"):
                names["ID"] = TASK.findall(said)[0]
            names["HANDLE"] = (HANDLE.findall(said) or [names["HANDLE"]])[0]
    assert commands > 20
    assert not list(home.base.rglob("ocd.sock"))


def same_whenever(text: str) -> str:
    """Return the text without what differs from one daemon to the next."""
    return re.sub(r"\bref=e\d+|\btab t\d+", "…", text.replace("\xa0", " "))


def test_the_readme_picture_is_current(one_tab_daemon: Daemon, site: Site) -> None:
    """What a page that is opened and read looks like; `make picture` records it anew."""
    picture = (ROOT / "docs" / "picture.svg").read_text(encoding="utf-8")
    pictured = [same_whenever(unescape(text)).strip() for text in TEXT.findall(picture)]
    home = one_tab_daemon.home
    opened = home.run("oc", "navigate", site.url("form.html")).ok().out
    read = home.run("oc", "read-page").ok().out
    printed = [
        same_whenever(line.replace(site.origin, SITE)).strip()
        for line in (opened + read).splitlines()
    ]
    assert set(printed[:12]) <= set(pictured), "make picture"


def test_snippets_of_the_client_readme_run(one_tab_daemon: Daemon, site: Site) -> None:
    """One after the other, as in one notebook."""
    text = (ROOT / "client" / "README.md").read_text(encoding="utf-8")
    program = snippets(text, "python")
    program = program.replace("https://docs.example.com", site.url("many-pages/1.html"))
    program = program.replace("https://example.com", site.url("first-steps.html"))
    done = subprocess.run(
        [sys.executable, "-c", program], env=one_tab_daemon.home.environ, text=True,
        capture_output=True, timeout=LIFE_S, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert all(words in done.stdout for words in ("lamps", "Edit", "Chapter 1", "completed"))
