"""Groups of boxes to tick: fields that take a list of those to be ticked."""

from collections.abc import Callable

import pytest

from support.pages import Page

At = Callable[[str], Page]


@pytest.fixture
def boxes(at: At) -> Page:
    return at("boxes.html")


def test_group_has_just_those_ticked_that_are_asked_for(boxes: Page) -> None:
    """The group by legend, aria-labelledby or words before it; its boxes by words or values."""
    fields = {"Pets": ["Cat", "f"], "Days": ["Tue"], "Toppings": ["Ham", "Corn"]}
    filled = boxes.do("fill_form", fields=fields)
    assert [one["value"] for one in filled["fields"]] == [["Cat", "Fish"], ["Tue"], ["Ham", "Corn"]]
    assert boxes.js("ticked()") == "cat=c fish=f top=ham top=corn Tue"
    boxes.do("form_input", query="Toppings", value="Corn")
    boxes.do("form_input", query="Pets", value=[])
    assert boxes.js("ticked()") == "top=corn Tue"


def test_box_that_is_not_there_is_refused(boxes: Page) -> None:
    """The error lists the boxes; none is checked or unchecked."""
    refused = boxes.call("form_input", query="Pets", value=["Cat", "Cow"], timeout_ms=120_000)
    assert (refused.code, refused.error["options"]) == ("option_not_found", ["Cat", "Dog", "Fish"])
    assert boxes.js("ticked()") == "dog=d"


def test_boxes_that_give_each_other_up_are_told(boxes: Page) -> None:
    refused = boxes.call("form_input", query="One only", value=["Left", "Right"])
    assert refused.code == "wrong_value"
    assert "does not keep" in refused.error["message"]


def test_box_goes_before_the_group_of_its_name(boxes: Page) -> None:
    assert boxes.do("form_input", query="News", value=True)["value"] is True
    assert boxes.js("ticked()") == "dog=d news=n"


@pytest.mark.parametrize("words", ["Account", "People"])
def test_other_boxes_are_no_group(boxes: Page, words: str) -> None:
    """Checkboxes among other fields of a form, and those that select rows of a table."""
    failure = boxes.call("form_input", query=words, value=["Terms"], timeout_ms=2000)
    assert failure.code != "option_not_found"
