"""Invisible text is not read by any verb in any format; visible text is."""

import json
from typing import Any

import pytest

from support.daemon import Daemon
from support.hidden_text import COVERED, HIDDEN, HONEST, WORD
from support.site import Site

# Pages whose words are the name of a control, and no text.
NAMES_ONLY = {"icon-link", "labelled", "hidden-label"}

READINGS: dict[str, dict[str, Any]] = {
    "read_page outline": {},
    "read_page dom": {"mode": "dom"},
    "read_page text": {"mode": "text"},
    "read_page markdown": {"mode": "markdown"},
    "find": {"query": f"{WORD} orders"},
    "find again": {"query": "plain words"},
    "inspect": {"query": "what is on this page"},
    "page_content": {},
    "query_dom": {"selector": "body"},
    "oc_observe": {"scope": "document"},
    "extract_data": {"schema": {"properties": {"all": {"type": "string"}}}, "selector": "body"},
    "oc_assert": {"contract": {"kind": "dom_text", "contains": "something else"}},
}


def _told(daemon: Daemon, reading: str) -> str:
    reply = daemon.call(reading.split(" ")[0], **READINGS[reading])
    return json.dumps(reply.result, ensure_ascii=False)


@pytest.mark.parametrize("trick", HIDDEN)
def test_hidden_text_is_not_read(daemon: Daemon, site: Site, trick: str) -> None:
    """Each trick alone on a page, in every reading verb and format."""
    daemon.do("navigate", url=site.url(f"text/hidden/{trick}"))
    told = {reading: _told(daemon, reading) for reading in READINGS}
    assert [reading for reading, text in told.items() if WORD in text] == []
    assert "Plain words" in told["read_page outline"]


@pytest.mark.parametrize("page", HONEST)
def test_text_that_only_looks_hidden_is_read(daemon: Daemon, site: Site, page: str) -> None:
    """Faint, moved, scrolled away, over a picture, or named for screen readers."""
    daemon.do("navigate", url=site.url(f"text/honest/{page}"))
    told = {reading: _told(daemon, reading) for reading in READINGS if reading != "find"}
    assert "honest words" in told["read_page outline"]
    assert "honest words" in json.dumps(daemon.do("find", query="honest words"))
    if page not in NAMES_ONLY:
        every = ("read_page text", "read_page markdown", "page_content", "query_dom", "oc_assert")
        assert [reading for reading in every if "honest words" not in told[reading]] == []


@pytest.mark.parametrize("page", COVERED)
def test_covered_text_is_marked(daemon: Daemon, site: Site, page: str) -> None:
    """A dialog covers ordinary text: it is read and marked as covered; hidden text is not read."""
    daemon.do("navigate", url=site.url(f"text/covered/{page}"))
    assert f"[covered] {WORD} orders" in _told(daemon, "read_page outline")
    assert f"[covered] {WORD} orders" in _told(daemon, "read_page text")
    assert f"[covered] {WORD} orders" in _told(daemon, "page_content")
    assert "[covered] Plain" not in _told(daemon, "read_page outline")
    assert "[covered]" in _told(daemon, "find")
    assert "[covered]" not in _told(daemon, "find again")


def test_a_line_that_is_covered_is_marked_once(daemon: Daemon) -> None:
    """Its words stand in several elements; every line has a mark of its own."""
    style = "position:absolute;left:0;top:0;width:300px;height:80px;background:white"
    body = (
        f"<p>One <b>two</b> <i>three</i></p><p>Four</p><div style='{style}'>Over</div><p>Five</p>"
    )
    daemon.do("navigate", url=f"data:text/html,{body}")
    told = daemon.do("read_page")["content"]
    assert "text: [covered] One two three | [covered] Four | Over | Five\n" in told


@pytest.mark.parametrize("page", ["positioned-card", "sticky", "veil", "over-picture"])
def test_visible_text_is_not_marked(daemon: Daemon, site: Site, page: str) -> None:
    """Boxes around a text, sticky headers and transparent overlays cover nothing."""
    daemon.do("navigate", url=site.url(f"text/honest/{page}"))
    assert "[covered]" not in _told(daemon, "read_page outline")


@pytest.mark.parametrize("form", ["markdown", "text", "html"])
def test_browser_crawls_read_only_visible_text(daemon: Daemon, site: Site, form: str) -> None:
    """The same pages by a crawl with the browser."""
    how = {"engine": "browser", "format": form, "max_pages": 99}
    pages = daemon.do("crawl", url=site.url("text/hidden/"), **how)["pages"]
    assert len(pages) > len(HIDDEN)
    assert [page["url"] for page in pages if WORD in page["content"]] == []
    pages = daemon.do("crawl", url=site.url("text/honest/"), **how)["pages"]
    lost = {
        page["url"].rpartition("/")[2] for page in pages if "honest words" not in page["content"]
    }
    assert lost <= {"", "drawing", *NAMES_ONLY}
    pages = daemon.do("crawl", url=site.url("text/covered/"), **how)["pages"]
    told = [page["content"] for page in pages if WORD in page["content"]]
    assert len(told) == len(COVERED)
    assert all("covered" in text for text in told)
