"""The verb that takes annotated screenshots: vision_find."""

from typing import Annotated, Any, Literal, NotRequired, TypedDict

from msgspec import Meta

from ocd.browser.tabs.tab import Tab
from ocd.pages.read.annotated_screenshot import (
    AnnotatedScreenshot,
    AnnotationRequest,
    AnnotationStyle,
    capture_annotated,
)
from ocd.verb_api.action_results import Picture
from ocd.verb_api.declaration import Image, Output, Params, tab_verb


class VisionFind(Params):
    """Take a screenshot with numbered boxes on interactive elements

    For pages that text does not describe well. `elements` describes each number: ref, role,
    name, bbox (CSS pixels of the image). The page is not changed: the boxes are drawn on the
    image. Without an image: find, oc_observe.
    """

    query: Annotated[
        str, Meta(max_length=500, description="Only elements that match these words")
    ] = ""
    instruction: Annotated[
        str, Meta(max_length=2000, description="Same, but everything if nothing matches")
    ] = ""
    show_bounding_boxes: Annotated[bool, Meta(description="Draw outlines, not only numbers")] = True
    show_grid: Annotated[bool, Meta(description="Draw a grid with coordinates every 100 px")] = (
        False
    )
    interactive_only: Annotated[
        bool, Meta(description="false: also headings, images and texts")
    ] = True
    occlusion_filter: Annotated[bool, Meta(description="Leave out covered elements")] = True
    iframes: Annotated[
        Literal["none", "same-origin", "all"], Meta(description="Frames to search")
    ] = "all"
    mode: Annotated[
        Literal["viewport", "tiled"], Meta(description="The visible part, or screenful `tile`")
    ] = "viewport"
    tile: Annotated[int, Meta(ge=0, description="tiled: which screenful of the page")] = 0
    offset: Annotated[int, Meta(ge=0, description="First element to number")] = 0
    limit: Annotated[int, Meta(ge=1, le=300, description="Max elements")] = 100
    format: Annotated[Literal["jpeg", "png", "webp"], Meta(description="Image format")] = "jpeg"
    quality: Annotated[int, Meta(ge=1, le=100, description="jpeg, webp: percent")] = 80


class NumberedElement(TypedDict):
    """An element with its number in the image."""

    number: int
    ref: str
    role: str
    name: str
    bbox: dict[str, float]
    actions: list[str]
    value: NotRequired[Any]
    states: NotRequired[Annotated[str, Meta(description="For example checked, focused")]]
    hidden: NotRequired[bool]
    covered: NotRequired[bool]


class VisionFindResult(TypedDict):
    """The image, and its numbered elements."""

    tab_id: str
    url: str
    mode: str
    width: float
    height: float
    count: int
    total: int
    next_offset: int | None
    elements: list[NumberedElement]
    tile: NotRequired[int]
    tiles: NotRequired[int]
    next_tile: NotRequired[int | None]
    mime_type: str
    size_bytes: int
    hint: NotRequired[str]
    next_step: NotRequired[dict[str, Any]]
    image: Picture


@tab_verb(
    "vision_find",
    VisionFind,
    returns=VisionFindResult,
    capability="core",
    tier=3,
    reads=True,
    reads_page=True,
    page_keys=("name", "value"),
    example={"query": "buttons of the toolbar"},
)
async def vision_find(tab: Tab, params: VisionFind) -> Output:
    words = params.query or params.instruction
    drawing = AnnotationStyle(
        params.show_bounding_boxes, params.show_grid, params.format, params.quality
    )
    screenshot = await capture_annotated(tab, _annotation_request(params, words), drawing)
    hint = "" if screenshot.elements or not words else "No element matches the words."
    if hint and not params.query:
        hint += " Everything is numbered instead."
        screenshot = await capture_annotated(tab, _annotation_request(params, ""), drawing)
    mime_type = f"image/{params.format}"
    data = {
        **_result_to_dict(tab, params, screenshot),
        "mime_type": mime_type,
        "size_bytes": len(screenshot.picture),
    }
    if hint:
        data["hint"] = hint
    return Output(data=data, image=Image(screenshot.picture, mime_type), origin=tab.origin)


def _annotation_request(params: VisionFind, words: str) -> AnnotationRequest:
    return AnnotationRequest(
        words=words,
        everything=not params.interactive_only,
        uncovered=params.occlusion_filter,
        frames=params.iframes,
        tile=params.tile if params.mode == "tiled" else None,
        offset=params.offset,
        limit=params.limit,
    )


def _result_to_dict(tab: Tab, params: VisionFind, shot: AnnotatedScreenshot) -> dict[str, Any]:
    elements = [
        {"number": params.offset + at + 1, **element} for at, element in enumerate(shot.elements)
    ]
    end = params.offset + len(elements)
    data: dict[str, Any] = {
        "tab_id": tab.id, "url": tab.url, "mode": params.mode,
        "width": shot.width, "height": shot.height, "count": len(elements), "total": shot.total,
        "next_offset": end if elements and end < shot.total else None, "elements": elements,
    }  # fmt: skip
    if params.mode == "tiled":
        following = params.tile + 1 if params.tile + 1 < shot.tiles else None
        data |= {"tile": params.tile, "tiles": shot.tiles, "next_tile": following}
    return data
