"""A tab's requests and what became of them, put together from CDP's Network events."""

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
    """One request. `number` counts the tab's requests; redirects are requests of their own.

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
        """Whether it brought an error: of the network, or an HTTP status from 400 on."""
        return bool(self.error) or (self.status or 0) >= 400

    @property
    def duration_ms(self) -> float | None:
        """How long it took, or None while it goes on."""
        return None if self.ended is None else round((self.ended - self.began) * 1000, 1)


class _Request(Struct, rename="camel"):
    url: str
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
    """The fields of all events of a request that count here; each event has some of them."""

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
        self.exchanges: list[NetworkRequest] = []
        # Requests are told apart by id; a redirect's are told in turn under the same one.
        self.open: dict[str, NetworkRequest] = {}
        self.sent_headers: defaultdict[str, list[dict[str, str]]] = defaultdict(list)
        self.got: defaultdict[str, list[tuple[int, dict[str, str]]]] = defaultdict(list)
        self.wants_sent: defaultdict[str, list[NetworkRequest]] = defaultdict(list)
        self.wants_got: defaultdict[str, list[NetworkRequest]] = defaultdict(list)

    def add(self, place: int, kept: RawEvent) -> None:
        event = _decode(kept.params)
        handler = _HANDLERS.get(kept.method)
        if handler is not None:
            handler(self, place, kept, event)

    def _new(self, place: int, kept: RawEvent, event: _Event, exchange: NetworkRequest) -> None:
        self.open[event.request_id] = exchange
        self.exchanges.append(exchange)
        self.number += 1

    def on_request_sent(self, place: int, kept: RawEvent, event: _Event) -> None:
        request = event.request
        assert request
        before = self.open.get(event.request_id)
        if before is not None and event.redirect_response is not None:
            _apply_response(before, event.redirect_response, event.timestamp)
            before.state, before.ended = "redirected", event.timestamp
            before.redirect_url = request.url
            if event.redirect_has_extra_info:
                self._want_got(event.request_id, before)
        exchange = NetworkRequest(
            self.number, event.request_id, kept.session, request.method,
            request.url + request.url_fragment, event.type or "Other", place,
            event.frame_id, event.document_url, event.wall_time, event.timestamp,
            request_headers=request.headers, post_data=request.post_data,
            has_post_data=request.has_post_data, initiator=event.initiator,
        )  # fmt: skip
        self._new(place, kept, event, exchange)
        if self.sent_headers[event.request_id]:
            exchange.request_headers = self.sent_headers[event.request_id].pop(0)
        else:
            self.wants_sent[event.request_id].append(exchange)

    def socket(self, place: int, kept: RawEvent, event: _Event) -> None:
        exchange = NetworkRequest(
            self.number, event.request_id, kept.session, "GET", event.url, "WebSocket", place,
            initiator=event.initiator,
        )  # fmt: skip
        self._new(place, kept, event, exchange)

    def on_extra_request_info(self, place: int, kept: RawEvent, event: _Event) -> None:
        if self.wants_sent[event.request_id]:
            self.wants_sent[event.request_id].pop(0).request_headers = event.headers
        else:
            self.sent_headers[event.request_id].append(event.headers)

    def on_response(self, place: int, kept: RawEvent, event: _Event) -> None:
        exchange = self.open.get(event.request_id)
        if exchange is None or event.response is None:
            return
        _apply_response(exchange, event.response, event.timestamp)
        exchange.session = kept.session
        if event.type:
            exchange.type = event.type
        if event.has_extra_info:
            self._want_got(event.request_id, exchange)

    def _want_got(self, request_id: str, exchange: NetworkRequest) -> None:
        if self.got[request_id]:
            _, exchange.response_headers = self.got[request_id].pop(0)
        else:
            self.wants_got[request_id].append(exchange)

    def got_more(self, place: int, kept: RawEvent, event: _Event) -> None:
        exchange = self.open.get(event.request_id)
        if self.wants_got[event.request_id]:
            self.wants_got[event.request_id].pop(0).response_headers = event.headers
            return
        self.got[event.request_id].append((event.status_code, event.headers))
        # An answer without a document (204, a download) is told here only.
        if exchange is not None and exchange.status is None and event.status_code // 100 != 3:
            exchange.status, exchange.response_headers = event.status_code, event.headers

    def on_finished(self, place: int, kept: RawEvent, event: _Event) -> None:
        exchange = self.open.get(event.request_id)
        if exchange is not None:
            exchange.state, exchange.session = "finished", kept.session
            # Chromium's two processes do not tell the end and the beginning by one clock.
            exchange.ended = max(event.timestamp, exchange.answered, exchange.began)
            exchange.size = round(event.encoded_data_length)

    def on_failed(self, place: int, kept: RawEvent, event: _Event) -> None:
        exchange = self.open.get(event.request_id)
        if exchange is not None:
            exchange.state = "failed"
            exchange.ended = max(event.timestamp, exchange.began)
            exchange.error, exchange.canceled = event.error_text, event.canceled
            cors = (event.cors_error_status or {}).get("corsError", "")
            exchange.blocked = event.blocked_reason or cors

    def handshake(self, place: int, kept: RawEvent, event: _Event) -> None:
        exchange = self.open.get(event.request_id)
        if exchange is None:
            return
        if event.request is not None:
            exchange.request_headers = event.request.headers
            exchange.started, exchange.began = event.wall_time, event.timestamp
        if event.response is not None:
            exchange.status, exchange.status_text = (
                event.response.status,
                event.response.status_text,
            )
            exchange.response_headers = event.response.headers

    def socket_error(self, place: int, kept: RawEvent, event: _Event) -> None:
        exchange = self.open.get(event.request_id)
        if exchange is not None:
            exchange.error = event.error_message


def _apply_response(exchange: NetworkRequest, response: _Response, at: float) -> None:
    exchange.status = response.status or None
    exchange.status_text = response.status_text
    exchange.response_headers = response.headers
    exchange.mime_type = response.mime_type
    exchange.protocol = response.protocol
    exchange.answered = at
    exchange.size = round(response.encoded_data_length) or exchange.size
    if response.remote_ip:
        exchange.remote = f"{response.remote_ip}:{response.remote_port}"
    if response.from_disk_cache or response.from_prefetch_cache:
        exchange.cache = "disk"
    if response.from_service_worker:
        exchange.cache = "service-worker"
    exchange.timing = {
        k: v for k, v in (response.timing or {}).items() if isinstance(v, int | float)
    }


_HANDLERS = {
    SENT: _RequestFolder.on_request_sent,
    SOCKET: _RequestFolder.socket,
    "Network.requestWillBeSentExtraInfo": _RequestFolder.on_extra_request_info,
    "Network.responseReceived": _RequestFolder.on_response,
    "Network.responseReceivedExtraInfo": _RequestFolder.got_more,
    FINISHED: _RequestFolder.on_finished,
    "Network.loadingFailed": _RequestFolder.on_failed,
    "Network.webSocketWillSendHandshakeRequest": _RequestFolder.handshake,
    "Network.webSocketHandshakeResponseReceived": _RequestFolder.handshake,
    "Network.webSocketClosed": _RequestFolder.on_finished,
    "Network.webSocketFrameError": _RequestFolder.socket_error,
}  # fmt: skip
METHODS = tuple(_HANDLERS)


def fold_events(events: Iterable[tuple[int, RawEvent]], first_number: int) -> list[NetworkRequest]:
    """Return the requests whose beginning is among the events, oldest first."""
    folding = _RequestFolder(first_number)
    for place, kept in events:
        folding.add(place, kept)
    return folding.exchanges
