"""Queries that end in a role, such as "list" or "field": part of a name, or the role itself."""

from collections.abc import Callable

import pytest

from support.pages import Page

At = Callable[[str], Page]


@pytest.mark.parametrize(
    "words", ["Oak list", "Paper list", "Glass list", "Tin field", "Name field"]
)
@pytest.mark.parametrize("verb", ["form_input", "type"])
def test_an_element_with_the_whole_name_wins_over_another_field(
    at: At, words: str, verb: str
) -> None:
    """That element cannot be filled: the call fails, lists both, and fills no field."""
    page = at("kinds-in-names.html")
    reply = (
        page.call("form_input", query=words, value="x")
        if verb == "form_input"
        else page.call("interact", query=words, action="type", value="x")
    )
    assert reply.code == "element_not_found"
    thing, field = reply.error["candidates"][:2]
    assert words in thing
    assert "partial match" not in thing
    assert words not in field
    assert "(partial match)" in field
    filled = "[...document.querySelectorAll('input')].filter((one) => one.value.length > 2).length"
    assert page.js(f"{filled} + document.querySelectorAll(':checked').length") == "0"


def test_instruction_does_not_type_into_a_field_of_another_name(at: At) -> None:
    page = at("kinds-in-names.html")
    reply = page.call("act", instruction="type 'x' into 'Stone list'")
    assert page.js("stone.value") == ""
    assert "Stone palette" not in str(reply.body.get("result", {}).get("target", ""))


@pytest.mark.parametrize(
    ("words", "code"), [("Wood list", "wrong_value"), ("Stone list", "wrong_value")]
)
def test_control_whose_name_contains_the_role_is_meant(at: At, words: str, code: str) -> None:
    """Also if its name has more words; such controls accept no text."""
    page = at("kinds-in-names.html")
    reply = page.call("form_input", query=words, value="x", timeout_ms=3000)
    assert (reply.code, words in reply.error["message"]) == (code, True)
    assert page.js("wood.value + stone.value") == ""


def test_field_with_the_remaining_words_as_name_is_meant(at: At) -> None:
    """ "Title field" is the field named Title, not a heading."""
    page = at("kinds-in-names.html")
    page.do("form_input", query="Title field", value="Emma")
    page.do("form_input", query="Colour box", value="red")
    page.do("interact", query="Menu button")
    assert page.js("title.value + colour.value + author.value") == "Emmared"
    assert page.js("[menu, save].map((one) => one.dataset.clicked)") == '["1",null]'


@pytest.mark.parametrize(
    ("verb", "words"),
    [("form_input", "Steel list"), ("type", "Steel table"), ("check", "Steel heading")],
)
def test_field_of_another_name_and_role_is_only_a_candidate(at: At, verb: str, words: str) -> None:
    """Nothing is called so: the call fails with the field as a candidate."""
    page = at("kinds-shortened.html")
    reply = (
        page.call("form_input", query=words, value="x")
        if verb == "form_input"
        else page.call("interact", query=words, action=verb, value="x" if verb == "type" else None)
    )
    assert reply.code == "element_not_found"
    assert "(partial match)" in reply.error["candidates"][0]
    assert page.js("steel.value + finish.checked") == "false"


def test_shortened_name_with_its_role_is_meant(at: At) -> None:
    page = at("kinds-shortened.html")
    page.do("form_input", query="Email", value="ada")
    page.do("form_input", query="Email field", value="ada@site.test")
    page.do("form_input", query="country dropdown", value="Peru")
    page.do("interact", query="Steel checkbox", action="check")
    assert page.js("email.value + country.value + finish.checked") == "ada@site.testPerutrue"


@pytest.mark.parametrize("words", ["Menu", "Menu button", "Icon button", "Title", "Title field"])
def test_role_alone_does_not_mean_a_control_of_another_role(at: At, words: str) -> None:
    page = at("kinds-alone.html")
    assert page.call("interact", query=words).code == "element_not_found"
    assert page.call("form_input", query=words, value="x").code == "element_not_found"
    assert page.js("author.value + (save.dataset.clicked ?? '')") == ""


def test_role_alone_may_be_the_beginning_of_a_name(at: At) -> None:
    page = at("kinds-alone.html")
    page.do("form_input", query="Image", value="tree.png")
    assert page.js("image.value + author.value") == "tree.png"


def test_role_alone_means_the_only_element_of_that_role(at: At) -> None:
    """In every wording: a field, a button, a button that opens something."""
    page = at("kinds-alone.html")
    page.js("image.parentNode.remove()")
    page.do("form_input", query="input field", value="Austen")
    page.do("interact", query="button")
    assert page.js("author.value + save.dataset.clicked") == "Austen1"
    page.js("save.setAttribute('aria-expanded', 'false'), save.dataset.clicked = 2")
    page.do("interact", query="menu button")
    assert page.js("save.dataset.clicked") == "1"


@pytest.mark.parametrize(
    ("words", "clicked"),
    [
        ("menuitem Save as", "DIV Save as"),
        ("treeitem Notes", "DIV Notes"),
        ("clickable Close it", "SPAN Close it"),
        ("columnheader Tue", "TH Tue"),
        ("gridcell 20", "TD 20"),
        ("constructor", "BUTTON constructor"),
    ],
)
def test_role_is_understood_as_the_outline_writes_it(at: At, words: str, clicked: str) -> None:
    """Also if the cell contains a link of the same name."""
    page = at("kinds-as-outlined.html")
    page.do("interact", query=words)
    assert page.js("clicked.value") == clicked


def test_field_is_found_by_its_role_as_the_outline_writes_it(at: At) -> None:
    page = at("kinds-as-outlined.html")
    page.do("form_input", query="spinbutton Amount", value="4")
    page.do("form_input", query="searchbox Words", value="oak")
    assert page.js("amount.value + words.value") == "4oak"


@pytest.mark.parametrize(
    ("words", "candidate"),
    [
        ("new field", "Fetch new list!"),
        ("new_field", "Fetch new list!"),
        ("password field", "Forgot password?"),
        ("search input", "Search"),
        ("email button", "Email"),
        ("email link", "Email"),
        ("other button", "Other title"),
        ("terms checkbox", "Terms"),
    ],
)
@pytest.mark.parametrize("verb", ["interact", "form_input"])
def test_field_and_button_are_not_taken_for_each_other(
    at: At, words: str, candidate: str, verb: str
) -> None:
    """What has the other words of the name is a candidate, and nothing is clicked or filled."""
    page = at("kinds-pressed.html")
    reply = page.call(verb, query=words, **({"value": "x"} if verb == "form_input" else {}))
    assert reply.code == "element_not_found"
    assert candidate in reply.error["candidates"][0]
    assert page.js("said.value + email.value + document.activeElement.tagName") == "BODY"


@pytest.mark.parametrize(
    ("words", "clicked"),
    [
        ("country field", "Choose a country"),
        ("forgot password button", "Forgot password?"),
        ("search link", "Search"),
        ("comment field", "Comment field off"),
        ("delivery date field", "Choose"),
        ("wrap lines switch", "Wrap lines"),
    ],
)
def test_buttons_links_and_openers_are_interchangeable(at: At, words: str, clicked: str) -> None:
    """A link for a button, an opener for a field, what stays pressed for a switch."""
    page = at("kinds-pressed.html")
    page.do("interact", query=words)
    assert page.js("said.value") == f"{clicked};"
