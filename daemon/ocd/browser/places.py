"""Where frames, and elements in them, stand in the tab, whatever process renders them."""

from dataclasses import dataclass

from ocd.api.errors import OcdError
from ocd.browser import engine, scripts
from ocd.browser.frames import Frame
from ocd.browser.refs import Element
from ocd.browser.tab import Tab

_PICTURED = "function () { return openchrome.pictured(this) }"
_PICTURED_IN = "function (...box) { return openchrome.picturedIn(this, ...box) }"
_CONTENT = "function () { return openchrome.contentBox(this) }"


@dataclass(frozen=True, slots=True)
class Place:
    """A frame's content box in CSS pixels of the tab's window, and the part of it that shows."""

    x: float
    y: float
    left: float
    top: float
    right: float
    bottom: float


async def owner_of(tab: Tab, parent: Frame, frame: Frame) -> Element:
    """Return the element of `parent` that shows `frame`."""
    await engine.call(tab, parent, "has", "html")  # the engine must be there
    owner = await parent.cdp.send("DOM.getFrameOwner", {"frameId": frame.frame_id})
    context = await scripts.isolated_context(parent)
    params = {"backendNodeId": owner["backendNodeId"], "executionContextId": context}
    resolved = await parent.cdp.send("DOM.resolveNode", params)
    return Element(tab, parent, str(resolved["object"]["objectId"]))


async def place_of(tab: Tab, frame: Frame, window: tuple[float, float]) -> Place | None:
    """Return where a frame stands in a window of that width and height; None if it is leaving."""
    known = {one.frame_id: one for one in tab.frames()}
    x = y = 0.0
    left, top, right, bottom = 0.0, 0.0, float("inf"), float("inf")
    while frame.parent_id is not None:
        parent = known.get(frame.parent_id)
        if parent is None:
            return None
        try:
            async with await owner_of(tab, parent, frame) as owner:
                dx, dy, width, height = await owner.call(_CONTENT)
        except OcdError as error:
            if error.code in ("cdp_error", "script_error"):
                return None
            raise
        right, bottom = min(right, width) + dx, min(bottom, height) + dy
        left, top = max(left, 0) + dx, max(top, 0) + dy
        x, y = x + dx, y + dy
        frame = parent
    width, height = window
    return Place(x, y, max(left, 0), max(top, 0), min(right, width), min(bottom, height))


async def area_of(element: Element) -> tuple[float, float, float, float]:
    """Return x, y, width and height of what its frames show of an element, on the page.

    It is scrolled into view first. Raises detached for a frame that is gone.
    """
    tab, frame = element.tab, element.frame
    box = await element.call(_PICTURED)
    while frame.parent_id is not None:
        parent = next((one for one in tab.frames() if one.frame_id == frame.parent_id), None)
        if parent is None:
            raise OcdError("detached", "The element's frame was removed from the page.")
        async with await owner_of(tab, parent, frame) as owner:
            box = await owner.call(_PICTURED_IN, *box)
        frame = parent
    x, y, width, height = box
    return x, y, width, height
