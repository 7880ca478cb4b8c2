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


@daemon_verb(
    "oc_journal",
    ShowJournal,
    needs=Journal,
    returns=list[dict[str, Any]] | dict[str, Any],
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
    """The browser's process, and whether it answers."""

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
