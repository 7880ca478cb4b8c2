"""computer: points, keys, wheel and pictures."""

import base64
from collections.abc import Callable
from time import monotonic
from typing import Any

import pytest

from support.pages import Page
from support.waiting import wait_until

At = Callable[[str], Page]


def middle(page: Page, selector: str) -> list[float]:
    """Return the point in the middle of the first match."""
    box = page.do("query_dom", selector=selector)["element"]["bounding_box"]
    return [box["x"] + box["width"] / 2, box["y"] + box["height"] / 2]


def size_of(reply: Any) -> tuple[int, int]:  # noqa: ANN401
    """Return width and height of the PNG in a result."""
    data = base64.b64decode(reply["image"]["data"])
    return int.from_bytes(data[16:20], "big"), int.from_bytes(data[20:24], "big")


@pytest.mark.parametrize(
    ("action", "selector", "said"),
    [
        ("left_click", "button:nth-of-type(1)", "Second view"),
        ("double_click", "[ondblclick]", "twice"),
        ("triple_click", "[ondblclick]", "twice"),
        ("right_click", "[oncontextmenu]", "aside"),
        ("mouse_move", "[onmouseenter]", "over"),
        ("hover", "[onmouseenter]", "over"),
    ],
)
def test_mouse_at_a_point(at: At, action: str, selector: str, said: str) -> None:
    """The mouse acts at the point, and the result names the element that was hit."""
    page = at("things.html")
    result = page.do("computer", action=action, coordinate=middle(page, selector))
    assert page.text("#view") == said
    assert result["target"]["role"] == "button"
    assert result["ref"].startswith("e")


def test_ref_stands_for_its_point(at: At) -> None:
    """With a ref, the element is scrolled to and waited for, as in `interact`."""
    page = at("things.html")
    page.do("computer", action="left_click", ref=page.ref("At the bottom"))
    assert page.text("#view") == "deep"


def test_ref_of_the_answer_acts(at: At) -> None:
    """The element that a click has hit has a ref that other verbs accept."""
    page = at("things.html")
    result = page.do("computer", action="left_click", coordinate=middle(page, "[aria-label=Keys]"))
    page.do("form_input", ref=result["ref"], value="x")
    assert page.js("document.querySelector('[aria-label=Keys]').value") == "x"


def test_modifiers_are_held(at: At) -> None:
    """The page sees the click with the modifier."""
    page = at("things.html")
    page.js(
        "onclick = (event) => { view.textContent = [event.shiftKey, event.ctrlKey].join(); }; 1"
    )
    where = middle(page, "[ondblclick]")
    page.do("computer", action="left_click", coordinate=where, modifiers=["Shift", "Control"])
    assert page.text("#view") == "true,true"


def test_typing_goes_where_the_focus_is(at: At) -> None:
    """Text and keys reach the focused field; long text does, too."""
    page = at("form.html")
    page.do("computer", action="left_click", coordinate=middle(page, "[name=name]"))
    page.do("computer", action="type", text="Ada 👋")
    page.do("computer", action="key", text="ctrl+a Backspace")
    page.do("computer", action="type", text="x" * 1000)
    assert page.js("document.querySelector('[name=name]').value.length") == "1000"


def test_keys_can_be_held(at: At) -> None:
    """A held key repeats, and is released."""
    page = at("things.html")
    page.js("onkeydown = () => { n++; }; onkeyup = () => { up++; }; 1")

    def repeats() -> bool:
        page.js("n = 0; up = 0; 1")
        page.do("computer", action="hold_key", text="ArrowRight", duration=0.5)
        assert page.js("up") == "1"
        return int(page.js("n")) > 2

    wait_until(repeats, what="a half second in which the machine does not stand still")


def test_buttons_are_pressed_and_released(at: At) -> None:
    """left_mouse_down, mouse_move with the button held, left_mouse_up."""
    page = at("drag.html")
    x, y = middle(page, "#knob")
    page.do("computer", action="left_click_drag", start_coordinate=[x, y], coordinate=[x + 60, y])
    assert page.text("#said") == "knob:60"


