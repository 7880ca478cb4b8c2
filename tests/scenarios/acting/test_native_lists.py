"""Options that the browser draws one by one: longer lists, and pickers that the page styles."""

from collections.abc import Callable

import pytest

from support.pages import Page

At = Callable[[str], Page]


def test_an_option_of_a_shown_list_is_clicked_by_its_words(at: At) -> None:
    page = at("native-lists.html")
    assert page.lines("Pear")[0].startswith('- option "Pear" [ref=')
    page.do("interact", query="Pear")
    assert page.js("fruit.value") == "Pear"
    page.do("interact", query="option Plum")
    assert page.js("fruit.value") == "Plum"


def test_options_of_an_open_picker_are_told_and_clicked(at: At) -> None:
    """Its value is told once, not as the texts that draw it."""
    page = at("native-lists.html")
    opened = page.do("interact", query="Pet")["content"]
    assert '+ options "🐈 Cat", "🐕 Dog loyal" in combobox "Pet"' in opened
    assert "text:" not in opened
    chosen = page.do("interact", query="Dog loyal")["content"]
    assert page.js("pet.value") == "dog"
    assert 'value: "🐈 Cat" → "🐕 Dog loyal"' in chosen
    assert "text:" not in chosen


def test_options_that_do_not_show_are_not_clicked(at: At) -> None:
    page = at("native-lists.html")
    for words in ("Dog loyal", "Large"):
        assert page.call_in_short("interact", query=words).code == "element_not_found"
    assert page.js("[pet.value, size.value].join()") == "cat,Small"


def test_list_without_the_value_is_not_meant_beside_a_text_field(at: At) -> None:
    """Both are called by the same words; of a value that the list has, neither is meant more."""
    page = at("lists-and-texts.html")
    page.do("form_input", query="Worked", value="15")
    assert page.call("form_input", query="Worked", value="Hours").code == "ambiguous"
    assert (page.js("worked.value"), page.js("units.value")) == ("15", "Minutes")


def test_list_is_chosen_from_rather_than_a_text_field(at: At) -> None:
    page = at("lists-and-texts.html")
    page.do("interact", action="select", query="Destination", value="/models")
    assert (page.js("folder.value"), page.js("document.querySelector('#name').value")) == (
        "/models",
        "cube",
    )


def test_option_is_named_without_what_it_adds_in_brackets(at: At) -> None:
    """If only one is called so: two workshops are two."""
    page = at("lists-and-texts.html")
    page.do("interact", action="select", query="Kind", value="Talk")
    assert page.js("kind.value") == "1"
    failure = page.call("interact", action="select", query="Kind", value="Workshop")
    assert (failure.code, page.js("kind.value")) == ("option_not_found", "1")


@pytest.mark.parametrize("value", ["2027-02-01 18:30", "2027-02-01T18:30"])
def test_date_and_time_may_have_a_blank_between(at: At, value: str) -> None:
    page = at("lists-and-texts.html")
    assert page.do("form_input", query="Deadline", value=value)["value"] == "2027-02-01T18:30"


def test_failed_fields_show_what_there_is_to_choose_from(at: At) -> None:
    """Each its own, and the advice of the only one that has some."""
    page = at("lists-and-texts.html")
    form = '{"Deadline": "2027-02-01 18:30", "Kind": "Party", "Plan": "plan.pdf"}'
    done = page.daemon.oc("fill-form", form)
    assert "    Talk (30 minutes)" in done.err
    done = page.daemon.oc("fill-form", '{"Deadline": "2027-02-01 18:30", "Plan": "plan.pdf"}')
    assert "Hint: Filled: 'Deadline'. Use `oc file-upload` for files. Fill the rest" in done.err
