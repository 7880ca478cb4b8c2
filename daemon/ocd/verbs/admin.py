"""Verbs about the daemon itself."""

import asyncio
import time
from typing import Annotated, Any, Literal, NotRequired, TypedDict

from msgspec import Meta

from ocd.browser.process.chromium import Chromium
from ocd.browser.sessions.session import Sessions
from ocd.storage.journal import Journal
from ocd.verb_api.declaration import Output, Params, daemon_verb

# A browser that works answers within milliseconds, on a very busy machine within a second.
PING_S = 2.0


class ShowJournal(Params):
    """Show recent calls and events

    recent: a list of calls and events (for example, an output handle was created), newest last.
    summary: counts by tool and error. Arguments are redacted.
    """

    action: Annotated[
        Literal["recent", "summary"], Meta(description="recent: the last entries; summary: counts")
    ] = "recent"
    count: Annotated[int, Meta(ge=1, le=1000, description="recent: number of entries")] = 20


class JournalEntry(TypedDict):
    """A call (event is tool_call) or another event, with the keys of its kind."""

    event: str
    ts: Annotated[str, Meta(description="RFC 3339, UTC")]
    tool: NotRequired[str]
    session: NotRequired[str]
    client: NotRequired[Annotated[str, Meta(description="cli, mcp, python, http, …")]]
    tab_id: NotRequired[str | None]
    args: NotRequired[Annotated[Any, Meta(description="Its parameters, masked and cut")]]
    duration_ms: NotRequired[float]
    ok: NotRequired[bool]
    error: NotRequired[Annotated[str | None, Meta(description="Its code, or why it failed")]]
    call_id: NotRequired[str]
    handle: NotRequired[str]
    source_tool: NotRequired[str]
    size_bytes: NotRequired[int]
    mime_type: NotRequired[str]
    way: NotRequired[Annotated[str, Meta(description="How data was sent")]]
    target: NotRequired[str]
    after_reading: NotRequired[list[str]]
    decision: NotRequired[str]
    task_id: NotRequired[str]
    to: NotRequired[Annotated[str, Meta(description="The webhook's origin")]]
    delivered: NotRequired[bool]
    tries: NotRequired[int]
    approval: NotRequired[str]
    kind: NotRequired[Annotated[str, Meta(description="What the approval is about")]]
    asks: NotRequired[str]
    scope: NotRequired[str]
    by: NotRequired[str]
    method: NotRequired[Annotated[str, Meta(description="Of CDP")]]
    reason: NotRequired[str]
    holder: NotRequired[str]
    since: NotRequired[str]
    url: NotRequired[str]


class ToolTotals(TypedDict):
    """A tool's calls."""

    calls: int
    failed: int
    mean_ms: float | None


class JournalSummary(TypedDict):
    """Counts over the latest entries (at most 8 MB), and their period."""

    since: str | None
    until: str | None
    calls: int
    failed: int
    tools: dict[str, ToolTotals]
    errors: Annotated[dict[str, int], Meta(description="By code")]
    events: Annotated[dict[str, int], Meta(description="By kind of event")]


@daemon_verb(
    "oc_journal",
    ShowJournal,
    needs=Journal,
    returns=list[JournalEntry] | JournalSummary,
    capability="core",
    tier=3,
    large=True,
    reads=True,
    example={"action": "recent", "count": 20},
)
async def oc_journal(journal: Journal, params: ShowJournal) -> Output:
    if params.action == "summary":
        return Output(data=await asyncio.to_thread(journal.summary))
    return Output(data=await asyncio.to_thread(journal.recent, params.count), items=())


class ConnectionHealth(Params):
    """Report whether the browser is running and responding

    Does not start it: a stopped browser starts with the next call that needs one. answers is false
    if it is running but does not respond within 2 s.
    """


class ConnectionHealthResult(TypedDict):
    """The browser process, and whether it responds."""

    state: str
    pid: int | None
    version: str | None
    generation: Annotated[int, Meta(description="How often it was started")]
    answers: NotRequired[bool]
    ping_ms: NotRequired[float]
    memory_bytes: NotRequired[int | None]
    hint: NotRequired[str]


@daemon_verb(
    "oc_connection_health",
    ConnectionHealth,
    needs=Chromium,
    returns=ConnectionHealthResult,
    capability="core",
    tier=3,
    reads=True,
)
async def oc_connection_health(chromium: Chromium, _params: ConnectionHealth) -> Output:
    data: dict[str, Any] = {
        "state": chromium.state,
        "pid": chromium.pid,
        "version": chromium.version,
        "generation": chromium.generation,
    }
    if chromium.state == "running":
        data |= await _answers(chromium)
        data["memory_bytes"] = await asyncio.to_thread(chromium.memory_bytes)
    return Output(data=data)


async def _answers(chromium: Chromium) -> dict[str, Any]:
    """Say whether the browser answers, and after what time."""
    started = time.perf_counter()
    try:
        async with asyncio.timeout(PING_S):
            await chromium.connection.send("Browser.getVersion")
    except TimeoutError:
        hint = "Close it with `oc_stop`; the next call that needs a browser starts it again."
        return {"answers": False, "hint": hint}
    return {"answers": True, "ping_ms": round((time.perf_counter() - started) * 1000, 2)}


class Stop(Params):
    """Close all tabs of all sessions, and the browser

    The daemon stays: the next call starts the browser again. To stop the daemon: ocd stop.
    """


class StopResult(TypedDict):
    """What was closed."""

    closed_tabs: int
    browser: str


@daemon_verb("oc_stop", Stop, needs=Sessions, returns=StopResult, capability="core", tier=3)
async def oc_stop(sessions: Sessions, _params: Stop) -> Output:
    tabs = sessions.tab_count
    await sessions.close_all()
    await sessions.chromium.close()
    return Output(data={"closed_tabs": tabs, "browser": sessions.chromium.state})
