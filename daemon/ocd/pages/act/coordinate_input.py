"""Coordinate-based mouse and keyboard input, and screenshots (the `computer` verb)."""

import asyncio
import base64
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any, Literal

from ocd.api.errors import OcdError
from ocd.browser.tabs.frames import Frame
from ocd.browser.tabs.tab import Tab
from ocd.pages.act import editors, input_events
from ocd.pages.act.action_effects import ActionEffects
from ocd.pages.act.actionability import wait_ready
from ocd.pages.act.observation import ActionResult, perform
from ocd.pages.engine import engine
from ocd.pages.locate import hit_test
from ocd.pages.locate.target import ActionDeadline, Target

Point = tuple[float, float]
Quality = Literal["high", "normal", "low"]
Region = tuple[float, float, float, float]

CLICKS: dict[str, tuple[input_events.Button, int]] = {
    "left_click": ("left", 1), "right_click": ("right", 1), "middle_click": ("middle", 1),
    "double_click": ("left", 2), "triple_click": ("left", 3),
}  # fmt: skip
# CSS pixels of one notch of the wheel.
NOTCH = 100
_WAYS = {"up": (0, -1), "down": (0, 1), "left": (-1, 0), "right": (1, 0)}
_REST = "function (across, way, most) { return openchrome.waitScrollEnd(this, across, way, most) }"
_REST_MS = 1000
_SCROLLED = "function (x, y) { return openchrome.scrollElement(this, x, y) }"
_SHOWN = "function (across) { return openchrome.shownOf(this, across) }"
_WATCH_DRAG = "function () { openchrome.watchDrag(this) }"
FAR = 10_000_000
# Of what a box shows: some of it stays in sight.
SCREEN_SHARE = 0.85
_FORMATS: dict[Quality, dict[str, Any]] = {
    "high": {"format": "png", "optimizeForSpeed": True},
    "normal": {"format": "jpeg", "quality": 80},
    "low": {"format": "jpeg", "quality": 40},
}
_MAX_ZOOM = 4.0


@dataclass(frozen=True, slots=True)
class ScaledScreenshot:
    """An image; `scale` is image pixels per CSS pixel, left and top are in the window."""

    data: bytes
    mime_type: str
    width: int
    height: int
    scale: float
    left: float = 0
    top: float = 0


@dataclass(frozen=True, slots=True)
class _DragStart:
    """The frame in which left_mouse_down pressed a button; a state of the tab until the release."""

    frame: Frame


async def perform_at(
    tab: Tab, target: Target, deadline: ActionDeadline, act: Callable[[], Coroutine[Any, Any, Any]]
) -> ActionResult:
    """Run the action, and return what changed around the target."""
    async with ActionEffects(tab) as effects:
        return await perform(target, deadline, effects, act)


async def click(
    tab: Tab, at: Point, deadline: ActionDeadline, kind: str, modifiers: int = 0
) -> tuple[Target, ActionResult]:
    """Click at a point; `kind` says with which button, and how often. Return what was hit."""
    button, count = CLICKS[kind]
    target = await hit_test.element_at_point(tab, *at)
    async with target.element:
        result = await perform_at(
            tab, target, deadline,
            lambda: input_events.click(tab, *at, button=button, count=count, modifiers=modifiers),
        )  # fmt: skip
    return target, result


async def move(
    tab: Tab, at: Point, deadline: ActionDeadline, kind: str
) -> tuple[Target, ActionResult]:
    """Move the mouse to a point; `kind` left_mouse_down or left_mouse_up presses or releases."""
    target = await hit_test.element_at_point(tab, *at)

    async def act() -> None:
        if kind == "left_mouse_down":
            await target.element.call(_WATCH_DRAG)
            tab.set_state(_DragStart(target.element.frame))
            await input_events.button_down(tab, *at)
        elif kind == "left_mouse_up":
            await input_events.button_up(tab, *at, native=await _native_drag_ends(tab))
        else:
            await input_events.move_mouse(tab, *at)

    async with target.element:
        return target, await perform_at(tab, target, deadline, act)


async def _native_drag_ends(tab: Tab) -> bool:
    """Whether the held button drags by the page's own drag and drop; stops watching for that."""
    start = tab.state(_DragStart)
    tab.drop_state(_DragStart)
    if start is None or start.frame not in tab.frames():
        return False
    return bool(await engine.call(tab, start.frame, "nativeDragEnds"))


