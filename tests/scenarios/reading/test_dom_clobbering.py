"""DOM clobbering: elements named like properties of a form or document break no verb."""

import json
import re
from typing import Any

import pytest

from support.daemon import Daemon
from support.site import Site

# Whatever a form inherits, but constants and handlers.
_INHERITED = """(() => {
  const names = new Set();
  const form = document.createElement('form');
  for (let at = Object.getPrototypeOf(form); at !== Object.prototype; at = Object.getPrototypeOf(at)) {
    for (const name of Object.getOwnPropertyNames(at)) if (/^[a-z]/.test(name) && !/^(on|aria|webkit)/.test(name)) names.add(name);
  }
  return [...names].sort();
})()"""  # noqa: E501 - one statement of JavaScript a line
_FORM = (
    '<form aria-label="my form"><label>Mail <input name=mail></label>'
    "<input name={0} id={0}>"
    "<button type=button onclick=\"this.textContent='sent'\">Send</button></form>"
    "<form hidden><input name={0}>Unseen words</form>"
)
_DONE = """document.querySelector('button').textContent + ' '
  + document.querySelector('[name=mail]').value"""
_CALLS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("read_page", {}),
    ("read_page", {"selector": "form"}),
    ("read_page", {"mode": "dom", "selector": "form"}),
    ("read_page", {"mode": "markdown"}),
    ("find", {"query": "Send button"}),
    ("query_dom", {"selector": "form"}),
    ("oc_observe", {}),
    ("form_input", {"query": "Mail", "value": "a@b.example"}),
    ("interact", {"query": "Send"}),
)


@pytest.mark.parametrize("part", range(4))
def test_forms_whose_fields_shadow_properties(daemon: Daemon, site: Site, part: int) -> None:
    """Each name of the DOM in turn; what is shown is read, found, filled and clicked as ever.

    What is not shown is not read.
    """
    daemon.do("navigate", url=site.url("index.html"))
    names = json.loads(
        daemon.do("javascript_tool", code=f"JSON.stringify({_INHERITED})")["content"]
    )
    assert len(names) > 150
    for name in names[part::4]:
        html = _FORM.format(name)
        daemon.do("javascript_tool", code=f"document.body.innerHTML = {html!r}; 1")
        for verb, params in _CALLS:
            reply = str(daemon.do(verb, **params))
            assert "could not be read" not in reply, (name, verb, params)
            assert "Unseen" not in reply, (name, verb, params)
            if verb == "read_page" and "mode" not in params:
                assert 'textbox "Mail"' in reply, (name, params)
                assert 'button "Send"' in reply, (name, params)
                assert 'form "my form"' in reply, (name, params)
        done = str(daemon.do("javascript_tool", code=_DONE))
        assert "sent a@b.example" in done, (name, done)


_READINGS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("wait_for", {"type": "text", "value": "The end"}),
    ("wait_for", {"type": "selector", "value": "#below"}),
    ("read_page", {}),
    ("read_page", {"filter": "interactive", "include_pagination": True}),
    ("read_page", {"selector": "#order"}),
    ("read_page", {"mode": "dom", "selector": "table"}),
    ("read_page", {"mode": "css"}),
    ("read_page", {"mode": "semantic"}),
    ("read_page", {"mode": "text"}),
    ("read_page", {"mode": "markdown", "only_main_content": True}),
    ("find", {"query": "Mail"}),
    ("find", {"query": "In the shadow"}),
    ("query_dom", {"selector": "button", "multiple": True, "pierce_shadow": True}),
    ("query_dom", {"method": "xpath", "xpath": "//td", "multiple": True}),
    ("oc_observe", {"scope": "viewport", "include_hidden": True}),
    ("inspect", {"query": "form errors"}),
    ("inspect", {"query": "focus"}),
    ("extract_data", {"schema": {"properties": {"tool": {"type": "string"}}}}),
    ("page_content", {"selector": "#order"}),
    ("vision_find", {"query": "Send"}),
    ("oc_assert", {"contract": {"kind": "dom_text", "contains": "The end"}}),
)
_ACTIONS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("form_input", {"query": "Colour", "value": "Blue"}),
    ("fill_form", {"fields": {"Mail": "a@b.example", "A gift": True}, "submit": True}),
    ("interact", {"query": "Send"}),
    ("interact", {"selector": "#notes", "action": "type", "value": "More"}),
    ("interact", {"query": "Inside", "action": "hover"}),
    ("act", {"instruction": 'type "Ada" into Mail and press Enter'}),
    ("drag_drop", {"source_selector": "#source", "target_selector": "#target"}),
    ("computer", {"action": "left_click", "coordinate": [60, 60]}),
    ("computer", {"action": "key", "text": "Tab"}),
    ("lightweight_scroll", {"direction": "bottom"}),
    ("lightweight_scroll", {"selector": "#long", "amount": 30}),
    ("lightweight_scroll", {"until": "Garden tools"}),
    ("page_screenshot", {"selector": "#send"}),
    ("batch_paginate", {"strategy": "scroll", "max_pages": 2, "capture_mode": "text"}),
)
# What differs from one load of a page to the next.
_OWN = (
    "url", "data", "image", "loader_id", "captured_at", "task_id", "duration_ms", "evidence",
    "evidence_digest",
)  # fmt: skip


