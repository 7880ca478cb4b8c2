"""Verbs that read stored outputs; they are always available."""

from typing import Annotated, Any, Literal, NotRequired, TypedDict

from msgspec import Meta

from ocd.outputs.store import OutputStore
from ocd.verb_api.declaration import UNLISTED, Output, Params, daemon_verb

Handle = Annotated[str, Meta(description="The handle: oh_ and 12 characters")]


class OutputFetch(Params):
    """Read a stored output in pages

    Continue with offset = next_offset until eof. To find something in it: oc_output_search.
    """

    output_handle: Handle
    offset: Annotated[int, Meta(ge=0, description="First item, or first byte")] = 0
    limit: Annotated[
        Annotated[int, Meta(ge=1)] | None,
        Meta(description="Default: 200 items or 65536 bytes"),
    ] = None
    format: Annotated[
        Literal["auto", "items", "text", "bytes"],
        Meta(description="items of a JSON list; text; bytes: base64 (offsets of both in bytes)"),
    ] = "auto"


class OutputFetchResult(TypedDict):
    """A part of the output."""

    output_handle: str
    offset: int
    limit: int
    returned: int
    total: int
    next_offset: int | None
    content: Annotated[Any, Meta(description="bytes: base64. text: a string. items: a list")]
    eof: bool
    format: str


@daemon_verb(
    "oc_output_fetch",
    OutputFetch,
    needs=OutputStore,
    returns=OutputFetchResult,
    capability="core",
    tier=1,
    reads=True,
    page_keys=("content",),
    verbatim=True,
    example={"output_handle": "oh_ABCDEFGH2345", "offset": 200},
)
async def oc_output_fetch(store: OutputStore, params: OutputFetch) -> Output:
    page = await store.fetch(params.output_handle, params.offset, params.limit, params.format)
    return Output(data=page, origins=await store.origins(params.output_handle))


class OutputSearch(Params):
    """Search a stored output with a regular expression

    Each match has its offset, its line or item and a short excerpt.
    """

    output_handle: Handle
    pattern: Annotated[
        str,
        Meta(min_length=1, max_length=1000, description="RE2 syntax; (?i) ignores case"),
    ]
    limit: Annotated[
        int, Meta(ge=1, le=200, description="Max matches", extra_json_schema=UNLISTED)
    ] = 20
    context: Annotated[
        int,
        Meta(
            ge=0,
            le=10,
            description="text: lines before and after a match",
            extra_json_schema=UNLISTED,
        ),
    ] = 2


class OutputMatch(TypedDict):
    """Where the pattern matches."""

    offset: Annotated[int, Meta(description="Its first byte")]
    line: NotRequired[Annotated[int, Meta(description="Of a text: the line's number")]]
    item: NotRequired[Annotated[int | None, Meta(description="Of a list: the item's number")]]
    text: str
    before: Annotated[list[str], Meta(description="Lines before it")]
    after: list[str]


class OutputSearchResult(TypedDict):
    """The matches."""

    output_handle: str
    pattern: str
    matches: list[OutputMatch]
    returned: int
    truncated: bool
    stopped_by: Annotated[
        str | None, Meta(description="Why matches are missing: limit, size, time")
    ]
    next_step: Annotated[
        dict[str, Any] | None,
        Meta(description="The fetch that shows the first match in context"),
    ]


@daemon_verb(
    "oc_output_search",
    OutputSearch,
    needs=OutputStore,
    returns=OutputSearchResult,
    capability="core",
    tier=1,
    reads=True,
    page_keys=("matches",),
    verbatim=True,
    example={"output_handle": "oh_ABCDEFGH2345", "pattern": "(?i)price: \\d+"},
)
async def oc_output_search(store: OutputStore, params: OutputSearch) -> Output:
    found = await store.search(params.output_handle, params.pattern, params.limit, params.context)
    return Output(data=found, origins=await store.origins(params.output_handle))
