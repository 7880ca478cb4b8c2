"""Checkbox groups: fields that take the list of boxes to check."""

from collections.abc import Callable

import pytest

from support.pages import Page

At = Callable[[str], Page]
_TICKED = "[...document.querySelectorAll(':checked')].map((one) => one.name).join()"


@pytest.fixture
def boxes(at: At) -> Page:
    return at("boxes.html")


def test_only_the_requested_boxes_of_a_group_are_checked(boxes: Page) -> None:
    """The group by legend, aria-labelledby or words before it; its boxes by words or values."""
    fields = {"Pets": ["Cat", "f"], "Days": ["Tue"], "Toppings": ["Ham", "Corn"]}
    filled = boxes.do("fill_form", fields=fields)
    assert [one["value"] for one in filled["fields"]] == [["Cat", "Fish"], ["Tue"], ["Ham", "Corn"]]
    assert boxes.js("ticked()") == "cat=c fish=f top=ham top=corn Tue"
    boxes.do("form_input", query="Toppings", value="Corn")
    boxes.do("form_input", query="Pets", value=[])
    assert boxes.js("ticked()") == "top=corn Tue"


def test_unknown_box_is_refused(boxes: Page) -> None:
    """The error lists the boxes; none is checked or unchecked."""
    refused = boxes.call("form_input", query="Pets", value=["Cat", "Cow"], timeout_ms=120_000)
    assert (refused.code, refused.error["options"]) == ("option_not_found", ["Cat", "Dog", "Fish"])
    assert boxes.js("ticked()") == "dog=d"


def test_mutually_exclusive_boxes_are_reported(boxes: Page) -> None:
    refused = boxes.call("form_input", query="One only", value=["Left", "Right"])
    assert refused.code == "wrong_value"
    assert "does not keep" in refused.error["message"]


def test_a_box_wins_over_a_group_of_the_same_name(boxes: Page) -> None:
    assert boxes.do("form_input", query="News", value=True)["value"] is True
    assert boxes.js("ticked()") == "dog=d news=n"


@pytest.mark.parametrize("words", ["Account", "People"])
def test_other_checkboxes_are_not_a_group(boxes: Page, words: str) -> None:
    """Checkboxes among other fields of a form, and those that select rows of a table."""
    failure = boxes.call("form_input", query=words, value=["Terms"], timeout_ms=2000)
    assert failure.code != "option_not_found"


@pytest.mark.parametrize("words", ["grace", "Grace Hopper"])
def test_unnamed_box_is_checked_by_the_words_of_its_row(at: At, words: str) -> None:
    page = at("rows-with-boxes.html")
    result = page.do("interact", query=words, action="check")
    assert result["target"]["role"] == "checkbox"
    assert page.js(_TICKED) == "grace,oak"


def test_box_in_a_cell_is_checked_by_the_words_of_the_cell(at: At) -> None:
    page = at("rows-with-boxes.html")
    page.do("interact", query="Oak chair", action="uncheck")
    assert page.js(_TICKED) == ""


def test_another_named_box_in_the_row_is_not_checked(at: At) -> None:
    page = at("rows-with-boxes.html")
    assert page.call_in_short("interact", query="Accept", action="check").code == "wrong_value"
    assert page.js(_TICKED) == "oak"


def test_boxes_of_a_row_are_candidates(at: At) -> None:
    """The words mean the row; which of its boxes is the caller's choice, and the link is none."""
    page = at("boxes-of-rows.html")
    reply = page.call("interact", query="run-2", action="check")
    assert reply.code == "ambiguous"
    assert sorted(line.split(" [ref")[0] for line in reply.error["candidates"]) == [
        'checkbox "Hide run"',
        'checkbox "Toggle row selection"',
    ]
    page.do("interact", query="run-2 selection", action="check")
    page.do("interact", query="hide run-1", action="check")
    checked = "[...document.querySelectorAll(':checked')].map((one) => one.id).join()"
    assert page.js(checked) == "h1,s2"
