"""Fault isolation: a failing tab or script does not affect other sessions."""

import json
import signal
from collections.abc import Callable

import pytest

from support.daemon import Daemon
from support.site import Site
from support.waiting import wait_until

MakeDaemon = Callable[..., Daemon]


def test_a_slowly_closing_tab_affects_no_other_session(make_daemon: MakeDaemon, site: Site) -> None:
    """Chromium is stopped while a tab closes: the page of another session keeps its state."""
    daemon = make_daemon()
    daemon.do("navigate", "bystander", url=site.url("article.html"))
    daemon.do("javascript_tool", "bystander", code="window.kept = 'still here'")
    daemon.do("navigate", "closing", url=site.url("table.html"))
    many, browser = len(daemon.renderers()), daemon.chromium()
    browser.kill(signal.SIGSTOP)
    try:
        daemon.do("tabs_close", "closing")
    finally:
        browser.kill(signal.SIGCONT)
    wait_until(lambda: len(daemon.renderers()) < many, 30, "the end of the closed tab's renderer")
    seen = daemon.do("javascript_tool", "bystander", code="window.kept")
    assert seen["content"] == "still here"
    assert daemon.chromium() == browser
    assert daemon.do("navigate", "closing", url=site.url("table.html"))["title"] == "Steps"


def test_connection_health_reports_a_stopped_browser(make_daemon: MakeDaemon, site: Site) -> None:
    """`oc_connection_health` answers while Chromium does not, and says so."""
    daemon = make_daemon()
    daemon.do("navigate", url=site.url("article.html"))
    browser = daemon.chromium()
    browser.kill(signal.SIGSTOP)
    try:
        health = daemon.do("oc_connection_health")
    finally:
        browser.kill(signal.SIGCONT)
    assert (health["state"], health["answers"]) == ("running", False)
    assert "ping_ms" not in health
    wait_until(lambda: daemon.do("oc_connection_health")["answers"], what="an answer of Chromium")


_REPLACE_ALL = """
  const thrower = function () { throw new Error('replaced'); };
  const junk = [null, '', 'junk', {}, thrower][%d];
  const lasting = new Set(['constructor', '__proto__']);
  for (const type of [Object, Array, String, Number, Map, Set, Promise, Function, RegExp, Error]) {
    for (const name of Object.getOwnPropertyNames(type.prototype)) {
      if (!lasting.has(name)) try { type.prototype[name] = junk; } catch {}
    }
  }
  Object.prototype.toJSON = Array.prototype.toJSON = () => 'not this';
  const iterator = Symbol.iterator;
  Array.prototype[iterator] = Map.prototype[iterator] = junk;
  const fake = () => junk;
  window.JSON = {stringify: () => junk, parse: () => junk};
  for (const name of [
    'setTimeout', 'setInterval', 'requestAnimationFrame', 'MutationObserver', 'getComputedStyle',
    'Promise', 'Map', 'Set', 'Symbol', 'Array', 'String', 'Number', 'Error', 'RegExp', 'Node',
    'NodeList', 'HTMLCollection', 'Date', 'Object',
  ]) window[name] = junk;
  document.querySelector = document.querySelectorAll = document.getElementById = fake;
"""


@pytest.mark.parametrize("kind", range(5))
def test_replaced_globals_do_not_affect_replies(daemon: Daemon, site: Site, kind: int) -> None:
    """JSON, prototypes, iterators and globals are the page's own: our answers are right."""
    daemon.do("navigate", url=site.url("article.html"))
    plain, found = daemon.do("read_page"), daemon.do("find", query="Lighthouse")
    daemon.call("javascript_tool", code=f"(() => {{{_REPLACE_ALL % kind}}})(); 1")

    def answer(code: str) -> object:
        return json.loads(daemon.do("javascript_tool", code=code)["content"])

    value = {"a": [1, 'q"\\\n\u00e9\x01', None, True, {"b": {}}], "c": 1.5, "d": ["x"]}
    source = f"({json.dumps(value)})"
    assert answer(source) == value
    assert answer(f"(async () => {source})()") == value
    assert answer("({u: undefined, n: 0/0, b: 10n, big: 1e21, l: [undefined]})") == {
        "n": "NaN", "b": "10", "big": 1e21, "l": [None],
    }  # fmt: skip
    assert answer("document.body.getBoundingClientRect()")["x"] == 8  # type: ignore[index]
    round_one = daemon.call("javascript_tool", code="const o = {}; o.o = o; o")
    assert round_one.code == "script_error"
    assert "circular" in round_one.error["message"]
    assert daemon.do("read_page")["content"] == plain["content"]
    assert daemon.do("wait_for", type="function", value="document.body")
    assert daemon.do("wait_for", type="selector", value="h1")
    assert daemon.do("find", query="Lighthouse") == found


@pytest.mark.parametrize("text", ["{}", "''", "'\"faked\"'", "undefined", "({})", "window", "42"])
def test_a_replaced_json_stringify_is_not_used(daemon: Daemon, site: Site, text: str) -> None:
    """Whatever a page's JSON.stringify returns, `javascript_tool` gives the value itself."""
    daemon.do("navigate", url=site.url("article.html"))
    daemon.do("javascript_tool", code=f"JSON.stringify = () => {text}; 1")
    made = daemon.do("javascript_tool", code="({a: [1, new Date(0), new Map([['k', 2]])]})")
    assert json.loads(made["content"]) == {"a": [1, "1970-01-01T00:00:00.000Z", {"k": 2}]}


def test_tojson_on_prototypes_does_not_affect_replies(daemon: Daemon, site: Site) -> None:
    """Object.prototype.toJSON and Array.prototype.toJSON are a library's; a class's own counts."""
    daemon.do("navigate", url=site.url("article.html"))
    daemon.do(
        "javascript_tool",
        code="Object.prototype.toJSON = Array.prototype.toJSON = () => 'not this'; 1",
    )
    made = daemon.do("javascript_tool", code="({a: [1, {b: 2}], u: new URL('http://h/'), z: null})")
    assert json.loads(made["content"]) == {"a": [1, {"b": 2}], "u": "http://h/", "z": None}
    class_own = daemon.do("javascript_tool", code="({x: new (class { toJSON() { return 7 } })})")
    assert json.loads(class_own["content"]) == {"x": 7}
