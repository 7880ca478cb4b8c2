"""Gestures of several calls, and keys as a keyboard sends them."""

from collections.abc import Callable

import pytest

from support.pages import Page

At = Callable[[str], Page]


def box(page: Page, selector: str) -> dict[str, float]:
    """Return x, y, width and height of the first match."""
    found: dict[str, float] = page.do("query_dom", selector=selector)["element"]["bounding_box"]
    return found


def mouse(page: Page, action: str, x: float, y: float) -> None:
    """Do one thing with the mouse at a point."""
    page.do("computer", action=action, coordinate=[x, y])


def test_slider_follows_a_held_button(at: At) -> None:
    """Moves between left_mouse_down and left_mouse_up carry the pressed button."""
    page = at("gestures.html")
    knob = box(page, "#knob")
    y = knob["y"] + knob["height"] / 2
    mouse(page, "left_mouse_down", knob["x"] + 10, y)
    mouse(page, "mouse_move", knob["x"] + 110, y)
    mouse(page, "left_mouse_up", knob["x"] + 110, y)
    assert 45 <= int(page.js("knob.value")) <= 60
    mouse(page, "mouse_move", knob["x"] + 20, y)
    seen = page.text("#pointer").split()
    assert seen[:2] == ["move:-1,0,0", "down:0,1,0.5"]
    assert seen[2:] == ["move:-1,1,0.5", "up:0,0,0", "move:-1,0,0"]


def test_button_is_pressed_and_released_at_the_mouse_position(at: At) -> None:
    page = at("gestures.html")
    knob = box(page, "#knob")
    y = knob["y"] + knob["height"] / 2
    mouse(page, "mouse_move", knob["x"] + 10, y)
    page.do("computer", action="left_mouse_down")
    mouse(page, "mouse_move", knob["x"] + 110, y)
    up = page.do("computer", action="left_mouse_up")
    assert up["coordinate"] == [round(knob["x"] + 110, 1), round(y, 1)]
    assert 45 <= int(page.js("knob.value")) <= 60


def test_text_is_selected_with_the_mouse(at: At) -> None:
    """Releasing elsewhere first moves the mouse there."""
    page = at("gestures.html")
    quote = box(page, "#quote")
    y = quote["y"] + quote["height"] / 2
    mouse(page, "left_mouse_down", quote["x"] + 1, y)
    mouse(page, "left_mouse_up", quote["x"] + 73, y)
    assert page.js("getSelection().toString()") == "select"


@pytest.mark.parametrize("hover", ["mouse_move", "interact"])
def test_native_drag_in_several_calls(at: At, hover: str) -> None:
    """Press, move and release start and end Chromium's own drag and drop."""
    page = at("gestures.html")
    parcel, shelf = box(page, "#parcel"), box(page, "#shelf")
    mouse(page, "left_mouse_down", parcel["x"] + 20, parcel["y"] + 20)
    mouse(page, "mouse_move", parcel["x"] + 30, parcel["y"] + 30)
    if hover == "interact":
        page.do("interact", action="hover", selector="#shelf")
        x, y = shelf["x"] + shelf["width"] / 2, shelf["y"] + shelf["height"] / 2
    else:
        x, y = shelf["x"] + 20, shelf["y"] + 20
        mouse(page, "mouse_move", x, y)
    mouse(page, "left_mouse_up", x, y)
    assert page.text("#dragged").strip() == "start drop:a book end"


def test_native_drag_in_one_move(at: At) -> None:
    """The first element under the drag is asked whether it accepts the drop; no event twice."""
    page = at("gestures.html")
    page.js("shelf.addEventListener('dragover', () => drag('over'))")
    parcel, shelf = box(page, "#parcel"), box(page, "#shelf")
    mouse(page, "left_mouse_down", parcel["x"] + 20, parcel["y"] + 20)
    mouse(page, "mouse_move", shelf["x"] + 20, shelf["y"] + 20)
    mouse(page, "left_mouse_up", shelf["x"] + 20, shelf["y"] + 20)
    assert page.text("#dragged").strip() == "start over drop:a book end"


def test_escape_ends_a_native_drag(at: At) -> None:
    """Nothing is dropped, mouse events go to the page again, and no further move is sent."""
    page = at("gestures.html")
    parcel, shelf = box(page, "#parcel"), box(page, "#shelf")
    mouse(page, "left_mouse_down", parcel["x"] + 20, parcel["y"] + 20)
    mouse(page, "mouse_move", parcel["x"] + 30, parcel["y"] + 30)
    mouse(page, "mouse_move", shelf["x"] + 20, shelf["y"] + 20)
    page.do("computer", action="key", text="Escape")
    page.js("pointer.textContent = ''")
    mouse(page, "left_mouse_up", shelf["x"] + 20, shelf["y"] + 20)
    assert page.text("#pointer").split() == ["up:0,0,0"]
    assert page.text("#dragged").strip() == "start end"


def test_long_press(at: At) -> None:
    """The button stays pressed while the agent waits."""
    page = at("gestures.html")
    hold = box(page, "#hold")
    x, y = hold["x"] + 20, hold["y"] + 20
    mouse(page, "left_mouse_down", x, y)
    page.do("wait_for", type="function", value="said.textContent === 'held'")
    mouse(page, "left_mouse_up", x, y)
    assert page.text("#said") == "held"


@pytest.mark.parametrize(
    ("keys", "seen"),
    [
        ("+", "+:Equal:0"),
        ("ctrl++", "Control:ControlLeft:1 +:Equal:0"),
        ("-", "-:Minus:0"),
        ("Shift+a", "Shift:ShiftLeft:1 A:KeyA:0"),
        ("Shift+1", "Shift:ShiftLeft:1 !:Digit1:0"),
        ("ShiftRight+Tab", "Shift:ShiftRight:2 Tab:Tab:0"),
        ("Meta", "Meta:MetaLeft:1"),
        ("NumpadAdd", "+:NumpadAdd:3"),
    ],
)
def test_keys_are_those_of_a_keyboard(at: At, keys: str, seen: str) -> None:
    """`key`, `code` and `location` are those that a keyboard sends."""
    page = at("gestures.html")
    page.do("interact", action="press", query="Keys", value=keys)
    assert page.text("#pressed").strip() == seen


def test_several_keys_in_one_press(at: At) -> None:
    """Spaces separate keys; if one is invalid, none is pressed."""
    page = at("gestures.html")
    assert page.call("interact", action="press", query="Keys", value="a Hyper b").code == (
        "wrong_value"
    )
    assert page.text("#pressed") == ""
    result = page.do("interact", action="press", query="Keys", value="a + b Shift+ArrowLeft c")
    assert result["value"] == "a+c"
