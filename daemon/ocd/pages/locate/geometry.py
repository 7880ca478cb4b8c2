"""Geometry of frames and elements in the tab's viewport, across processes."""

import asyncio
import contextlib
from dataclasses import dataclass
from typing import Any

from ocd.api.errors import OcdError
from ocd.browser.tabs import evaluate
from ocd.browser.tabs.frames import Frame
from ocd.browser.tabs.tab import Tab
from ocd.pages.engine import engine
from ocd.pages.engine.refs import Element, locate_ref

_PICTURED = "function () { return openchrome.boxOnPage(this) }"
# A drawn frame reaches the page's compositor once the next one begins.
_TWO_FRAMES = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
_DRAW_S = 3.0
_PICTURED_IN = "function (...box) { return openchrome.boxInParent(this, ...box) }"
_BOX = ("x", "y", "width", "height")
_CONTENT = "function () { return openchrome.contentBox(this) }"


@dataclass(frozen=True, slots=True)
class FrameBox:
    """A frame's content box in CSS pixels of the tab's window, and its visible part.

    scale: the size of one of the frame's CSS pixels in the window.
    """

    x: float
    y: float
    left: float
    top: float
    right: float
    bottom: float
    scale: float = 1.0


async def frame_element(tab: Tab, parent: Frame, frame: Frame) -> Element:
    """Return the element of `parent` that shows `frame`."""
    await engine.ensure(tab, parent)
    owner = await parent.cdp.send("DOM.getFrameOwner", {"frameId": frame.frame_id})
    context = await evaluate.isolated_context(parent)
    params = {"backendNodeId": owner["backendNodeId"], "executionContextId": context}
    resolved = await parent.cdp.send("DOM.resolveNode", params)
    return Element(tab, parent, str(resolved["object"]["objectId"]))


async def frame_box(tab: Tab, frame: Frame, window: tuple[float, float]) -> FrameBox | None:
    """Return a frame's box in a window of that width and height; None if it is being removed."""
    frames_by_id = {frame.frame_id: frame for frame in tab.frames()}
    x = y = 0.0
    scale = 1.0
    left, top, right, bottom = 0.0, 0.0, float("inf"), float("inf")
    while frame.parent_id is not None:
        parent = frames_by_id.get(frame.parent_id)
        if parent is None:
            return None
        try:
            async with await frame_element(tab, parent, frame) as owner:
                dx, dy, width, height, size = await owner.call(_CONTENT)
        except OcdError as error:
            if error.code in ("cdp_error", "script_error"):
                return None
            raise
        right, bottom = min(right * size, width) + dx, min(bottom * size, height) + dy
        left, top = max(left * size, 0) + dx, max(top * size, 0) + dy
        x, y, scale = x * size + dx, y * size + dy, scale * size
        frame = parent
    width, height = window
    right, bottom = min(right, width), min(bottom, height)
    return FrameBox(x, y, max(left, 0), max(top, 0), right, bottom, scale)


async def element_area(element: Element) -> tuple[float, float, float, float]:
    """Return x, y, width and height, on the page, of the part of an element that frames show.

    It is scrolled into view first. Raises detached for a frame that is gone.
    """
    tab, frame = element.tab, element.frame
    box = await element.call(_PICTURED)
    if frame.cdp is not tab.cdp:
        await _wait_drawn(frame)
    while frame.parent_id is not None:
        parent = next((one for one in tab.frames() if one.frame_id == frame.parent_id), None)
        if parent is None:
            raise OcdError("detached", "The element's frame was removed from the page.")
        async with await frame_element(tab, parent, frame) as owner:
            box = await owner.call(_PICTURED_IN, *box)
        frame = parent
    x, y, width, height = box
    return x, y, width, height


async def _wait_drawn(frame: Frame) -> None:
    """Wait until a frame of another process has drawn what was scrolled into view, if it draws."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(_DRAW_S):
            await evaluate.evaluate_isolated(frame, _TWO_FRAMES)


async def to_tab_boxes(tab: Tab, elements: list[dict[str, Any]]) -> None:
    """Convert elements' `bounding_box` to coordinates of the tab's window."""
    unmoved = FrameBox(0, 0, 0, 0, 0, 0)
    places: dict[str, FrameBox | None] = {tab.main_frame.frame_id: unmoved}
    for element in elements:
        frame, _ = await locate_ref(tab, element["ref"])
        if frame.frame_id not in places:
            places[frame.frame_id] = await frame_box(tab, frame, (float("inf"), float("inf")))
        place = places[frame.frame_id] or unmoved
        x, y, *size = (length * place.scale for length in element["bounding_box"])
        box = zip(_BOX, (x + place.x, y + place.y, *size), strict=True)
        element["bounding_box"] = {key: round(length) for key, length in box}
