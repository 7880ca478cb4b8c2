"""Transient changes: what appears and disappears during an action."""

from collections.abc import Callable

from support.pages import Page

At = Callable[[str], Page]


def test_a_delayed_animation_is_waited_for(at: At) -> None:
    """Libraries hide what enters until it is measured: it is reported all the same."""
    content = at("passing.html").do("interact", query="Calendar")["content"]
    assert content.startswith('+ button "Third of May" [ref=')


def test_elements_that_were_never_reported_are_not_reported_as_hidden(at: At) -> None:
    """A tooltip that was never reported is not reported as hidden."""
    content = at("passing.html").do("interact", query="Save")["content"]
    assert content == "+ text: Saved\n- text: Save\n"


def test_a_hidden_tooltip_is_reported_if_nothing_else_changed(at: At) -> None:
    """It goes when the mouse leaves, whatever is clicked elsewhere."""
    page = at("passing.html")
    assert "tooltip" in page.do("interact", action="hover", query="Other")["content"]
    assert "Says more" not in page.do("interact", query="Calendar")["content"]
    assert "tooltip" in page.do("interact", action="hover", query="Other")["content"]
    left = page.do("computer", action="mouse_move", coordinate=[600, 500])["content"]
    assert left == '- tooltip "Says more"\n'


def test_a_hovered_day_is_not_the_typed_value(at: At) -> None:
    """A calendar that opens under the mouse shows the hovered day in its field."""
    page = at("passing.html")
    field = page.do("query_dom", selector="#due")["element"]["bounding_box"]
    below = [field["x"] + 20, field["y"] + field["height"] + 8]
    page.do("computer", action="mouse_move", coordinate=below)
    assert page.do("form_input", query="Due", value="2026-03-04")["value"] == "2026-03-04"
    assert page.text("#chosen") == "2026-03-04"


def test_a_list_that_opened_and_closed_is_not_reported(at: At) -> None:
    """Choosing an option is one action: the page is compared with the one before it."""
    done = at("passing.html").do("form_input", query="Fruit", value="Plum")
    assert done["value"] == "Plum"
    assert done["content"] == "+ text: Plum\n- text: none yet\n"
