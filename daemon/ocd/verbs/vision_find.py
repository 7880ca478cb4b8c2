"""Verbs for hosts that look at pictures: vision_find."""

from typing import Annotated, Any, Literal

from msgspec import Meta

from ocd.browser.tabs.tab import Tab
from ocd.pages.read.annotated_screenshot import (
    AnnotatedScreenshot,
    AnnotationRequest,
    AnnotationStyle,
    capture_annotated,
)
from ocd.verb_api.declaration import Image, Output, Params, tab_verb


class VisionFind(Params):
    """Take a picture with numbered boxes over what can be acted on

    `elements` says what each number is: ref, role, name, bbox (CSS pixels of the picture). The
    page is not touched: the boxes are drawn on the picture.
    """

    query: Annotated[str, Meta(max_length=500, description="Only what fits these words")] = ""
    instruction: Annotated[
        str, Meta(max_length=2000, description="The same; if nothing fits, everything")
    ] = ""
    show_bounding_boxes: Annotated[bool, Meta(description="Outlines, not only numbers")] = True
    show_grid: Annotated[bool, Meta(description="A grid with coordinates, every 100 px")] = False
    interactive_only: Annotated[
        bool, Meta(description="false: headings, pictures and texts, too")
    ] = True
    occlusion_filter: Annotated[bool, Meta(description="Leave out what is covered")] = True
    iframes: Annotated[
        Literal["none", "same-origin", "all"], Meta(description="Frames to look into")
    ] = "all"
    mode: Annotated[
        Literal["viewport", "tiled"], Meta(description="What shows now, or screenful `tile`")
    ] = "viewport"
    tile: Annotated[int, Meta(ge=0, description="tiled: which screenful of the page")] = 0
    offset: Annotated[int, Meta(ge=0, description="First element to number")] = 0
    limit: Annotated[int, Meta(ge=1, le=300, description="Elements at most")] = 100
    format: Annotated[Literal["jpeg", "png", "webp"], Meta(description="Format")] = "jpeg"
    quality: Annotated[int, Meta(ge=1, le=100, description="jpeg, webp: percent")] = 80


@tab_verb(
    "vision_find",
    VisionFind,
    capability="core",
    tier=3,
    reads=True,
    reads_page=True,
    page_keys=("name", "value"),
)
async def vision_find(tab: Tab, params: VisionFind) -> Output:
    words = params.query or params.instruction
    drawing = AnnotationStyle(
        params.show_bounding_boxes, params.show_grid, params.format, params.quality
    )
    seen = await capture_annotated(tab, _annotation_request(params, words), drawing)
    hint = "" if seen.elements or not words else "Nothing fits the words."
    if hint and not params.query:
        hint += " Everything is numbered."
        seen = await capture_annotated(tab, _annotation_request(params, ""), drawing)
    mime_type = f"image/{params.format}"
    data = {
        **_result_to_dict(tab, params, seen),
        "mime_type": mime_type,
        "size_bytes": len(seen.picture),
    }
    if hint:
        data["hint"] = hint
    return Output(data=data, image=Image(seen.picture, mime_type), origin=tab.origin)


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


def _result_to_dict(tab: Tab, params: VisionFind, seen: AnnotatedScreenshot) -> dict[str, Any]:
    elements = [
        {"number": params.offset + at + 1, **element} for at, element in enumerate(seen.elements)
    ]
    end = params.offset + len(elements)
    data: dict[str, Any] = {
        "tab_id": tab.id, "url": tab.url, "mode": params.mode,
        "width": seen.width, "height": seen.height, "count": len(elements), "total": seen.total,
        "next_offset": end if elements and end < seen.total else None, "elements": elements,
    }  # fmt: skip
    if params.mode == "tiled":
        following = params.tile + 1 if params.tile + 1 < seen.tiles else None
        data |= {"tile": params.tile, "tiles": seen.tiles, "next_tile": following}
    return data
