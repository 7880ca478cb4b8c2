"""Everyday verbs: navigation, waiting, screenshots, scripts."""

import base64
import struct
from pathlib import Path
from typing import Any

import pytest

from support.daemon import Daemon
from support.site import Site

pytestmark = pytest.mark.usefixtures("headless_shell")


@pytest.fixture
def daemon(one_tab_daemon: Daemon) -> Daemon:
    """One tab serves them all, for they begin by going to a page."""
    return one_tab_daemon


def _picture(daemon: Daemon, **params: object) -> bytes:
    result = daemon.do("page_screenshot", **params)
    return base64.b64decode(result["image"]["data"])


def _png_size(data: bytes) -> tuple[int, int]:
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    width, height = struct.unpack(">II", data[16:24])
    return width, height


def test_url_without_a_scheme_is_https(daemon: Daemon) -> None:
    """`example.com` means https://example.com, as in an address bar."""
    error = daemon.call("navigate", url="no-such-host.invalid/page").error
    assert "https://no-such-host.invalid/page" in str(error)


@pytest.mark.parametrize("part", ["…add/", "/search?q=a&…"])
def test_a_shortened_address_is_refused(daemon: Daemon, site: Site, part: str) -> None:
    """As outlines write it: the hint says how to get all of it, and the page stays."""
    daemon.do("navigate", url=site.url("article.html"))
    error = daemon.call("navigate", url=part).error
    assert (error["code"], error["url"]) == ("invalid_url", part)
    assert "read_page" in error["hint"]
    assert daemon.do("tabs_context")["tabs"][0]["title"] == "The lighthouse"


def test_back_and_forward_walk_the_history(daemon: Daemon, site: Site) -> None:
    """`back` and `forward` as URLs walk the tab's history; past its end they are errors."""
    for page in ("article.html", "table.html"):
        daemon.do("navigate", url=site.url(page))
    assert daemon.do("navigate", url="back")["title"] == "The lighthouse"
    assert daemon.do("navigate", url="forward")["title"] == "Steps"
    assert daemon.call("navigate", url="forward").status >= 400


def test_reload_fetches_the_page_again(daemon: Daemon, site: Site) -> None:
    """`page_reload` asks the site once more; with ignore_cache it says no-cache."""
    daemon.do("navigate", url=site.url("article.html"))
    assert daemon.do("page_reload")["title"] == "The lighthouse"
    assert len(site.seen("article.html")) == 2
    daemon.do("page_reload", ignore_cache=True)
    assert site.seen("article.html")[2].headers.get("Cache-Control") == "no-cache"


def test_tabs_are_opened_used_and_closed(daemon: Daemon, site: Site) -> None:
    """Verbs use the newest tab; closing it makes the one before current."""

    def do(verb: str, **params: object) -> Any:  # noqa: ANN401 - any JSON value
        return daemon.do(verb, "several", **params)

    first = daemon.new_tab(site.url("article.html"), "several")
    second = daemon.new_tab(site.url("table.html"), "several")
    context = do("tabs_context")
    assert [tab["tab_id"] for tab in context["tabs"]] == [first, second]
    assert context["current"] == second
    do("javascript_tool", code="1", tab_id=first)
    assert do("tabs_context")["current"] == first  # the one a verb without tab_id takes
    do("javascript_tool", code="1", tab_id=second)
    assert do("javascript_tool", code="document.title")["content"] == "Steps"
    assert do("tabs_close")["closed"] == [second]
    assert do("javascript_tool", code="document.title")["content"] == "The lighthouse"


def test_tabs_beyond_the_limit_are_refused(daemon: Daemon, site: Site) -> None:
    """A session has at most 20 tabs: the next is `limit_reached`, and none is closed for it."""
    tabs = [daemon.do("tabs_create", "crowd")["tab_id"] for _ in range(20)]
    assert daemon.call("tabs_create", "crowd").code == "limit_reached"
    assert [tab["tab_id"] for tab in daemon.do("tabs_context", "crowd")["tabs"]] == tabs
    daemon.do("tabs_close", "crowd", all=True)


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("selector", "#ready"),
        ("selector_hidden", "#wait"),
        ("function", "document.querySelector('button') !== null"),
    ],
)
def test_wait_for_ends_when_the_condition_holds(
    daemon: Daemon, site: Site, kind: str, value: str
) -> None:
    """`wait_for` returns as soon as its condition holds."""
    daemon.do("navigate", url=site.url("late.html"))
    daemon.do("wait_for", type=kind, value=value, timeout_ms=60_000)
    assert daemon.do("javascript_tool", code="document.querySelector('#ready') !== null")[
        "content"
    ] in ("true", True)


@pytest.mark.parametrize(
    ("code", "kind", "content"),
    [
        ("({d: new Date(0), n: 3n, m: new Map([[1, 2]])})", "object",
         '{"d":"1970-01-01T00:00:00.000Z","n":"3","m":{"1":2}}'),
        ("['half \\ud83d', '\\ud83d\\ude00']", "array", '["half \ufffd","\U0001f600"]'),
        ("new Date(0)", "string", "1970-01-01T00:00:00.000Z"),
        ("[1.5, null, true]", "array", "[1.5,null,true]"),
        ("NaN", "string", "NaN"),
        ("false", "boolean", "false"),
        ("undefined", "null", "null"),
    ],
)  # fmt: skip
def test_a_script_returns_its_value_with_its_type(
    daemon: Daemon, site: Site, code: str, kind: str, content: str
) -> None:
    """Strings as they are, everything else as JSON; what JSON has no form for, in words."""
    daemon.do("navigate", url=site.url("article.html"))
    told = daemon.do("javascript_tool", code=code)
    assert (told["type"], told["content"]) == (kind, content)


