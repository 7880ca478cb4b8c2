"""Verbs that open, close and list tabs; none of them waits for a page's script."""

import asyncio
from collections.abc import Iterable
from typing import Annotated, Any, NotRequired, TypedDict

from msgspec import Meta, field

from ocd.api.errors import OcdError
from ocd.api.tool_calls import tool_call
from ocd.browser.sessions.session import Session
from ocd.browser.tabs.tab import Tab
from ocd.oversight.leases import check_free, lease_of
from ocd.safety.domain_policy import parse_url_argument
from ocd.verb_api.declaration import SENDS_TO, UNLISTED, Output, Params, session_verb

WorkerId = Annotated[
    str | None, Meta(description="Isolated worker: its id or name", extra_json_schema=UNLISTED)
]


class TabReport(TypedDict):
    """A tab's current state."""

    tab_id: str
    url: str
    title: str
    dialog: NotRequired[Annotated[str, Meta(description="Message of the open dialog")]]
    held_by: NotRequired[Annotated[str, Meta(description="The person who holds it")]]
    worker_id: NotRequired[Annotated[str, Meta(description="The isolated worker it belongs to")]]


class TabsCreateResult(TabReport):
    """The tab that was opened."""


class TabsCreate(Params):
    """Open a new tab

    It becomes the latest tab, used by calls without `tab_id`.
    """

    url: Annotated[str, Meta(description="URL to open; default: an empty page", extra=SENDS_TO)] = (
        ""
    )
    worker_id: WorkerId = None


@session_verb(
    "tabs_create",
    TabsCreate,
    capability="core",
    tier=1,
    returns=TabsCreateResult,
    page_keys=("title",),
    example={"url": "https://example.com"},
)
async def tabs_create(session: Session, params: TabsCreate) -> Output:
    if params.url in ("back", "forward"):
        raise OcdError(
            "invalid_url", f"A new tab has no page to go {params.url} to.",
            hint=f"In an existing tab: {tool_call('navigate', url=params.url)}",
            url=params.url,
        )  # fmt: skip
    url = parse_url_argument(params.url) if params.url else None
    if params.worker_id:
        tab = await session.workers.open(session.workers.get(params.worker_id), url)
    else:
        tab = await session.new_tab(url)
    return Output(data=await _tab_to_dict(session, tab))


class TabsClose(Params):
    """Close tabs of this session

    Default: the latest one.
    """

    tab_id: Annotated[str | None, Meta(description="The tab to close, for example t1")] = None
    tab_ids: Annotated[
        list[str], Meta(description="Several tabs to close", extra_json_schema=UNLISTED)
    ] = field(default_factory=list)
    all: Annotated[bool, Meta(description="Close every tab of the session")] = False
    worker_id: WorkerId = None


class TabsCloseResult(TypedDict):
    """What was closed."""

    success: Annotated[bool, Meta(description="Whether every named tab is closed")]
    closed_count: int
    closed: Annotated[list[str], Meta(description="Their ids")]
    failed: Annotated[list[str], Meta(description="Ids that do not exist")]
    tab_count: Annotated[int, Meta(description="Tabs that the session still has")]
    message: str


@session_verb(
    "tabs_close",
    TabsClose,
    capability="core",
    tier=1,
    returns=TabsCloseResult,
    example={"tab_id": "t2"},
)
async def tabs_close(session: Session, params: TabsClose) -> Output:
    tab_ids = [*params.tab_ids, *([params.tab_id] if params.tab_id else [])]
    if params.all:
        tab_ids = [tab.id for tab in session.tabs]
    elif params.worker_id:
        tab_ids += [tab.id for tab in session.workers.tabs(session.workers.get(params.worker_id))]
    elif not tab_ids:
        tab_ids = [session.tab().id]
    known = {tab.id for tab in session.tabs}
    failed = [tab_id for tab_id in dict.fromkeys(tab_ids) if tab_id not in known]
    if failed and len(failed) == len(set(tab_ids)):
        session.tab(failed[0])  # says which tabs there are
    tabs = [session.tab(tab_id) for tab_id in dict.fromkeys(tab_ids) if tab_id in known]
    for tab in tabs:
        check_free(tab)
    async with asyncio.TaskGroup() as group:  # at once: each hung tab takes its half second
        for tab in tabs:
            group.create_task(tab.close())
    return Output(data={
        "success": not failed, "closed_count": len(tabs), "closed": [tab.id for tab in tabs],
        "failed": failed, "tab_count": len(session.tabs),
        "message": f"Closed {len(tabs)} of {len(tabs) + len(failed)}",
    })  # fmt: skip


class TabsContext(Params):
    """List the session's open tabs"""

    tab_id: Annotated[
        str | None, Meta(description="Make this one the latest tab", extra_json_schema=UNLISTED)
    ] = None
    summary: Annotated[
        bool, Meta(description="Only the number of tabs", extra_json_schema=UNLISTED)
    ] = False
    worker_id: WorkerId = None


class TabsContextResult(TypedDict):
    """The session's tabs."""

    session: str
    current: Annotated[str | None, Meta(description="The tab that calls without tab_id use")]
    tab_count: int
    worker_count: Annotated[int, Meta(description="Isolated workers of the session")]
    init_scripts: NotRequired[Annotated[int, Meta(description="Init scripts of the session")]]
    tabs: NotRequired[Annotated[list[TabReport], Meta(description="Not with summary")]]


@session_verb(
    "tabs_context", TabsContext, capability="core", tier=1, reads=True, page_keys=("title",),
    returns=TabsContextResult,
)  # fmt: skip
async def tabs_context(session: Session, params: TabsContext) -> Output:
    if params.tab_id:
        session.tab(params.tab_id)
    tabs = session.tabs
    if params.worker_id:
        tabs = session.workers.tabs(session.workers.get(params.worker_id))
    listed = [] if params.summary else await _list_tabs(session, tabs)
    current = session.latest.id if session.latest else None
    data: dict[str, Any] = {
        "session": session.name, "current": current,
        "tab_count": len(tabs if params.summary else listed),
        "worker_count": len(session.workers),
    }  # fmt: skip
    if session.init_scripts:
        data["init_scripts"] = len(session.init_scripts)
    return Output(data=data if params.summary else {**data, "tabs": listed})


async def _list_tabs(session: Session, tabs: Iterable[Tab]) -> list[dict[str, Any]]:
    """Describe the tabs, except those that close meanwhile."""
    listed: list[dict[str, Any]] = []
    for tab in tabs:
        try:
            listed.append(await _tab_to_dict(session, tab))
        except OcdError as error:
            if error.code != "tab_gone":
                raise
    return listed


async def _tab_to_dict(session: Session, tab: Tab) -> dict[str, Any]:
    more = {"dialog": tab.opened_dialog.message} if tab.opened_dialog else {}
    if lease := lease_of(tab):
        more["held_by"] = lease.holder
    if worker := session.workers.owner(tab):
        more["worker_id"] = worker.id
    return {"tab_id": tab.id, "url": tab.url, "title": await tab.title(), **more}
