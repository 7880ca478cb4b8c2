"""A tab's requests and their outcomes, assembled from CDP's Network events."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import msgspec
from msgspec import Struct

from ocd.browser.cdp.connection import CdpSession
from ocd.browser.cdp.event_log import RawEvent

SENT = "Network.requestWillBeSent"
SOCKET = "Network.webSocketCreated"
FINISHED = "Network.loadingFinished"


@dataclass(slots=True)
class NetworkRequest:
    """A request. `number` counts the tab's requests; redirects are separate requests.

    started: seconds since 1970; began, ended: seconds of Chromium's own clock. error: net::ERR_…,
    state: pending, finished, failed, redirected. body: base64 or text, where it was kept.
    """

    number: int
    request_id: str
    session: CdpSession
    method: str
    url: str
    type: str
    place: int
    frame_id: str = ""
    document_url: str = ""
    started: float = 0.0
    began: float = 0.0
    answered: float = 0.0
    ended: float | None = None
    state: str = "pending"
    request_headers: dict[str, str] = field(default_factory=dict)
    post_data: str | None = None
    has_post_data: bool = False
    initiator: dict[str, Any] = field(default_factory=dict)
    status: int | None = None
    status_text: str = ""
    response_headers: dict[str, str] = field(default_factory=dict)
    mime_type: str = ""
    protocol: str = ""
    remote: str = ""
    cache: str = ""
    size: int | None = None
    timing: dict[str, float] = field(default_factory=dict)
    redirect_url: str = ""
    error: str = ""
    blocked: str = ""
    canceled: bool = False

    @property
    def id(self) -> str:
        """The request's name for callers."""
        return f"r{self.number}"

    @property
    def failed(self) -> bool:
        """Whether it failed: by a network error, or an HTTP status of 400 or above."""
        return bool(self.error) or (self.status or 0) >= 400

    @property
    def duration_ms(self) -> float | None:
        """How long it took in ms, or None while it is running."""
        return None if self.ended is None else round((self.ended - self.began) * 1000, 1)


class _Request(Struct, rename="camel"):
    url: str = ""  # a WebSocket's handshake only has headers
    method: str = "GET"
    headers: dict[str, str] = {}
    post_data: str | None = None
    has_post_data: bool = False
    url_fragment: str = ""


class _Response(Struct, rename="camel"):
    url: str = ""
    status: int = 0
    status_text: str = ""
    headers: dict[str, str] = {}
    mime_type: str = ""
    protocol: str = ""
    remote_ip: str = msgspec.field(name="remoteIPAddress", default="")
    remote_port: int = 0
    from_disk_cache: bool = False
    from_service_worker: bool = False
    from_prefetch_cache: bool = False
    encoded_data_length: float = 0
    timing: dict[str, Any] | None = None


class _Event(Struct, rename="camel"):
    """The fields of the events of a request that are used here; each event has some of them."""

    request_id: str
    document_url: str = msgspec.field(name="documentURL", default="")
    request: _Request | None = None
    response: _Response | None = None
    redirect_response: _Response | None = None
    redirect_has_extra_info: bool = False
    has_extra_info: bool = False
    headers: dict[str, str] = {}
    status_code: int = 0
    timestamp: float = 0.0
    wall_time: float = 0.0
    initiator: dict[str, Any] = {}
    type: str = ""
    frame_id: str = ""
    url: str = ""
    encoded_data_length: float = 0.0
    error_text: str = ""
    error_message: str = ""
    blocked_reason: str = ""
    cors_error_status: dict[str, Any] | None = None
    canceled: bool = False


_decode = msgspec.json.Decoder(_Event).decode


