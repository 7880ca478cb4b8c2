"""Hit testing: the element at a point of the viewport, and the focused element."""

from typing import Any

from ocd import call_context
from ocd.api.errors import OcdError
from ocd.browser.tabs.frames import Frame
from ocd.browser.tabs.tab import Tab
from ocd.pages.engine import engine
from ocd.pages.engine.refs import Element, refs_of
from ocd.pages.locate.target import Target

_STRUCK = "function (o) { return openchrome.hitElement(this, o) }"
_IS_TYPING = "function () { return openchrome.isTyping(this) }"
_MAX_FRAME_DEPTH = 12
_UNKNOWN = {"role": "iframe", "name": "", "kind": "none", "secret": False}


async def window_metrics(tab: Tab) -> dict[str, Any]:
    """Return the window's width and height in CSS pixels, device pixel ratio, left and top."""
    metrics: dict[str, Any] = await engine.call(tab, tab.main_frame, "screen")
    return metrics


async def check_inside(tab: Tab, x: float, y: float) -> None:
    """Raise invalid_argument for a point outside the window."""
    window = await window_metrics(tab)
    if 0 <= x < window["width"] and 0 <= y < window["height"]:
        return
    size = f"{window['width']} x {window['height']}"
    raise OcdError(
        "invalid_argument", f"The point {x:g}, {y:g} is outside the window, which is {size}.",
        hint="Points are in CSS pixels of the window: scroll first, or pass a ref.",
        parameter="coordinate", width=window["width"], height=window["height"],
    )  # fmt: skip


async def element_at_point(tab: Tab, x: float, y: float) -> Target:
    """Return the control that a click at the point would hit, and start watching its document."""
    await check_inside(tab, x, y)
    return await _evaluate_node(tab, tab.main_frame, f"openchrome.hit({x:.2f}, {y:.2f})")


async def focused_element(tab: Tab) -> Target:
    """Return the focused element, and start watching its document."""
    return await _evaluate_node(tab, tab.main_frame, "openchrome.focused()")


async def focused_field(tab: Tab) -> Target | None:
    """Return the focused element if it takes what is typed, and start watching its document."""
    target = await focused_element(tab)
    if target.ref and await target.element.call(_IS_TYPING):
        return target
    target.element.release()
    return None


async def _evaluate_node(tab: Tab, frame: Frame, expression: str) -> Target:
    for _ in range(_MAX_FRAME_DEPTH):
        object_id = await engine.handle(tab, frame, expression)
        assert object_id is not None
        element = Element(tab, frame, object_id)
        registry = refs_of(tab)
        reply = await element.call(
            _STRUCK, {**registry.numbering(frame.frame_id), "whole": call_context.wants_identity()}
        )
        result = reply["result"]
        inner = await _frame_shown_by(element) if "frame" in result else None
        if inner is None:
            registry.record(frame.frame_id, reply)
            about = result.get("about") or _UNKNOWN
            call_context.note_element("", about)
            return Target(element, result.get("ref", ""), about)
        element.release()
        if "hit" in expression:
            x, y = result["frame"]
            expression = f"openchrome.hit({x:.2f}, {y:.2f})"
        frame = inner
    raise OcdError(
        "limit_reached", "The frames are nested too deeply here.", limit=_MAX_FRAME_DEPTH
    )


async def _frame_shown_by(owner: Element) -> Frame | None:
    reply = await owner.frame.cdp.send("DOM.describeNode", {"objectId": owner.object_id})
    frame_id = reply["node"].get("frameId")
    return next((frame for frame in owner.tab.frames() if frame.frame_id == frame_id), None)
