"""Verbs that find elements: find, query_dom."""

from typing import Annotated, Any, Literal, NotRequired, TypedDict

from msgspec import Meta

from ocd.api.errors import OcdError
from ocd.browser.tabs.tab import Tab
from ocd.pages.locate import locators
from ocd.pages.locate.geometry import to_tab_boxes
from ocd.pages.locate.locators import Locator
from ocd.pages.locate.matches import Match
from ocd.pages.locate.wait import WaitPolicy, find_when_present
from ocd.pages.read.element_properties import Property, read_property
from ocd.safety.origins import text_source
from ocd.verb_api.declaration import UNLISTED, Output, Params, tab_verb
from ocd.verb_api.element_params import PollInterval, WaitForMs


class Find(Params):
    """Find elements by words

    Ranked lines with refs. Words match the name, text or label, the role ("save button"), and
    the row or section ("delete Bob"). Everything: read_page. By CSS or XPath: query_dom.
    """

    query: Annotated[str, Meta(min_length=1, max_length=500, description="Words")]
    limit: Annotated[
        int, Meta(ge=1, le=200, description="Max lines", extra_json_schema=UNLISTED)
    ] = 20
    wait_for_ms: WaitForMs = 3000
    poll_interval: PollInterval = None


class QueryDom(Params):
    """Get elements by CSS selector or XPath, or one property of an element

    For exact attributes and counts; by words: find. Returns `element` (null: none), or
    `elements` with multiple; each with ref, tag_name, id, class, attributes, text_content (200
    characters; `cut` if longer), is_visible, bounding_box {x, y, width, height}. Also searches
    frames and shadow trees. With get only one property, as `value`.
    """

    get: Annotated[
        Property | None,
        Meta(description="Only this property, of one element or of the page"),
    ] = None
    ref: Annotated[str | None, Meta(description="With get: ref of the element")] = None
    query: Annotated[str | None, Meta(description="With get: words for the element")] = None
    attribute: Annotated[
        Annotated[str, Meta(min_length=1, max_length=200)] | None,
        Meta(description="With get=attribute: its name"),
    ] = None

    method: Annotated[
        Literal["css", "xpath"] | None,
        Meta(extra_json_schema=UNLISTED, description="Default: by the other parameters"),
    ] = None
    selector: Annotated[str | None, Meta(description="CSS selector")] = None
    xpath: Annotated[str | None, Meta(description="XPath, instead of selector")] = None
    multiple: Annotated[
        bool | None,
        Meta(description="Return all matches; default: only the first, unless limit is given"),
    ] = None
    limit: Annotated[
        Annotated[int, Meta(ge=1, le=1000)] | None,
        Meta(description="Max elements; default: 50"),
    ] = None

    @property
    def many(self) -> bool:
        """Whether all matches are requested."""
        return self.limit is not None if self.multiple is None else self.multiple

    pierce_shadow: Annotated[
        bool,
        Meta(
            extra_json_schema=UNLISTED,
            description="Also search shadow trees and same-origin frames",
        ),
    ] = True


class FindResult(TypedDict):
    """The best matches, best first."""

    tab_id: str
    url: str
    count: int
    total: int
    refs: list[str]
    content: Annotated[str, Meta(description="One line per match")]
    hint: NotRequired[str]


@tab_verb(
    "find",
    Find,
    returns=FindResult,
    capability="core",
    tier=1,
    reads_page=True,
    reads=True,
    timeout_ms=40_000,
    example={"query": "sign in button"},
)
async def find(tab: Tab, params: Find) -> Output:
    tab.check_usable()

    async def search() -> tuple[list[Match], int] | None:
        found = await locators.search(tab, params.query, params.limit, whole_names_first=True)
        return found if found[0] else None

    policy = WaitPolicy.of(params.wait_for_ms, params.poll_interval)
    matches, total = await find_when_present(tab, policy, search) or ([], 0)
    data: dict[str, Any] = {
        "tab_id": tab.id, "url": tab.url, "count": len(matches), "total": total,
        "refs": [match.ref for match in matches],
    }  # fmt: skip
    if not matches:
        data["hint"] = "No match. Try other or fewer words, `read_page`, or `wait_for`."
    return Output(
        data=data,
        content="".join(f"- {match.line}\n" for match in matches),
        origin=text_source(tab.url),
    )


