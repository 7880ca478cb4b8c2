"""Options that the browser draws one by one: longer lists, and pickers that the page styles."""

from collections.abc import Callable

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
