"""The bodies of answers: fetched from Chromium while it has them, kept within bounds."""

import asyncio
import base64
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import msgspec

from ocd.api.errors import OcdError
from ocd.browser.cdp.event_log import RawEvent
from ocd.browser.observe.requests import FINISHED, SENT, NetworkRequest, fold_events

# What a capture keeps of all bodies together.
MAX_TOTAL = 16 << 20


@dataclass(frozen=True, slots=True)
class ResponseBody:
    """What an answer brought: text, or bytes as base64; `error` says why there is none.

    size: bytes of the whole body. truncated: `text` is its beginning only.
    """

    text: str = ""
    is_base64: bool = False
    size: int = 0
    truncated: bool = False
    error: str = ""

    @classmethod
    async def fetch(cls, one: NetworkRequest, max_bytes: int) -> "ResponseBody":
        """Ask Chromium for the body; it keeps those of the present page, up to 5 MB each."""
        if one.state == "pending":
            return cls(error="The answer has not ended yet.")
        if one.state == "redirected" or one.type == "WebSocket":
            return cls(error="It has no body.")
        try:
            params = {"requestId": one.request_id}
            reply = await one.session.send("Network.getResponseBody", params)
        except OcdError as error:
            if error.code not in ("cdp_error", "tab_gone"):
                raise
            return cls(error="Chromium no longer has it (another page, too large, or none came).")
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
        """Return bytes as a body; those that are text after all as text."""
        cut = data[:max_bytes]
        if b"\0" not in cut:
            try:
                text = cut.decode("utf-8", "strict" if len(cut) == len(data) else "ignore")
                return cls(text, size=len(data), truncated=len(data) > len(cut))
            except UnicodeDecodeError:
                pass
        shown = base64.b64encode(cut).decode()
        return cls(shown, is_base64=True, size=len(data), truncated=len(data) > len(cut))

    def to_dict(self) -> dict[str, Any]:
        """Return its keys in a result."""
        if self.error:
            return {"body": None, "body_error": self.error}
        kind = "base64" if self.is_base64 else "text"
        told: dict[str, Any] = {"body": self.text, "body_encoding": kind, "body_bytes": self.size}
        return told | ({"body_truncated": True} if self.truncated else {})


class _Ended(msgspec.Struct, rename="camel"):
    request_id: str


_ended = msgspec.json.Decoder(_Ended).decode


class BodyCollector:
    """Fetches the bodies of a capture as they end, and keeps the newest up to a total."""

    def __init__(self, max_body_bytes: int, fits: Callable[[NetworkRequest], bool]) -> None:
        self.dropped = 0
        self.each = max_body_bytes
        self.running = True
        self._fits = fits
        self._wanted: set[str] = set()
        self._bodies: dict[str, ResponseBody] = {}
        self._total = 0

    def on_event(self, event: RawEvent) -> None:
        """Take note of an event; the body of an answer that has ended is asked for."""
        if not self.running:
            return
        if event.method == SENT:
            one = fold_events([(0, event)], 0)[0]
            if self._fits(one):
                self._wanted.add(one.request_id)
        elif event.method == FINISHED:
            self._ask(event)

    def _ask(self, event: RawEvent) -> None:
        number = _ended(event.params).request_id
        if number not in self._wanted:
            return
        self._wanted.discard(number)
        asked = event.session.send("Network.getResponseBody", {"requestId": number})
        asked.add_done_callback(lambda reply: self._came(number, reply))

    def _came(self, number: str, reply: asyncio.Future[dict[str, Any]]) -> None:
        if reply.cancelled() or reply.exception() is not None:
            return
        body = ResponseBody.of(reply.result(), self.each)
        self._bodies[number] = body
        self._total += len(body.text)
        while self._total > MAX_TOTAL:
            oldest = next(iter(self._bodies))
            self._total -= len(self._bodies.pop(oldest).text)
            self.dropped += 1

    def of(self, one: NetworkRequest) -> ResponseBody | None:
        """Return the kept body of a request, if there is one."""
        return None if one.state == "redirected" else self._bodies.get(one.request_id)

    def clear(self) -> None:
        """Forget the bodies."""
        self._bodies.clear()
        self._total = 0
