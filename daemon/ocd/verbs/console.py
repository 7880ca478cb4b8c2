"""The verb that reads a tab's console: console_capture."""

from typing import Annotated, Any, Literal, NotRequired, TypedDict

from msgspec import Meta

from ocd.api.timestamps import rfc3339
from ocd.browser.observe import console
from ocd.browser.observe.console import ConsoleMessage
from ocd.browser.observe.text_patterns import text_test
from ocd.browser.tabs.tab import Tab
from ocd.safety.redact import redact_text
from ocd.verb_api.declaration import UNLISTED, Output, Params, tab_verb


class ConsoleCapture(Params):
    """Read a tab's console messages and script errors

    Collected since the tab's creation, in all frames and workers; includes uncaught exceptions,
    CSP and network errors. start and stop limit what get returns.
    """

    action: Annotated[
        Literal["start", "stop", "get", "clear"], Meta(description="clear: discard the messages")
    ] = "get"
    filter: Annotated[
        list[str] | None,
        Meta(description="Types or sources: error, warning, info, log, debug, exception, network"),
    ] = None
    pattern: Annotated[str | None, Meta(description="Substring, glob or /regular expression/")] = (
        None
    )
    limit: Annotated[
        int, Meta(ge=0, description="Newest N; 0: all", extra_json_schema=UNLISTED)
    ] = 100
    max_logs: Annotated[
        int,
        Meta(
            extra_json_schema=UNLISTED,
            ge=1,
            le=50_000,
            description="start: number of messages to keep",
        ),
    ] = 1000


class LoggedMessage(TypedDict):
    """What was written to the console."""

    type: str
    source: str
    text: str
    count: Annotated[int, Meta(description="How often in a row")]
    first_timestamp: str
    last_timestamp: str
    location: NotRequired[Any]
    stack: NotRequired[Any]


class ConsoleStats(TypedDict):
    """Message counts."""

    total: int
    returned: int
    before_dedup: int
    dropped: int
    by_type: dict[str, int]


class ConsoleCaptureResult(TypedDict):
    """The messages, or the state of the capture."""

    action: str
    tab_id: str
    status: NotRequired[str]
    shows: NotRequired[str]
    logs: NotRequired[list[LoggedMessage]]
    stats: NotRequired[ConsoleStats]
    filter: NotRequired[list[str] | None]
    max_logs: NotRequired[int]
    captured_logs: NotRequired[int]
    duration_ms: NotRequired[float | None]
    cleared_count: NotRequired[int]


@tab_verb(
    "console_capture", ConsoleCapture,
    returns=ConsoleCaptureResult,
    capability="core", tier=2, large=True, leaves_dialog=True,
    only_watches=True, page_keys=("text", "stack", "location"),
    example={"filter": ["error"]},
)  # fmt: skip
async def console_capture(tab: Tab, params: ConsoleCapture) -> Output:
    result: dict[str, Any] = {"action": params.action, "tab_id": tab.id}
    match params.action:
        case "start":
            started = tab.console.start(params.filter or (), params.max_logs)
            result["status"] = "started" if started else "already_capturing"
            result |= {"filter": tab.console.types, "max_logs": tab.console.log.max_events}
        case "stop":
            ended = tab.console.stop()
            result["status"] = "stopped" if ended else "not_running"
            result |= {"captured_logs": len(tab.console.messages())}
            result |= {"duration_ms": tab.console.duration_ms}
        case "clear":
            result["cleared_count"] = tab.console.clear()
        case _:
            return Output(data=result | _logs(tab, params), origin=tab.url, items=("logs",))
    return Output(data=result)


def _logs(tab: Tab, params: ConsoleCapture) -> dict[str, Any]:
    matches = console.type_filter(params.filter or tab.console.types)
    found = [message for message in tab.console.messages() if matches(message)]
    if params.pattern:
        matches_pattern = text_test(params.pattern, "pattern")
        found = [message for message in found if matches_pattern(message.text)]
    merged = console.merge_repeats(found)
    latest = merged[-params.limit :] if params.limit else merged
    stats = {
        "total": len(merged), "returned": len(latest), "before_dedup": len(found),
        "dropped": tab.console.dropped, "by_type": console.by_type(found),
    }  # fmt: skip
    logs = [_message_to_dict(message) for message in latest]
    return {**_span(tab), "logs": logs, "stats": stats}


def _span(tab: Tab) -> dict[str, Any]:
    """Return which messages are shown: all there are, or those of a capture."""
    if tab.console.capture_start is None:
        return {"shows": "all messages since the tab was opened, or since clear"}
    running = tab.console.running
    return {
        "status": "running" if running else "stopped",
        "shows": f"messages from start {'on' if running else 'to stop'}",
        "duration_ms": tab.console.duration_ms,
    }


def _message_to_dict(message: ConsoleMessage) -> dict[str, Any]:
    result: dict[str, Any] = {
        "type": message.type, "source": message.source, "text": redact_text(message.text),
        "count": message.count, "first_timestamp": _time(message.at),
        "last_timestamp": _time(message.last),
    }  # fmt: skip
    result |= {"location": message.location} if message.location else {}
    return result | ({"stack": message.stack} if message.stack else {})


def _time(milliseconds: float) -> str:
    return rfc3339(milliseconds / 1000)
