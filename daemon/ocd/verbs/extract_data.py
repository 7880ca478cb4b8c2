"""The verb that extracts structured data from a page: extract_data."""

import asyncio
from typing import Annotated, Any, NotRequired, TypedDict

from msgspec import Meta

from ocd.browser.tabs.tab import Tab
from ocd.extraction.node_tree import PageCapture
from ocd.pages.read.extraction_capture import capture_page
from ocd.verb_api.declaration import PAYLOAD, UNLISTED, Output, Params, tab_verb

MAX_ITEMS = 10_000


class ExtractData(Params):
    """Extract data from the page in the shape of a JSON schema

    For products, prices, tables and lists, from JSON-LD, microdata, tables, labels and repeated
    cards; no model is used. Numbers, dates and URLs get the declared types; reports confidence
    per field and what is missing. Without schema: the page's structured data.
    """

    schema: Annotated[
        dict[str, Any] | None,
        Meta(
            description='JSON schema: {"properties": {"price": {"type": "number"}}, "required"?}',
            extra=PAYLOAD,
        ),
    ] = None
    selector: Annotated[
        str | None,
        Meta(description="Only inside its first match; with multiple: inside each"),
    ] = None
    multiple: Annotated[bool, Meta(description="An object per row, card or match, as `items`")] = (
        False
    )
    offset: Annotated[
        int, Meta(ge=0, description="multiple: first item to return", extra_json_schema=UNLISTED)
    ] = 0
    limit: Annotated[
        int, Meta(ge=1, le=MAX_ITEMS, description="multiple: max items", extra_json_schema=UNLISTED)
    ] = 1000


class ExtractDataResult(TypedDict):
    """The extracted values: `data` for one record, `items` for several."""

    action: str
    tab_id: str
    url: str
    message: str
    data: NotRequired[Annotated[dict[str, Any], Meta(description="By the names of the schema")]]
    items: NotRequired[list[dict[str, Any]]]
    count: NotRequired[int]
    total: NotRequired[int]
    next_offset: NotRequired[int | None]
    fields_found: NotRequired[int]
    fields_total: NotRequired[int]
    fields_missing: NotRequired[list[str]]
    required_missing: NotRequired[list[str]]
    incomplete_items: NotRequired[
        Annotated[dict[str, int], Meta(description="Items without a required field")]
    ]
    strategies: NotRequired[Annotated[dict[str, Any], Meta(description="How it was found")]]
    sources: NotRequired[Annotated[dict[str, Any], Meta(description="Where it was found")]]
    source: NotRequired[Any]
    confidence: NotRequired[Any]
    validation_errors: NotRequired[list[Any]]
    incomplete: NotRequired[Annotated[str, Meta(description="Why the search was incomplete")]]
    next_step: NotRequired[dict[str, Any]]


@tab_verb(
    "extract_data",
    ExtractData,
    returns=ExtractDataResult,
    capability="core",
    tier=2,
    large=True,
    reads=True,
    reads_page=True,
    page_keys=("data", "items", "sources", "validation_errors"),
    removed_params={
        "instruction": "Leave it out, and name the fields in schema: no model is used."
    },
    example={
        "schema": {"properties": {"name": {"type": "string"}, "price": {"type": "number"}}},
        "multiple": True,
    },
)
async def extract_data(tab: Tab, params: ExtractData) -> Output:
    from ocd.extraction.schema import read_schema  # few calls need the vocabulary

    field = read_schema(params.schema) if params.schema is not None else None
    several = params.multiple or (field is not None and field.kind == "array")
    found = await capture_page(tab, params.selector, MAX_ITEMS if several else 1)
    data = await asyncio.to_thread(_extract, found, field, params, several)
    about = {"action": "extract_data", "tab_id": tab.id, "url": tab.url}
    if found.cut:
        data["incomplete"] = "The page is too large to be searched completely; pass a selector."
    items = ("items",) if "items" in data else None
    return Output(data={**about, **data}, origin=tab.origin, items=items)


def _extract(found: PageCapture, field: Any, params: ExtractData, several: bool) -> dict[str, Any]:  # noqa: ANN401
    from ocd.extraction import results

    page = params.selector is None
    if field is None:
        return results.everything(found, page=page)
    if several:
        return results.many(found, field, page=page, offset=params.offset, limit=params.limit)
    return results.one(found, field, page=page)
