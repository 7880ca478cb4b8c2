"""Acting waits for what is about to appear: options, inputs, elements that are rendered again."""

import base64
from collections.abc import Callable
from typing import Any

import pytest

from support.pages import Page

At = Callable[[str], Page]
NOTE = {"name": "note.txt", "content": base64.b64encode(b"hello").decode()}
GO: list[dict[str, str]] = [{"query": "Go"}, {"selector": "#buttons button"}]
TIMEOUT_MS = 60_000


def changing(at: At, change: str) -> Page:
    """Return a page that changes a moment later."""
    page = at("waiting.html")
    page.js(f"later(changes.{change}); 1")
    return page


def said(page: Page) -> str:
    return page.text("#said")


def test_option_that_comes_later_is_chosen(at: At) -> None:
    """The cities are loaded once the country is set."""
    page = changing(at, "cities")
    result = page.do("form_input", query="City", value="Oslo", timeout_ms=TIMEOUT_MS)
    assert result["value"] == "Oslo"
    assert page.js("city.value") == "Oslo"


def test_option_that_is_enabled_later_is_chosen(at: At) -> None:
    """By `interact select`, too."""
    page = changing(at, "sizes")
    page.do("interact", query="Size", action="select", value="Large", timeout_ms=TIMEOUT_MS)
    assert page.js("size.value") == "Large"


@pytest.mark.parametrize(
    ("label", "value", "code"),
    [("City", "Atlantis", "option_not_found"), ("Size", "Large", "not_enabled")],
)
def test_option_that_never_comes_is_refused(at: At, label: str, value: str, code: str) -> None:
    """At the time limit; nothing has been chosen."""
    page = at("waiting.html")
    reply = page.call_in_short("form_input", query=label, value=value)
    assert reply.code == code
    assert page.js("city.value + size.value") == "NoneSmall"


def test_file_input_that_is_enabled_later_gets_its_file(at: At) -> None:
    """An upload waits as other actions do."""
    page = changing(at, "photo")
    page.do("file_upload", query="Photo", files=[NOTE], timeout_ms=TIMEOUT_MS)
    assert page.js("photo.files[0].name") == "note.txt"


def test_file_input_that_stays_disabled_is_refused(at: At) -> None:
    """`not_enabled`, after the caller's time limit."""
    page = at("waiting.html")
    reply = page.call_in_short("file_upload", query="Photo", files=[NOTE])
    assert reply.code == "not_enabled"


@pytest.mark.parametrize("change", ["buttons", "gone"])
@pytest.mark.parametrize("how", GO, ids=str)
def test_rerendered_element_is_looked_up_again(at: At, how: dict[str, str], change: str) -> None:
    """Immediately, or some time after the old element has gone."""
    page = changing(at, change)
    page.do("interact", **how, wait_for_ms=30_000, timeout_ms=TIMEOUT_MS)
    assert said(page) == "went;"


def test_ref_of_a_rerendered_element_is_found_again(at: At) -> None:
    """If its replacement is unambiguous."""
    page = at("waiting.html")
    ref = page.ref("Go")
    page.js("later(changes.buttons); 1")
    page.do("interact", ref=ref, timeout_ms=TIMEOUT_MS)
    assert said(page) == "went;"


@pytest.mark.parametrize(
    ("fields", "check"),
    [
        ({"Name": "Ada"}, "fields.querySelector('input').value === 'Ada'"),
        ({"Colour": "Blue"}, "fields.querySelector('select').value === 'Blue'"),
        ({"Agree": True}, "fields.querySelector('[type=checkbox]').checked"),
    ],
)
def test_rerendered_fields_are_filled(at: At, fields: dict[str, Any], check: str) -> None:
    """The fields of a form are replaced while they are waited for."""
    page = changing(at, "fields")
    page.do("fill_form", fields=fields, timeout_ms=TIMEOUT_MS)
    assert page.js(check) == "true"


