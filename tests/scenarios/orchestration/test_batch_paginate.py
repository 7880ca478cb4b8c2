"""batch_paginate: through viewers by button, key, address and scrolling, until they end."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from support.daemon import Daemon
from support.site import Site

WORDS = ["Alpha begins", "Beta follows", "Gamma is third", "Delta nearly ends", "Epsilon ends"]


@pytest.fixture
def daemon(one_tab_daemon: Daemon) -> Daemon:
    """One tab serves them all, for they begin by going to a page."""
    return one_tab_daemon


def words_of(done: dict[str, Any]) -> list[str]:
    """Return which of the viewer's pages were captured, in order."""
    return [word for page in done["pages"] for word in WORDS if word in page["text"]]


@pytest.fixture
def paginate(daemon: Daemon, site: Site) -> Callable[..., dict[str, Any]]:
    """Go to a page of fixtures/site/orchestration and through it."""

    def go(page: str, **params: object) -> dict[str, Any]:
        daemon.do("navigate", url=site.url(f"orchestration/{page}"))
        found: dict[str, Any] = daemon.do("batch_paginate", **params)
        return found

    return go


@pytest.mark.parametrize("page", ["viewer.html", "viewer.html?late"])
@pytest.mark.parametrize(
    "by", [{"next_selector": "#next"}, {"next_query": "Turn over"}, {"nextSelector": "#next"}]
)
def test_next_button_until_it_is_disabled(
    paginate: Callable[..., dict[str, Any]], page: str, by: dict[str, str]
) -> None:
    """Every page is captured once, pages that load late too; a disabled button is the end."""
    done = paginate(page, **by)
    assert words_of(done) == WORDS
    assert (done["ended_by"], done["total_captured"], done["strategy"]) == ("no_next", 5, "click")
    assert [one["page_number"] for one in done["pages"]] == [1, 2, 3, 4, 5]


def test_ref_of_the_next_button(daemon: Daemon, site: Site) -> None:
    """A ref works within one document, and over several ones by its name."""
    daemon.do("navigate", url=site.url("orchestration/viewer.html"))
    ref = daemon.do("find", query="Turn over")["refs"][0]
    assert words_of(daemon.do("batch_paginate", next_ref=ref)) == WORDS
    daemon.do("navigate", url=site.url("orchestration/numbered.html"))
    ref = daemon.do("find", query="Next")["refs"][0]
    done = daemon.do("batch_paginate", next_ref=ref)
    assert [f"Chapter number {n}" in one["text"] for n, one in enumerate(done["pages"], 1)] == [
        True, True, True, True,
    ]  # fmt: skip


@pytest.mark.parametrize("key", [{"strategy": "keyboard"}, {"key_action": "j"}])
def test_keyboard_until_nothing_changes(
    paginate: Callable[..., dict[str, Any]], key: dict[str, str]
) -> None:
    """A key turns the page; when it changes nothing any more, that is the end."""
    done = paginate("viewer.html", **key)
    assert words_of(done) == WORDS
    assert done["ended_by"] == "no_change"


def test_pagination_ends_when_a_page_repeats(paginate: Callable[..., dict[str, Any]]) -> None:
    """A viewer that goes round is left when the first page comes again."""
    done = paginate("viewer.html?loop", next_selector="#next")
    assert (words_of(done), done["ended_by"]) == (WORDS, "repeated")


def test_total_pages_is_a_count(paginate: Callable[..., dict[str, Any]]) -> None:
    """start_page 3 and total_pages 2 are two pages, numbered 3 and 4."""
    done = paginate("viewer.html", next_selector="#next", total_pages=2, start_page=3)
    assert [one["page_number"] for one in done["pages"]] == [3, 4]
    assert (words_of(done), done["ended_by"]) == (WORDS[:2], "total_pages")
    limited = paginate("viewer.html", next_selector="#next", max_pages=3)
    assert (limited["total_captured"], limited["ended_by"]) == (3, "limit")


def test_auto_follows_the_pages_own_pagination(paginate: Callable[..., dict[str, Any]]) -> None:
    """Without parameters it follows the page's own pagination to its last page."""
    done = paginate("numbered.html", capture_mode="markdown")
    assert [f"Chapter number {n}" in one["text"] for n, one in enumerate(done["pages"], 1)] == [
        True, True, True, True,
    ]  # fmt: skip
    assert (done["strategy"], done["ended_by"]) == ("auto", "no_next")


