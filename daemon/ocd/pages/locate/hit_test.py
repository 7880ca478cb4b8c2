"""Elements by where they are: at a point of the window, or where the focus is."""

from typing import Any

from ocd import call_context
from ocd.api.errors import OcdError
from ocd.browser.tabs.frames import Frame
from ocd.browser.tabs.tab import Tab
from ocd.pages.engine import engine
from ocd.pages.engine.refs import Element, refs_of
from ocd.pages.locate.target import Target

_STRUCK = "function (o) { return openchrome.struck(this, o) }"
_MAX_FRAME_DEPTH = 12
_UNKNOWN = {"role": "iframe", "name": "", "kind": "none", "secret": False}


async def window_metrics(tab: Tab) -> dict[str, Any]:
    """Return the window: width and height in CSS pixels, ratio (device pixels each), left, top."""
    found: dict[str, Any] = await engine.call(tab, tab.main_frame, "screen")
    return found


async def check_inside(tab: Tab, x: float, y: float) -> None:
    """Raise invalid_argument for a point that is not in the window."""
    seen = await window_metrics(tab)
    if 0 <= x < seen["width"] and 0 <= y < seen["height"]:
        return
    size = f"{seen['width']} x {seen['height']}"
    raise OcdError(
        "invalid_argument", f"The point {x:g}, {y:g} is outside of the window, which is {size}.",
        hint="Points are CSS pixels of the window: scroll first, or give a ref.",
        parameter="coordinate", width=seen["width"], height=seen["height"],
    )  # fmt: skip


async def element_at_point(tab: Tab, x: float, y: float) -> Target:
    """Return the control that a click at the point would hit, and begin to watch its document."""
    await check_inside(tab, x, y)
    return await _evaluate_node(tab, tab.main_frame, f"openchrome.hit({x:.2f}, {y:.2f})")


async def focused_element(tab: Tab) -> Target:
    """Return the element that keys go to, and begin to watch its document."""
    return await _evaluate_node(tab, tab.main_frame, "openchrome.focused()")


async def _evaluate_node(tab: Tab, frame: Frame, expression: str) -> Target:
    for _ in range(_MAX_FRAME_DEPTH):
        await engine.call(tab, frame, "has", "html")  # the engine must be there
        object_id = await engine.handle(tab, frame, expression)
        assert object_id is not None
        element = Element(tab, frame, object_id)
        book = refs_of(tab)
        reply = await element.call(
            _STRUCK, {"next": book.next, "whole": call_context.wants_identity()}
        )
        found = reply["result"]
        inner = await _frame_shown_by(element) if "frame" in found else None
        if inner is None:
            book.note(frame.frame_id, reply)
            about = found.get("about") or _UNKNOWN
            call_context.note_element("", about)
            return Target(element, found.get("ref", ""), about)
        element.release()
        if "hit" in expression:
            x, y = found["frame"]
            expression = f"openchrome.hit({x:.2f}, {y:.2f})"
        frame = inner
    raise OcdError(
        "limit_reached", "Frames within frames go too deep here.", limit=_MAX_FRAME_DEPTH
    )


async def _frame_shown_by(owner: Element) -> Frame | None:
    reply = await owner.frame.cdp.send("DOM.describeNode", {"objectId": owner.object_id})
    frame_id = reply["node"].get("frameId")
    return next((frame for frame in owner.tab.frames() if frame.frame_id == frame_id), None)
