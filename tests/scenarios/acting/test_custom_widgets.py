"""Custom widgets made of boxes and scripts: icons, menus, panels, draggable elements."""

from collections.abc import Callable

import pytest

from support.pages import Page

At = Callable[[str], Page]

_INSIDE = """
const [s, l] = ['small', 'large'].map((id) => document.getElementById(id).getBoundingClientRect());
const inside = s.left >= l.left && s.top >= l.top && s.right <= l.right && s.bottom <= l.bottom;
inside ? 'inside' : 'outside'
"""


def test_icons_are_found_and_clicked_by_their_words_in_the_outline(at: At) -> None:
    """`clickable (trash)` is found as "trash", also where a class alone says so."""
    page = at("selfmade.html")
    outline = page.do("read_page")["content"]
    for word in ("trash", "star", "archive"):
        assert f"({word})" in outline
        assert f"clickable ({word}) [ref=" in page.do("find", query=word)["content"]
        page.do("interact", query=word)
        assert word in page.js("document.getElementById('pressed').textContent")


def test_a_box_around_a_hidden_field_keeps_its_ref(at: At) -> None:
    """A person clicks the box; the list in it is no label of the field."""
    page = at("selfmade.html")
    outline = page.do("read_page")["content"].splitlines()
    box = next(line for line in outline if "choice-input" in line)
    assert box.startswith("- clickable [ref=")
    page.do("interact", ref=box.split("[ref=")[1].split("]")[0])
    page.do("interact", query="Long")
    assert page.js("document.getElementById('chosen').textContent") == "Long"


def test_item_of_a_menu_that_opens_under_the_mouse_is_chosen(at: At) -> None:
    """Such a menu waits for a mouse move, which is sent before the move to the item."""
    page = at("selfmade.html")
    page.do("interact", query="Suggest")
    page.do("interact", query="Guinea")
    assert page.js("document.getElementById('taken').textContent") == "Guinea"


def test_multiline_fields_are_marked(at: At) -> None:
    """In them Enter begins a line; in others it sends the form."""
    assert 'textbox "Note" [ref=' in (outline := at("selfmade.html").do("read_page")["content"])
    assert [line.endswith(" multiline") for line in outline.splitlines() if "textbox" in line] == [
        False, False, False, True,
    ]  # fmt: skip


def test_words_under_a_field_name_it(at: At) -> None:
    """Where a field stands alone with words under it, they are its name."""
    page = at("selfmade.html")
    assert 'beside "Genre"' in page.do("find", query="Genre")["content"]
    page.do("fill_form", fields={"Genre": "crime", "Year": "1999"})
    assert page.js("document.getElementById('genre').value") == "crime"
    assert page.js("document.getElementById('year').value") == "1999"


def test_content_unfolded_by_a_script_is_reported_once_visible(at: At) -> None:
    """The height grows step by step: the reply comes afterwards, with the contents."""
    page = at("selfmade.html")
    assert "Inside the panel" in page.do("interact", query="More about it")["content"]


def test_unfolding_steps_may_be_late(at: At) -> None:
    """The page is busy, so a step takes longer than usual."""
    page = at("selfmade.html#busy")
    assert "Inside the panel" in page.do("interact", query="More about it")["content"]


def test_words_of_a_row_select_the_link_in_it(at: At) -> None:
    """The "Add" in the row "Users" adds a user."""
    page = at("selfmade.html")
    page.do("interact", query="Add user")
    assert page.js("location.hash") == "#user"


def test_reported_changes_include_links_without_an_address(at: At) -> None:
    """What the outline lists of a calendar, the answer of the click that opens it lists too."""
    page = at("selfmade.html")
    assert 'clickable "Next" [ref=' in page.do("interact", query="Calendar")["content"]


def test_a_box_is_dropped_on_the_middle_of_another(at: At) -> None:
    """Two boxes side by side are no list, so neither makes room."""
    page = at("selfmade.html")
    page.do("drag_drop", source_selector="#small", target_selector="#large")
    assert page.js(_INSIDE) == "inside"


def test_field_that_fills_itself_contains_only_the_text(at: At) -> None:
    """Time pickers do so when they get the focus, and select a part of it."""
    page = at("self-filling.html")
    page.do("form_input", selector="#start", value="09:30:15")
    assert page.js("start.value") == "09:30:15"


def test_picker_prefilled_with_the_current_time_takes_another(at: At) -> None:
    """It fills its field once the text is there."""
    page = at("self-filling.html")
    page.do("form_input", query="End", value="16:30:00")
    assert page.js("end.value") == "16:30:00"


@pytest.mark.parametrize("value", ["ada", "grün.", "7"])
def test_filter_receives_keyup(at: At, value: str) -> None:
    """On keyup it has the complete text."""
    page = at("self-filling.html")
    assert f"filtered by {value}" in page.do("form_input", query="Filter", value=value)["content"]


def test_field_in_a_cell_is_named_after_its_column(at: At) -> None:
    """Though there are handles between the cells."""
    page = at("self-filling.html")
    page.do("form_input", query="Age", value="36")
    assert page.js("age.value") == "36"


def test_scripted_switch_is_clicked_itself(at: At) -> None:
    """A click on its label would be undone by them."""
    page = at("self-filling.html")
    page.do("interact", query="Enabled", action="check")
    assert page.js("`${on} ${enabled.checked}`") == "true true"


def test_list_whose_field_is_for_the_keyboard_only(at: At) -> None:
    """It accepts no text and has no area to click; the element that shows its value has."""
    page = at("self-filling.html")
    page.do("form_input", query="Size", value="Large")
    assert page.js("sizes.firstChild.data") == "Large"


@pytest.mark.parametrize(
    ("field", "value"),
    [("Volume", "35"), ("Volume", "0"), ("Volume", "80"), ("Coarse", "100"), ("Own keys", "7")],
)
def test_slider_holds_what_counts_once_its_key_is_let_go(
    at: Callable[[str], Page], field: str, value: str
) -> None:
    """The last step is a key's, as a person's would be, unless the page has keys of its own."""
    page = at("range-commit.html")
    assert page.do("form_input", query=field, value=value)["value"] == value
    assert page.js(f"taken[{field.split()[0].lower()!r}]") == value


def test_switch_in_a_shadow_tree_goes_by_the_words_beside_it(at: Callable[[str], Page]) -> None:
    page = at("setting-rows.html")
    page.do("interact", query="Usage", action="check")
    ticked = "[basic, usage].map((one) => one.shadowRoot.querySelector('input').checked).join()"
    assert page.js(ticked) == "false,true"


def test_inputs_that_are_there_for_their_form_alone_are_not_meant(at: At) -> None:
    """They are hidden from everyone; what is drawn beside them is named by the label."""
    page = at("for-the-form.html")
    fields = {"Active": False, "Terms": True, "Kind": "Docker"}
    reply = page.do("fill_form", fields=fields)
    roles = [one["target"]["role"] for one in reply["fields"]]
    assert roles == ["switch", "checkbox", "combobox"]
    assert page.js("[s.ariaChecked, c.ariaChecked, l.textContent].join()") == "false,true,Docker"
    form = "document.forms[0]"
    held = f"[{form}.active.checked, {form}.terms.checked, {form}.kind.value].join()"
    assert page.js(held) == "false,true,Docker"
    page.do("interact", query="Active", action="check")
    reply = page.do("interact", query="Terms", action="click")
    assert "checkbox [ref=" not in reply.get("content", "")
    page.do("interact", query="Kind", action="select", value="Process")
    assert page.js(held) == "true,false,Process"
