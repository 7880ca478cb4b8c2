"""Parsing instructions into steps: what is understood, and what is refused up front."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ocd.api.errors import OcdError
from ocd.pages.instructions.parser import parse
from ocd.pages.locate.ordinals import split_ordinal


def told(instruction: str) -> list[tuple[str, str, str]]:
    return [(step.kind, step.place, step.value) for step in parse(instruction)]


@pytest.mark.parametrize(
    ("instruction", "steps"),
    [
        ("click Sign in", [("click", "Sign in", "")]),
        ("type hello@x.org into Email", [("fill", "Email", "hello@x.org")]),
        (
            "select Korea in Country, then press Enter",
            [("select", "Country", "Korea"), ("press", "", "Enter")],
        ),
        ("check the terms box", [("check", "terms box", "")]),
        ("scroll down", [("scroll", "", "down")]),
        ("go back", [("back", "", "")]),
        ("wait for Done", [("wait", "Done", "")]),
        ("Please click on the “Save and close” button.", [("click", "Save and close button", "")]),
        ("click Save and Continue", [("click", "Save and Continue", "")]),
        (
            "1. open https://x.org\n2. click Log in\n3. fill Email with a@b.c",
            [
                ("navigate", "", "https://x.org"),
                ("click", "Log in", ""),
                ("fill", "Email", "a@b.c"),
            ],
        ),
        ('type "then; and click" into Name', [("fill", "Name", "then; and click")]),
        ("click Don't save", [("click", "Don't save", "")]),
        ("hover over Menu and click Paste", [("hover", "Menu", ""), ("click", "Paste", "")]),
        ("press Ctrl + A", [("press", "", "Ctrl+A")]),
        ("press page down", [("press", "", "pagedown")]),
        ("press Delete", [("press_or_click", "", "Delete")]),
        ("press the Delete key", [("press", "", "Delete")]),
        ("turn Dark mode off", [("uncheck", "Dark mode", "")]),
        ("search the shop for red shoes", [("search", "shop", "red shoes")]),
        ("go to the Cart page", [("click", "Cart", "")]),
        ("go to /cart", [("navigate", "", "/cart")]),
        ("wait 2 seconds", [("pause", "", "")]),
        ("wait until Loading disappears", [("wait_gone", "Loading", "")]),
        ("click the link called Home", [("click", "Home link", "")]),
        ("set Volume to 7", [("fill", "Volume", "7")]),
        ("drag Card onto Bin", [("drag", "Card", "")]),
        ("accept the dialog", [("accept_dialog", "", "")]),
        ("submit", [("submit", "", "")]),
        ("scroll down in the grid", [("scroll", "grid", "down")]),
        ("scroll the list up", [("scroll", "list", "up")]),
        ("scroll to the bottom of Results", [("scroll", "Results", "bottom")]),
        ("scroll to the bottom of the page", [("scroll", "", "bottom")]),
        ("scroll the page down", [("scroll", "", "down")]),
        ("scroll down 300 px inside Messages", [("scroll", "Messages", "down")]),
        ('type "Ada" into the focused field', [("fill", "focused field", "Ada")]),
        ("press Enter in the focused box", [("press", "focused box", "Enter")]),
    ],
)
def test_words_become_steps(instruction: str, steps: list[tuple[str, str, str]]) -> None:
    """Each phrasing is one kind of step, with its element and value."""
    assert told(instruction) == steps


@pytest.mark.parametrize(
    ("words", "nth", "rest"),
    [
        ("second Delete button", 2, "Delete button"),
        ("the last Delete", -1, "Delete"),
        ("3rd row", 3, "row"),
        ("#4 Delete", 4, "Delete"),
        ("number 5 Delete", 5, "Delete"),
        ("Last name field", None, "Last name field"),
        ("second name field", 2, "name field"),
        ("0th row", None, "0th row"),
        ("second", None, "second"),
        ("secondary button", None, "secondary button"),
    ],
)
def test_ordinals_say_which_one(words: str, nth: int | None, rest: str) -> None:
    """`the second Delete button` is one of equal elements; `last name` is a name."""
    assert split_ordinal(words) == (nth, rest)


def test_element_of_a_step_keeps_its_ordinal() -> None:
    (step,) = parse("click the second button labelled Delete")
    assert step.place == "second Delete button"


@pytest.mark.parametrize(
    "instruction",
    ["", "   ", "frobnicate the widget", "click", "type", "go", "check that it works", "then"],
)
def test_an_unknown_phrase_is_refused(instruction: str) -> None:
    """not_understood quotes the words, and gives examples of what is understood."""
    with pytest.raises(OcdError) as caught:
        parse(instruction)
    assert caught.value.code == "not_understood"
    assert "click X" in str(caught.value.details["understands"])


def test_the_step_that_is_not_understood_is_numbered() -> None:
    """The error names the number and the words of the step that no rule matches."""
    with pytest.raises(OcdError) as caught:
        parse('click A; frobnicate "the B"; click C')
    assert caught.value.details["step"] == 2
    assert caught.value.details["words"] == 'frobnicate "the B"'


@given(st.text(max_size=300))
def test_any_text_is_parsed_or_refused(text: str) -> None:
    """Any text becomes steps or one error."""
    code = ""
    try:
        assert parse(text)
    except OcdError as error:
        code = error.code
    assert code in ("", "not_understood", "limit_reached")


@given(
    st.text(st.characters(blacklist_characters='"', blacklist_categories=("Cs", "Co")), min_size=1)
)
def test_quoted_text_is_typed_as_it_is(text: str) -> None:
    """Text in quotes is never split."""
    (step,) = parse(f'type "{text}" into Name')
    assert (step.kind, step.place, step.value) == ("fill", "Name", text)
