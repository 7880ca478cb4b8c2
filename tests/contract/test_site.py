"""The documentation site: complete, with working links, and without external requests."""

import json
import re
import shlex
import subprocess
import sys
from functools import cache
from pathlib import Path
from posixpath import dirname, join, normpath

import pytest

from documentation import examples, manual
from documentation.composition import ROOT, compose, in_order, llms_txt, measured
from oc.command_line import argv, command_index, command_names
from ocd.api.error_meanings import MEANINGS
from ocd.api.errors import CODES
from ocd.calls import catalog
from ocd.config.settings import SETTINGS

VERBS = {entry["name"]: entry for entry in catalog.read()["verbs"]}
_FENCED = re.compile(r"^(?P<fence>`{3,})\w*\n.*?^(?P=fence)$", re.DOTALL | re.MULTILINE)
_LINK = re.compile(r"!?\[[^\]]*\]\(([^()\s]+)\)")
_SAID = re.compile(r'"event": "(\w+)"|(?:\b_record_event|\bevents\.append|\bevents\.end)\("(\w+)"')
_REQUEST = re.compile(
    r"<(?:link|script|img|iframe|source|video|audio|object|embed)\b[^>]*"
    r"\b(?:src|href|data)=[\"']?(?:https?:)?//[^\"' >]+"
)


@cache
def pages() -> dict[str, str]:
    return compose()


def anchors(text: str) -> set[str]:
    """Return the ids that MkDocs gives to the headings of a page."""
    headings = re.findall(r"^#+ +(.+)$", _FENCED.sub("", text), re.MULTILINE)
    plain = (re.sub(r"[^\w\s-]", "", heading).strip().lower() for heading in headings)
    return {re.sub(r"[\s-]+", "-", heading) for heading in plain}


def test_every_verb_has_a_section_with_its_examples() -> None:
    """The answers are those of the examples there are, in their order."""
    verbs = "\n".join(text for path, text in pages().items() if path.startswith("verbs/"))
    answers = examples.written()
    assert list(answers) == list(examples.declared())
    assert sorted(answers) == sorted(VERBS), "make examples"
    assert [name for name in VERBS if f"\n## {name}\n" not in verbs] == []
    assert [name for name, answer in answers.items() if answer not in verbs] == []


def test_the_last_command_of_an_example_calls_its_verb() -> None:
    """As `oc` itself parses it."""
    index = command_index.of_catalog(command_index.load_catalog())
    called = {
        name: argv.parse(shlex.split(line)[2:], index).entry["name"]
        for name, answer in examples.written().items()
        for line in answer.splitlines()
        if line.startswith("$ oc ")
    }
    short = {name: command_names.short(verb) for name, verb in called.items()}
    assert short == {name: command_names.short(name) for name in VERBS}


def test_every_error_has_a_meaning() -> None:
    """In the order of the table, each with what to do, in whole sentences."""
    assert list(MEANINGS) == list(CODES), "a line in ocd/api/error_meanings.py for each code"
    assert [code for code in CODES if f"| `{code}` |" not in pages()["errors.md"]] == []
    assert [code for code, texts in MEANINGS.items() if not all(texts)] == []


def test_every_setting_is_documented() -> None:
    assert [key for key in SETTINGS if key not in pages()["settings.md"]] == []


def said_events() -> set[str]:
    """Return the events that the daemon's source writes to the journal or to a task's list."""
    sources = (path.read_text(encoding="utf-8") for path in (ROOT / "daemon" / "ocd").rglob("*.py"))
    return {word for source in sources for pair in _SAID.findall(source) for word in pair} - {""}


def test_every_event_is_documented() -> None:
    page = pages()["events.md"]
    ends = {"completed", "failed", "cancelled"}
    assert {"lease_taken", "started", "orphaned"} <= said_events()
    assert [one for one in sorted(said_events() | ends) if f"`{one}`" not in page] == []


@pytest.mark.parametrize("path", sorted(pages()))
def test_links_resolve(path: str) -> None:
    """To a page of the site and a heading of it, or to one of its pictures."""
    text = _FENCED.sub("", pages()[path])
    for link in _LINK.findall(text):
        if re.match(r"[a-z]+:", link):
            continue
        target, _, anchor = link.partition("#")
        page = normpath(join(dirname(path), target)) if target else path
        assert page in pages() or (ROOT / "docs" / page).exists(), link
        assert not anchor or anchor in anchors(pages()[page]), link


def test_links_are_collected() -> None:
    """Those that the test above follows: to pages and to headings."""
    links = [link for text in pages().values() for link in _LINK.findall(_FENCED.sub("", text))]
    assert sum(not re.match(r"[a-z]+:", link) for link in links) > 50
    assert sum("#" in link for link in links) > 5


def test_every_page_is_in_the_navigation() -> None:
    assert sorted(in_order(pages())) == sorted(pages())
    assert all(f"]({path}): " in llms_txt(pages()) for path in pages())


def test_figures_match_the_measurements() -> None:
    """The comparison has no figure of its own."""
    source = (ROOT / "docs" / "pages" / "comparison.md").read_text(encoding="utf-8")
    assert re.findall(r"\d (?:ms|MB|KB|pages/s)\b", source.replace("300 pages of 20 KB", "")) == []
    assert measured()["ours: spawn → initialize answered"] in pages()["comparison.md"]


def test_man_pages_are_current() -> None:
    """And each command of `oc` is in its page, plain ASCII as every roff reads it."""
    written = {path.name: path.read_text(encoding="utf-8") for path in manual.FOLDER.iterdir()}
    assert written == manual.manuals(), "make gen"
    assert all(text.isascii() for text in written.values())
    assert r"\fBoc read\-page" in written["oc.1"]
    assert r"\-\-max\-concurrent\-tasks" in written["ocd.1"]


def test_no_example_output_names_its_machine() -> None:
    text = examples.WRITTEN.read_text(encoding="utf-8")
    assert str(ROOT) not in text
    assert set(re.findall(r"127\.0\.0\.1:(\d+)", text)) == {"8000"}


def test_site_builds_strictly_without_external_requests(tmp_path: Path) -> None:
    """Warnings are errors; each page has its Markdown beside it, and loads what lies beside it."""
    done = subprocess.run(
        [sys.executable, "-m", "documentation", str(tmp_path)], cwd=ROOT / "scripts",
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    site = tmp_path / "site"
    built = {path.relative_to(site).as_posix() for path in site.rglob("*.html")} - {"404.html"}
    assert built == {path.replace(".md", ".html") for path in pages()}
    assert all((site / path).read_text(encoding="utf-8") == pages()[path] for path in pages())
    assert (site / "llms.txt").exists()
    assert [
        one for path in site.rglob("*.html") for one in _REQUEST.findall(path.read_text())
    ] == []
    styles = [path.read_text(encoding="utf-8") for path in site.rglob("*.css")]
    assert [one for text in styles for one in re.findall(r"url\([\"']?https?:[^)]*", text)] == []
    assert json.loads((site / "search" / "search_index.json").read_text())["docs"]
