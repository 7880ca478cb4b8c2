"""Multi-value fields contain exactly the given values, or the call fails."""

import json
from collections.abc import Callable

import pytest

from support.pages import Page

FIELDS = (
    "Removed", "Given up", "Taken back", "Marked", "At most", "Words", "Tags", "Listed", "Folded",
)  # fmt: skip


@pytest.fixture
def page(at: Callable[[str], Page]) -> Page:
    """Each field of the page has Red and Green."""
    return at("several-values.html")


def held(page: Page, field: str) -> list[str]:
    """Return what the page's own data say, in any order."""
    return sorted(json.loads(page.text("#state"))[field])


@pytest.mark.parametrize("field", FIELDS)
@pytest.mark.parametrize(
    "value", [["Blue"], ["Red", "White"], "Green", ["Green", "Red"], []], ids=str
)
def test_field_contains_exactly_the_given_values(
    page: Page, field: str, value: str | list[str]
) -> None:
    """By the control's own means: buttons that remove, options clicked again, Backspace."""
    page.do("form_input", query=field, value=value)
    assert held(page, field) == sorted([value] if isinstance(value, str) else value)


@pytest.mark.parametrize("field", ["Removed", "Taken back", "Tags", "Listed"])
def test_form_is_filled_with_exactly_the_values(page: Page, field: str) -> None:
    page.do("fill_form", fields={field: ["Green", "Black"], "Search": "lamp"})
    assert (held(page, field), page.js("search.value")) == (["Black", "Green"], "lamp")


@pytest.mark.parametrize("field", ["Removed", "Listed"])
def test_option_is_selected_alone(page: Page, field: str) -> None:
    page.do("interact", query=field, action="select", value="Blue")
    assert held(page, field) == ["Blue"]


def test_a_value_that_cannot_be_removed_is_an_error_with_both_values(page: Page) -> None:
    reply = page.call("form_input", query="Stubborn", value=["Blue"])
    assert (reply.code, reply.error["expected"]) == ("value_differs", ["Blue"])
    assert sorted(reply.error["held"]) == held(page, "Stubborn") == ["Blue", "Green", "Red"]


LISTS = ("Removed", "Given up", "Taken back", "Marked", "At most", "Listed", "Folded", "Long")


@pytest.mark.parametrize("value", [["Blue", "Mauve"], ["Mauve", "Blue"], "Mauve"], ids=str)
@pytest.mark.parametrize("field", LISTS)
def test_an_unknown_option_changes_nothing(page: Page, field: str, value: str | list[str]) -> None:
    """What was chosen before is chosen again, and the error says so."""
    was = held(page, field)
    reply = page.call("form_input", query=field, value=value, timeout_ms=9000)
    assert (reply.code, held(page, field)) == ("option_not_found", was)
    if field not in ("Given up", "Folded") and value != "Mauve":  # they show no or just one value
        assert sorted(reply.error["held"]) == was
        assert "It still holds" in reply.error["message"]


@pytest.mark.parametrize("field", ["Long", "Late"])
def test_options_are_found_wherever_a_list_was_scrolled_to(page: Page, field: str) -> None:
    """It renders only what is in view: earlier options appear when it is scrolled back."""
    for values in (["Shade 90", "Shade 3"], ["Shade 51", "Shade 17"], []):
        page.do("form_input", query=field, value=values)
        assert held(page, field) == sorted(values)


def test_value_displayed_in_other_words_is_kept(page: Page) -> None:
    """The text that appeared when it was chosen stands for it."""
    page.do("form_input", query="Short", value=["Blue"])
    assert held(page, "Short") == ["Blue"]


@pytest.mark.parametrize("value", ["lamp", ""])
def test_filters_beside_a_search_are_left_alone(page: Page, value: str) -> None:
    page.do("form_input", query="Search", value=value)
    assert page.js("filters.children.length") == "2"
    assert page.js("search.value") == value


