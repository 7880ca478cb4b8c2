"""Response bodies: fetched while Chromium has them, kept up to a total size."""

import asyncio
import base64
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import msgspec

from ocd.api.errors import OcdError
from ocd.browser.cdp.event_log import RawEvent
from ocd.browser.observe.requests import FINISHED, SENT, NetworkRequest, fold_events

# The most that a capture keeps of all bodies together.
MAX_TOTAL = 16 << 20


@dataclass(frozen=True, slots=True)
class ResponseBody:
    """A response's body: text, or bytes as base64; `error` says why there is none.

    size: bytes of the whole body. truncated: `text` is its beginning only.
    """

    text: str = ""
    is_base64: bool = False
    size: int = 0
    truncated: bool = False
    error: str = ""

    @classmethod
    async def fetch(cls, request: NetworkRequest, max_bytes: int) -> "ResponseBody":
        """Ask Chromium for the body; it keeps those of the current page, up to 5 MB each."""
        if request.state == "pending":
            return cls(error="The response is not complete yet.")
        if request.state == "redirected" or request.type == "WebSocket":
            return cls(error="It has no body.")
        try:
            params = {"requestId": request.request_id}
            reply = await request.session.send("Network.getResponseBody", params)
        except OcdError as error:
            if error.code not in ("cdp_error", "tab_gone"):
                raise
            return cls(error="Chromium no longer has it (page left, too large, or never sent).")
        return cls.of(reply, max_bytes)

    @classmethod
    def of(cls, reply: dict[str, Any], max_bytes: int) -> "ResponseBody":
        """Return CDP's reply as a body of at most `max_bytes`."""
        if reply["base64Encoded"]:
            return cls.of_bytes(base64.b64decode(reply["body"]), max_bytes)
        data = reply["body"].encode("utf-8", "replace")
        text = data[:max_bytes].decode("utf-8", "ignore")
        return cls(text, size=len(data), truncated=len(data) > max_bytes)

    @classmethod
    def of_bytes(cls, data: bytes, max_bytes: int) -> "ResponseBody":
        """Return bytes as a body; as text if they are UTF-8."""
        cut = data[:max_bytes]
        if b"\0" not in cut:
            try:
                text = cut.decode("utf-8", "strict" if len(cut) == len(data) else "ignore")
                return cls(text, size=len(data), truncated=len(data) > len(cut))
            except UnicodeDecodeError:
                pass
        encoded = base64.b64encode(cut).decode()
        return cls(encoded, is_base64=True, size=len(data), truncated=len(data) > len(cut))

    def to_dict(self) -> dict[str, Any]:
        """Return its keys as they appear in a result."""
        if self.error:
            return {"body": None, "body_error": self.error}
        kind = "base64" if self.is_base64 else "text"
        result: dict[str, Any] = {"body": self.text, "body_encoding": kind, "body_bytes": self.size}
        return result | ({"body_truncated": True} if self.truncated else {})


class _LoadingEnded(msgspec.Struct, rename="camel"):
    request_id: str


_ended = msgspec.json.Decoder(_LoadingEnded).decode


class BodyCollector:
    """Fetches the bodies of a capture as they complete, and keeps the newest up to a total size."""

    def __init__(self, max_body_bytes: int, fits: Callable[[NetworkRequest], bool]) -> None:
        self.dropped = 0
        self.max_body_bytes = max_body_bytes
        self.running = True
        self._fits = fits
        self._wanted: set[str] = set()
        self._bodies: dict[str, ResponseBody] = {}
        self._total = 0

    def on_event(self, event: RawEvent) -> None:
        """Handle an event; the body of a finished response is fetched."""
        if not self.running:
            return
        if event.method == SENT:
            request = fold_events([(0, event)], 0)[0]
            if self._fits(request):
                self._wanted.add(request.request_id)
        elif event.method == FINISHED:
            self._fetch_body(event)

    def _fetch_body(self, event: RawEvent) -> None:
        request_id = _ended(event.params).request_id
        if request_id not in self._wanted:
            return
        self._wanted.discard(request_id)
        call = event.session.send("Network.getResponseBody", {"requestId": request_id})
        call.add_done_callback(lambda reply: self._on_body(request_id, reply))

    def _on_body(self, request_id: str, reply: asyncio.Future[dict[str, Any]]) -> None:
        if reply.cancelled() or reply.exception() is not None:
            return
        body = ResponseBody.of(reply.result(), self.max_body_bytes)
        self._bodies[request_id] = body
        self._total += len(body.text)
        while self._total > MAX_TOTAL:
            oldest = next(iter(self._bodies))
            self._total -= len(self._bodies.pop(oldest).text)
            self.dropped += 1

    def of(self, request: NetworkRequest) -> ResponseBody | None:
        """Return the collected body of a request, if there is one."""
        return None if request.state == "redirected" else self._bodies.get(request.request_id)

    def clear(self) -> None:
        """Clear the bodies."""
        self._bodies.clear()
        self._total = 0
