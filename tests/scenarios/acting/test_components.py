"""Components with shadow trees: what is drawn, labelled and chosen inside and around these."""

from collections.abc import Callable

import pytest

from support.pages import Page

At = Callable[[str], Page]

_CHOSEN = "document.querySelector('own-tags').shadowRoot.querySelector('select').selectedOptions"
_NIGHT = "document.querySelector('own-switch').getAttribute('aria-checked')"


@pytest.fixture
def page(at: At) -> Page:
    return at("components.html")


def test_a_switch_is_clicked_where_it_shows_the_hand(page: Page) -> None:
    """The middle of the element with the role is neither its bar nor its label."""
    assert page.do("interact", query="Night", action="check")["value"] is True
    assert page.js(_NIGHT) == "true"
    page.do("interact", query="Night")
    assert page.js(_NIGHT) == "false"


@pytest.mark.parametrize("words", ["Volume", "Share"])
def test_a_slider_is_named_by_what_stands_around_its_component(page: Page, words: str) -> None:
    """However deep it stands in its own tree; and it is set to more digits than it gives."""
    done = page.do("form_input", query=words, value=0.26)
    assert done["target"]["name"] == words
    assert done["value"] == "0.26"
    track = f"document.querySelector('own-{words.lower()}').shadowRoot.querySelector('own-track')"
    slider = f"{track}.shadowRoot.querySelector('[role=slider]')"
    assert page.js(f"{slider}.getAttribute('aria-valuetext')") == "0.26"


def test_what_is_placed_in_a_shadow_tree_is_told_when_it_is_scrolled_away(page: Page) -> None:
    """A box around its host scrolls, so it can be brought back."""
    before = page.do("read_page")["content"].count("- slider")
    page.do("interact", query="Far below", action="scroll_into_view")
    assert page.do("read_page")["content"].count("- slider") == before == 2


def test_a_field_stands_for_a_list_of_chosen_values(page: Page) -> None:
    """Its list offers a first option as selected; its given name is no name."""
    for values in (["pear"], ["apple", "fig"], ["fig"]):
        page.do("form_input", query="Fruits", value=values)
        assert page.js(f"[...{_CHOSEN}].map((one) => one.value).sort().join()") == ",".join(values)
    outline = page.do("read_page")["content"]
    assert 'listbox "Fruits"' not in outline
    assert "null" not in outline
    (field,) = page.lines("Fruits")[:1]
    assert 'value="fig"' in next(
        line for line in outline.splitlines() if line.lstrip().startswith("- combobox")
    )
    assert field.startswith("- textbox")
