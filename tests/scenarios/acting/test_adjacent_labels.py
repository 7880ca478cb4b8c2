"""Fields without a label are named by the words next to them, as a person reads them."""

from collections.abc import Callable
from typing import Any

import pytest

from support.pages import Page

At = Callable[[str], Page]
FIELDS = (
    "Genre", "Artist", "First", "Last", "Album", "Year", "Label", "Country", "Mood", "Tempo",
    "Studio", "Producer", "Price",
)  # fmt: skip


def value(page: Page, name: str) -> Any:  # noqa: ANN401 - any JSON value
    return page.js(f"document.querySelector('[name={name}]').value")


@pytest.mark.parametrize("words", FIELDS)
def test_words_next_to_a_field_name_it(at: At, words: str) -> None:
    """In a cell, header, paragraph or list of terms; before, above or after the field."""
    page = at("beside.html")
    result = page.do("form_input", query=words, value="x")
    assert result["target"]["name"] == ("type here" if words == "Artist" else words)
    assert value(page, words.lower()) == "x"
    assert page.lines(words)[0].startswith("- textbox")
    assert f'beside "{words}"' in page.lines(f"{words} textbox")[0]


def test_form_is_filled_by_the_words_next_to_its_fields(at: At) -> None:
    """One call fills the whole form, including options and checkboxes."""
    page = at("beside.html")
    wanted: dict[str, Any] = dict.fromkeys(FIELDS, "x")
    page.do("fill_form", fields={**wanted, "Medium": "Vinyl", "Live recording": True})
    assert [value(page, name.lower()) for name in FIELDS] == ["x"] * len(FIELDS)
    assert value(page, "medium") == "Vinyl"
    assert page.js("document.querySelector('[name=live]').checked") == "true"


def test_checkbox_is_named_by_the_words_after_it(at: At) -> None:
    """Also a radio button among others on one line."""
    page = at("beside.html")
    page.do("interact", query="Female", action="check")
    assert page.js("document.querySelector('[name=sex]:checked').value") == "f"


def test_fields_of_a_grid_are_named_by_column_and_row(at: At) -> None:
    """A column alone matches a field in each row: the candidates are listed with their rows."""
    page = at("beside.html")
    page.do("form_input", query="hours ann", value="7")
    page.do("fill_form", fields={"Rate Bob": "9"})
    assert (value(page, "ann"), value(page, "bobrate")) == ("7", "9")
    reply = page.call("form_input", query="Hours", value="1")
    assert reply.code == "ambiguous"
    assert ["Ann" in line or "Bob" in line for line in reply.error["candidates"]] == [True] * 2
    assert all("[ref=e" in line for line in reply.error["candidates"])


def test_partial_matches_are_marked(at: At) -> None:
    """Matches with only some of the words are marked in `find` and among candidates."""
    page = at("rows.html")
    assert "(partial match)" in page.lines("delete xylophone")[0]
    assert "(partial match)" not in page.lines("delete bob")[0]
    reply = page.call("interact", query="delete xylophone")
    assert reply.code == "element_not_found"
    assert all("[ref=e" in line for line in reply.error["candidates"])
    assert "(partial match)" in reply.error["candidates"][0]


@pytest.mark.parametrize(
    ("words", "said"), [("Last repotted Today", "|now"), ("Today of First watered", "now|")]
)
def test_links_of_one_name_are_distinguished_by_their_surroundings(
    at: At, words: str, said: str
) -> None:
    """Without a row or section, by the words of the box that contains only one of them."""
    page = at("alike.html")
    both = page.call("interact", query="Today").error["candidates"]
    assert "Last repotted" in both[1]
    assert "Last repotted" not in both[0]
    page.do("interact", query=words)
    assert page.js("first.value + '|' + last.value") == said


