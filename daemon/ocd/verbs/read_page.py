"""Verbs that read a page: read_page, page_content."""

import time
from typing import Annotated, Any, Literal, NotRequired, TypedDict

from msgspec import Meta

from ocd.api.errors import OcdError
from ocd.browser.tabs.tab import Tab
from ocd.pages.read import filters_and_deltas, semantic
from ocd.pages.read.filters_and_deltas import ReadRequest
from ocd.pages.read.reader import Reading, read_html
from ocd.verb_api.declaration import UNLISTED, Output, Params, Window, tab_verb

DEFAULT_LIMIT = 20_000


class ReadPage(Params):
    """Read the page as text, with refs to act on

    outline: roles, names and values, with refs (e12). markdown: articles and documentation.
    text: plain. dom: elements, attributes. semantic: landmarks, headings, forms. css: styles.
    Cheaper: find (elements by words), inspect (state in 2 KB). Long results are paged: pass
    `next_offset` as `offset`.
    """

    mode: Annotated[
        Literal["outline", "ax", "dom", "markdown", "text", "semantic", "css"],
        Meta(description="Form of the result"),
    ] = "outline"
    filter: Annotated[
        Literal["all", "interactive"], Meta(description="outline: only interactive elements")
    ] = "all"
    ref: Annotated[str | None, Meta(description="Only this element")] = None
    selector: Annotated[str | None, Meta(description="Only the first match")] = None
    depth: Annotated[
        Annotated[int, Meta(ge=1)] | None,
        Meta(description="outline, dom: levels; default: all", extra_json_schema=UNLISTED),
    ] = None
    only_main_content: Annotated[
        bool, Meta(description="markdown, text: without navigation, header, footer")
    ] = False
    include_links: Annotated[
        bool, Meta(extra_json_schema=UNLISTED, description="markdown: keep link URLs")
    ] = True
    content_filter: Annotated[
        Literal["none", "prune", "bm25"],
        Meta(
            description="markdown, text: without boilerplate, or only what matches query",
            extra_json_schema=UNLISTED,
        ),
    ] = "none"
    query: Annotated[str | None, Meta(description="bm25: words", extra_json_schema=UNLISTED)] = None
    filter_options: Annotated[
        dict[str, float] | None,
        Meta(
            extra_json_schema=UNLISTED,
            description="min_words, max_sections, bm25_threshold, prune_threshold",
        ),
    ] = None
    compression: Annotated[
        Literal["none", "delta"],
        Meta(description="delta: only what is new since earlier readings of the site"),
    ] = "none"
    include_pagination: Annotated[
        bool, Meta(extra_json_schema=UNLISTED, description="Report the page's pagination")
    ] = True
    offset: Annotated[int, Meta(ge=0, description="First character")] = 0
    limit: Annotated[
        Annotated[int, Meta(ge=1)] | None,
        Meta(description="Max characters; default: 20,000 (inline)", extra_json_schema=UNLISTED),
    ] = None
    return_raw: Annotated[
        bool,
        Meta(
            description="content_filter: also return its input as raw_markdown (inline)",
            extra_json_schema=UNLISTED,
        ),
    ] = False
    return_fit: Annotated[
        bool,
        Meta(
            description="content_filter: also return its output as fit_markdown (inline)",
            extra_json_schema=UNLISTED,
        ),
    ] = False
    include_metrics: Annotated[
        bool,
        Meta(description="Report characters, refs and ms", extra_json_schema=UNLISTED),
    ] = False

    @property
    def read_request(self) -> ReadRequest:
        """The request for the reader."""
        return ReadRequest(
            mode="outline" if self.mode == "ax" else self.mode,
            filter=self.filter, ref=self.ref, selector=self.selector, depth=self.depth,
            only_main_content=self.only_main_content, include_links=self.include_links,
            content_filter=self.content_filter, query=self.query,
        )  # fmt: skip

    @property
    def reads_from_start(self) -> bool:
        """Whether this reads the whole page from its beginning."""
        return self.offset == 0 and self.ref is None and self.selector is None


async def _render_reading(tab: Tab, params: ReadPage) -> tuple[Reading, dict[str, Any]]:
    """Return the text of the reply, and the facts about it."""
    request = params.read_request
    started = time.monotonic()
    raw, found, facts = await filters_and_deltas.read_view(tab, request, params.filter_options)
    if params.include_metrics:
        took = round((time.monotonic() - started) * 1000)
        facts["metrics"] = {
            "raw_chars": len(raw.head + raw.text), "chars": len(found.head + found.text),
            "refs": found.refs_count,
            "hidden_chars": found.hidden_chars, "duration_ms": took,
        }  # fmt: skip
    facts |= _filter_texts(params, raw.text, found.text)
    if params.compression == "delta":
        first = params.offset == 0
        found, facts["delta"] = await filters_and_deltas.compare_with_last(
            tab, request, found, first=first
        )
    else:
        filters_and_deltas.remember(tab, request, found)
    if params.include_pagination and params.reads_from_start and params.mode != "css":
        pages = await semantic.pagination(tab)
        facts |= {"pagination": pages} if pages else {}
    return found, facts


