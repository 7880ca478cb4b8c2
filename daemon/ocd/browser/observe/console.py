"""The console messages of a tab's pages, from the tab's creation on."""

import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import msgspec
from msgspec import Raw

from ocd.browser.cdp.connection import CdpSession
from ocd.browser.cdp.event_log import EventLog, RawEvent
from ocd.browser.cdp.messages import decode_params
from ocd.browser.observe.remote_objects import format_arguments

_CALL = "Runtime.consoleAPICalled"
_THROWN = "Runtime.exceptionThrown"
_LOGGED = "Log.entryAdded"
MAX_MESSAGES = 1000
MAX_BYTES = 1 << 20
# Logged objects stay alive in the page until released: after this many, they are.
_RELEASE_AFTER = 500
_MAX_EVENT_BYTES = 64 << 10
# Runs of this many equal lines or more become one entry.
_MIN_RUN = 3
_NEVER_MERGED = ("error", "warning")
_FRAMES = 10

_TYPES = {"startGroup": "group", "startGroupCollapsed": "group", "verbose": "debug"}
_WITH_STACK = ("error", "warning", "trace", "assert")


@dataclass(slots=True)
class ConsoleMessage:
    """A console entry: its type, source, and time (milliseconds since 1970).

    source: console, exception, or Chromium's own term (network, security, violation, ...).
    location: url, line and column (from 1), function.
    """

    type: str
    source: str
    text: str
    at: float
    last: float
    count: int = 1
    location: dict[str, Any] = field(default_factory=dict)
    stack: list[str] = field(default_factory=list)


class Console:
    """A tab's console; `capture_start` and `capture_end` are positions in its log."""

    def __init__(self) -> None:
        self.log = EventLog(MAX_MESSAGES, MAX_BYTES)
        self.capture_start: int | None = None
        self.capture_end: int | None = None
        self.types: list[str] = []
        self.capture_started_at = self.capture_stopped_at = 0.0
        self._cleared = 0
        self._objects = 0

    def watch(self, session: CdpSession) -> None:
        """Listen to a new target before it runs anything."""

        def on_event(method: str, params: Raw) -> None:
            self._on_event(session, method, params)

        session.tap(on_event, (_CALL, _THROWN, _LOGGED))
        session.send_nowait("Runtime.enable")
        session.send_nowait("Log.enable")

    def _on_event(self, session: CdpSession, method: str, params: Raw) -> None:
        data = bytes(params)
        if len(data) > _MAX_EVENT_BYTES:
            # One message must not use up all the space.
            params = Raw(msgspec.json.encode(_truncate_strings(msgspec.json.decode(data))))
        self.log.add(RawEvent(method, params, session))
        if b'"objectId"' in data:
            self._objects += 1
            if self._objects % _RELEASE_AFTER == 0:
                session.send_nowait("Runtime.releaseObjectGroup", {"objectGroup": "console"})

    def start(self, types: Iterable[str], max_messages: int) -> bool:
        """Start a capture; return False if one is already running."""
        if self.running:
            return False
        self.log.max_events = max_messages
        self.log.max_bytes = max(MAX_BYTES, min(max_messages, 10_000) * 1024)
        self.capture_start, self.capture_end = self.log.end, None
        self.capture_started_at = time.monotonic()
        self.types = list(types)
        return True

    def stop(self) -> bool:
        """End the capture; return whether one was running."""
        if not self.running:
            return False
        self.capture_end = self.log.end
        self.capture_stopped_at = time.monotonic()
        return True

    @property
    def running(self) -> bool:
        """Whether a capture is running."""
        return self.capture_start is not None and self.capture_end is None

    @property
    def duration_ms(self) -> int:
        """How long the capture has run or ran."""
        if self.capture_start is None:
            return 0
        end = time.monotonic() if self.capture_end is None else self.capture_stopped_at
        return round((end - self.capture_started_at) * 1000)

    def clear(self) -> int:
        """Clear the messages; return how many there were."""
        count = self.log.end - max(self.log.start, self._cleared)
        self.log.clear()
        self._cleared = self.log.end
        if self.capture_start is not None:
            self.capture_start = self.log.end
            self.capture_end = None if self.capture_end is None else self.log.end
        return count

    @property
    def dropped(self) -> int:
        """How many of the capture's messages were dropped for lack of space."""
        return max(0, self.log.start - self._from)

    @property
    def _from(self) -> int:
        return max(self._cleared, self.capture_start or 0)

    def since(self, place: int) -> list[ConsoleMessage]:
        """Return the messages from that position of the log on, with or without a capture."""
        messages = (_message(event) for _, event in self.log.since(place))
        return [message for message in messages if message is not None]

    def all_messages(self) -> tuple[list[ConsoleMessage], int]:
        """Return all messages since the last `clear`, and how many more were dropped."""
        return self.since(self._cleared), max(0, self.log.start - self._cleared)

    def messages(self) -> list[ConsoleMessage]:
        """Return the capture's messages, or all messages if there was no capture; oldest first."""
        end = self.log.end if self.capture_end is None else self.capture_end
        events = [event for place, event in self.log.since(self._from) if place < end]
        messages = (_message(event) for event in events)
        return [message for message in messages if message is not None]


