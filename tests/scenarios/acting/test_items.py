"""Items of trees and menus around the control that names them, and changes in shut menus."""

from collections.abc import Callable

import pytest

from support.pages import Page

At = Callable[[str], Page]


@pytest.fixture
def page(at: At) -> Page:
    return at("item-links.html")


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("Inbox", "#inbox"),
        ("Projects", "#projects"),
        ("treeitem Chairs", "#chairs"),
        ("Reply", "#reply"),
        ("Administration", "administration"),
    ],
)
def test_item_is_the_control_in_it(page: Page, query: str, said: str) -> None:
    """The middle of an item may be beside its link, or in an item below it."""
    page.do("interact", query=query)
    assert page.text("#said") == said


def test_item_and_its_control_are_one_line(page: Page) -> None:
    """The ref is the control's, and the states are of both."""
    lines = [line.strip() for line in str(page.do("read_page")["content"]).splitlines()]
    told = [line for line in lines if '"Projects"' in line or '"Delete"' in line]
    assert [line.split(" [ref=", 1)[0] for line in told] == [
        '- treeitem "Projects"',
        '- menuitem "Delete"',
    ]
    assert told[0].endswith(" expanded → #projects")
    assert told[1].endswith(" disabled")
    page.do("interact", ref=page.ref("Lamps"))
    assert page.text("#said") == "#lamps"


def test_button_in_a_tab_is_a_control_of_its_own(page: Page) -> None:
    """A link in a tab is the tab; a button does something else."""
    lines = [line.strip() for line in str(page.do("read_page")["content"]).splitlines()]
    told = [line for line in lines if '"General"' in line or '"Submit"' in line]
    assert [line.split(" [ref=", 1)[0] for line in told] == [
        '- tab "General"', '- tab "Submit"', '- button "Submit"',
    ]  # fmt: skip
    page.do("interact", query="button Submit")
    assert page.text("#said") == "submitted"


def test_list_of_messages_is_no_message(page: Page) -> None:
    """A table may be called so, and what it begins with is no news."""
    assert "message" not in str(page.do("read_page")["content"]).splitlines()[0]


def test_what_changes_in_a_shut_menu_is_not_told(page: Page) -> None:
    told = str(page.do("interact", query="Choose")["content"])
    assert page.text("#said") == "chosen"
    assert "Forward" not in told


def test_what_shows_in_another_place_is_told_as_shown(page: Page) -> None:
    """It was hidden before: that it stands elsewhere now says nothing."""
    told = str(page.do("interact", query="Show more")["content"]).splitlines()
    assert [line[:18] for line in told] == ['+ button "Archive"']


@pytest.mark.parametrize(
    ("words", "clicked"),
    [
        ("delete bob", "BUTTON Bob;"),
        ("carl delete", "BUTTON Carl;"),
        ("riga map", "A Riga;"),
        ("Bob", "TD Bob;"),
        ("drop day", "SECTION ;"),
    ],
)
def test_item_is_clicked_and_not_the_list_that_hears_it(
    at: Callable[[str], Page], words: str, clicked: str
) -> None:
    """A table with a handler of its own is called by the words of all its rows."""
    page = at("delegated-clicks.html")
    page.do("interact", query=words)
    assert page.text("#said") == clicked


@pytest.mark.parametrize("words", ["ann carl", "oslo riga", "riga oslo map", "bob carl delete"])
def test_words_of_several_items_mean_none_of_them(at: Callable[[str], Page], words: str) -> None:
    """A click on their list would be one on whatever is in its middle."""
    page = at("delegated-clicks.html")
    reply = page.call("interact", query=words)
    assert reply.code in ("element_not_found", "ambiguous")
    assert page.js("said.value") == ""


@pytest.mark.parametrize("words", ["Remove", "Water", "Archive"])
def test_equal_items_of_a_box_that_listens_are_ambiguous(at: At, words: str) -> None:
    """One listener for all of them knows which one was clicked."""
    page = at("listening-boxes.html")
    reply = page.call("interact", query=words)
    assert (reply.code, page.text("output")) == ("ambiguous", "")


@pytest.mark.parametrize(
    ("words", "clicked"),
    [
        ("Remove Cid", "Cid Remove;"),
        ("Ann remove", "Ann Remove;"),
        ("Elm water", "Elm Water;"),
        ("Fire Ash", "Ash Fire;"),
        ("second Remove", "Bob Remove;"),
        ("Archive Rome", "Rome Archive;"),
        ("Card", "CardCard;"),
    ],
)
def test_the_item_with_all_the_words_is_clicked(at: At, words: str, clicked: str) -> None:
    """Not the middle of the box; what a box without items says twice is the box."""
    page = at("listening-boxes.html")
    page.do("interact", query=words)
    assert page.text("output") == clicked


@pytest.mark.parametrize("words", ["Oak Fire", "Ann Bob Remove"])
def test_words_of_several_items_mean_none(at: At, words: str) -> None:
    page = at("listening-boxes.html")
    reply = page.call("interact", query=words)
    assert (reply.code, page.text("output")) == ("element_not_found", "")