def test_wheel_scrolls_what_is_below_it(at: At) -> None:
    """The page, or the box at a given point; the result says when the end is reached."""
    page = at("things.html")
    result = page.do("computer", action="scroll", scroll_amount=3)
    assert (result["position"]["y"], result["at_end"]) == (300, False)
    page.do("computer", action="scroll_to", ref=page.ref("Inside the box"))
    inside = page.do("computer", action="scroll", coordinate=middle(page, "#box"), scroll_amount=2)
    assert inside["position"]["y"] == 200
    back = page.do(
        "computer", action="scroll", coordinate=middle(page, "#box"), scroll_direction="up",
        scroll_amount=9,
    )  # fmt: skip
    assert back["at_end"] is True


def test_picture_has_a_pixel_for_each_coordinate(at: At) -> None:
    """The image has the window's width and height, whatever the device pixel ratio."""
    page = at("things.html")
    result = page.do("computer", action="screenshot", screenshot_quality="high")
    inner = [int(page.js(f"inner{side}")) for side in ("Width", "Height")]
    assert [result["width"], result["height"], result["scale"]] == [*inner, 1]
    assert list(size_of(result)) == inner


def test_zoom_enlarges_a_region(at: At) -> None:
    """The result has the scale and the origin of the region."""
    page = at("things.html")
    result = page.do("computer", action="zoom", region=[10, 20, 110, 70], screenshot_quality="high")
    assert (result["scale"], result["left"], result["top"]) == (4, 10, 20)
    assert size_of(result) == (400, 200)


def test_wait_takes_the_requested_time(at: At) -> None:
    """`wait` takes that long, but not longer than the call may take."""
    page = at("things.html")
    began = monotonic()
    assert page.do("computer", action="wait", duration=0.2)["waited_s"] == 0.2
    assert monotonic() - began >= 0.2
    reply = page.call("computer", action="wait", duration=5, timeout_ms=100)
    assert (reply.code, reply.error["parameter"]) == ("invalid_argument", "duration")


@pytest.mark.parametrize(
    ("params", "code"),
    [
        ({"action": "left_click"}, "invalid_argument"),
        ({"action": "left_click", "coordinate": [-5, 10]}, "invalid_argument"),
        ({"action": "left_click", "coordinate": [5, 100000]}, "invalid_argument"),
        ({"action": "left_click", "coordinate": [5, 5], "ref": "e1"}, "invalid_argument"),
        ({"action": "left_click", "ref": "e99999"}, "stale_ref"),
        ({"action": "key"}, "invalid_argument"),
        ({"action": "key", "text": "Hyper+q"}, "wrong_value"),
        ({"action": "zoom"}, "invalid_argument"),
        ({"action": "zoom", "region": [50, 50, 10, 10]}, "invalid_argument"),
        ({"action": "wait", "duration": -1}, "invalid_argument"),
        ({"action": "levitate"}, "invalid_argument"),
    ],
)
def test_impossible_actions_have_their_codes(at: At, params: dict[str, object], code: str) -> None:
    """Missing, impossible and unknown arguments."""
    assert at("things.html").call("computer", **params).code == code


def test_click_into_a_frame_of_another_origin(at: At) -> None:
    """The result names the control inside the frame and what changed there."""
    page = at("frames.html")
    far = next(
        ref
        for ref, line in zip(page.refs("press"), page.lines("press"), strict=True)
        if "far" in line
    )
    page.do("interact", ref=far, action="scroll_into_view")
    result = page.do("computer", action="left_click", ref=far)
    assert "far pressed true" in result["content"]


def test_press_at_the_current_position_sends_no_move(at: At) -> None:
    """No mouse move is sent between a move, its press and its release at one place."""
    page = at("things.html")
    page.do("computer", action="mouse_move", coordinate=[60, 50])
    page.js(
        "window.heard = []; for (const name of ['pointermove', 'pointerdown', 'pointerup'])"
        " addEventListener(name, () => heard.push(name)); 1"
    )
    for action, point in (("mouse_move", [50, 60]), ("left_mouse_down", [50, 60])):
        page.do("computer", action=action, coordinate=point)
    page.do("computer", action="left_mouse_up", coordinate=[50, 60])
    assert page.js("heard.join()") == "pointermove,pointerdown,pointerup"
