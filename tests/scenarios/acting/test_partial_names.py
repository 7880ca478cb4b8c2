"""Queries that only begin like a name, and queries for elements that nobody acts on."""

import re
from collections.abc import Callable

import pytest

from support.pages import Page

At = Callable[[str], Page]
_CHANGED = (
    "[...document.querySelectorAll('input')].map((one) => one.value).join('')"
    " + [...document.querySelectorAll('[data-clicked]')].map((one) => one.textContent).join('')"
)


@pytest.mark.parametrize("words", ["Add title", "Add", "Sur title", "User list", "Email table"])
def test_field_of_another_name_is_not_filled(at: At, words: str) -> None:
    """The call fails and shows the fields that come close."""
    page = at("short-words.html")
    reply = page.call("form_input", query=words, value="x")
    assert reply.code == "element_not_found"
    assert page.js(_CHANGED) == ""


@pytest.mark.parametrize(
    "words",
    [
        "Add",
        "12",
        "Address list",
        "Report table",
        "a.txt",
        "Tables",
        "Item 50",
        "Ok",
        "Repo",
        "Table",
        "spaces",
        "Reporter",
    ],
)
def test_button_of_another_name_is_not_clicked(at: At, words: str) -> None:
    page = at("short-words.html")
    reply = page.call("interact", query=words)
    assert reply.code == "element_not_found"
    assert "(partial match)" in reply.error["candidates"][0]
    assert page.js(_CHANGED) == ""


def test_name_that_is_also_a_role_is_shown(at: At) -> None:
    """In "Heading block", the name "Heading" is a part; the element is no heading."""
    page = at("short-words.html")
    reply = page.call("interact", query="Heading block")
    assert (reply.code, page.js(_CHANGED)) == ("element_not_found", "")
    shown = reply.error["candidates"]
    assert any(line.startswith('option "Heading" [ref=') for line in shown)


def test_control_in_a_draggable_element_is_one_line(at: At) -> None:
    """One ref is enough to click it and to drag it."""
    page = at("short-words.html")
    outline = page.do("read_page")["content"]
    assert re.search(r'- option "Quote" \[ref=e\d+\] draggable\n', outline)
    assert "draggable [ref" not in outline
    assert "draggable" not in page.do("find", query="Quote")["content"]
    page.do("interact", query="Quote")
    assert page.js(_CHANGED) == "Quote"


@pytest.mark.parametrize(
    ("words", "clicked"),
    [
        ("Log", "Logs"),
        ("Delete row", "Delete"),
        ("Grain", "Grain"),
        ("Item 4.50", "Item 3"),
        ("Item 2026", "Item 3"),
        ("语言", "设置语言"),
        ("the report of 2012", "Report of 2012"),
        ("b.txt", "b.txt"),
    ],
)
def test_short_forms_are_understood(at: At, words: str, clicked: str) -> None:
    """Singular and plural, usual short forms, and parts of words written without spaces."""
    page = at("short-words.html")
    page.do("interact", query=words)
    assert page.js(_CHANGED) == clicked


def test_beginning_of_a_word_names_a_field(at: At) -> None:
    page = at("short-words.html")
    page.do("form_input", query="Email", value="a")
    page.do("form_input", query="Tele", value="b")
    assert page.js("user.value + telephone.value") == "ab"


@pytest.mark.parametrize(
    ("words", "candidate"),
    [
        ("Zoom in", "Zoom out"),
        ("Sign in", "Sign out"),
        ("sign in link", "Sign out"),
        ("Turn on", "Turn off"),
        ("Turn sync on", "Turn sync off"),
        ("Subscribe", "Unsubscribe"),
        ("Active", "Inactive"),
        ("Move from folder", "Move to folder"),
        ("Export without images", "Export with images"),
        ("Group A", "Group B"),
        ("Edit", "Editors"),
        ("Sender", "Send"),
        ("Saved", "Save as"),
        ("Keep changes", "Don't keep changes"),
        ("Page 1", "Page 12"),
        ("New", "News"),
        ("Terms checkbox", "Terms"),
    ],
)
def test_the_opposite_is_not_clicked(at: At, words: str, candidate: str) -> None:
    """Nor what begins or ends like it: the one that comes close is shown."""
    page = at("opposite-words.html")
    reply = page.call("interact", query=words)
    assert reply.code == "element_not_found"
    assert candidate in reply.error["candidates"][0]
    assert page.js(_CHANGED) == ""


