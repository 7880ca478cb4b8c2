"""Verbs that take pictures of a page."""

import contextlib
from typing import Annotated, Literal

from msgspec import Meta

from ocd.api.errors import OcdError
from ocd.browser.refs import resolve_target
from ocd.browser.tab import Tab
from ocd.verb import Image, Output, Params, tab_verb


class PageScreenshot(Params):
    """Take a picture of the page, or of one element

    Without arguments: what the viewport shows.
    """

    full_page: Annotated[bool, Meta(description="The whole page")] = False
    selector: Annotated[
        str | None, Meta(description="Only the first match of this CSS selector")
    ] = None
    ref: Annotated[str | None, Meta(description="Only the element with this ref")] = None
    clip: Annotated[
        Annotated[list[float], Meta(min_length=4, max_length=4)] | None,
        Meta(description="Only this part of the page: x, y, width, height"),
    ] = None
    format: Annotated[Literal["png", "jpeg", "webp"], Meta(description="Format")] = "png"
    quality: Annotated[
        Annotated[int, Meta(ge=1, le=100)] | None,
        Meta(description="jpeg, webp: percent"),
    ] = None


@tab_verb("page_screenshot", PageScreenshot, capability="core", tier=1, reads=True)
async def page_screenshot(tab: Tab, params: PageScreenshot) -> Output:
    _only_one(params)
    async with contextlib.AsyncExitStack() as held:
        node = None
        if params.ref or params.selector:
            found = await resolve_target(tab, ref=params.ref, selector=params.selector)
            node = await (await held.enter_async_context(found)).backend_node_id()
        picture = await tab.screenshot(
            full_page=params.full_page,
            backend_node_id=node,
            clip=_box(params.clip),
            format=params.format,
            quality=params.quality,
        )
    mime_type = f"image/{params.format}"
    data = {"tab_id": tab.id, "url": tab.url, "mime_type": mime_type, "size_bytes": len(picture)}
    return Output(data=data, image=Image(picture, mime_type))


def _box(clip: list[float] | None) -> tuple[float, float, float, float] | None:
    return (clip[0], clip[1], clip[2], clip[3]) if clip else None


def _only_one(params: PageScreenshot) -> None:
    given = [name for name in ("full_page", "selector", "ref", "clip") if getattr(params, name)]
    if len(given) > 1:
        raise OcdError(
            "invalid_argument",
            f"page_screenshot takes one of {' and '.join(given)}",
            parameter=given[1],
        )