async def keys(
    tab: Tab, deadline: ActionDeadline, text: str, *, kind: str, hold_s: float = 0
) -> ActionResult:
    """Type text, or press keys (chords, separated by spaces), where the focus is."""
    if kind != "type":
        input_events.parse_chords(text)

    async def act() -> None:
        if kind == "type":
            await editors.type_text(target, text)
        else:
            await input_events.press_as_person(tab, text, hold_s)

    target = await hit_test.focused_element(tab)
    async with target.element:
        return await perform_at(tab, target, deadline, act)


async def scroll(
    tab: Tab,
    at: Point | None,
    deadline: ActionDeadline,
    direction: str,
    notches: float,
    modifiers: int = 0,
) -> tuple[dict[str, Any], ActionResult]:
    """Turn the wheel at a point (default: the middle); return where the scrolled box is."""
    if at is None:
        window = await hit_test.window_metrics(tab)
        at = (window["width"] / 2, window["height"] / 2)
    x, y = at
    across, down = (sign * notches * NOTCH for sign in _WAYS[direction])
    target = await hit_test.element_at_point(tab, x, y)
    where: dict[str, Any] = {}

    async def act() -> None:
        await input_events.wheel(tab, x, y, across, down, modifiers=modifiers)
        where.update(await target.element.call(_REST, across != 0, across or down, _REST_MS))

    async with target.element:
        result = await perform_at(tab, target, deadline, act)
    return where, result


async def scroll_box(
    box: Target,
    deadline: ActionDeadline,
    direction: str,
    *,
    pixels: float = 0,
    screens: float = 1,
) -> tuple[dict[str, Any], ActionResult]:
    """Scroll an element, or what scrolls around it; return its scroll position.

    Args:
        box: the element.
        deadline: when to give up.
        direction: up, down, left or right.
        pixels: how far; 0 for `screens`.
        screens: how many times most of what it shows.
    """
    across, down = _WAYS[direction]
    where: dict[str, Any] = {}

    async def act() -> None:
        size = pixels or screens * SCREEN_SHARE * await box.element.call(_SHOWN, across != 0)
        where.update(await box.element.call(_SCROLLED, across * size, down * size))

    await wait_ready(box, deadline, point=False, enabled=False)
    return where, await perform_at(box.element.tab, box, deadline, act)


async def scroll_to_end(
    tab: Tab, deadline: ActionDeadline, direction: str
) -> tuple[dict[str, Any], ActionResult]:
    """Scroll the box in the middle of the window to its end at once."""
    window = await hit_test.window_metrics(tab)
    target = await hit_test.element_at_point(tab, window["width"] / 2, window["height"] / 2)
    where: dict[str, Any] = {}
    across, down = (sign * FAR for sign in _WAYS[direction])

    async def act() -> None:
        where.update(await target.element.call(_SCROLLED, across, down))

    async with target.element:
        return where, await perform_at(tab, target, deadline, act)


async def scaled_screenshot(
    tab: Tab, quality: Quality = "normal", region: Region | None = None
) -> ScaledScreenshot:
    """Return an image of the window, one pixel for each CSS pixel, whatever the screen.

    region: only this part of the window (left, top, right, bottom), enlarged up to four times.
    """
    tab.check_usable()
    window = await hit_test.window_metrics(tab)
    left, top, right, bottom = region or (0, 0, window["width"], window["height"])
    width, height = right - left, bottom - top
    if left < 0 or top < 0 or width < 1 or height < 1:
        raise _region_error(window)
    scale = min(_MAX_ZOOM, window["width"] / width, window["height"] / height) if region else 1.0
    params = dict(_FORMATS[quality])
    if region or window["ratio"] != 1:
        box = {
            "x": left + window["left"],
            "y": top + window["top"],
            "width": width,
            "height": height,
        }
        params["clip"] = {**box, "scale": scale / window["ratio"]}
    reply = await tab.cdp.send("Page.captureScreenshot", params)
    data = base64.b64decode(reply["data"])
    size = round(width * scale), round(height * scale)
    return ScaledScreenshot(data, f"image/{params['format']}", *size, round(scale, 3), left, top)


def _region_error(window: dict[str, Any]) -> OcdError:
    return OcdError(
        "invalid_argument", "region must be left, top, right, bottom in CSS pixels of the window.",
        parameter="region", width=window["width"], height=window["height"],
    )  # fmt: skip


async def pause(deadline: ActionDeadline, seconds: float) -> None:
    """Wait as long as the caller requested; invalid_argument if the deadline is earlier."""
    if seconds > deadline.seconds_left:
        raise OcdError(
            "invalid_argument", f"duration {seconds:g} s is longer than the call may take.",
            hint="Raise timeout_ms, or use `wait_for` instead.", parameter="duration",
        )  # fmt: skip
    await asyncio.sleep(seconds)
