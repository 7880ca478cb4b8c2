"""Verbs that capture a page as an image or a PDF."""

import asyncio
import contextlib
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any, Literal, NotRequired, TypedDict, cast

from msgspec import Meta

from ocd.api.errors import OcdError
from ocd.api.image_formats import format_for_path
from ocd.browser.tabs import pdf as tabs_pdf
from ocd.browser.tabs.screenshot import (
    MAX_INLINE,
    Format,
    Screenshot,
    ScreenshotRequest,
    take_screenshot,
)
from ocd.browser.tabs.tab import Tab
from ocd.pages.engine.refs import resolve_element
from ocd.pages.locate.geometry import element_area
from ocd.storage.files import make_dir, write_whole
from ocd.verb_api.action_results import Picture
from ocd.verb_api.declaration import UNLISTED, WRITES_PATH, Image, Output, Params, tab_verb

_SIDES = ("x", "y", "width", "height")


class PageScreenshot(Params):
    """Take a screenshot of the page, or of one element

    Default: the viewport. Returns the image, or with path writes a file. To read text,
    read_page is cheaper; for numbered boxes on clickable elements: vision_find.
    """

    full_page: Annotated[bool, Meta(description="The whole page")] = False
    selector: Annotated[str | None, Meta(description="Only this element (CSS)")] = None
    ref: Annotated[str | None, Meta(description="Only this element")] = None
    clip: Annotated[
        Annotated[list[float], Meta(min_length=4, max_length=4)] | dict[str, float] | None,
        Meta(
            description="Only this part of the page: x, y, width, height",
            extra_json_schema=UNLISTED,
        ),
    ] = None
    format: Annotated[
        Literal["png", "jpeg", "webp"] | None, Meta(description="Default: by path, or png")
    ] = None
    quality: Annotated[
        Annotated[int, Meta(ge=0, le=100)] | None,
        Meta(description="jpeg, webp: percent", extra_json_schema=UNLISTED),
    ] = None
    omit_background: Annotated[
        bool, Meta(description="Transparent", extra_json_schema=UNLISTED)
    ] = False
    path: Annotated[str | None, Meta(description="File to write", extra=WRITES_PATH)] = None


class PictureSize(TypedDict):
    """Pixels."""

    width: int
    height: int


class PageScreenshotResult(TypedDict):
    """The image, or the file to which it was written."""

    tab_id: str
    url: str
    mime_type: str
    size_bytes: int
    size_kb: float
    dimensions: PictureSize
    scale: NotRequired[Annotated[float, Meta(description="Scaled down by this factor")]]
    notes: NotRequired[list[str]]
    cut: NotRequired[Annotated[bool, Meta(description="The rest is in next_step")]]
    next_step: NotRequired[dict[str, Any]]
    action: NotRequired[str]
    path: NotRequired[str]
    format: NotRequired[str]
    message: NotRequired[str]
    image: NotRequired[Picture]


@tab_verb(
    "page_screenshot",
    PageScreenshot,
    returns=PageScreenshotResult,
    capability="core",
    tier=1,
    reads=True,
    example={"full_page": True, "path": "/home/ada/page.png"},
)
async def page_screenshot(tab: Tab, params: PageScreenshot) -> Output:
    _refuse_several_areas(params)
    kind = _format(params)
    async with contextlib.AsyncExitStack() as stack:
        clip = _clip_box(params.clip)
        if params.ref or params.selector:
            found = await resolve_element(tab, ref=params.ref, selector=params.selector)
            clip = await element_area(await stack.enter_async_context(found))
        shot = ScreenshotRequest(
            full_page=params.full_page,
            clip=clip,
            format=kind,
            quality=params.quality,
            omit_background=params.omit_background,
            max_bytes=None if params.path else MAX_INLINE,
        )
        picture = await take_screenshot(tab, shot)
    data = _picture_to_dict(tab, picture)
    if params.path is None:
        return Output(data=data, image=Image(picture.data, data["mime_type"]))
    await asyncio.to_thread(write_whole, Path(params.path), picture.data)
    saved = {"action": "screenshot", "path": params.path, "format": picture.format}
    return Output(data=saved | data | {"message": f"Saved to {params.path}"})


def _format(params: PageScreenshot) -> Format:
    image_format = format_for_path(params.path or "", params.format)
    return cast("Format", image_format or "png")


def _picture_to_dict(tab: Tab, picture: Screenshot) -> dict[str, Any]:
    width, height = picture.size
    details: dict[str, Any] = {
        "tab_id": tab.id, "url": tab.url, "mime_type": f"image/{picture.format}",
        "size_bytes": len(picture.data), "size_kb": round(len(picture.data) / 1024, 1),
        "dimensions": {"width": width, "height": height},
    }  # fmt: skip
    details |= {"scale": picture.scale} if picture.scale < 1 else {}
    details |= {"notes": picture.notes} if picture.notes else {}
    if picture.rest is not None:
        arguments = {"tab_id": tab.id, "clip": list(picture.rest)}
        details |= {"cut": True, "next_step": {"verb": "page_screenshot", "arguments": arguments}}
    return details


