"""Dialogs without a role that a library opens, and forms around them."""

from collections.abc import Callable

import pytest

from support.pages import Page

At = Callable[[str], Page]


@pytest.fixture
def page(at: At) -> Page:
    return at("managed-dialogs.html")


def said(page: Page) -> str:
    return page.text("#said")


def test_a_dialog_is_told_by_its_title_and_contents_alone(page: Page) -> None:
    """Not as moved, not by fields that do not show, and no value twice."""
    done = page.do("interact", query="Edit")
    assert done["now"].startswith('dialog "Move a file" [ref=')
    lines = done["content"].splitlines()
    assert [line for line in lines if not line.startswith("+ ")] == []
    assert sum("part" in line for line in lines) == 1
    assert not any(word in done["content"] for word in ("3600", "kB", "Watch", "Interval"))


@pytest.mark.parametrize("words", ["Move", "Shift"])
def test_of_two_equal_links_the_one_in_the_dialog_is_meant(page: Page, words: str) -> None:
    """The other one stands under its cover, in sight or further down."""
    page.do("interact", query="Edit")
    page.do("interact", query=words)
    assert said(page).startswith("dialog")


def test_what_passes_between_two_fields_of_a_form_is_not_told(page: Page) -> None:
    """A message about a half-filled form, and what a field held before its turn."""
    fields = {"First word": "ab", "Second word": "ab", "Label": "x", "Folder": "/home/x"}
    done = page.do("fill_form", fields=fields)
    assert not done.get("content")
    assert page.js("place.value") == "/home/x"


@pytest.mark.parametrize("words", ["Login", "log-in", "Log In"])
def test_a_name_in_two_words_is_found_by_one(page: Page, words: str) -> None:
    """Fields whose ids begin with that word are not meant."""
    page.do("interact", query=words)
    assert said(page) == "logged in"


def test_words_that_do_not_show_lead_to_nothing(page: Page) -> None:
    """An icon of a folder beside a closed menu is not what "Folder name" means."""
    assert "(partial match)" in page.lines("Folder name")[0]
    assert page.call("interact", query="Tree name").code == "element_not_found"


def test_a_link_to_help_is_no_part_of_a_label(page: Page) -> None:
    done = page.do("form_input", query="Kind", value="send")
    assert done["target"]["name"] == "Kind"
    assert page.js("kind.value") == "send"
