"""What a tab's pages and workers ask the network for, from the tab's creation on."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import msgspec
from msgspec import Raw

from ocd.api.errors import OcdError
from ocd.browser.cdp.connection import CdpSession
from ocd.browser.cdp.event_log import EventLog, RawEvent
from ocd.browser.observe import requests as observe_requests
from ocd.browser.observe.requests import NetworkRequest
from ocd.browser.observe.response_bodies import MAX_TOTAL, BodyCollector, ResponseBody

# A request is four to six events of about a kilobyte.
MAX_EVENTS = 12_000
MAX_BYTES = 4 << 20
CAPTURE_BYTES = 32 << 20
_EVENTS_EACH = 6
_MAX_EVENT_BYTES = 64 << 10
_MAX_STRING = 4096
# Keeps bodies outside of the renderer: those that are asked for while the page is left come, too.
# A Chromium that does not know it keeps them for as long as it keeps the page.
_DURABLE = "Network.configureDurableMessages"
_DURABLE_BYTES = {"maxTotalBufferSize": MAX_TOTAL, "maxResourceBufferSize": 5 << 20}
_BEGINNINGS = (observe_requests.SENT, observe_requests.SOCKET)


@dataclass(slots=True)
class Capture:
    """A span of the traffic that somebody asked for: its requests, from start to end."""

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
    """A tab's requests; `conditions` is the throttling in force, None without.

    allows: whether the domain policy lets a page load a URL.
    last_call_at: when the last verb that works on the tab began, in seconds since 1970.
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
        """Listen to a target that joins, before it asks for anything; its domain is enabled."""

        def heard(method: str, params: Raw) -> None:
            self._on_event(session, method, params)

        session.tap(heard, observe_requests.METHODS)
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
        """Return the requests that were begun between the two places, oldest first."""
        events = list(self.log.since())
        kept = sum(1 for _, event in events if event.method in _BEGINNINGS)
        found = observe_requests.fold_events(events, self._count - kept + 1)
        for one in found:
            # Chromium's network refused it, and calls that a proxy or a name that is not there.
            if one.type == "WebSocket" and one.error and not self._allows(one.url):
                one.blocked = "domain-policy"
        return [one for one in found if one.place >= start and (end is None or one.place < end)]

    @property
    def dropped(self) -> int:
        """How many requests were dropped for room since the log was last cleared."""
        kept = sum(1 for _, event in self.log.since() if event.method in _BEGINNINGS)
        return self._count - self._cleared - kept

    def find(self, request_id: str) -> NetworkRequest:
        """Return the request of that id (r12); not_found, telling whether it was dropped."""
        for one in self.requests():
            if one.id == request_id:
                return one
        number = request_id.removeprefix("r")
        known = number.isdigit() and 0 < int(number) <= self._count
        why = "is no longer kept" if known else "is not known"
        raise OcdError(
            "not_found", f"The request {request_id} {why}.",
            hint='List them: network with action "list".', id=request_id,
        )  # fmt: skip

    def clear(self) -> int:
        """Forget the requests; return how many were known."""
        count = self._count - self._cleared
        self.log.clear()
        self._cleared = self._count
        return count

    # Throttling

    async def throttle(self, conditions: dict[str, Any] | None) -> None:
        """Slow the tab's requests down: CDP's network conditions, or None to let go."""
        self.conditions = conditions
        free = {"offline": False, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}
        for session in list(self._sessions):
            await session.send("Network.emulateNetworkConditions", conditions or free)

    # Captures

    def start(self, capture: Capture) -> None:
        """Begin a capture here; already_capturing if one runs."""
        running = self.capture
        if running is not None and running.end is None:
            raise OcdError(
                "already_capturing", f"A {running.mode} capture runs in this tab.",
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
        """Return the capture that runs or was the last to run; not_running, mode_mismatch."""
        if self.capture is None:
            raise _not_running(mode)
        if self.capture.mode != mode:
            raise OcdError(
                "mode_mismatch", f"The capture of this tab is {self.capture.mode}, not {mode}.",
                hint=f"Use network_capture_{self.capture.mode}.", mode=self.capture.mode,
            )  # fmt: skip
        return self.capture

    def of_capture(self, capture: Capture) -> tuple[list[NetworkRequest], int]:
        """Return the capture's newest requests, up to its bound, and how many more it had."""
        found = [one for one in self.requests(capture.start, capture.end) if capture.fits(one)]
        newest = found[-capture.max_entries :]
        return newest, len(found) - len(newest)

    async def body(self, one: NetworkRequest, max_bytes: int) -> ResponseBody:
        """Return the body of an answer, kept or fetched from Chromium now; see Body."""
        body_collector = self.capture.body_collector if self.capture else None
        kept = body_collector.of(one) if body_collector else None
        return kept or await ResponseBody.fetch(one, max_bytes)

    async def request_body(self, one: NetworkRequest, max_bytes: int) -> str | None:
        """Return what a request sent, where its event did not have it; None if it is gone."""
        try:
            params = {"requestId": one.request_id}
            reply = await one.session.send("Network.getRequestPostData", params)
        except OcdError as error:
            if error.code not in ("cdp_error", "tab_gone"):
                raise
            return None
        return str(reply["postData"])[:max_bytes]


def _not_running(mode: str) -> OcdError:
    return OcdError(
        "not_running", "No capture runs in this tab.",
        hint=f'Start one: network_capture_{mode} with action "start".',
    )  # fmt: skip


def _truncate_event(params: Raw) -> Raw:
    """Return a huge event with its long texts cut: data: addresses, what was posted."""
    event = msgspec.json.decode(params)
    if "request" in event:
        event["request"].pop("postDataEntries", None)
        event["request"]["hasPostData"] = bool(event["request"].pop("postData", None))
    event.get("initiator", {}).pop("stack", None)
    return Raw(msgspec.json.encode(_truncate_strings(event)))


def _truncate_strings(value: object) -> object:
    if isinstance(value, str):
        return value if len(value) <= _MAX_STRING else value[:_MAX_STRING] + "…"
    if isinstance(value, dict):
        return {key: _truncate_strings(item) for key, item in value.items()}
    return value
