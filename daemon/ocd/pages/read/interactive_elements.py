"""What can be acted on in a tab: elements with refs, roles, names and boxes, frames included."""

from dataclasses import dataclass, field
from typing import Any

from ocd.api.errors import OcdError
from ocd.browser.tabs.frames import Frame, apart
from ocd.browser.tabs.tab import Tab
from ocd.pages.locate.geometry import FrameBox, frame_box
from ocd.pages.locate.locators import MAX_FRAMES, call_engine


@dataclass(slots=True)
class Observation:
    """Nodes with boxes in CSS pixels of the tab's window; `total` fit, `considered` were looked at.

    size: the window's width and height; page: the document's; scroll: how far it is scrolled.
    left_out: frames that could not be looked into.
    """

    nodes: list[dict[str, Any]] = field(default_factory=list)
    total: int = 0
    considered: int = 0
    size: tuple[float, float] = (0, 0)
    page: tuple[float, float] = (0, 0)
    scroll: tuple[float, float] = (0, 0)
    left_out: int = 0


async def observe(
    tab: Tab, options: dict[str, Any], *, offset: int, limit: int, frames: str = "all"
) -> Observation:
    """Observe the page and its frames, in order; `options`: see interactive_elements.js.

    frames: all, same-origin, none.
    """
    tab.check_usable()
    seen = Observation()
    asked = apart(tab.frames())
    seen.left_out = max(len(asked) - MAX_FRAMES, 0)
    for frame in asked[:MAX_FRAMES] if frames == "all" else asked[:1]:
        at = max(offset - seen.total, 0)
        rest = limit - len(seen.nodes)
        window: dict[str, Any] = {"offset": at, "limit": rest, "own": frames == "none"}
        if frame is not tab.main_frame:
            window["band"] = None  # it is one of our window, not of the frame's
        found = await _observe_frame(tab, frame, {**options, **window}, seen)
        if found is not None:
            await _add_frame(tab, frame, found, seen, options)
    return seen


async def _observe_frame(
    tab: Tab, frame: Frame, options: dict[str, Any], seen: Observation
) -> dict[str, Any] | None:
    try:
        return await call_engine(tab, frame, "observe", options)
    except OcdError as error:
        # A frame of another site that is busy or just leaving must not hide the page.
        if frame is tab.main_frame or error.code != "script_error":
            raise
        seen.left_out += 1
        return None


async def _add_frame(
    tab: Tab, frame: Frame, found: dict[str, Any], seen: Observation, options: dict[str, Any]
) -> None:
    if frame is tab.main_frame:
        seen.size, seen.page, seen.scroll = (
            tuple(found[key]) for key in ("size", "page", "scroll")
        )
        place: FrameBox | None = FrameBox(0, 0, 0, 0, *seen.size)
    else:
        place = await frame_box(tab, frame, seen.size) if found["total"] else None
    seen.considered += int(found["considered"])
    if place is None:
        return
    nodes = [_to_tab_coordinates(node, place) for node in found["nodes"]]
    # The frame knows its own window only; what its parent scrolled away is no part of ours.
    kept = (
        nodes
        if frame is tab.main_frame
        else [node for node in nodes if _matches_options(node, options)]
    )
    seen.total += int(found["total"]) - (len(nodes) - len(kept))
    seen.nodes += kept


def _matches_options(node: dict[str, Any], options: dict[str, Any]) -> bool:
    band = options.get("band")
    if band and not (
        node["bbox"]["y"] < band[1] and node["bbox"]["y"] + node["bbox"]["h"] > band[0]
    ):
        return False
    return options.get("scope") != "viewport" or node["in_viewport"] or "hidden" in node


def _to_tab_coordinates(node: dict[str, Any], place: FrameBox) -> dict[str, Any]:
    x, y, width, height = (length * place.scale for length in node["bbox"])
    x, y = x + place.x, y + place.y
    shows = (
        node["in_viewport"]
        and x + width > place.left
        and y + height > place.top
        and x < place.right
        and y < place.bottom
    )
    bbox = {"x": round(x), "y": round(y), "w": round(width), "h": round(height)}
    return {**node, "bbox": bbox, "in_viewport": shows}