@pytest.mark.parametrize(("words", "made"), [("Notes", "a note"), ("Pictures", "a picture")])
def test_cards_of_one_name_are_distinguished_by_the_preceding_heading(
    at: At, words: str, made: str
) -> None:
    page = at("alike.html")
    page.do("interact", query=f"{words} Ferns")
    assert page.text("#made") == f"{made} of ferns" or page.text("#made") == f"{made} on ferns"


@pytest.mark.parametrize("words", ["archive Ferns", "Ferns Today Notes", "Greenhouse pick"])
def test_words_elsewhere_on_the_page_distinguish_nothing(at: At, words: str) -> None:
    reply = at("alike.html").call("interact", query=words)
    assert reply.code in {"element_not_found", "ambiguous"}


def test_partial_text_matches_are_left_out_if_a_control_matches_fully(at: At) -> None:
    """Other controls are listed: one of them may have been meant."""
    page = at("rows.html")
    lines = page.lines("delete bob")
    assert lines
    assert not [line for line in lines if "(partial match)" in line and line.startswith("- text")]


def test_data_next_to_a_field_edited_in_place_is_no_label(at: At) -> None:
    """The row's other columns are no label of it; the header of its column is."""
    page = at("in_place.html")
    outline = page.do("read_page")["content"]
    assert "listitem: textbox (editor) [" in outline
    assert page.lines("Author textbox")[0].count('beside "Author"') == 1
    assert page.lines("Width textbox")[0].count('beside "Width"') == 1
    assert not any('beside "now"' in line for line in page.lines("now textbox"))


def test_duplicate_form_lists_the_visible_field_once(at: At) -> None:
    """The first element with the id is hidden: the visible field is listed once, and filled."""
    page = at("form_twice.html")
    outline = page.do("read_page")["content"]
    assert outline.count("spinbutton") == 1
    assert outline.count("combobox") == 1
    assert outline.count("textbox") == 1
    assert len([line for line in page.lines("Check interval") if "spinbutton" in line]) == 1
    page.do("interact", query="Check interval", action="click")
    page.do("fill_form", fields={"Check interval": 30, "Kind": "Two", "Stream URL": "/live"})
    shown = "document.querySelectorAll('#wizard input, #wizard select')"
    assert page.js(f"[...{shown}].map((one) => one.value).join()") == "30,Two,/live"


def test_label_of_a_hidden_control_names_its_drawn_replacement(at: At) -> None:
    """However deep the drawn control is inside the label, beside its words."""
    page = at("stand-ins.html")
    result = page.do("form_input", query="Server group", value="Mine")
    assert result["target"]["name"] == "Server group"
    assert page.js("document.getElementById('drawn-group').value") == "Mine"


def test_the_only_field_under_a_heading_has_its_name(at: At) -> None:
    """Also with a description in between; a heading above two fields names neither."""
    page = at("headed.html")
    page.do("fill_form", fields={"Add toppings": "ham", "Your motto": "onwards"})
    assert page.js("document.querySelector('textarea').value") == "ham"
    assert page.js("motto.value") == "onwards"
    assert page.call("form_input", query="Contact", value="x").code == "element_not_found"


def test_a_field_with_only_part_of_the_words_is_not_filled(at: At) -> None:
    """Only some words are its name, the others are near it: it is a candidate, and not filled."""
    page = at("others-name.html")
    reply = page.call("form_input", query="Prime stars", value="4")
    assert reply.code == "element_not_found"
    assert "Film stars" in " ".join(reply.error["candidates"])
    assert page.js("document.querySelectorAll(':checked').length") == "0"


def test_label_of_a_control_names_no_other_field(at: At) -> None:
    """Nor where its own control, a box to tick, is hidden and stands between them."""
    page = at("beside.html")
    page.do("form_input", query="Gift wrap", value=True)
    assert page.js("document.getElementById('hidden-box').checked") == "true"
    named = page.do("form_input", selector="[name=nameless]", value="x")["target"]["name"]
    assert "Gift" not in named
