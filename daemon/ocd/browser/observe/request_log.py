"""The network requests of a tab's pages and workers, from the tab's creation on."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import msgspec
from msgspec import Raw

from ocd.api.errors import OcdError
from ocd.api.spelling import truncate
from ocd.api.tool_calls import tool_call
from ocd.browser.cdp.connection import CdpSession
from ocd.browser.cdp.event_log import EventLog, RawEvent
from ocd.browser.observe import requests as observe_requests
from ocd.browser.observe.requests import NetworkRequest
from ocd.browser.observe.response_bodies import MAX_TOTAL, BodyCollector, ResponseBody

# A request has four to six events of about a kilobyte.
MAX_EVENTS = 12_000
MAX_BYTES = 4 << 20
CAPTURE_BYTES = 32 << 20
_EVENTS_EACH = 6
_MAX_EVENT_BYTES = 64 << 10
_MAX_STRING = 4096
# Keeps bodies outside the renderer, so that they can be fetched while the page is left.
# A Chromium without it keeps them for as long as it keeps the page.
_DURABLE = "Network.configureDurableMessages"
_DURABLE_BYTES = {"maxTotalBufferSize": MAX_TOTAL, "maxResourceBufferSize": 5 << 20}
_BEGINNINGS = (observe_requests.SENT, observe_requests.SOCKET)


@dataclass(slots=True)
class Capture:
    """A capture of network requests: those between its start and end that pass its filter."""

    mode: str
    start: int
    fits: Callable[[NetworkRequest], bool]
    max_entries: int
    body_collector: BodyCollector | None = None
    began: float = field(default_factory=time.monotonic)
    ended: float | None = None
    end: int | None = None

    @property
    def duration_ms(self) -> int:
        """How long it has run or ran."""
        return round(((self.ended or time.monotonic()) - self.began) * 1000)


class RequestLog:
    """A tab's requests; `conditions` is the throttling in force, if any.

    allows: returns whether the domain policy lets a page load a URL. last_call_at: when the last
    verb that acts on the tab began, in seconds since 1970.
    """

    def __init__(self, allows: Callable[[str], bool]) -> None:
        self._allows = allows
        self.log = EventLog(MAX_EVENTS, MAX_BYTES)
        self.capture: Capture | None = None
        self.conditions: dict[str, Any] | None = None
        self.last_call_at: float | None = None
        self._count = 0
        self._cleared = 0
        self._sessions: list[CdpSession] = []

    def watch(self, session: CdpSession) -> None:
        """Listen to a new target before its first request; its domain is already enabled."""

        def on_event(method: str, params: Raw) -> None:
            self._on_event(session, method, params)

        session.tap(on_event, observe_requests.METHODS)
        self._sessions.append(session)
        session.on("disconnected", lambda: self._sessions.remove(session))
        if self.conditions is not None:
            session.send_nowait("Network.emulateNetworkConditions", self.conditions)
        if self._keeps:
            session.send_nowait(_DURABLE, _DURABLE_BYTES)

    @property
    def _keeps(self) -> bool:
        return self.capture is not None and bool(
            self.capture.body_collector and self.capture.body_collector.running
        )

    def _on_event(self, session: CdpSession, method: str, params: Raw) -> None:
        if method in _BEGINNINGS:
            self._count += 1
        if len(params) > _MAX_EVENT_BYTES:
            params = _truncate_event(params)
        event = RawEvent(method, params, session)
        self.log.add(event)
        if self.capture is not None and self.capture.body_collector is not None:
            self.capture.body_collector.on_event(event)

    # Reading

    def requests(self, start: int = 0, end: int | None = None) -> list[NetworkRequest]:
        """Return the requests started between two positions of the log, oldest first."""
        events = list(self.log.since())
        logged = sum(1 for _, event in events if event.method in _BEGINNINGS)
        requests = observe_requests.fold_events(events, self._count - logged + 1)
        for request in requests:
            # Chromium's network refused it, but reports a failed proxy or an unknown host.
            if request.type == "WebSocket" and request.error and not self._allows(request.url):
                request.blocked = "domain-policy"
        return [
            request
            for request in requests
            if request.place >= start and (end is None or request.place < end)
        ]

    @property
    def dropped(self) -> int:
        """How many requests were dropped for lack of space since the log was last cleared."""
        logged = sum(1 for _, event in self.log.since() if event.method in _BEGINNINGS)
        return self._count - self._cleared - logged

    def find(self, request_id: str) -> NetworkRequest:
        """Return the request with that id (r12); not_found says whether it was dropped."""
        for request in self.requests():
            if request.id == request_id:
                return request
        number = request_id.removeprefix("r")
        was_seen = number.isdecimal() and len(number) < 20 and 0 < int(number) <= self._count
        reason = "is no longer kept" if was_seen else "is unknown"
        raise OcdError(
            "not_found", f"The request {request_id} {reason}.",
            hint=f"List them: {tool_call('network', action='list')}", id=request_id,
        )  # fmt: skip

    def clear(self) -> int:
        """Clear the requests; return how many there were."""
        count = self._count - self._cleared
        self.log.clear()
        self._cleared = self._count
        return count

    # Throttling

    async def throttle(self, conditions: dict[str, Any] | None) -> None:
        """Throttle the tab's requests with CDP's network conditions; None ends throttling."""
        self.conditions = conditions
        unthrottled = {
            "offline": False,
            "latency": 0,
            "downloadThroughput": -1,
            "uploadThroughput": -1,
        }
        for session in list(self._sessions):
            await session.send("Network.emulateNetworkConditions", conditions or unthrottled)

    def apply_again(self) -> None:
        """Throttle again, after another program has set other conditions."""
        if self.conditions is not None:
            for session in list(self._sessions):
                session.send_nowait("Network.emulateNetworkConditions", self.conditions)

    # Captures

    def start(self, capture: Capture) -> None:
        """Start a capture; already_capturing if one is running."""
        running = self.capture
        if running is not None and running.end is None:
            raise OcdError(
                "already_capturing", f"A {running.mode} capture is already running in this tab.",
                hint=f'Stop it first: network_capture_{running.mode} with action "stop".',
                mode=running.mode,
            )  # fmt: skip
        self.log.max_events = max(MAX_EVENTS, capture.max_entries * _EVENTS_EACH)
        self.log.max_bytes = CAPTURE_BYTES
        self.capture = capture
        if self._keeps:
            for session in self._sessions:
                session.send_nowait(_DURABLE, _DURABLE_BYTES)

    def stop(self, mode: str) -> Capture:
        """End the running capture; not_running, mode_mismatch."""
        capture = self.current_capture(mode)
        if capture.end is not None:
            raise _not_running(mode)
        capture.end, capture.ended = self.log.end, time.monotonic()
        if self._keeps and capture.body_collector is not None:
            capture.body_collector.running = False
            for session in self._sessions:
                session.send_nowait(_DURABLE)
        return capture

    def current_capture(self, mode: str) -> Capture:
        """Return the running or the latest capture; raises not_running, mode_mismatch."""
        if self.capture is None:
            raise _not_running(mode)
        if self.capture.mode != mode:
            raise OcdError(
                "mode_mismatch", f"This tab's capture is of mode {self.capture.mode}, not {mode}.",
                hint=f"Use network_capture_{self.capture.mode}.", mode=self.capture.mode,
            )  # fmt: skip
        return self.capture

    def of_capture(self, capture: Capture) -> tuple[list[NetworkRequest], int]:
        """Return the capture's newest requests, up to its limit, and how many more there were."""
        matching = [
            request
            for request in self.requests(capture.start, capture.end)
            if capture.fits(request)
        ]
        newest = matching[-capture.max_entries :]
        return newest, len(matching) - len(newest)

    async def body(self, request: NetworkRequest, max_bytes: int) -> ResponseBody:
        """Return a response's body, collected already or fetched from Chromium now."""
        body_collector = self.capture.body_collector if self.capture else None
        collected = body_collector.of(request) if body_collector else None
        return collected or await ResponseBody.fetch(request, max_bytes)

    async def request_body(self, request: NetworkRequest, max_bytes: int) -> str | None:
        """Return a request's body that its event did not include; None if Chromium dropped it."""
        try:
            params = {"requestId": request.request_id}
            reply = await request.session.send("Network.getRequestPostData", params)
        except OcdError as error:
            if error.code not in ("cdp_error", "tab_gone"):
                raise
            return None
        return str(reply["postData"])[:max_bytes]


def _not_running(mode: str) -> OcdError:
    return OcdError(
        "not_running", "No capture is running in this tab.",
        hint=f'Start one: network_capture_{mode} with action "start".',
    )  # fmt: skip


def _truncate_event(params: Raw) -> Raw:
    """Return a huge event with its long texts cut: data: URLs, posted data."""
    event = msgspec.json.decode(params)
    if "request" in event:
        event["request"].pop("postDataEntries", None)
        event["request"]["hasPostData"] = bool(event["request"].pop("postData", None))
    event.get("initiator", {}).pop("stack", None)
    return Raw(msgspec.json.encode(_truncate_strings(event)))


def _truncate_strings(value: object) -> object:
    if isinstance(value, str):
        return truncate(value, _MAX_STRING)
    if isinstance(value, dict):
        return {key: _truncate_strings(item) for key, item in value.items()}
    return value