class _RequestFolder:
    def __init__(self, first_number: int) -> None:
        self.number = first_number
        self.requests: list[NetworkRequest] = []
        # Requests are identified by id; those of a redirect chain use the same one in turn.
        self.open: dict[str, NetworkRequest] = {}
        self.extra_request_headers: defaultdict[str, list[dict[str, str]]] = defaultdict(list)
        self.extra_response_info: defaultdict[str, list[tuple[int, dict[str, str]]]] = defaultdict(
            list
        )
        self.awaiting_request_info: defaultdict[str, list[NetworkRequest]] = defaultdict(list)
        self.awaiting_response_info: defaultdict[str, list[NetworkRequest]] = defaultdict(list)

    def add(self, place: int, raw: RawEvent) -> None:
        event = _decode(raw.params)
        handler = _HANDLERS.get(raw.method)
        if handler is not None:
            handler(self, place, raw, event)

    def _new(self, place: int, raw: RawEvent, event: _Event, record: NetworkRequest) -> None:
        self.open[event.request_id] = record
        self.requests.append(record)
        self.number += 1

    def on_request_sent(self, place: int, raw: RawEvent, event: _Event) -> None:
        request = event.request
        assert request
        before = self.open.get(event.request_id)
        if before is not None and event.redirect_response is not None:
            _apply_response(before, event.redirect_response, event.timestamp)
            before.state, before.ended = "redirected", event.timestamp
            before.redirect_url = request.url
            if event.redirect_has_extra_info:
                self._await_extra_response_info(event.request_id, before)
        record = NetworkRequest(
            self.number, event.request_id, raw.session, request.method,
            request.url + request.url_fragment, event.type or "Other", place,
            event.frame_id, event.document_url, event.wall_time, event.timestamp,
            request_headers=request.headers, post_data=request.post_data,
            has_post_data=request.has_post_data, initiator=event.initiator,
        )  # fmt: skip
        self._new(place, raw, event, record)
        if self.extra_request_headers[event.request_id]:
            record.request_headers = self.extra_request_headers[event.request_id].pop(0)
        else:
            self.awaiting_request_info[event.request_id].append(record)

    def on_socket_created(self, place: int, raw: RawEvent, event: _Event) -> None:
        record = NetworkRequest(
            self.number, event.request_id, raw.session, "GET", event.url, "WebSocket", place,
            initiator=event.initiator,
        )  # fmt: skip
        self._new(place, raw, event, record)

    def on_extra_request_info(self, place: int, raw: RawEvent, event: _Event) -> None:
        if self.awaiting_request_info[event.request_id]:
            self.awaiting_request_info[event.request_id].pop(0).request_headers = event.headers
        else:
            self.extra_request_headers[event.request_id].append(event.headers)

    def on_response(self, place: int, raw: RawEvent, event: _Event) -> None:
        record = self.open.get(event.request_id)
        if record is None or event.response is None:
            return
        _apply_response(record, event.response, event.timestamp)
        record.session = raw.session
        if event.type:
            record.type = event.type
        if event.has_extra_info:
            self._await_extra_response_info(event.request_id, record)

    def _await_extra_response_info(self, request_id: str, record: NetworkRequest) -> None:
        if self.extra_response_info[request_id]:
            _, record.response_headers = self.extra_response_info[request_id].pop(0)
        else:
            self.awaiting_response_info[request_id].append(record)

    def on_extra_response_info(self, place: int, raw: RawEvent, event: _Event) -> None:
        record = self.open.get(event.request_id)
        if self.awaiting_response_info[event.request_id]:
            self.awaiting_response_info[event.request_id].pop(0).response_headers = event.headers
            return
        self.extra_response_info[event.request_id].append((event.status_code, event.headers))
        # A response without a document (204, a download) is reported only here.
        if record is not None and record.status is None and event.status_code // 100 != 3:
            record.status, record.response_headers = event.status_code, event.headers

    def on_finished(self, place: int, raw: RawEvent, event: _Event) -> None:
        record = self.open.get(event.request_id)
        if record is not None:
            record.state, record.session = "finished", raw.session
            # Beginning and end are measured by the clocks of two processes of Chromium.
            record.ended = max(event.timestamp, record.answered, record.began)
            record.size = round(event.encoded_data_length)

    def on_failed(self, place: int, raw: RawEvent, event: _Event) -> None:
        record = self.open.get(event.request_id)
        if record is not None:
            record.state = "failed"
            record.ended = max(event.timestamp, record.began)
            record.error, record.canceled = event.error_text, event.canceled
            cors = (event.cors_error_status or {}).get("corsError", "")
            record.blocked = event.blocked_reason or cors

    def on_handshake(self, place: int, raw: RawEvent, event: _Event) -> None:
        record = self.open.get(event.request_id)
        if record is None:
            return
        if event.request is not None:
            record.request_headers = event.request.headers
            record.started, record.began = event.wall_time, event.timestamp
        if event.response is not None:
            record.status, record.status_text = (
                event.response.status,
                event.response.status_text,
            )
            record.response_headers = event.response.headers

    def on_socket_error(self, place: int, raw: RawEvent, event: _Event) -> None:
        record = self.open.get(event.request_id)
        if record is not None:
            record.error = event.error_message


def _apply_response(record: NetworkRequest, response: _Response, at: float) -> None:
    record.status = response.status or None
    record.status_text = response.status_text
    record.response_headers = response.headers
    record.mime_type = response.mime_type
    record.protocol = response.protocol
    record.answered = at
    record.size = round(response.encoded_data_length) or record.size
    if response.remote_ip:
        record.remote = f"{response.remote_ip}:{response.remote_port}"
    if response.from_disk_cache or response.from_prefetch_cache:
        record.cache = "disk"
    if response.from_service_worker:
        record.cache = "service-worker"
    record.timing = {k: v for k, v in (response.timing or {}).items() if isinstance(v, int | float)}


_HANDLERS = {
    SENT: _RequestFolder.on_request_sent,
    SOCKET: _RequestFolder.on_socket_created,
    "Network.requestWillBeSentExtraInfo": _RequestFolder.on_extra_request_info,
    "Network.responseReceived": _RequestFolder.on_response,
    "Network.responseReceivedExtraInfo": _RequestFolder.on_extra_response_info,
    FINISHED: _RequestFolder.on_finished,
    "Network.loadingFailed": _RequestFolder.on_failed,
    "Network.webSocketWillSendHandshakeRequest": _RequestFolder.on_handshake,
    "Network.webSocketHandshakeResponseReceived": _RequestFolder.on_handshake,
    "Network.webSocketClosed": _RequestFolder.on_finished,
    "Network.webSocketFrameError": _RequestFolder.on_socket_error,
}  # fmt: skip
METHODS = tuple(_HANDLERS)


def fold_events(events: Iterable[tuple[int, RawEvent]], first_number: int) -> list[NetworkRequest]:
    """Return the requests whose first event is among the events, oldest first."""
    folding = _RequestFolder(first_number)
    for place, raw in events:
        folding.add(place, raw)
    return folding.requests
