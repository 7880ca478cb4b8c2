"""A screenshot with numbered boxes over a tab's elements; the page itself is not changed."""

import base64
import math
from dataclasses import dataclass
from typing import Any, Literal

from ocd.api.errors import OcdError
from ocd.browser.tabs.tab import Tab
from ocd.pages.read.interactive_elements import Observation, observe

Format = Literal["png", "jpeg", "webp"]
# The minimum score of a match.
_MIN_SCORE = 30
_DRAW = "(picture, width, options) => openchrome.annotate(picture, width, options)"


@dataclass(frozen=True, slots=True)
class AnnotationRequest:
    """What to capture and what to number.

    words: number only elements that match. tile: which screenful of the page; None for the visible
    part.
    """

    words: str = ""
    everything: bool = False
    uncovered: bool = True
    frames: str = "all"
    tile: int | None = None
    offset: int = 0
    limit: int = 100


@dataclass(frozen=True, slots=True)
class AnnotationStyle:
    """How the annotations look."""

    outlines: bool = True
    grid: bool = False
    format: Format = "jpeg"
    quality: int = 80


@dataclass(slots=True)
class AnnotatedScreenshot:
    """The image and its elements, numbered from `offset` + 1; boxes in CSS pixels of the image.

    tiles: the number of screenfuls of the page.
    """

    picture: bytes
    elements: list[dict[str, Any]]
    total: int
    tiles: int
    width: int
    height: int


async def capture_annotated(
    tab: Tab, at: AnnotationRequest, drawing: AnnotationStyle
) -> AnnotatedScreenshot:
    """Capture the tab; invalid_argument for a tile that the page does not have."""
    size, scroll, page = await _page_metrics(tab)
    top = 0.0 if at.tile is None else at.tile * size[1] - scroll[1]
    left = 0.0 if at.tile is None else -scroll[0]
    tiles = max(math.ceil(page[1] / size[1]), 1) if size[1] else 1
    if at.tile is not None and at.tile >= tiles:
        raise OcdError(
            "invalid_argument", f"The page has {tiles} tiles; the last is {tiles - 1}.",
            parameter="tile",
        )  # fmt: skip
    height = size[1] if at.tile is None else min(size[1], page[1] - at.tile * size[1])
    visible = await _elements(tab, at, top, top + height)
    elements = [_to_picture_coordinates(node, left, top) for node in visible.nodes]
    clip = None if at.tile is None else (0.0, at.tile * size[1], size[0], height)
    raw = await tab.screenshot(format="png", clip=clip)
    options = {
        "boxes": [element["bbox"] for element in elements], "first": at.offset + 1,
        "outlines": drawing.outlines, "grid": drawing.grid, "type": f"image/{drawing.format}",
        "quality": drawing.quality / 100,
    }  # fmt: skip
    args = [base64.b64encode(raw).decode(), size[0], options]
    drawn = base64.b64decode(await tab.evaluate(_DRAW, args=args, isolated=True))
    return AnnotatedScreenshot(drawn, elements, visible.total, tiles, round(size[0]), round(height))


async def _page_metrics(
    tab: Tab,
) -> tuple[tuple[float, float], tuple[float, float], tuple[float, float]]:
    visible = await observe(
        tab, {"scope": "viewport", "band": [0, 0]}, offset=0, limit=0, frames="none"
    )
    return visible.size, visible.scroll, visible.page


async def _elements(tab: Tab, at: AnnotationRequest, top: float, bottom: float) -> Observation:
    options: dict[str, Any] = {
        "scope": "viewport" if at.tile is None else "document",
        "query": at.words, "least": _MIN_SCORE,
        "everything": at.everything, "uncovered": at.uncovered,
    }  # fmt: skip
    if at.tile is None:
        return await observe(tab, options, offset=at.offset, limit=at.limit, frames=at.frames)
    options["band"] = [top, bottom]
    return await observe(tab, options, offset=at.offset, limit=at.limit, frames=at.frames)


def _to_picture_coordinates(node: dict[str, Any], left: float, top: float) -> dict[str, Any]:
    box = node["bbox"]
    moved = {**box, "x": round(box["x"] - left), "y": round(box["y"] - top)}
    return {key: value for key, value in node.items() if key != "in_viewport"} | {"bbox": moved}