def _clip_box(
    clip: list[float] | dict[str, float] | None,
) -> tuple[float, float, float, float] | None:
    if isinstance(clip, dict):
        if clip.keys() != set(_SIDES):
            raise OcdError(
                "invalid_argument", f"page_screenshot: clip needs {', '.join(_SIDES)}",
                parameter="clip",
            )  # fmt: skip
        clip = [clip[side] for side in _SIDES]
    return (clip[0], clip[1], clip[2], clip[3]) if clip else None


def _refuse_several_areas(params: PageScreenshot) -> None:
    areas = [name for name in ("full_page", "selector", "ref", "clip") if getattr(params, name)]
    if len(areas) > 1:
        raise OcdError(
            "invalid_argument",
            f"page_screenshot takes only one of {' and '.join(areas)}",
            parameter=areas[1],
        )


Length = Annotated[
    str, Meta(extra_json_schema=UNLISTED, description="For example 1cm, 0.5in, 20px")
]


class PagePdf(Params):
    """Print the page to a PDF file

    Returns the file's path, never its bytes.
    """

    path: Annotated[
        str | None, Meta(description="File to write; default: a new one", extra=WRITES_PATH)
    ] = None
    format: Annotated[
        Literal["A4", "Letter", "Legal", "Tabloid", "A3", "A5"], Meta(description="Paper size")
    ] = "A4"
    landscape: Annotated[bool, Meta(description="Landscape orientation")] = False
    print_background: Annotated[bool, Meta(description="Print backgrounds")] = True
    scale: Annotated[float, Meta(ge=0.1, le=2, description="Scale of the page")] = 1
    margin_top: Length = "1cm"
    margin_right: Length = "1cm"
    margin_bottom: Length = "1cm"
    margin_left: Length = "1cm"
    page_ranges: Annotated[str, Meta(description="For example 1-3, 5; default: all")] = ""
    display_header_footer: Annotated[
        bool, Meta(extra_json_schema=UNLISTED, description="Print header and footer")
    ] = False
    header_template: Annotated[
        str,
        Meta(
            extra_json_schema=UNLISTED,
            description="HTML; classes date, title, url, pageNumber, totalPages are filled in",
        ),
    ] = ""
    footer_template: Annotated[
        str, Meta(extra_json_schema=UNLISTED, description="HTML, as in header_template")
    ] = ""


class PagePdfResult(TypedDict):
    """The file."""

    action: str
    tab_id: str
    path: str
    size: int
    size_kb: float
    format: str
    landscape: bool
    message: str


@tab_verb(
    "page_pdf",
    PagePdf,
    returns=PagePdfResult,
    capability="core",
    tier=3,
    reads=True,
    timeout_ms=60_000,
    example={"path": "/home/ada/page.pdf"},
)
async def page_pdf(tab: Tab, params: PagePdf) -> Output:
    path = Path(params.path) if params.path else await _new_file(tab, "pdf")
    pdf = await tabs_pdf.write(tab, path, _options(params))
    details = {
        "action": "page_pdf", "tab_id": tab.id, "path": str(pdf.path), "size": pdf.size,
        "size_kb": round(pdf.size / 1024, 1), "format": params.format,
        "landscape": params.landscape, "message": f"Saved to {pdf.path}",
    }  # fmt: skip
    return Output(data=details)


def _options(params: PagePdf) -> dict[str, Any]:
    width, height = tabs_pdf.PAPER[params.format]
    options: dict[str, Any] = {
        "paperWidth": width, "paperHeight": height, "landscape": params.landscape,
        "printBackground": params.print_background, "scale": params.scale,
        "pageRanges": params.page_ranges, "displayHeaderFooter": params.display_header_footer,
    }  # fmt: skip
    for side in ("top", "right", "bottom", "left"):
        name = f"margin_{side}"
        options[f"margin{side.title()}"] = tabs_pdf.inches(name, getattr(params, name))
    if params.display_header_footer:
        # Chromium replaces an empty template by its own, but not a space.
        options["headerTemplate"] = params.header_template or "<span></span>"
        options["footerTemplate"] = params.footer_template or "<span></span>"
    return options


async def _new_file(tab: Tab, suffix: str) -> Path:
    folder = await asyncio.to_thread(make_dir, tab.folder)
    stamp = datetime.now(UTC).strftime("%Y%m%d-%H%M%S-%f")
    return folder / f"page-{stamp}.{suffix}"