def type_filter(types: Iterable[str]) -> Callable[[ConsoleMessage], bool]:
    """Return a test of a message's type or source; common aliases are accepted."""
    words = {_canonical_type(word) for word in types}
    return lambda message: not words or message.type in words or message.source in words


def _canonical_type(word: str) -> str:
    lowered = word.lower()
    names = {
        "warn": "warning",
        "exceptions": "exception",
        "verbose": "debug",
        "pageerror": "exception",
    }
    return names.get(lowered, lowered)


def merge_repeats(messages: Iterable[ConsoleMessage]) -> list[ConsoleMessage]:
    """Merge runs of three or more identical messages into one; errors are never merged."""
    result: list[ConsoleMessage] = []
    run: list[ConsoleMessage] = []
    for message in messages:
        if run and _is_repeat(run[-1], message):
            run.append(message)
            continue
        result += _merge_run(run)
        run = [message]
    return result + _merge_run(run)


def _is_repeat(message: ConsoleMessage, other: ConsoleMessage) -> bool:
    is_same = (message.type, message.source, message.text) == (other.type, other.source, other.text)
    return is_same and message.type not in _NEVER_MERGED


def _merge_run(run: list[ConsoleMessage]) -> list[ConsoleMessage]:
    if len(run) < _MIN_RUN:
        return run
    run[0].count, run[0].last = len(run), run[-1].last
    return run[:1]


def by_type(messages: Iterable[ConsoleMessage]) -> dict[str, int]:
    """Return the number of messages of each type."""
    return dict(Counter(message.type for message in messages))


# --- from CDP's events -------------------------------------------------------------------------


def _message(event: RawEvent) -> ConsoleMessage | None:
    params = decode_params(event.params)
    if event.method == _CALL:
        return _message_of_call(params)
    if event.method == _THROWN:
        return _message_of_exception(params)
    return _message_of_log_entry(params["entry"])


def _message_of_call(params: dict[str, Any]) -> ConsoleMessage:
    kind = _level_of(params["type"])
    kind = "error" if kind == "assert" else kind
    frames = params.get("stackTrace", {}).get("callFrames", [])
    message = ConsoleMessage(
        kind, "console", format_arguments(params["args"]), params["timestamp"], params["timestamp"]
    )
    message.location = _location(frames[0]) if frames else {}
    if params["type"] in _WITH_STACK:
        message.stack = [_stack_line(frame) for frame in frames[:_FRAMES]]
    return message


def _message_of_exception(params: dict[str, Any]) -> ConsoleMessage:
    details = params["exceptionDetails"]
    thrown = details.get("exception", {})
    description = thrown.get("description") or (format_arguments([thrown]) if thrown else "")
    frames = details.get("stackTrace", {}).get("callFrames", [])
    timestamp = params["timestamp"]
    message = ConsoleMessage(
        "error", "exception", f"{details['text']} {description}".strip(), timestamp, timestamp
    )
    position = {"functionName": "", "url": details.get("url", ""), **details}
    message.location = _location(frames[0] if frames else position)
    message.stack = [_stack_line(frame) for frame in frames[:_FRAMES]]
    return message


def _message_of_log_entry(entry: dict[str, Any]) -> ConsoleMessage | None:
    # A worker's messages come from the worker itself.
    if entry["source"] == "worker":
        return None
    kind = _level_of(entry["level"])
    timestamp = entry["timestamp"]
    message = ConsoleMessage(kind, entry["source"], entry["text"], timestamp, timestamp)
    if entry.get("url"):
        message.location = {"url": entry["url"]}
        if "lineNumber" in entry:
            message.location["line"] = entry["lineNumber"] + 1
    return message


def _level_of(word: str) -> str:
    return _TYPES.get(word, word)


def _location(frame: dict[str, Any]) -> dict[str, Any]:
    location = {
        "url": frame["url"],
        "line": frame["lineNumber"] + 1,
        "column": frame["columnNumber"] + 1,
    }
    return location | ({"function": frame["functionName"]} if frame.get("functionName") else {})


def _stack_line(frame: dict[str, Any]) -> str:
    place = f"{frame['url']}:{frame['lineNumber'] + 1}:{frame['columnNumber'] + 1}"
    return f"{frame['functionName']} ({place})" if frame["functionName"] else place


def _truncate_strings(value: object) -> object:
    if isinstance(value, str) and len(value) > 10_000:
        return f"{value[:10_000]}… ({len(value)} characters)"
    if isinstance(value, dict):
        return {key: _truncate_strings(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_truncate_strings(item) for item in value[:100]]
    return value
