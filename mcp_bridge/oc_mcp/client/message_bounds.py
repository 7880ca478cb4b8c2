"""Messages from another server over HTTP: their size limit, and where they are parsed.

The SDK parses every message on the event loop. So a long message is parsed before, in a thread; the
SDK gets a short stand-in with a ticket, which is exchanged for the message afterwards.
"""

import asyncio
from collections.abc import AsyncIterator, Mapping
from itertools import count
from secrets import token_hex
from typing import Any

import httpx2
import mcp_types as types
import msgspec
from mcp.shared.message import SessionMessage

from oc_mcp.client.stdio_transport import (
    HEAD,
    LONG,
    MAX_MESSAGE,
    Unreadable,
    parse_line,
    too_large_error,
)

# A compressed body could expand to any size.
UNCOMPRESSED = {"accept-encoding": "identity"}
_EVENT_ENDS = (b"\n\n", b"\r\n\r\n", b"\r\r")
# This much of a chunk may belong to a terminator that continues in the next one.
_OVERLAP = 3
# Older messages than the latest few belong to calls that have been given up.
_MAX_PARKED = 16
# Values that the stand-in repeats, because the SDK reads the protocol version from it.
_SHORT = 100
# Stands in for a message that cannot be parsed: it is not JSON itself.
_BROKEN = b"{"

Message = types.JSONRPCMessage
_Response = types.JSONRPCResponse


class LongMessages:
    """One connection's long messages, handed from the threads that parse them to the client."""

    def __init__(self) -> None:
        self._mark = f"openchrome/{token_hex(8)}"
        self._numbers = count(1)
        self._parked: dict[str, Message] = {}

    async def bound(self, response: httpx2.Response) -> None:
        """Replace long messages of a response by stand-ins, and those over MAX_MESSAGE by errors.

        A message is a whole body, or one event of a stream. Reading fails at a message over the
        limit that is not an answer.

        Raises:
            DecodingError: the response is compressed.
        """
        encoding = response.headers.get("content-encoding", "identity")
        if encoding != "identity":
            raise httpx2.DecodingError(
                f"it is compressed ({encoding[:50]}), which was not requested"
            )
        kind = response.headers.get("content-type", "").lower()
        assert isinstance(response.stream, httpx2.AsyncByteStream)
        if kind.startswith("text/event-stream"):
            response.stream = _Events(response.stream, self)
        elif kind.startswith("application/json"):
            response.stream = _Body(response.stream, self)
        else:
            response.stream = _Bounded(response.stream)

    def park(self, text: bytes) -> bytes:
        """Parse a message and return the JSON that stands in for it; blocks while it is parsed."""
        try:
            item = parse_line(text)
        except Unreadable:
            return _BROKEN
        if isinstance(item, Exception):
            return _BROKEN
        ticket = f"{self._mark}/{next(self._numbers)}"
        self._parked[ticket] = item.message
        for given_up in list(self._parked)[:-_MAX_PARKED]:
            self._parked.pop(given_up, None)
        return msgspec.json.encode(_stand_in(item.message, self._mark, ticket))

    def take(self, item: SessionMessage | Exception) -> SessionMessage | Exception:
        """Return the message for which this one stands in; any other message unchanged."""
        if isinstance(item, Exception) or not self._parked:
            return item
        parked = self._parked.pop(_ticket(item.message, self._mark), None)
        if parked is None:
            return item
        if isinstance(item.message, _Response | types.JSONRPCError):
            # The SDK may have given it the id of the request whose stream was resumed.
            parked = parked.model_copy(update={"id": item.message.id})
        return SessionMessage(parked, metadata=item.metadata)


def _stand_in(message: Message, mark: str, ticket: str) -> dict[str, Any]:
    short: dict[str, Any] = {"jsonrpc": "2.0"}
    if not isinstance(message, types.JSONRPCNotification):
        short["id"] = message.id
    if isinstance(message, types.JSONRPCError):
        return {**short, "error": {"code": message.error.code, "message": ticket}}
    meta = {"_meta": {mark: ticket}}
    if isinstance(message, _Response):
        return {**short, "result": {**_short_values(message.result), **meta}}
    return {**short, "method": message.method, "params": {**_short_values(message.params), **meta}}


