"""The verb that lists interactive elements: oc_observe."""

from typing import Annotated, Any, Literal, NotRequired, TypedDict

from msgspec import Meta

from ocd.api.timestamps import now
from ocd.browser.tabs.tab import Tab
from ocd.pages.read.interactive_elements import observe
from ocd.verb_api.declaration import UNLISTED, Output, Params, tab_verb

Action = Literal["click", "fill", "select", "hover", "focus"]


class OcObserve(Params):
    """List interactive elements with refs, roles, names and boxes

    For layouts; for refs alone, find and read_page are shorter. Includes frames and shadow trees.
    bbox is in CSS pixels of the viewport. More than `limit`: pass `next_offset` as `offset`.
    """

    scope: Annotated[
        Literal["viewport", "document"], Meta(description="The visible part, or the whole page")
    ] = "viewport"
    actions: Annotated[
        list[Action] | None, Meta(description="Only elements that take one of these actions")
    ] = None
    include_hidden: Annotated[
        bool, Meta(extra_json_schema=UNLISTED, description="Include controls that are not shown")
    ] = False
    offset: Annotated[int, Meta(ge=0, description="First node to return")] = 0
    limit: Annotated[int, Meta(ge=1, le=1000, description="Max nodes")] = 200


class Box(TypedDict):
    """A rectangle in CSS pixels of the viewport."""

    x: float
    y: float
    w: float
    h: float


class WindowSize(TypedDict):
    """CSS pixels."""

    w: float
    h: float


class ObservedElement(TypedDict):
    """An element that can be acted on."""

    index: int
    ref: str
    role: str
    name: str
    bbox: Box
    in_viewport: bool
    actions: list[str]
    value: NotRequired[Any]
    states: NotRequired[Annotated[str, Meta(description="For example checked, focused")]]
    hidden: NotRequired[bool]
    covered: NotRequired[bool]


class ObserveResult(TypedDict):
    """The interactive elements."""

    tab_id: str
    url: str
    loader_id: str
    captured_at: str
    scope: str
    viewport: WindowSize
    total_considered: int
    total: int
    next_offset: int | None
    nodes: list[ObservedElement]
    frames_not_read: NotRequired[Any]
    next_step: NotRequired[dict[str, Any]]


@tab_verb(
    "oc_observe",
    OcObserve,
    returns=ObserveResult,
    capability="core",
    tier=3,
    large=True,
    items=("nodes",),
    reads=True,
    reads_page=True,
    page_keys=("name", "value"),
    example={"limit": 50},
)
async def oc_observe(tab: Tab, params: OcObserve) -> Output:
    options = {
        "scope": params.scope, "actions": params.actions or [], "hidden": params.include_hidden,
    }  # fmt: skip
    observation = await observe(tab, options, offset=params.offset, limit=params.limit)
    nodes = [{"index": params.offset + at, **node} for at, node in enumerate(observation.nodes)]
    end = params.offset + len(nodes)
    data: dict[str, Any] = {
        "tab_id": tab.id, "url": tab.url, "loader_id": tab.main_frame.loader_id,
        "captured_at": now(),
        "scope": params.scope, "viewport": {"w": observation.size[0], "h": observation.size[1]},
        "total_considered": observation.considered, "total": observation.total,
        "next_offset": end if nodes and end < observation.total else None, "nodes": nodes,
    }  # fmt: skip
    if observation.left_out:
        data["frames_not_read"] = observation.left_out
    return Output(data=data, origin=tab.origin)
