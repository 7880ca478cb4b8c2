"""Fields named like properties of elements hide these: no verb may stumble over such a form."""

import json
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
def test_forms_whose_fields_hide_properties(daemon: Daemon, site: Site, part: int) -> None:
    """Each name of the DOM in turn; what is shown is read, found, filled and clicked as ever."""
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
            if verb == "read_page" and "mode" not in params:
                assert 'textbox "Mail"' in reply, (name, params)
                assert 'button "Send"' in reply, (name, params)
        done = str(daemon.do("javascript_tool", code=_DONE))
        assert "sent a@b.example" in done, (name, done)