def _check_one_way(params: QueryDom) -> None:
    only_with_get = [name for name in ("ref", "query") if getattr(params, name) is not None]
    if only_with_get:
        raise OcdError(
            "invalid_argument", f"query_dom: {only_with_get[0]} needs get",
            hint="By words: `find`.", parameter=only_with_get[0],
        )  # fmt: skip
    locators = {"css": params.selector, "xpath": params.xpath}
    ways = [way for way, text in locators.items() if text is not None]
    if len(ways) != 1 or params.method not in (None, ways[0]):
        raise OcdError(
            "invalid_argument",
            "query_dom: give either selector (method css) or xpath (method xpath)",
            parameter="xpath" if params.method == "xpath" else "selector",
            expected=["selector", "xpath"],
        )


async def _get_property(tab: Tab, name: Property, params: QueryDom) -> Output:
    if (name == "attribute") != (params.attribute is not None):
        raise OcdError(
            "invalid_argument", "query_dom: get=attribute and attribute go together",
            parameter="attribute",
        )  # fmt: skip
    value, ref = await read_property(tab, name, Locator.of(params), params.attribute)
    found = {"ref": ref} if ref else {}
    data = {"action": "query_dom", "tab_id": tab.id, "url": tab.url, "get": name, **found}
    return Output(data={**data, "value": value}, origin=text_source(tab.url))


# One of its keys is a word of Python.
DomElement = TypedDict(
    "DomElement",
    {
        "ref": str, "tag_name": str, "id": str, "class": str, "attributes": dict[str, str],
        "text_content": str, "cut": NotRequired[bool], "is_visible": bool,
        "bounding_box": dict[str, float],
    },
)  # fmt: skip


class QueryDomResult(TypedDict):
    """The elements, or with get the property of one."""

    action: str
    tab_id: str
    url: str
    method: NotRequired[str]
    selector: NotRequired[str | None]
    xpath: NotRequired[str | None]
    multiple: NotRequired[bool]
    count: NotRequired[int]
    total: NotRequired[int]
    elements: NotRequired[list[DomElement]]
    element: NotRequired[DomElement | None]
    get: NotRequired[str]
    ref: NotRequired[str]
    value: NotRequired[Any]


@tab_verb(
    "query_dom",
    QueryDom,
    returns=QueryDomResult,
    capability="core",
    tier=3,
    large=True,
    reads=True,
    reads_page=True,
    page_keys=("attributes", "id", "class", "text_content", "value"),
    example={"selector": "a.title", "multiple": True},
)
async def query_dom(tab: Tab, params: QueryDom) -> Output:
    tab.check_usable()
    if params.get is not None:
        return await _get_property(tab, params.get, params)
    _check_one_way(params)
    limit = params.limit or 50 if params.many else 1
    options = {
        "selector": params.selector, "xpath": params.xpath, "limit": limit,
        "pierce": params.pierce_shadow,
    }  # fmt: skip
    found: list[dict[str, Any]] = []
    total = 0

    def take(result: dict[str, Any]) -> bool:
        nonlocal total
        found.extend(result["elements"])
        total += int(result["total"])
        return not params.many and bool(found)

    await locators.call_in_frames(tab, "queryDom", options, take)
    await to_tab_boxes(tab, found[:limit])
    way = "css" if params.selector is not None else "xpath"
    locator = {"selector": params.selector} if way == "css" else {"xpath": params.xpath}
    data: dict[str, Any] = {
        "action": "query_dom", "tab_id": tab.id, "url": tab.url, "method": way, **locator,
        "multiple": params.many, "count": len(found[:limit]), "total": total,
    }  # fmt: skip
    if params.many:
        data["elements"] = found[:limit]
    else:
        data["element"] = found[0] if found else None
    items = ("elements",) if params.many else None
    return Output(data=data, origin=text_source(tab.url), items=items)