def test_element_that_has_gone_for_good_is_named(at: At) -> None:
    """`detached`, at the time limit."""
    page = at("waiting.html")
    page.js(
        "document.body.insertAdjacentHTML('beforeend', '<p style=position:fixed;inset:0>Veil');"
        "buttons.style.marginTop = '5000px'; addEventListener('scroll', () => buttons.remove());"
        "buttons.firstElementChild.disabled = false; 1"
    )
    reply = page.call_in_short("interact", query="Go")
    assert reply.code == "detached"
    assert "'Go'" in reply.error["message"]


MOVING_FRAME = """
document.body.insertAdjacentHTML('beforeend', '<iframe id="moves" style="margin-top: 5000px">');
moves.srcdoc = '<style>@keyframes go {to {margin-left: 200px}} button {animation: go 1s infinite}'
  + '</style><button>Moving</button>';
addEventListener('scroll', () => setTimeout(() => moves.remove(), 50));
"""


def test_removal_of_the_frame_ends_the_wait_for_its_element(at: At) -> None:
    """A moving button: `detached`, at the time limit."""
    page = at("waiting.html")
    page.js(MOVING_FRAME)
    there = "Boolean(moves.contentDocument?.querySelector('button'))"
    page.do("wait_for", type="function", value=there, timeout_ms=60_000)
    reply = page.call("interact", query="Moving", timeout_ms=3000)
    assert reply.code == "detached"
    assert page.js("String(document.querySelector('#moves'))") == "null"


@pytest.mark.parametrize(("selector", "hears"), [("#inside", "link;"), ("#drawn", "drawing;")])
def test_click_through_element_is_part_of_its_parent(at: At, selector: str, hears: str) -> None:
    """`pointer-events: none` inside a link, or over a drawing with a listener."""
    page = at("waiting.html")
    page.do("interact", selector=selector)
    assert said(page) == hears


def test_click_through_control_is_refused(at: At) -> None:
    """The error names the element that gets the clicks instead."""
    page = at("waiting.html")
    reply = page.call_in_short("interact", query="Dead")
    assert reply.code == "not_enabled"
    assert "clicks pass through it to <body>" in reply.error["message"]
    assert "act on what gets the clicks" in reply.error["hint"]
    assert said(page) == ""


def test_details_that_open_are_waited_for(at: At) -> None:
    """Collapsed content is not visible yet."""
    page = changing(at, "details")
    page.do("interact", selector="details button", timeout_ms=TIMEOUT_MS)
    assert said(page) == "deep;"


def test_words_in_closed_details_name_what_to_open(at: At) -> None:
    """Nothing visible matches; the summary is a candidate, and its ref opens it."""
    page = at("waiting.html")
    reply = page.call("interact", query="Deep")
    assert reply.code == "element_not_found"
    (line,) = reply.error["candidates"]
    assert line.startswith('summary "More" [ref=e')
    page.do("interact", ref=line.partition("[ref=")[2].partition("]")[0])
    page.do("interact", query="Deep")
    assert said(page) == "deep;"


def test_file_input_in_closed_details_is_found_by_its_label(at: At) -> None:
    """It needs no click, so it need not be visible."""
    page = at("waiting.html")
    page.do("file_upload", query="Scan", files=[NOTE])
    assert page.js("scan.files[0].name") == "note.txt"


@pytest.mark.parametrize("verb", ["form_input", "fill_form"])
def test_field_that_comes_later_is_waited_for(at: At, verb: str) -> None:
    """A single field as well as those of a form."""
    page = at("edited-lines.html")
    page.js(
        "setTimeout(() => document.body.insertAdjacentHTML("
        "'beforeend', '<label>Late <input id=late></label>'), 600), 0"
    )
    given = {"query": "Late", "value": "x"} if verb == "form_input" else {"fields": {"Late": "x"}}
    page.do(verb, **given)
    assert page.js("late.value") == "x"


def test_page_that_fetches_what_it_shows_is_waited_for(at: At) -> None:
    """It is loaded, and its scripts still ask for the rest."""
    page = at("fetches-itself.html")
    page.do("interact", query="Add a pool")
    assert said(page) == "1"
