"""A click lands on the element that the words name, whichever box around it handles clicks."""

from collections.abc import Callable

import pytest

from support.pages import Page

At = Callable[[str], Page]


def said(page: Page) -> str:
    return page.text("#said")


@pytest.mark.parametrize(
    ("words", "hears"),
    [
        ("Small", "Small;"),
        ("Large", "Large;"),
        ("Remove", "cell Remove;"),
        ("Reply", "Reply;"),
        ("Forward", "Forward;"),
        ("Decline", "Decline;"),
        ("Blue shirt", "card;"),
        ("Soft cotton", "card;"),
        ("Green hat", "offer;"),
        ("Green hat Buy", "offer;"),
        ("Buy", "bought;"),
        ("Parent", "Parent;"),
        ("Second child", "Second child;"),
        ("Databases", "entry;"),
    ],
)
def test_click_lands_on_what_the_words_name(at: At, words: str, hears: str) -> None:
    """An entry, a cell, a word of a clickable box; for a box with controls, the box."""
    page = at("parts.html")
    page.do("interact", query=words)
    assert said(page) == hears


def test_instructions_click_what_they_name(at: At) -> None:
    """`act` takes words as `interact` does."""
    page = at("parts.html")
    page.do("act", instruction="click 'Large' then click 'Forward'")
    assert said(page) == "Large;Forward;"


def test_elements_that_appear_later_are_named_the_same_way(at: At) -> None:
    """Also while it is being waited for."""
    page = at("parts.html")
    page.do("interact", query="Large", wait_for_ms=2000)
    assert said(page) == "Large;"


@pytest.mark.parametrize(
    "words", ["Reply Forward", "forward reply", "decline accept", "remove ann"]
)
def test_words_of_two_elements_are_ambiguous(at: At, words: str) -> None:
    """Each has a listener, the gap between them has none: both are listed with refs."""
    page = at("parts.html")
    reply = page.call("interact", query=words)
    assert reply.code == "ambiguous"
    assert said(page) == ""
    first, second = (ref_of(word, reply.error["candidates"]) for word in words.split())
    page.do("interact", ref=first)
    page.do("interact", ref=second)
    assert said(page).lower().replace("cell ", "").split(";")[:2] == words.lower().split()


def ref_of(word: str, candidates: list[str]) -> str:
    (line,) = (one for one in candidates if f'"{word.capitalize()}"' in one)
    return line.partition("[ref=")[2].partition("]")[0]


def test_box_of_several_elements_is_ambiguous_by_ref_too(at: At) -> None:
    """A click on its middle would hit none of them."""
    page = at("parts.html")
    ref = page.do("query_dom", selector="#mail")["element"]["ref"]
    reply = page.call("interact", ref=ref)
    assert (reply.code, len(reply.error["candidates"])) == ("ambiguous", 2)
    assert said(page) == ""


def test_box_that_handles_clicks_itself_is_clicked(at: At) -> None:
    """By words of two of its parts or by ref: any place in it will do."""
    page = at("parts.html")
    page.do("interact", query="cotton blue")
    page.do("interact", selector="#card")
    assert said(page) == "card;card;"


def test_click_on_a_covered_element_reaches_nothing(at: At) -> None:
    """What covers the element only once the mouse arrives is named, and gets no click."""
    page = at("parts.html")
    reply = page.call_in_short("interact", query="Shy")
    assert reply.code == "covered"
    assert "Veil" in reply.error["covered_by"]
    assert said(page) == ""


def test_click_is_repeated_after_an_overlay_has_gone(at: At) -> None:
    """Once the overlay is gone, the element gets its click, once."""
    page = at("parts.html")
    page.do("interact", query="Hurried", timeout_ms=30_000)
    assert said(page) == "hurried;"


def test_details_without_a_summary_are_opened_and_closed(at: At) -> None:
    """A click goes to the line that the browser shows for them, however large the open box is."""
    page = at("parts.html")
    page.js(
        'document.body.innerHTML = \'<details style="padding: 30px">'
        '<p style="height: 300px">Words</p></details>\''
    )
    for is_open in ("true", "false"):
        page.do("interact", query="Details")
        assert page.js("document.querySelector('details').open") == is_open
