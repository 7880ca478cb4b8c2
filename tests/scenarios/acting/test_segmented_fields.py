"""Fields that need special typing: parts of a date, key by key, value by value."""

from collections.abc import Callable

import pytest

from support.pages import Page

At = Callable[[str], Page]


@pytest.fixture
def page(at: At) -> Page:
    return at("part-by-part.html")


def _text_of(page: Page, group: str) -> str:
    return str(page.js(f"document.querySelector('{group}').innerText.replace(/\\s+/g, ' ')"))


def test_date_is_typed_part_by_part(page: Page) -> None:
    """By the name of its group, which its parts' names contain."""
    page.do("form_input", query="From", value="2031-02-24")
    assert "2/24/2031" in _text_of(page, "[aria-labelledby=from]")
    page.do("fill_form", fields={"From": "2032-12-05"})
    assert "12/5/2032" in _text_of(page, "[aria-labelledby=from]")


@pytest.mark.parametrize(
    ("time", "shown"), [("18:30", "6:30 PM"), ("00:05", "12:5 AM"), ("12:00", "12:0 PM")]
)
def test_twelve_hour_time_includes_am_or_pm(page: Page, time: str, shown: str) -> None:
    page.do("form_input", query="At", value=time)
    assert _text_of(page, "[aria-label=At]").strip() == shown


def test_date_without_a_part_is_refused(page: Page) -> None:
    reply = page.call("form_input", query="From", value="2031-02")
    assert (reply.code, "does not say day" in reply.error["message"]) == ("wrong_value", True)
    assert "mm/dd/yyyy" in _text_of(page, "[aria-labelledby=from]")


def test_field_that_only_handles_keys_is_typed_into(page: Page) -> None:
    assert page.do("form_input", query="Price", value="12.5")["value"] == "12.5"


def test_values_confirmed_by_enter_are_entered_one_by_one(page: Page) -> None:
    done = page.do("form_input", query="Keywords", value=["v1", "v2"])
    assert (done["value"], page.text("#chips")) == ("v1, v2", "v1 v2 ")
    assert page.do("form_input", query="Plain", value=["fast", "small"])["value"] == "fast, small"


def test_invisible_switch_is_clicked_at_its_box(page: Page) -> None:
    page.do("interact", query="Delivery", action="check")
    assert page.js("delivery.checked") == "true"


def test_read_only_field_with_a_list_is_chosen_from(page: Page) -> None:
    page.do("form_input", query="Currency", value="Yen")
    assert page.js("currency.value") == "Yen"
    assert page.call("form_input", query="Currency", value="Pound").code == "option_not_found"


def test_list_is_named_by_the_heading_inside_it(page: Page) -> None:
    done = page.do("drag_drop", source_selector="#write", target_selector="#plan")
    assert done["place"] == '"Write" is now item 1 of Done'