@pytest.mark.parametrize("value", ["", []])
def test_native_list_is_emptied(page: Page, value: str | list[str]) -> None:
    """A multi-select list by "" or an empty list; a single-select one only by an empty list."""
    page.do("form_input", query="Places", value=value)
    assert page.js("places.selectedOptions.length") == "0"
    reply = page.call("form_input", query="Grade", value=value)
    expected = (200, "") if value == [] else (422, "B")
    assert (reply.status, page.js("grade.value")) == expected


def test_field_next_to_words_of_a_hidden_form_is_filled_without_enter(
    at: Callable[[str], Page],
) -> None:
    """They are no values of it, so nothing is entered one by one."""
    page = at("confirmation.html")
    page.do("form_input", query="Confirmation", value="DELETE")
    assert (page.js("confirmation.value"), page.text("#said")) == ("DELETE", "untouched")


def test_click_through_field_is_opened_by_its_box(at: Callable[[str], Page]) -> None:
    """It does not say whether its list is open: a second click would close that."""
    page = at("pills.html")
    page.do("interact", query="Colours")
    assert page.js("list.hidden") == "false"
    page.goto("pills.html")
    for values in (["Blue"], ["Red", "White"], "Green", []):
        page.do("form_input", query="Colours", value=values)
        wanted = [values] if isinstance(values, str) else values
        assert page.js("chosen.join()") == ",".join(wanted)


ADDRESSES = ["grace@example.org", "Ada King <ada@example.org>"]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (ADDRESSES[0], ADDRESSES[:1]),
        (ADDRESSES, sorted(ADDRESSES)),
        ("bob@example.org, eve@example.org,", ["bob@example.org", "eve@example.org"]),
    ],
    ids=["one", "list", "text"],
)
def test_field_that_stands_beside_the_labelled_one_takes_addresses(
    at: Callable[[str], Page], value: str | list[str], expected: list[str]
) -> None:
    """The labelled field was moved out of the page, and the one beside it is called by its label.

    It suggests few of the addresses, takes any, and makes several of a text with commas.
    """
    page = at("recipients.html")
    reply = page.do("form_input", query="Copy to", value=value)
    kept = [one.strip() for one in page.js("cc.value").split(",") if one.strip()]
    assert (sorted(kept), page.js("to.value"), page.js("subject.value")) == (expected, "", "")
    assert sorted(reply["value"].split(", ")) == expected


def test_labelled_field_that_was_moved_out_of_the_page_is_not_told(
    at: Callable[[str], Page],
) -> None:
    page = at("recipients.html")
    outline = str(page.do("read_page")["content"])
    assert (outline.count("combobox"), outline.count("textbox")) == (2, 1)


def test_chips_in_a_box_without_a_box_are_read(at: Callable[[str], Page]) -> None:
    """The reply says what it holds, also where a chip stands in the place of an earlier one."""
    page = at("boxless-chips.html")
    assert page.do("form_input", query="Cities", value=["Rome", "Oslo"])["value"] == "Rome, Oslo"
    assert page.do("form_input", query="Cities", value=["Berlin"])["value"] == "Berlin"
    assert page.js("chosen.join()") == "Berlin"


_ONE_CHOICE = """document.body.innerHTML = `<div><p>Saved <button id=dismiss>&times;</button></p>
<button role=checkbox aria-checked=true id=box>x</button>
<button role=combobox aria-haspopup=listbox aria-expanded=false aria-label=Snack
  id=snack>Kiwi</button>
<ul role=listbox hidden id=list><li role=option>Kiwi<li role=option>Lime</ul></div>`;
window.heard = [];
for (const one of [dismiss, box]) one.onclick = () => heard.push(one.id);
snack.onclick = () => { list.hidden = false; snack.setAttribute("aria-expanded", "true"); };
list.onclick = (event) => {
  snack.textContent = event.target.textContent;
  list.hidden = true;
  snack.setAttribute("aria-expanded", "false");
};"""


def test_crosses_beside_a_list_of_one_choice_are_not_clicked(at: Callable[[str], Page]) -> None:
    """Neither a box that is ticked with a cross nor the button that closes a message."""
    page = at("several-values.html")
    page.js(_ONE_CHOICE)
    page.do("form_input", query="Snack", value="Lime")
    assert page.text("#snack") == "Lime"
    assert page.js("heard.join()") == ""
