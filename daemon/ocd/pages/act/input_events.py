"""Trusted mouse and keyboard events of a tab."""

import asyncio
import contextlib
import sys
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from ocd.api.errors import OcdError
from ocd.browser.tabs import evaluate
from ocd.browser.tabs.tab import Tab
from ocd.pages.act.action_effects import TWO_TASKS
from ocd.pages.engine import engine
from ocd.pages.engine.refs import Element

if TYPE_CHECKING:
    from ocd.browser.cdp.pyppeteer_adapter import Keyboard

Button = Literal["left", "right", "middle"]
_BUTTON_BITS = {"left": 1, "right": 2, "middle": 4}
# Longer text is inserted as one piece: key by key it would take seconds.
MAX_KEYS = 400
# Seconds between the repetitions of a key that is held down, as with keyboards.
_REPEAT_S = 0.04
_RELEASE_S = 0.02
_PRESSURE = 0.5  # the Pointer Events standard's value for devices that cannot measure it
_KEY_ALIASES = {
    "ctrl": "Control", "control": "Control", "cmd": "Meta", "command": "Meta", "meta": "Meta",
    "controlormeta": "Meta" if sys.platform == "darwin" else "Control",
    "alt": "Alt", "option": "Alt", "shift": "Shift", "esc": "Escape", "return": "Enter",
    "del": "Delete", "up": "ArrowUp", "down": "ArrowDown", "left": "ArrowLeft",
    "right": "ArrowRight", "space": " ", "pgup": "PageUp", "pgdn": "PageDown",
    "pageup": "PageUp", "pagedown": "PageDown", "page_up": "PageUp", "page_down": "PageDown",
    "super": "Meta", "win": "Meta", "windows": "Meta", "back_space": "Backspace",
    "spacebar": " ", "ins": "Insert",
}  # fmt: skip
_MODIFIERS = {"Control": 2, "Meta": 4, "Alt": 1, "Shift": 8}


@dataclass(frozen=True, slots=True)
class MousePlace:
    """The position of the mouse; kept in the tab."""

    x: float
    y: float


@dataclass(frozen=True, slots=True)
class HeldButton:
    """A button that is down, and how often the mouse has moved since; kept until it is released."""

    button: Button
    moves: int = 0


def modifier_bits(names: tuple[str, ...]) -> int:
    """Return CDP's bits of modifier keys by name."""
    return sum(_MODIFIERS[_KEY_ALIASES[name.lower()]] for name in names)


async def move_mouse(tab: Tab, x: float, y: float, *, modifiers: int = 0) -> None:
    """Move the mouse to a point, with the button that is held, if any."""
    await _moved(tab, x, y, modifiers)


async def rest_mouse(element: Element, x: float, y: float) -> None:
    """Move the mouse to a point, and wait until the page has drawn that it rests there.

    Stars are set to what the mouse rested on when they were last drawn.
    """
    await _moved(element.tab, x, y, 0)
    await evaluate.evaluate_isolated(element.frame, TWO_TASKS)


async def stir_mouse(tab: Tab) -> None:
    """Move the mouse by a pixel where it is, as a hand does before moving elsewhere.

    Not while a button is held, which would drag or draw.
    """
    place = tab.state(MousePlace)
    if place is not None and tab.state(HeldButton) is None:
        await _moved(tab, place.x + (1 if place.x < 1 else -1), place.y, 0)


async def click(
    tab: Tab, x: float, y: float, *, button: Button = "left", count: int = 1, modifiers: int = 0
) -> None:
    """Move the mouse to a point, press and release `count` times."""
    tab.events.emit("pressed")
    # Sent together, done in order: each is answered once the page's listeners have run.
    calls = [_moved(tab, x, y, modifiers)]
    for number in range(1, count + 1):
        params = {"clickCount": number, "modifiers": modifiers}
        calls.append(_mouse(tab, "mousePressed", x, y, **_pressed(button), **params))
        calls.append(_mouse(tab, "mouseReleased", x, y, button=button, **params))
    tab.drop_state(HeldButton)
    for call in calls:
        await call