@pytest.mark.parametrize(
    ("code", "content"),
    [
        ("return 3", "3"),
        ("if (true) { return {a: await Promise.resolve(2)} }", '{"a":2}'),
        ("return; // nothing", "null"),
    ],
)
def test_a_script_may_use_return(daemon: Daemon, site: Site, code: str, content: str) -> None:
    """`return` works as in a function's body, and the script runs once."""
    daemon.do("navigate", url=site.url("article.html"))
    daemon.do("javascript_tool", code="window.runs = 0")
    assert daemon.do("javascript_tool", code=f"window.runs += 1; {code}")["content"] == content
    assert daemon.do("javascript_tool", code="window.runs")["content"] == "1"
    daemon.call("javascript_tool", code="window.runs += 1; eval('return 1')")
    assert daemon.do("javascript_tool", code="window.runs")["content"] == "2"


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("throw {reason: 'full', at: [1]}", '{"reason":"full","at":[1]}'),
        ("throw null", "null"),
        ("throw undefined", "undefined"),
        ("throw 0", "0"),
        ("Promise.reject([1])", "[1]"),
        ("let own = {}; own.own = own; own", "cannot be converted to JSON: TypeError: Converting"),
    ],
)
def test_thrown_values_are_reported(daemon: Daemon, site: Site, code: str, words: str) -> None:
    """Not only Errors are thrown; and a value that has no JSON is named as such."""
    daemon.do("navigate", url=site.url("article.html"))
    error = daemon.call("javascript_tool", code=code).error
    assert error["code"] == "script_error"
    assert words in error["message"]


def test_wait_for_times_out(daemon: Daemon, site: Site) -> None:
    """A condition that never holds is `timeout`, after the given time."""
    daemon.do("navigate", url=site.url("article.html"))
    reply = daemon.call("wait_for", type="selector", value="#never", timeout_ms=200)
    assert (reply.status, reply.code) == (504, "timeout")


def test_wait_for_a_navigation_of_the_page(daemon: Daemon, site: Site) -> None:
    """`url_match` survives the navigations in between."""
    daemon.do("navigate", url=site.url("late.html"))
    script = "setTimeout(() => location.href = '/redirect-to?url=/table.html', 300)"
    daemon.do("javascript_tool", code=script)
    assert daemon.do("wait_for", type="url_match", value="table.html")["url"] == site.url(
        "table.html"
    )


def test_screenshot_is_a_picture_of_the_viewport(daemon: Daemon, site: Site) -> None:
    """`page_screenshot` answers a PNG as large as the viewport; full_page is taller."""
    daemon.do("navigate", url=site.url("tall.html"))
    width, height = _png_size(_picture(daemon))
    whole = _png_size(_picture(daemon, full_page=True))
    assert whole[0] == width
    assert whole[1] > 6000 > height
    assert _png_size(_picture(daemon, clip=[0, 0, 40, 30])) == (40, 30)


@pytest.mark.parametrize(("kind", "magic"), [("jpeg", b"\xff\xd8\xff"), ("webp", b"RIFF")])
def test_screenshot_formats(daemon: Daemon, site: Site, kind: str, magic: bytes) -> None:
    """jpeg and webp are what they say."""
    daemon.do("navigate", url=site.url("article.html"))
    assert _picture(daemon, format=kind, quality=40).startswith(magic)


def test_oc_saves_a_picture(daemon: Daemon, site: Site, tmp_path: Path) -> None:
    """`oc page-screenshot --out FILE` writes the picture."""
    daemon.do("navigate", url=site.url("article.html"))
    file = tmp_path / "page.png"
    daemon.oc("page-screenshot", "--out", str(file)).ok()
    assert _png_size(file.read_bytes())[0] > 100


def test_connection_health_starts_no_browser(make_daemon: object, site: Site) -> None:
    """`oc_connection_health` says stopped, then running with a ping; it starts nothing itself."""
    daemon: Daemon = make_daemon()  # type: ignore[operator]
    assert daemon.do("oc_connection_health")["state"] == "stopped"
    daemon.do("navigate", url=site.url("article.html"))
    health = daemon.do("oc_connection_health")
    assert health["state"] == "running"
    assert health["pid"] == daemon.chromium().pid


@pytest.mark.parametrize(
    ("code", "value"),
    [
        ("1 + 1", "2"),
        ("document.title", "The lighthouse"),
        ("Promise.resolve(5)", "5"),
        ("await fetch('/json').then(r => r.status)", "200"),
        ("const a = 1; const b = 2; a + b", "3"),
        ("({a: [1, null]})", '{"a":[1,null]}'),
    ],
)
def test_script_values(daemon: Daemon, site: Site, code: str, value: str) -> None:
    """`javascript_tool` answers the value of the last expression; promises are awaited."""
    daemon.do("navigate", url=site.url("article.html"))
    assert daemon.do("javascript_tool", code=code)["content"] == value


def test_script_error_names_message_and_line(daemon: Daemon, site: Site) -> None:
    """A script that throws is `script_error` with JavaScript's message and the line."""
    daemon.do("navigate", url=site.url("article.html"))
    error = daemon.call("javascript_tool", code="1;\nnull.x").error
    assert error["code"] == "script_error"
    assert "null" in error["message"]
    assert error["line"] == 2