def _comparable(reply: dict[str, Any]) -> str:
    text = json.dumps({key: value for key, value in reply.items() if key not in _OWN})
    return re.sub(r"\d+|[?&]plain=1", "", re.sub(r"data-(name|id)=", r"\1=", text))


@pytest.mark.parametrize("kind", ["img", "form"])
def test_elements_that_shadow_document_properties(daemon: Daemon, site: Site, kind: str) -> None:
    """With elements named like all document properties, every reply is the same as without."""
    replies: list[list[str]] = []
    for plain in ("&plain=1", ""):
        daemon.do("navigate", url=site.url(f"clobbered.html?kind={kind}{plain}"))
        calls = _READINGS + _ACTIONS if kind == "img" else _READINGS
        replies.append([f"{verb} {_comparable(daemon.do(verb, **p))}" for verb, p in calls])
    assert replies[0] == replies[1]
    page = json.dumps(daemon.do("read_page")["content"])
    expected = ("Dropped", "Sent", "Ordered", "Ada", "Blue") if kind == "img" else ("Order",)
    assert [words for words in expected if words not in page] == []


# What the page's own handlers need stays, and what tells `batch_paginate` that a page has changed.
_REPLACED = """
const refuse = () => { throw new Error('replaced') };
const { getOwnPropertyNames, getOwnPropertyDescriptor, defineProperty } = Object;
const kept = { constructor: 1, querySelector: 1, textContent: 1, preventDefault: 1, innerText: 1, body: 1, images: 1,
  charCodeAt: 1 };
const prototypes = [EventTarget, Node, Element, HTMLElement, HTMLInputElement, HTMLFormElement, Document, Event,
  NodeList, Map, Set, WeakMap, String, RegExp, Promise, DOMRect, Array];
for (let at = 0; at < prototypes.length; at++) {
  const of = prototypes[at].prototype;
  const names = getOwnPropertyNames(of);
  for (let place = 0; place < names.length; place++) {
    const own = getOwnPropertyDescriptor(of, names[place]);
    if (!own.configurable || names[place] in kept) continue;
    if (typeof own.value === 'function') defineProperty(of, names[place], { configurable: true, value: refuse });
    else if (own.get) defineProperty(of, names[place], { configurable: true, get: refuse, set: refuse });
  }
}
Object.prototype.toJSON = Array.prototype.toJSON = Array.prototype[Symbol.iterator] = refuse;
String.prototype[Symbol.iterator] = refuse;
window.JSON = window.Promise = window.Map = window.Set = window.MutationObserver = undefined;
window.getComputedStyle = window.requestAnimationFrame = window.setTimeout = refuse;
"""  # noqa: E501 - one statement of JavaScript a line


def test_pages_that_replace_built_in_functions(daemon: Daemon, site: Site) -> None:
    """Prototypes, JSON, timers and iterators that a page replaces do not affect replies."""
    replies: list[list[str]] = []
    for code in ("", _REPLACED):
        daemon.do("navigate", url=site.url("clobbered.html?kind=img&plain=1"))
        daemon.do("javascript_tool", code=f"(() => {{ {code} }})(); 1")
        calls = _READINGS + _ACTIONS
        replies.append([f"{verb} {_comparable(daemon.do(verb, **p))}" for verb, p in calls])
    assert replies[0] == replies[1]


def test_a_crawl_reads_a_page_with_clobbered_properties(daemon: Daemon, site: Site) -> None:
    """The crawl's own script is not affected either."""
    url = site.url("clobbered.html?kind=img")
    found = daemon.do("crawl", url=url, max_pages=1, engine="browser", output_mode="inline")
    assert "sent to your door" in json.dumps(found)