async def button_down(
    tab: Tab, x: float, y: float, *, button: Button = "left", modifiers: int = 0
) -> None:
    """Move the mouse to a point, press the button and hold it."""
    if tab.state(MousePlace) != MousePlace(x, y):
        await move_mouse(tab, x, y, modifiers=modifiers)
    tab.set_state(HeldButton(button))
    tab.events.emit("pressed")
    params = {"clickCount": 1, "modifiers": modifiers}
    await _mouse(tab, "mousePressed", x, y, **_pressed(button), **params)


async def button_up(
    tab: Tab, x: float, y: float, *, modifiers: int = 0, native: bool = False
) -> None:
    """Release the held button at a point; the left one if none is known to be held.

    native: the page's own drag and drop is in progress.
    """
    button_state = tab.state(HeldButton)
    # Chromium lets what takes a drop say so when the mouse comes there with the drag's first move,
    # and else only with the move after the one that came there.
    unasked = native and button_state is not None and button_state.moves > 1
    if button_state and (unasked or tab.state(MousePlace) != MousePlace(x, y)):
        await move_mouse(tab, x, y, modifiers=modifiers)
    tab.drop_state(HeldButton)
    tab.events.emit("pressed")
    params = {
        "button": button_state.button if button_state else "left",
        "clickCount": 1,
        "modifiers": modifiers,
    }
    await _mouse(tab, "mouseReleased", x, y, **params)


def release_button(tab: Tab, x: float, y: float) -> None:
    """Release the left button at a point, whether or not the page ever answers."""
    tab.drop_state(HeldButton)
    params = {"type": "mouseReleased", "x": x, "y": y, "button": "left", "clickCount": 1}
    tab.cdp.send_nowait("Input.dispatchMouseEvent", params)


async def touch(tab: Tab, kind: str, *points: tuple[float, float]) -> None:
    """Put a finger down at a point, move it there, or without a point lift it, by CDP's `kind`."""
    places = [{"x": x, "y": y} for x, y in points]
    await tab.cdp.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": places})


def lift_finger(tab: Tab) -> None:
    """Lift the finger without a drop, whether or not the page ever answers."""
    tab.cdp.send_nowait("Input.dispatchTouchEvent", {"type": "touchCancel", "touchPoints": []})


async def wheel(
    tab: Tab, x: float, y: float, across: float, down: float, *, modifiers: int = 0
) -> None:
    """Turn the mouse's wheel at a point, by that many pixels."""
    await _mouse(tab, "mouseWheel", x, y, deltaX=across, deltaY=down, modifiers=modifiers)


def _pressed(button: Button) -> dict[str, Any]:
    return {"button": button, "buttons": _BUTTON_BITS[button], "force": _PRESSURE}


def _moved(tab: Tab, x: float, y: float, modifiers: int) -> Any:  # noqa: ANN401
    tab.set_state(MousePlace(x, y))
    tab.events.emit("mouse_moved", x, y)
    button_state = tab.state(HeldButton)
    if button_state:
        tab.set_state(replace(button_state, moves=button_state.moves + 1))
    pressed = _pressed(button_state.button) if button_state else {}
    return _mouse(tab, "mouseMoved", x, y, modifiers=modifiers, **pressed)


def _mouse(tab: Tab, kind: str, x: float, y: float, **more: Any) -> Any:  # noqa: ANN401
    return tab.cdp.send("Input.dispatchMouseEvent", {"type": kind, "x": x, "y": y, **more})


async def insert_text(tab: Tab, text: str) -> None:
    """Insert text at the caret in one step, as an input method does; "" deletes."""
    if text:
        await tab.cdp.send("Input.insertText", {"text": text})
    else:
        await tab.keyboard.press("Backspace")


async def type_text(tab: Tab, text: str) -> None:
    """Type text key by key; insert a long one at once."""
    if len(text) > MAX_KEYS:
        await insert_text(tab, text)
    else:
        tab.events.emit("pressed")
        await tab.keyboard.type(text)


