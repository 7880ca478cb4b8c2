"""Values that are picked, ticked or typed in parts, where a field takes no text as a whole."""

from collections.abc import Callable

import pytest

from support.pages import Page

At = Callable[[str], Page]

_CODE = "[...document.querySelectorAll('.codes input')].map((one) => one.value).join('')"
_WATCHERS = "chosen().join()"


@pytest.fixture
def page(at: At) -> Page:
    return at("picked-values.html")


@pytest.mark.parametrize("day", ["2026-11-28", "2027-03-04", "2026-08-31"])
def test_a_day_is_picked_in_the_calendar_of_a_read_only_field(page: Page, day: str) -> None:
    """The days of other months at its edges, which have the same numbers, are not taken."""
    page.do("form_input", query="Due", value=day)
    written = page.js("new Date(due.value).toLocaleDateString('sv')")
    assert written == day
    assert page.js("document.querySelectorAll('.float:not([hidden])').length") == "0"


def test_a_time_is_set_in_the_calendar(page: Page) -> None:
    page.do("form_input", query="Slot", value="04.03.2027 10:30")
    assert page.js("slot.value") == "4.3.2027 10:30"


@pytest.mark.parametrize("day", ["2027-02-31", "soon"])
def test_what_is_no_date_is_not_picked(page: Page, day: str) -> None:
    refused = page.call("form_input", query="Due", value=day)
    assert refused.code == "wrong_value", refused.raw
    assert page.js("due.value") == ""


def test_a_field_that_a_click_makes_writable_is_typed_into(page: Page) -> None:
    """Enter takes the date, as the picker was opened by the click."""
    page.do("form_input", query="Opened", value="1990-05-17")
    assert page.js("held.opened") == "1990-05-17"


def test_a_read_only_field_without_a_picker_is_refused(page: Page) -> None:
    refused = page.call("form_input", query="Fixed", value="other", timeout_ms=1500)
    assert refused.code == "not_enabled", refused.raw
    assert page.js("fixed.value") == "as it is"


def test_keys_tell_a_picker_that_a_date_is_typed(page: Page) -> None:
    """Without them, Enter takes the day on which the picker's cursor is."""
    page.do("form_input", query="Keyed", value="04.03.2027")
    assert page.js("held.keyed") == "04.03.2027"


def test_the_parts_of_a_masked_date_are_typed_one_by_one(page: Page) -> None:
    page.do("form_input", query="Masked", value="1990-05-17")
    assert page.js("masked.value") == "1990-05-17"


def test_a_code_is_typed_into_a_row_of_fields(page: Page) -> None:
    """The words before the row name all of it."""
    assert page.do("form_input", query="Code", value="4711")["value"] == "4711"
    assert page.js(_CODE) == "4711"
    page.do("form_input", query="Code", value="")
    assert page.js(_CODE) == ""


def test_a_code_of_another_length_is_refused(page: Page) -> None:
    refused = page.call("form_input", query="Code", value="47119")
    assert refused.code == "wrong_value", refused.raw
    assert "4 characters" in refused.error["message"]
    assert page.js(_CODE) == ""


def test_the_cross_of_a_field_takes_away_no_value_that_was_asked_for(page: Page) -> None:
    """It is beside a drawing with words; once its list was open, the field takes text."""
    for value in ("Green", "Red"):
        assert page.do("form_input", query="Colour", value=value)["value"] == value
        assert page.js("colour.value") == value


def test_several_values_in_one_text_are_chosen_and_given_up(page: Page) -> None:
    """With how many they are, and a cross that empties the field."""
    for values in (["Linda", "Nancy"], ["Nancy"], ["Bryan", "Linda"]):
        page.do("form_input", query="Watchers", value=values)
        assert sorted(page.js(_WATCHERS).split(",")) == sorted(values)
    refused = page.call("form_input", query="Watchers", value=["Zoe"])
    assert refused.code == "option_not_found", refused.raw
    assert sorted(page.js(_WATCHERS).split(",")) == ["Bryan", "Linda"]


def test_an_option_is_clicked_once_all_of_its_list_shows(page: Page) -> None:
    assert page.do("form_input", query="Sport", value="Golf")["value"] == "Golf"
    assert page.js("sports.firstChild.value") == "Golf"


def test_a_field_that_shows_no_choice_has_not_been_filled(page: Page) -> None:
    """Its list closes, and nothing else tells that the option was not taken."""
    page.js("games.onmousedown = () => { games.hidden = true }; 1")
    refused = page.call("form_input", query="Sport", value="Golf")
    assert refused.code == "value_differs", refused.raw
    assert "shows nothing" in refused.error["message"]


def test_options_are_ticked_in_a_dialog(page: Page) -> None:
    """One value, several and others: the dialog's button takes them over."""
    for values in (["Olives"], ["Olives", "Ham"], ["Nuts"]):
        page.do("form_input", query="Toppings", value=values)
        assert page.js("held.toppings.join()") == ",".join(values)
        assert page.js("sheet.hidden") == "true"
    refused = page.call("form_input", query="Toppings", value=["Fish"])
    assert refused.code == "option_not_found", refused.raw
    assert page.js("[held.toppings.join(), sheet.hidden]") == '["Nuts",true]'


def test_a_star_is_clicked_after_the_mouse_has_rested_on_it(page: Page) -> None:
    page.do("interact", query="2 stars")
    assert page.js("stars.map((one) => one.ariaChecked).join()") == "false,true,false"


def test_an_empty_editable_element_in_a_line_is_filled(page: Page) -> None:
    """It has no width before it has text."""
    page.do("form_input", query="Motto", value="Per aspera")
    assert page.js("motto.textContent") == "Per aspera"