def _short_values(values: Mapping[str, Any] | None) -> dict[str, Any]:
    return {
        key: value
        for key, value in (values or {}).items()
        if isinstance(value, str | int | float) and len(str(value)) < _SHORT
    }


def _ticket(message: Message, mark: str) -> str:
    if isinstance(message, types.JSONRPCError):
        return message.error.message
    values = message.result if isinstance(message, _Response) else message.params
    meta = (values or {}).get("_meta")
    return str(meta.get(mark)) if isinstance(meta, dict) else ""


class _Bounded(httpx2.AsyncByteStream):
    """A response body, read with a limit."""

    def __init__(self, inner: httpx2.AsyncByteStream) -> None:
        self._inner = inner

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size = 0
        async for chunk in self._inner:
            size += len(chunk)
            if size > MAX_MESSAGE:
                raise _too_large()
            yield chunk

    async def aclose(self) -> None:
        await self._inner.aclose()


class _Body(_Bounded):
    """A body that is a single message."""

    def __init__(self, inner: httpx2.AsyncByteStream, messages: LongMessages) -> None:
        super().__init__(inner)
        self._messages = messages

    async def __aiter__(self) -> AsyncIterator[bytes]:
        parts: list[bytes] = []
        size = 0
        async for chunk in self._inner:
            parts.append(chunk)
            size += len(chunk)
            if size > MAX_MESSAGE:
                yield _error_for(b"".join(parts)[:HEAD])
                return
        body = b"".join(parts)
        yield await asyncio.to_thread(self._messages.park, body) if size > LONG else body


class _Events(_Bounded):
    """A stream of server-sent events; each event's data is one message."""

    def __init__(self, inner: httpx2.AsyncByteStream, messages: LongMessages) -> None:
        super().__init__(inner)
        self._messages = messages

    async def __aiter__(self) -> AsyncIterator[bytes]:
        parts: list[bytes] = []
        size = 0
        async for chunk in self._inner:
            seam = parts[-1][-_OVERLAP:] + chunk if parts else chunk
            parts.append(chunk)
            size += len(chunk)
            if any(end in seam for end in _EVENT_ENDS):
                events, rest = _split(b"".join(parts))
                yield await self._shortened(events)
                parts, size = [rest], len(rest)
            elif size > MAX_MESSAGE:
                head = b"".join(parts)[: 2 * HEAD].partition(b"data:")[2]
                yield b"data: " + _error_for(head) + b"\n\n"
                return
        yield await self._shortened(b"".join(parts))

    async def _shortened(self, events: bytes) -> bytes:
        if len(events) <= LONG:
            return events
        return await asyncio.to_thread(_shorten, events, self._messages)


def _error_for(head: bytes) -> bytes:
    """Return what stands for an answer that is too large; raises for a message of another kind."""
    error = too_large_error(head)
    if error is None:
        raise _too_large()
    return error.model_dump_json(by_alias=True, exclude_unset=True).encode()


def _too_large() -> httpx2.ReadError:
    return httpx2.ReadError(f"it is larger than {MAX_MESSAGE >> 20} MiB")


def _split(stream: bytes) -> tuple[bytes, bytes]:
    """Return the complete events, and the beginning of the next one."""
    cut = max(stream.rfind(end) + len(end) for end in _EVENT_ENDS if end in stream)
    return stream[:cut], stream[cut:]


def _shorten(events: bytes, messages: LongMessages) -> bytes:
    """Return the events with stand-ins for the long messages among them; blocks while parsing."""
    lines: list[bytes] = []
    data: list[bytes] = []
    for line in events.splitlines():
        if line.startswith(b"data:"):
            data.append(line)
            continue
        if not line:
            lines += _data_lines(data, messages)
            data = []
        lines.append(line)
    return b"".join(line + b"\n" for line in (*lines, *_data_lines(data, messages)))


def _data_lines(data: list[bytes], messages: LongMessages) -> list[bytes]:
    if sum(map(len, data)) <= LONG:
        return data
    text = b"\n".join(line.removeprefix(b"data:").removeprefix(b" ") for line in data)
    return [b"data: " + messages.park(text)]
