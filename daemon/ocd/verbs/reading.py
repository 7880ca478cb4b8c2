"""Verbs that read a page: read_page, page_content."""

from typing import Annotated, Literal

from msgspec import Meta

from ocd.browser.content import content
from ocd.browser.reading import read
from ocd.browser.tab import Tab
from ocd.verb import Output, Params, Window, tab_verb

DEFAULT_LIMIT = 20_000


class ReadPage(Params):
    """Read the page as text, with refs to act on

    outline: roles and names, with refs such as e12 on what can be acted on. dom: elements with
    attributes. markdown, text: what a person reads. Long readings come in pages: pass `next_offset`
    as `offset` to go on.
    """

    mode: Annotated[
        Literal["outline", "dom", "markdown", "text"], Meta(description="Form of the reading")
    ] = "outline"
    filter: Annotated[
        Literal["all", "interactive"],
        Meta(description="outline: everything, or only what can be acted on"),
    ] = "all"
    ref: Annotated[str | None, Meta(description="Only the element with this ref")] = None
    selector: Annotated[
        str | None, Meta(description="Only the first match of this CSS selector")
    ] = None
    depth: Annotated[
        Annotated[int, Meta(ge=1)] | None,
        Meta(description="outline, dom: levels; default: all"),
    ] = None
    only_main_content: Annotated[
        bool, Meta(description="markdown, text: leave out navigation, header and footer")
    ] = False
    include_links: Annotated[bool, Meta(description="markdown: keep the links' addresses")] = True
    offset: Annotated[int, Meta(ge=0, description="First character to return")] = 0
    limit: Annotated[
        Annotated[int, Meta(ge=1)] | None,
        Meta(description="Characters at most; default: 20,000 (inline)"),
    ] = None


class PageContent(Params):
    """Get the HTML of the page or of an element

    As it is now, frames and shadow trees in their place. Scripts, comments and what nobody sees
    are left out. Long HTML comes in pages: pass `next_offset` as `offset` to go on.
    """

    selector: Annotated[
        str | None, Meta(description="Only the first match of this CSS selector")
    ] = None
    ref: Annotated[str | None, Meta(description="Only the element with this ref")] = None
    outer_html: Annotated[bool, Meta(description="With the element's own tag")] = True
    offset: Annotated[int, Meta(ge=0, description="First character to return")] = 0
    limit: Annotated[
        Annotated[int, Meta(ge=1)] | None,
        Meta(description="Characters at most; default: 20,000 (inline)"),
    ] = None


@tab_verb(
    "read_page",
    ReadPage,
    capability="core",
    tier=1,
    large=True,
    reads_page=True,
    reads=True,
    page_keys=("title",),
)
async def read_page(tab: Tab, params: ReadPage) -> Output:
    reading = await read(
        tab,
        mode=params.mode,
        filter=params.filter,
        ref=params.ref,
        selector=params.selector,
        depth=params.depth,
        only_main_content=params.only_main_content,
        include_links=params.include_links,
    )
    return Output(
        data={"tab_id": tab.id, "url": reading.url, "title": reading.title, "mode": params.mode},
        content=reading.text,
        content_type=reading.mime,
        origin=tab.origin,
        window=Window(params.offset, params.limit, DEFAULT_LIMIT),
    )


@tab_verb(
    "page_content",
    PageContent,
    capability="core",
    tier=2,
    large=True,
    reads_page=True,
    reads=True,
    page_keys=("title",),
)
async def page_content(tab: Tab, params: PageContent) -> Output:
    reading = await content(tab, selector=params.selector, ref=params.ref, outer=params.outer_html)
    return Output(
        data={
            "action": "page_content", "tab_id": tab.id, "url": reading.url, "title": reading.title,
            "selector": params.selector, "outer_html": params.outer_html,
            "content_length": len(reading.text), "hidden_chars": reading.hidden_chars,
        },
        content=reading.text,
        content_type=reading.mime,
        origin=tab.origin,
        window=Window(params.offset, params.limit, DEFAULT_LIMIT),
    )  # fmt: skip
