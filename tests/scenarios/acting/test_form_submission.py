"""Form submission: whether a form was sent, and what prevented it."""

import json
from collections.abc import Callable

import pytest

from support.pages import Page

At = Callable[[str], Page]
WANTED = "Please fill out this field."


@pytest.fixture
def form(at: At) -> Page:
    return at("required.html")


WAYS: dict[str, tuple[str, dict[str, object]]] = {
    "click": ("interact", {"query": "Order"}),
    "enter": ("interact", {"query": "Note", "action": "press", "value": "Enter"}),
    "key": ("computer", {"action": "key", "text": "Enter"}),
    "point": ("computer", {"action": "left_click"}),
    "act": ("act", {"instruction": 'click "Order"'}),
    "submit": ("act", {"instruction": 'type "x" into Note then submit'}),
}


@pytest.mark.parametrize("way", WAYS)
def test_form_rejected_by_validation_is_an_error(form: Page, way: str) -> None:
    """The validation bubble is not part of the page."""
    verb, params = WAYS[way]
    if way == "key":
        form.do("interact", query="Note", action="focus")
    if way == "point":
        spot = form.js("JSON.stringify(document.querySelector('button').getBoundingClientRect())")
        box = json.loads(spot)
        params = {**params, "coordinate": [box["x"] + 5, box["y"] + 5]}
    failure = form.call(verb, **params)
    assert (failure.code, failure.error["submitted"]) == ("fields_failed", False)
    (failed,) = failure.error["failed"]
    assert failed["field"] == "Name"
    assert WANTED in failed["error"]["message"]
    assert WANTED in failure.error["message"]
    assert form.text("#said") == ""


def test_batch_stops_at_a_form_rejected_by_validation(form: Page) -> None:
    done = form.daemon.oc("batch", stdin="fill Note x\nclick Order\nfill Name Ada\n")
    assert (done.code, form.js("document.querySelector('[name=name]').value")) == (1, "")
    assert WANTED in done.err


@pytest.mark.parametrize("submit", [True, "Order"])
def test_filling_a_form_that_is_not_sent_fails(form: Page, submit: str | bool) -> None:
    """The error has each invalid field, filled or not."""
    failure = form.call("fill_form", fields={"Mail": "no address", "Note": "x"}, submit=submit)
    assert (failure.code, failure.error["submitted"]) == ("fields_failed", False)
    assert [one["field"] for one in failure.error["failed"]] == ["Name", "Mail"]
    assert [one["field"] for one in failure.error["fields"]] == ["Note"]
    assert form.text("#said") == ""


def test_validation_by_the_page_is_reported(form: Page) -> None:
    """By its own scripts and the button's; fields that are valid by now are not mentioned."""
    result = form.do("fill_form", fields={"Name": "Ada"}, submit=True)
    assert result["submitted"] is True
    assert "invalid" not in result["changed"]
    assert "+ text: order sent" in result["content"]
    assert form.js("document.title") == "Pressed"


def test_form_without_a_button_is_checked_by_the_browser_too(form: Page) -> None:
    failure = form.call("fill_form", fields={"Code": "12"}, submit=True)
    assert failure.error["failed"][0]["field"] == "Code"
    form.do("fill_form", fields={"Code": "1234"}, submit=True)
    assert "bare sent" in form.text("#said")


def test_disabled_button_is_waited_for(form: Page) -> None:
    """A person could not submit the form earlier either."""
    form.do("fill_form", fields={"Town": "Turin", "I agree": True}, submit=True)
    assert "terms sent" in form.text("#said")


def test_form_whose_button_stays_disabled_is_not_sent(form: Page) -> None:
    failure = form.call("fill_form", fields={"Town": "Turin"}, submit=True, timeout_ms=3000)
    assert (failure.code, failure.error["submitted"]) == ("not_enabled", False)
    assert "'Agree'" in failure.error["message"]
    assert form.text("#said") == ""


def test_a_page_that_calls_checkvalidity_is_no_rejection(form: Page) -> None:
    """checkValidity() at each key does not count as a form that was kept back."""
    result = form.do("interact", query="Mail", action="type", value="a")
    assert result["value"] == "a"
    assert "invalid" not in result["changed"]


def test_fields_that_the_next_page_marks_as_wrong_are_reported(at: At) -> None:
    """A server that does not accept a form sends the same page again."""
    page = at("rejected.html")
    reply = page.do("interact", query="Send")
    found = [(one["name"], one["message"]) for one in reply["changed"]["rejected"]]
    assert found == [
        ("Short form", "Letters and digits only."),
        ("Berth", "Choose a berth."),
        ("Crew", "At least one."),
        ("Mast", "Too high."),
    ]
    assert "4 fields rejected" in reply["now"]
    ref = reply["changed"]["rejected"][0]["ref"]
    assert (
        f'rejected: textbox "Short form" [ref={ref}]: Letters and digits only.' in reply["content"]
    )
    page.do("form_input", ref=ref, value="heron")
    assert page.js("document.querySelector('#slug').value") == "heron"


def test_filling_a_form_reports_what_the_next_page_rejects(at: At) -> None:
    reply = at("rejected.html").do("fill_form", fields={"Name": "Otter"}, submit=True)
    assert [one["name"] for one in reply["changed"]["rejected"]][:2] == ["Short form", "Berth"]


def test_page_that_a_link_leads_to_rejects_nothing(at: At) -> None:
    """What it marks as wrong is no answer."""
    reply = at("rejected.html").do("interact", query="Once more")
    assert reply["changed"]["navigated"]
    assert "rejected" not in reply["changed"]
    assert "fields rejected" not in reply["now"]
