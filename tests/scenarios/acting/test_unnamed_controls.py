"""Controls without a name have the same hint in a reading and in reported changes."""

import re
from collections.abc import Callable

from support.pages import Page


def test_icon_only_boxes_are_reported_as_in_the_outline(at: Callable[[str], Page]) -> None:
    page = at("nameless.html")
    outline = page.do("read_page")["content"]
    told = page.do("interact", query="Both")["content"]
    for hint in ("toggle", "star-icon"):
        (line,) = re.findall(rf"checkbox \({hint}\) \[ref=\w+\]", outline)
        assert f"~ {line} checked" in told
    focused = page.do("interact", selector=".toggle", action="focus")
    assert focused["now"].startswith("focus checkbox (toggle) [ref=")


def test_icon_whose_wrapper_listens_to_clicks_is_a_control(at: Callable[[str], Page]) -> None:
    """An empty box with a picture, in a box in the box that has the listener: one line each."""
    page = at("icons-in-boxes.html")
    outline = page.do("read_page")["content"]
    assert outline.count("[ref=") == 3
    page.do("interact", query="Bold")
    page.do("interact", query="Italic")
    page.do("interact", query="strike")
    assert page.js("clicked.value") == "bold italic strike "


def test_handle_of_a_slider_is_its_only_control(at: Callable[[str], Page]) -> None:
    """The track around it listens to the mouse, too, but the keys go to the handle."""
    page = at("things.html")
    page.js(
        "document.body.innerHTML = '<div id=track style=width:12px;height:90px;position:relative>"
        "<span tabindex=0 style=position:absolute;width:12px;height:12px;bottom:9px></span></div>';"
        "track.addEventListener('mousedown', () => {}); 1"
    )
    controls = page.do("read_page")["content"].splitlines()[1:]
    assert len(controls) == 1
    assert controls[0].count("[ref=") == 1


def test_editor_is_found_by_its_hint_whatever_it_holds(at: Callable[[str], Page]) -> None:
    page = at("nameless-editor.html")
    for text in ("One", "Two"):
        page.do("form_input", query="editor", value=text)
        assert "textbox (x-editor) [ref=" in page.do("read_page")["content"]
    assert page.js("document.querySelector('.x-editor').innerText.trim()") == "Two"
