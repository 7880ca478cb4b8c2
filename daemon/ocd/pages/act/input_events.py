"""Trusted mouse and keyboard events of a tab."""

import asyncio
import contextlib
from typing import TYPE_CHECKING, Any, Literal

from ocd.api.errors import OcdError
from ocd.browser.tabs.tab import Tab

if TYPE_CHECKING:
    from ocd.browser.cdp.pyppeteer_adapter import Keyboard

Button = Literal["left", "right", "middle"]
_BUTTON_BITS = {"left": 1, "right": 2, "middle": 4}
# Text that is longer is put in as one piece: key by key it would take seconds.
MAX_KEYS = 400
# Seconds between the repetitions of a key that is held down, as keyboards do it.
_REPEAT_S = 0.04
_RELEASE_S = 0.02
_KEY_ALIASES = {
    "ctrl": "Control", "control": "Control", "cmd": "Meta", "command": "Meta", "meta": "Meta",
    "alt": "Alt", "option": "Alt", "shift": "Shift", "esc": "Escape", "return": "Enter",
    "del": "Delete", "up": "ArrowUp", "down": "ArrowDown", "left": "ArrowLeft",
    "right": "ArrowRight", "space": " ", "pgup": "PageUp", "pgdn": "PageDown",
    "pageup": "PageUp", "pagedown": "PageDown", "page_up": "PageUp", "page_down": "PageDown",
    "super": "Meta", "win": "Meta", "windows": "Meta", "back_space": "Backspace",
    "spacebar": " ", "ins": "Insert",
}  # fmt: skip
_MODIFIERS = {"Control": 2, "Meta": 4, "Alt": 1, "Shift": 8}


def modifier_bits(names: tuple[str, ...]) -> int:
    """Return CDP's bits of modifier keys by name."""
    return sum(_MODIFIERS[_KEY_ALIASES[name.lower()]] for name in names)


async def hover(tab: Tab, x: float, y: float) -> None:
    """Move the mouse there."""
    await _mouse(tab, "mouseMoved", x, y)


async def click(
    tab: Tab, x: float, y: float, *, button: Button = "left", count: int = 1, modifiers: int = 0
) -> None:
    """Move the mouse there, press and let go `count` times."""
    keys = {"button": button, "modifiers": modifiers}
    # Sent at once, done in order: each is answered when the page's listeners have run.
    calls = [_mouse(tab, "mouseMoved", x, y, modifiers=modifiers)]
    for number in range(1, count + 1):
        params = {**keys, "clickCount": number}
        calls.append(_mouse(tab, "mousePressed", x, y, buttons=_BUTTON_BITS[button], **params))
        calls.append(_mouse(tab, "mouseReleased", x, y, **params))
    for call in calls:
        await call


async def button_down(tab: Tab, x: float, y: float, *, modifiers: int = 0) -> None:
    """Press the left button there and hold it."""
    await _mouse(tab, "mouseMoved", x, y, modifiers=modifiers)
    params = {"button": "left", "clickCount": 1, "modifiers": modifiers}
    await _mouse(tab, "mousePressed", x, y, buttons=1, **params)


async def drag_to(tab: Tab, x: float, y: float, *, modifiers: int = 0) -> None:
    """Move the mouse there with the left button held."""
    await _mouse(tab, "mouseMoved", x, y, button="left", buttons=1, modifiers=modifiers)


async def button_up(tab: Tab, x: float, y: float, *, modifiers: int = 0) -> None:
    """Let go of the left button there."""
    params = {"button": "left", "clickCount": 1, "modifiers": modifiers}
    await _mouse(tab, "mouseReleased", x, y, **params)


def release_button(tab: Tab, x: float, y: float) -> None:
    """Let go of the left button there, whether or not the page ever answers."""
    params = {"button": "left", "clickCount": 1}
    tab.cdp.send_nowait(
        "Input.dispatchMouseEvent", {"type": "mouseReleased", "x": x, "y": y, **params}
    )


async def wheel(
    tab: Tab, x: float, y: float, across: float, down: float, *, modifiers: int = 0
) -> None:
    """Turn the mouse's wheel there, by so many pixels."""
    await _mouse(tab, "mouseWheel", x, y, deltaX=across, deltaY=down, modifiers=modifiers)


def _mouse(tab: Tab, kind: str, x: float, y: float, **more: Any) -> Any:  # noqa: ANN401
    return tab.cdp.send("Input.dispatchMouseEvent", {"type": kind, "x": x, "y": y, **more})


async def insert_text(tab: Tab, text: str) -> None:
    """Put text where the caret is, in one step, as an input method does; "" deletes."""
    if text:
        await tab.cdp.send("Input.insertText", {"text": text})
    else:
        await tab.keyboard.press("Backspace")


async def type_text(tab: Tab, text: str) -> None:
    """Type text key by key, a long one at once."""
    if len(text) > MAX_KEYS:
        await insert_text(tab, text)
    else:
        await tab.keyboard.type(text)


async def press(tab: Tab, chord: str, hold_s: float = 0) -> None:
    """Press a key, or several at once: Enter, Control+a; hold them down for `hold_s`."""
    *modifiers, last = parse_chord(chord)
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
    except BaseException:
        await _release_keys(keyboard, down)
        raise


async def _release_keys(keyboard: "Keyboard", down: list[str]) -> None:
    # Chromium hears of it at once; a page that hangs never answers, and the caller's time is up.
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


def parse_chord(chord: str) -> list[str]:
    """Return the keys of a chord such as ctrl+a, as keyboards name them; wrong_value."""
    names = [_key(name) for name in chord.replace("++", "+plus").split("+")]
    if not all(names):
        raise _unknown_key_error(chord)
    *modifiers, last = names
    # Ctrl+K is said of the key; with a capital letter the page would see one that Shift gives.
    if modifiers and "Shift" not in modifiers and len(last) == 1:
        last = last.lower()
    return [*modifiers, last]


def is_key(chord: str) -> bool:
    """Return whether words name a key or a chord."""
    return bool(chord) and all(_key(name) for name in chord.replace("++", "+plus").split("+"))


def _key(name: str) -> str:
    from ocd.browser.cdp.pyppeteer_adapter import key_names  # pyppeteer costs 100 ms and 20 MB

    name_given = "+" if name == "plus" else name.strip() or name
    key_name = _KEY_ALIASES.get(name_given.lower(), name_given)
    if key_name in key_names():
        return key_name
    similar = [key for key in key_names() if key.lower() == key_name.lower()]
    return similar[0] if similar else ""


def _unknown_key_error(chord: str) -> OcdError:
    return OcdError(
        "wrong_value", f"Not a known key: {chord!r}.",
        hint="For example Enter, Tab, Escape, ArrowDown, a, or a chord such as Control+a.",
    )  # fmt: skip