async def press(tab: Tab, keys: str, hold_s: float = 0) -> None:
    """Press a key or a chord, or several in sequence: Enter, Control+a, "Tab Tab Enter".

    Each is held for `hold_s`. Raises wrong_value before any is pressed.
    """
    for chord in parse_chords(keys):
        await _press_chord(tab, chord, hold_s)
        if chord == ["Escape"] and tab.state(HeldButton) is not None:
            # The key only reaches the page; in a window, the system would end a drag.
            await tab.cdp.send("Input.cancelDragging")


async def press_as_person(tab: Tab, keys: str, hold_s: float = 0) -> None:
    """Press keys as `press` does; Escape also ends full screen, and frees the mouse.

    With keys of its window Chromium does that itself, with those that CDP sends it does not.
    """
    await press(tab, keys, hold_s)
    if ["Escape"] in parse_chords(keys):
        with contextlib.suppress(OcdError):  # a page that has gone is no longer in full screen
            await engine.call(tab, tab.main_frame, "escape")


async def _press_chord(tab: Tab, chord: list[str], hold_s: float) -> None:
    *modifiers, last = chord
    tab.events.emit("pressed")
    keyboard = tab.keyboard
    down: list[str] = []
    try:
        for name in modifiers:
            down.append(name)
            await keyboard.down(name)
        down.append(last)
        await (_hold_key(tab, last, hold_s) if hold_s else keyboard.down(last))
        while down:
            await keyboard.up(down[-1])
            down.pop()
    except BaseException:  # cancellation, too: no key must stay down
        await _release_keys(keyboard, down)
        raise


async def _release_keys(keyboard: "Keyboard", down: list[str]) -> None:
    # Chromium gets it at once; a page that hangs never answers, and the caller's time is up.
    for name in reversed(down):
        with contextlib.suppress(TimeoutError, OcdError):
            async with asyncio.timeout(_RELEASE_S):
                await keyboard.up(name)


async def _hold_key(tab: Tab, key: str, seconds: float) -> None:
    loop = asyncio.get_running_loop()
    end = loop.time() + seconds
    while loop.time() < end:
        await tab.keyboard.down(key)
        await asyncio.sleep(min(_REPEAT_S, max(end - loop.time(), 0)))


def parse_chords(text: str) -> list[list[str]]:
    """Return the chords of a text, separated by spaces (see `parse_chord`); " " alone is a key."""
    return [parse_chord(chord) for chord in (text.split() if text.strip() else [text])]


def parse_chord(chord: str) -> list[str]:
    """Return the keys of a chord such as ctrl+a, as keyboards name them; wrong_value."""
    names = [_key(name) for name in _split_chord(chord)]
    if not all(names):
        raise _unknown_key_error(chord)
    *modifiers, last = names
    # Ctrl+K names the key; with a capital letter the page would see Shift pressed.
    if modifiers and len(last) == 1:
        last = _unshifted(last) if "Shift" in modifiers else last.lower()
    return [*modifiers, last]


def is_key(chord: str) -> bool:
    """Return whether a text names a key or a chord."""
    return bool(chord) and all(_key(name) for name in _split_chord(chord))


def _split_chord(chord: str) -> list[str]:
    if chord == "+":
        return ["+"]
    return [*chord[:-2].split("+"), "+"] if chord.endswith("++") else chord.split("+")


def _key(name: str) -> str:
    from ocd.browser.cdp.pyppeteer_adapter import key_names  # pyppeteer costs 100 ms and 20 MB

    name_given = "+" if name == "plus" else name.strip() or name
    key_name = _KEY_ALIASES.get(name_given.lower(), name_given)
    if key_name in key_names():
        return key_name
    similar = [key for key in key_names() if key.lower() == key_name.lower()]
    return similar[0] if similar else ""


def _unshifted(character: str) -> str:
    """Return the key that gives this character, alone or with Shift."""
    from ocd.browser.cdp.pyppeteer_adapter import key_code

    return key_code(character) or character


def _unknown_key_error(chord: str) -> OcdError:
    return OcdError(
        "wrong_value", f"Not a known key: {chord!r}.",
        hint="For example Enter, Tab, Escape, ArrowDown, a, or a chord such as Control+a.",
    )  # fmt: skip
