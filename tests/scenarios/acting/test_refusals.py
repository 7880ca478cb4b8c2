"""Invalid input: each kind has its own code and a hint, and does nothing to the page."""

from collections.abc import Callable
from typing import Any

import pytest

from support.daemon import Daemon
from support.pages import Page
from support.site import Site

At = Callable[[str], Page]


def test_ref_of_another_tab_is_refused(at: At) -> None:
    """A ref is valid only in its tab; the hint names that tab."""
    page = at("rows.html")
    ref = page.ref("delete bob")
    first = page.do("tabs_context")["tabs"][0]["tab_id"]
    page.do("tabs_create", url=page.site.url("acting/rows.html"))
    page.do("read_page")
    reply = page.call("interact", ref=ref)
    assert reply.code == "stale_ref"
    assert first in reply.error["hint"]
    assert page.text("output") == ""
    page.do("interact", ref=ref, tab_id=first)


def test_closed_tab_is_named(at: At) -> None:
    """A closed tab is `tab_not_found`, with the open ones."""
    page = at("rows.html")
    other = page.do("tabs_create")["tab_id"]
    page.do("tabs_close", tab_id=other)
    reply = page.call("interact", query="delete bob", tab_id=other)
    assert reply.code == "tab_not_found"
    assert reply.error["hint"]


def test_crashed_tab_is_named(at: At) -> None:
    """A tab whose renderer died says so, and is usable after a navigation."""
    page = at("rows.html")
    for renderer in page.daemon.renderers():
        renderer.kill()
    reply = page.call("interact", query="delete bob")
    assert reply.code == "tab_crashed"
    assert reply.error["hint"]
    page.goto("rows.html").do("interact", query="delete bob")


def test_actions_on_a_hung_page_time_out(daemon: Daemon, site: Site) -> None:
    """No acting verb waits longer than its timeout, whatever the page does."""
    daemon.do("navigate", url=site.url("hang-script"), wait="commit")
    for verb, params in (
        ("interact", {"selector": "h1"}),
        ("form_input", {"selector": "h1", "value": "x"}),
        ("computer", {"action": "left_click", "coordinate": [5, 5]}),
        ("act", {"instruction": "click Busy"}),
    ):
        reply = daemon.call(verb, **params, timeout_ms=500)
        assert reply.code == "timeout"
        assert f"{verb} took longer than 0.5 s" in reply.error["message"]
    daemon.do("tabs_close")


@pytest.mark.parametrize(
    ("event", "verb", "params"),
    [
        ("keydown", "interact", {"action": "press", "value": "Control+a"}),
        ("mousemove", "drag_drop", {"source_selector": "h1", "target_x": 50, "target_y": 50}),
    ],
)
def test_actions_on_a_page_that_hangs_midway_time_out(
    at: At, event: str, verb: str, params: dict[str, Any]
) -> None:
    """Pressed keys and buttons are released without waiting for the page."""
    page = at("things.html")
    page.js("document.body.insertAdjacentHTML('afterbegin', '<h1>Held</h1>'); 1")
    hang = "if (event.key == 'a' || event.buttons) for (;;);"
    page.js(f"addEventListener('{event}', (event) => {{ {hang} }}, true); 1")
    assert page.call(verb, **params, timeout_ms=1000).code == "timeout"
    page.do("tabs_close")


def test_tab_that_closes_itself_is_reported(at: At) -> None:
    """A click that closes its window gets a reply."""
    page = at("things.html")
    (popup,) = page.do("interact", query="Open button")["changed"]["popups"]
    page.do("wait_for", type="load", tab_id=popup["tab_id"])
    page.do(
        "javascript_tool",
        tab_id=popup["tab_id"],
        code="document.body.innerHTML = '<button onclick=\"window.close()\">Shut</button>'; 1",
    )
    assert page.do("interact", query="Shut", tab_id=popup["tab_id"])["changed"]["closed"] is True
    assert [tab["tab_id"] for tab in page.do("tabs_context")["tabs"]].count(popup["tab_id"]) == 0
