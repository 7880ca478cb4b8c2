"""The interactive elements of a tab: refs, roles, names and boxes, frames included."""

from dataclasses import dataclass, field
from typing import Any

from ocd.api.errors import OcdError
from ocd.browser.tabs.frames import Frame, frames_to_call
from ocd.browser.tabs.tab import Tab
from ocd.pages.locate.geometry import FrameBox, frame_box
from ocd.pages.locate.locators import MAX_FRAMES, call_engine


@dataclass(slots=True)
class Observation:
    """Nodes with boxes in CSS pixels of the tab's window.

    Attributes:
        total: how many match.
        considered: how many were examined.
        size: the window's width and height.
        page: the document's.
        scroll: how far it is scrolled.
        left_out: the frames that could not be read.
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
    """Return the interactive elements of the page and its frames.

    Args:
        tab: the tab.
        options: see interactive_elements.js.
        offset: how many matches to skip.
        limit: the most nodes to return.
        frames: all, same-origin or none.
    """
    tab.check_usable()
    observation = Observation()
    frames_asked = frames_to_call(tab.frames())
    observation.left_out = max(len(frames_asked) - MAX_FRAMES, 0)
    for frame in frames_asked[:MAX_FRAMES] if frames == "all" else frames_asked[:1]:
        first = max(offset - observation.total, 0)
        rest = limit - len(observation.nodes)
        window: dict[str, Any] = {"offset": first, "limit": rest, "own": frames == "none"}
        if frame is not tab.main_frame:
            window["band"] = None  # the band belongs to the tab's window, not to the frame's
        reply = await _observe_frame(tab, frame, {**options, **window}, observation)
        if reply is not None:
            await _add_frame(tab, frame, reply, observation, options)
    return observation


async def _observe_frame(
    tab: Tab, frame: Frame, options: dict[str, Any], observation: Observation
) -> dict[str, Any] | None:
    try:
        return await call_engine(tab, frame, "observeElements", options)
    except OcdError as error:
        # A frame of another site that is busy or navigating must not hide the page.
        if frame is tab.main_frame or error.code != "script_error":
            raise
        observation.left_out += 1
        return None


async def _add_frame(
    tab: Tab, frame: Frame, reply: dict[str, Any], observation: Observation, options: dict[str, Any]
) -> None:
    if frame is tab.main_frame:
        observation.size, observation.page, observation.scroll = (
            tuple(reply[key]) for key in ("size", "page", "scroll")
        )
        place: FrameBox | None = FrameBox(0, 0, 0, 0, *observation.size)
    else:
        place = await frame_box(tab, frame, observation.size) if reply["total"] else None
    observation.considered += int(reply["considered"])
    if place is None:
        return
    nodes = [_to_tab_coordinates(node, place) for node in reply["nodes"]]
    # The frame only knows its own window; what its parent has scrolled away is not in the tab's.
    visible = (
        nodes
        if frame is tab.main_frame
        else [node for node in nodes if _matches_options(node, options)]
    )
    observation.total += int(reply["total"]) - (len(nodes) - len(visible))
    observation.nodes += visible


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
