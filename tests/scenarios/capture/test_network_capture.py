"""network_capture_lite and network_capture_full: a bracketed span of requests."""

from collections.abc import Callable

import pytest

from support.pages import Page
from support.site import Site
from support.waiting import wait_until

At = Callable[[str], Page]


def test_lite_has_the_requests_between_start_and_stop(at: At, site: Site) -> None:
    """Requests before the start and after the stop are not included, nor are bodies."""
    page = at("inner.html")
    page.do("network_capture_lite", action="start")
    page.js("await fetch('/json?inside').then(r => r.text()); 1")
    stopped = page.do("network_capture_lite", action="stop")
    page.js("await fetch('/json?after'); 1")
    got = page.do("network_capture_lite", action="getLogs")
    assert stopped["entry_count"] == got["total_entries"] == 1
    assert got["entries"][0]["url"] == site.url("json?inside")
    assert "body" not in got["entries"][0]


def test_full_keeps_bodies_across_navigations(at: At, site: Site) -> None:
    """The body of a page that was left is still there."""
    page = at("inner.html")
    page.do("network_capture_full", action="start")
    page.do("navigate", url=site.url("article.html"))
    page.do("navigate", url=f"{site.other_origin}/plain")
    got = page.do("network_capture_full", action="get")
    document = next(e for e in got["entries"] if e["url"] == site.url("article.html"))
    assert "<h1" in document["body"]
    assert document["response"]["headers"]


def test_options_select_requests_and_limit_sizes(at: At) -> None:
    """Allow list, block list, types, entries and body bytes are obeyed."""
    page = at("inner.html")
    options = {
        "urlAllowlist": ["*/json*", "*/capture/*"], "urlBlocklist": ["*blocked*"],
        "resourceTypes": ["fetch"], "maxEntries": 2, "maxBodyBytes": 10,
    }  # fmt: skip
    page.do("network_capture_full", action="start", options=options)
    for path in ("/json?1", "/json?blocked", "/plain", "/json?2", "/capture/large?kb=1"):
        page.js(f"await fetch('{path}').then(r => r.text()); 1")
    got = page.do("network_capture_full", action="stop")
    assert got["entry_count"] == 2
    got = page.do("network_capture_full", action="get")
    assert [e["url"].rpartition("/")[2] for e in got["entries"]] == ["json?2", "large?kb=1"]
    assert (len(got["entries"][1]["body"]), got["dropped"]) == (10, 1)


def test_modes_exclude_each_other(at: At) -> None:
    """Each wrong order has its own code."""
    page = at("inner.html")
    assert page.call("network_capture_lite", action="get").code == "not_running"
    page.do("network_capture_lite", action="start")
    assert page.call("network_capture_lite", action="start").code == "already_capturing"
    assert page.call("network_capture_full", action="start").code == "already_capturing"
    assert page.call("network_capture_full", action="get").code == "mode_mismatch"
    page.do("network_capture_lite", action="stop")
    assert page.call("network_capture_lite", action="stop").code == "not_running"
    page.do("network_capture_full", action="start")


def test_clear_empties_a_running_capture(at: At) -> None:
    """Requests after `clear` are still captured."""
    page = at("inner.html")
    page.do("network_capture_lite", action="start")
    page.js("await fetch('/json?one'); 1")
    assert page.do("network_capture_lite", action="clear")["cleared_count"] == 1
    page.js("await fetch('/json?two'); 1")
    assert page.do("network_capture_lite", action="get")["entry_count"] == 1


@pytest.mark.parametrize("mode", ["lite", "full"])
def test_pages_that_never_become_idle_are_captured(at: At, site: Site, mode: str) -> None:
    """A page that polls for ever does not keep a capture from answering."""
    page = at("inner.html")
    page.do(f"network_capture_{mode}", action="start")
    page.do("navigate", url=site.url("never-idle"))

    def captured() -> int:
        return int(page.do(f"network_capture_{mode}", action="get")["entry_count"])

    wait_until(lambda: captured() > 3, 10, "polls")
    assert len(site.seen("never-idle")) == 1