@pytest.mark.parametrize(
    ("words", "clicked"),
    [
        ("Zoom out", "Zoom out"),
        ("sign out link", "Sign out"),
        ("Turn sync off", "Turn sync off"),
        ("folder", "Move to folder"),
        ("Group B", "Group B"),
        ("images", "Export with images"),
        ("Don't keep changes", "Don't keep changes"),
        ("Editor", "Editors"),
        ("unsubscribe button", "Unsubscribe"),
        ("page 12", "Page 12"),
    ],
)
def test_what_is_said_is_clicked(at: At, words: str, clicked: str) -> None:
    page = at("opposite-words.html")
    page.do("interact", query=words)
    assert page.js(_CHANGED) == clicked


@pytest.mark.parametrize("words", ["From date", "Name", "Host", "Users"])
def test_field_of_the_opposite_is_not_filled(at: At, words: str) -> None:
    page = at("opposite-words.html")
    assert page.call("form_input", query=words, value="x").code == "element_not_found"
    assert page.js(_CHANGED) == ""


def test_usual_short_forms_name_fields(at: At) -> None:
    page = at("opposite-words.html")
    for number, words in enumerate(("Phone", "Mail", "Desc", "Categories")):
        page.do("form_input", query=words, value=str(number))
    assert page.js("[f3, f4, f5, f6].map((one) => one.value).join('')") == "0123"


def test_of_two_equal_names_the_uncovered_one_is_meant(at: At) -> None:
    """The panel over the other one is inside a box that is out of view."""
    page = at("under-a-panel.html")
    outline = re.sub(r" \[ref=e\d+\]", "", page.do("read_page")["content"]).splitlines()
    assert outline[1:] == [
        '- main: Text', '- button "Publish"', "- text: Are you ready?", '- button "Publish"',
        '- button "Cancel"',
    ]  # fmt: skip
    page.do("interact", query="Publish")
    assert page.text("#said") == "second"
    page.do("interact", query="Cancel")
    page.do("interact", query="Publish")
    assert page.text("#said") == "first"


def test_the_name_attribute_of_a_field_wins_over_the_beginning_of_a_word(at: At) -> None:
    """A field without a label is called by its name in the form."""
    page = at("upload-in-box.html")
    page.do("form_input", query="wikitext", value="Oak")
    assert page.js("wiki__text.value") == "Oak"


def test_words_of_the_section_mean_the_control_in_it(at: At) -> None:
    """A box with one heading is its section, for what stands behind the heading."""
    page = at("titled-boxes.html")
    page.do("form_input", query="Search in open orders", value="a")
    page.do("form_input", query="billing address street", value="b")
    page.do("interact", query="Send an alert now in Alerts")
    assert (
        page.js("[...document.querySelectorAll('input')].map((one) => one.value).join()") == "a,b,"
    )
    assert page.js(_CHANGED).endswith("Send an alert now")


def test_what_is_called_by_a_part_of_the_words_is_shown(at: At) -> None:
    page = at("titled-boxes.html")
    reply = page.call("interact", query="Search in orders archive")
    assert reply.code == "element_not_found"
    assert reply.error["candidates"][0].startswith('textbox "Search" [ref=')


def test_name_that_ends_in_a_kind_is_whole_with_another_kind(at: At) -> None:
    page = at("titled-boxes.html")
    page.do("interact", query="the Full list (with icon) button")
    assert page.js(_CHANGED) == "Full list (with icon)"
