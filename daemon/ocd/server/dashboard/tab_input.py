"""A person's input to the tab that they control: mouse, wheel, touch, keys and text.

Positions are in CSS pixels of the tab's viewport. Events are sent at once, in order, except while a
mouse button is down: then each waits until the page has handled the previous one, because Chromium
starts drag and drop only then, and an earlier release would not drop. A page that hangs delays them
by a second; the daemon waits for nothing.
"""

import asyncio
from collections import deque
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from ocd.browser.tabs.tab import Tab
from ocd.pages.act.input_events import HeldButton, MousePlace

MAX_TEXT = 20_000
_MAX_FINGERS = 16
_ANSWER_TIMEOUT_S = 1.0

Pixels = Annotated[float, Meta(ge=-100_000, le=100_000)]
Bits = Annotated[int, Meta(ge=0, le=31)]
_Key = Annotated[str, Meta(max_length=40)]


class _Event(msgspec.Struct, forbid_unknown_fields=True, tag_field="type"):
    """One input event of a person."""


class MouseInput(_Event, tag="mouse"):
    """The mouse moved, or a button went down or up."""

    event: Literal["moved", "pressed", "released"]
    x: Pixels
    y: Pixels
    button: Literal["none", "left", "middle", "right", "back", "forward"] = "none"
    buttons: Bits = 0
    count: Annotated[int, Meta(ge=0, le=3)] = 0
    modifiers: Bits = 0


class WheelInput(_Event, tag="wheel"):
    """The wheel was turned, in pixels."""

    x: Pixels
    y: Pixels
    across: Pixels
    down: Pixels
    modifiers: Bits = 0


class TouchPoint(msgspec.Struct, forbid_unknown_fields=True):
    """A finger on the screen."""

    id: int
    x: Pixels
    y: Pixels


class TouchInput(_Event, tag="touch"):
    """Fingers touched, moved or left the screen; `fingers` are those that are on it now."""

    event: Literal["Start", "Move", "End", "Cancel"]
    fingers: Annotated[list[TouchPoint], Meta(max_length=_MAX_FINGERS)]
    modifiers: Bits = 0


class KeyInput(_Event, tag="key"):
    """A key went down or up; names, and its number (keyCode), as KeyboardEvent has them."""

    event: Literal["down", "up"]
    key: _Key
    code: _Key
    number: Annotated[int, Meta(ge=0, le=1000)] = 0
    location: Annotated[int, Meta(ge=0, le=3)] = 0
    text: Annotated[str, Meta(max_length=8)] = ""
    repeats: bool = False
    modifiers: Bits = 0


class TextInput(_Event, tag="text"):
    """Text of an input method, or pasted."""

    text: Annotated[str, Meta(max_length=MAX_TEXT)]


class ReleaseInput(_Event, tag="release"):
    """The input has ended: every key, button and finger is to be released."""


Input = MouseInput | WheelInput | TouchInput | KeyInput | TextInput | ReleaseInput


class PersonInput:
    """A person's mouse and keyboard in one tab, with what is held down."""

    def __init__(self, tab: Tab) -> None:
        self._tab = tab
        self._keys: dict[str, KeyInput] = {}
        self._mouse: MouseInput | None = None
        self._has_fingers = False
        self._queue: deque[Input] = deque()
        self._unanswered: asyncio.Future[Any] | None = None
        tab.drop_state(HeldButton)

    def send(self, event: Input) -> None:
        """Send it to the tab, after what was sent before."""
        self._queue.append(event)
        if self._unanswered is None:
            self._send_queued()

    def _send_queued(self) -> None:
        while self._queue and self._unanswered is None:
            self._perform(self._queue.popleft())

    def _perform(self, event: Input) -> None:
        match event:
            case MouseInput():
                self._send_mouse(event)
            case WheelInput():
                wheel = {"type": "mouseWheel", "deltaX": event.across, "deltaY": event.down}
                self._send("dispatchMouseEvent", {**wheel, **_place(event)})
            case TouchInput():
                self._send_touch(event)
            case KeyInput():
                self._send_key(event)
            case TextInput():
                self._send("insertText", {"text": event.text})
            case ReleaseInput():
                self._release_all()

    def release(self) -> None:
        """Send at once what still waits, and release all keys, buttons and fingers."""
        while self._queue:
            self._perform(self._queue.popleft())
        self._release_all()

    def _release_all(self) -> None:
        for key in list(self._keys.values()):
            self._send_key(msgspec.structs.replace(key, event="up", text="", modifiers=0))
        if self._mouse is not None:
            self._send_mouse(msgspec.structs.replace(self._mouse, event="released", buttons=0))
        if self._has_fingers:
            self._send_touch(TouchInput("Cancel", []))

    def _send_mouse(self, event: MouseInput) -> None:
        self._tab.set_state(MousePlace(event.x, event.y))
        was_down = self._mouse is not None
        if event.event == "pressed":
            self._mouse = event
        elif not event.buttons:
            self._mouse = None
        about = {"button": event.button, "buttons": event.buttons, "clickCount": event.count}
        kind = {"type": f"mouse{event.event.title()}"}
        params = {**kind, **about, **_place(event)}
        answer = self._tab.cdp.send("Input.dispatchMouseEvent", params)
        if was_down or self._mouse is not None:
            self._wait_for_answer(answer)

    def _wait_for_answer(self, answer: asyncio.Future[Any]) -> None:
        """Hold back further events until the reply arrives or takes too long."""
        self._unanswered = answer

        def go_on(_: object = None) -> None:
            timer.cancel()
            if self._unanswered is answer:
                self._unanswered = None
                self._send_queued()

        timer = answer.get_loop().call_later(_ANSWER_TIMEOUT_S, go_on)
        answer.add_done_callback(go_on)

    def _send_touch(self, event: TouchInput) -> None:
        self._has_fingers = bool(event.fingers)
        points = msgspec.to_builtins(event.fingers)
        params = {"type": f"touch{event.event}", "touchPoints": points}
        self._send("dispatchTouchEvent", {**params, "modifiers": event.modifiers})

    def _send_key(self, event: KeyInput) -> None:
        if event.event == "up":
            self._keys.pop(event.code, None)
        else:
            self._keys[event.code] = event
        kind = "keyUp" if event.event == "up" else "keyDown" if event.text else "rawKeyDown"
        params = {
            "type": kind, "key": event.key, "code": event.code, "text": event.text,
            "windowsVirtualKeyCode": event.number, "location": event.location,
            "isKeypad": event.location == 3, "autoRepeat": event.repeats,
            "modifiers": event.modifiers,
        }  # fmt: skip
        self._send("dispatchKeyEvent", params)

    def _send(self, method: str, params: dict[str, Any]) -> None:
        self._tab.cdp.send_nowait(f"Input.{method}", params)

    def __repr__(self) -> str:
        return f"PersonInput({self._tab.id}, {len(self._keys)} keys down)"


def _place(event: MouseInput | WheelInput) -> dict[str, Any]:
    return {"x": event.x, "y": event.y, "modifiers": event.modifiers}