def test_url_template_until_404(daemon: Daemon, site: Site) -> None:
    """A template's addresses are visited until the site answers 404; no tab is needed before."""
    template = site.url("list-{page}.html")
    done = daemon.do("batch_paginate", url_template=template, capture_mode="dom")
    assert (done["total_captured"], done["ended_by"]) == (3, "http_404")
    assert [one.path for one in site.seen("list-*")] == [f"/list-{n}.html" for n in (1, 2, 3, 4)]
    assert "<" in done["pages"][0]["dom"]
    counted = daemon.do("batch_paginate", url_template=template, total_pages=2, start_page=3)
    assert (counted["total_captured"], counted["total_failed"]) == (1, 1)
    assert counted["pages"][1]["error"]["code"] == "http_error"


def test_url_template_with_offsets(daemon: Daemon, site: Site) -> None:
    """{offset} grows by page_size from 0."""
    template = site.url("orchestration/numbered.html?page={page}&from={offset}")
    daemon.do("batch_paginate", url_template=template, page_size=25, total_pages=3)
    queries = [one.query for one in site.seen("orchestration/numbered.html")]
    assert queries == ["page=1&from=0", "page=2&from=25", "page=3&from=50"]


@pytest.mark.parametrize(
    ("page", "wait_ms"), [("feed.html", 5000), ("feed.html?while-looked-at", 100)]
)
def test_scrolling_captures_only_new_content(
    paginate: Callable[..., dict[str, Any]], page: str, wait_ms: int
) -> None:
    """An endless feed is read to its end; no story is lost, none told twice."""
    done = paginate(page, strategy="scroll", wait_between_pages=wait_ms)
    stories = [
        line for page in done["pages"] for line in page["text"].splitlines() if "Story" in line
    ]
    assert stories == [f"Story {n} of the day" for n in range(1, 16)]
    assert done["ended_by"] == "end"


def test_captured_images_are_files(paginate: Callable[..., dict[str, Any]], daemon: Daemon) -> None:
    """A viewer that draws is followed by its images, which are in the session's folder."""
    done = paginate("drawn.html", strategy="keyboard", capture_mode="screenshot",
                    wait_between_pages=1000)  # fmt: skip
    assert (done["total_captured"], done["ended_by"]) == (3, "no_change")
    pictures = [Path(page["screenshot"]) for page in done["pages"]]
    assert all(path.read_bytes().startswith(b"\x89PNG") for path in pictures)
    assert all(path.is_relative_to(daemon.home.path / "files") for path in pictures)
    assert len({path.read_bytes() for path in pictures}) == 3


BAD: list[dict[str, Any]] = [
    {"strategy": "url"},
    {"url_template": "http://a.example/"},
    {"url_template": "chrome://{page}"},
    {"next_selector": "#a", "next_query": "b"},
    {"total_pages": 0},
    {"strategy": "sideways"},
]


@pytest.mark.parametrize("params", BAD)
def test_bad_calls_are_refused(daemon: Daemon, params: dict[str, Any]) -> None:
    """No template, one without a place, one that is no address, two buttons, no page at all."""
    assert daemon.call("batch_paginate", **params).code in ("invalid_argument", "invalid_url",
                                                             "domain_blocked")  # fmt: skip


def test_no_tab_and_a_bad_selector_are_errors(daemon: Daemon, site: Site) -> None:
    """Nothing captured is an error of its own, as the verb inside would tell it."""
    assert daemon.call("batch_paginate", "tabless").code == "no_tab"
    assert daemon.call("batch_paginate", "tabless", tab_id="t999").code in (
        "tab_not_found",
        "no_tab",
    )
    daemon.do("navigate", url=site.url("article.html"))
    assert daemon.call("batch_paginate", selector="#nothing").code == "element_not_found"
    done = daemon.do("batch_paginate", next_selector="#nothing")
    assert (done["total_captured"], done["ended_by"]) == (1, "no_next")


def test_cancelled_pagination_keeps_its_pages(daemon: Daemon, site: Site) -> None:
    """Cancelled while it waits for a page, it keeps those before."""
    task = daemon.start_task("batch_paginate", url_template=site.url("chain/{page}?hold=3"))
    site.wait_for("chain/3")
    assert daemon.do("oc_task_cancel", task_id=task)["meta"]["status"] == "CANCELLED"
    assert [one["page_number"] for one in daemon.result_of(task)["pages"]] == [1, 2]