def _filter_texts(params: ReadPage, raw: str, filtered: str) -> dict[str, str]:
    """Return the text before and after the filter, as requested."""
    options = {"return_raw": params.return_raw, "return_fit": params.return_fit}
    names = [name for name, wants in options.items() if wants]
    if names and params.content_filter == "none":
        raise OcdError(
            "invalid_argument", f"read_page: {names[0]} needs a content_filter",
            hint="Pass mode='markdown' and content_filter='prune' with it.", parameter=names[0],
        )  # fmt: skip
    texts = {"return_raw": ("raw_markdown", raw), "return_fit": ("fit_markdown", filtered)}
    return dict(texts[name] for name in names)


class PageContent(Params):
    """Get the HTML of the page or of an element

    The current DOM, with frames and shadow trees in place. Scripts, comments and invisible content
    are left out. Long HTML is paged: pass `next_offset` as `offset`.
    """

    selector: Annotated[str | None, Meta(description="Only the first match")] = None
    ref: Annotated[str | None, Meta(description="Only the element with this ref")] = None
    outer_html: Annotated[
        bool, Meta(extra_json_schema=UNLISTED, description="Include the element's own tag")
    ] = True
    offset: Annotated[int, Meta(ge=0, description="First character to return")] = 0
    limit: Annotated[
        Annotated[int, Meta(ge=1)] | None,
        Meta(description="Max characters; default: 20,000 (inline)"),
    ] = None


class ReadingMetrics(TypedDict):
    """How much was read."""

    raw_chars: int
    chars: int
    refs: int
    hidden_chars: int
    duration_ms: int


class ReadPageResult(TypedDict):
    """The page's text in `content`, and facts about it."""

    tab_id: str
    url: str
    title: str
    mode: str
    content: str
    total: Annotated[int, Meta(description="Characters of the whole text")]
    next_offset: Annotated[int | None, Meta(description="Offset of the next part")]
    next_step: NotRequired[
        Annotated[dict[str, Any], Meta(description="The call that reads the next part")]
    ]
    pagination: NotRequired[
        Annotated[dict[str, Any], Meta(description="type, current, last, next_url, next_step")]
    ]
    hidden_chars: NotRequired[Annotated[int, Meta(description="Invisible characters")]]
    left_out_chars: NotRequired[int]
    filter: NotRequired[Annotated[dict[str, Any], Meta(description="What content_filter did")]]
    delta: NotRequired[Annotated[dict[str, Any], Meta(description="What was compared")]]
    metrics: NotRequired[ReadingMetrics]
    raw_markdown: NotRequired[str]
    fit_markdown: NotRequired[str]


@tab_verb(
    "read_page",
    ReadPage,
    returns=ReadPageResult,
    capability="core",
    tier=1,
    large=True,
    reads_page=True,
    reads=True,
    page_keys=("title", "raw_markdown", "fit_markdown"),
    aliases={"ref_id": "ref"},
    removed_params={
        "fallback": "Leave it out: long results are paged; continue with next_offset.",
        "compact": "The outline is compact; filter='interactive' or depth make it shorter.",
        "planning_profile": "Leave it out: the same page gives the same refs each time.",
        "diagnostics": "Pass include_metrics instead.",
    },
    example={"mode": "markdown"},
)
async def read_page(tab: Tab, params: ReadPage) -> Output:
    found, facts = await _render_reading(tab, params)
    return Output(
        data={
            "tab_id": tab.id, "url": found.url, "title": found.title, "mode": params.mode, **facts,
        },
        content=found.head + found.text,
        content_type=found.mime,
        origin=tab.origin,
        window=Window(params.offset, params.limit, DEFAULT_LIMIT),
    )  # fmt: skip


class PageContentResult(TypedDict):
    """The HTML in `content`."""

    action: str
    tab_id: str
    url: str
    title: str
    selector: str | None
    outer_html: bool
    content: str
    content_length: int
    hidden_chars: int
    total: int
    next_offset: int | None
    next_step: NotRequired[dict[str, Any]]


@tab_verb(
    "page_content",
    PageContent,
    returns=PageContentResult,
    capability="core",
    tier=3,
    large=True,
    reads_page=True,
    reads=True,
    page_keys=("title",),
    example={"selector": "main"},
)
async def page_content(tab: Tab, params: PageContent) -> Output:
    reading = await read_html(
        tab, selector=params.selector, ref=params.ref, outer=params.outer_html
    )
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
