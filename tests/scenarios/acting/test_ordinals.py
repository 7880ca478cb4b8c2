"""Queries that say which of several equal elements is meant."""

from collections.abc import Callable

import pytest

from support.pages import Page

At = Callable[[str], Page]


@pytest.mark.parametrize(
    ("words", "clicked"),
    [
        ("second Delete button", "2"),
        ("the 3rd Delete", "3"),
        ("first delete button", "1"),
        ("last page", "end"),
        ("second page link", "p2"),
    ],
)
def test_one_of_several_is_clicked(at: At, words: str, clicked: str) -> None:
    """In the page's order; what is called so as a whole is meant before."""
    page = at("ordinals.html")
    page.do("interact", query=words)
    assert page.js("said.value") == clicked


def test_one_of_several_is_found_by_other_verbs(at: At) -> None:
    page = at("ordinals.html")
    page.do("act", instruction="click the second button labelled Delete, then click the last page")
    page.do("form_input", query="third textbox", value="Rex")
    assert page.js("said.value + pet.value") == "2endRex"


def test_too_few_are_shown(at: At) -> None:
    page = at("ordinals.html")
    reply = page.call("interact", query="fourth Delete button")
    assert (reply.code, page.js("said.value")) == ("element_not_found", "")
    assert len(reply.error["candidates"]) == 3


def test_words_that_may_be_either_are_ambiguous(at: At) -> None:
    """The last of several, or the beginning of a name."""
    page = at("ordinals.html")
    reply = page.call("interact", query="last Delete")
    assert (reply.code, page.js("said.value")) == ("ambiguous", "")
    assert "Cid" in reply.error["candidates"][0]
    assert "Last Delete of the year" in reply.error["candidates"][1]


@pytest.mark.parametrize("words", ["first name", "last name field", "first street"])
def test_a_single_field_is_no_first_one(at: At, words: str) -> None:
    """Nothing is filled: a first name is no name."""
    page = at("ordinals.html")
    assert page.call("form_input", query=words, value="x").code == "element_not_found"
    reply = page.call("act", instruction=f'type "x" into the {words}')
    assert reply.code == "element_not_found"
    assert page.js("[...document.querySelectorAll('input')].map((one) => one.value).join('')") == ""
