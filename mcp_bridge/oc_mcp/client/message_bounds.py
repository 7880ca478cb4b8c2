"""The bound of what another server sends over HTTP."""

from collections.abc import AsyncIterator

import httpx2

from oc_mcp.client.stdio_transport import MAX_MESSAGE

# What is compressed could be of any size.
UNCOMPRESSED = {"accept-encoding": "identity"}
_EVENT_ENDS = (b"\n\n", b"\r\n\r\n", b"\r\r")


async def bound(response: httpx2.Response) -> None:
    """Have a response's body fail where a message in it is larger than MAX_MESSAGE.

    A message is a whole body, or an event of a stream. Raises DecodingError for a compressed one.
    """
    encoding = response.headers.get("content-encoding", "identity")
    if encoding != "identity":
        raise httpx2.DecodingError(f"it is compressed ({encoding[:50]}), which nobody asked for")
    events = response.headers.get("content-type", "").startswith("text/event-stream")
    assert isinstance(response.stream, httpx2.AsyncByteStream)
    response.stream = _Bounded(response.stream, events=events)


class _Bounded(httpx2.AsyncByteStream):
    def __init__(self, inner: httpx2.AsyncByteStream, *, events: bool) -> None:
        self._inner = inner
        self._events = events

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size = 0
        async for chunk in self._inner:
            if self._events and any(end in chunk for end in _EVENT_ENDS):
                size = 0
            size += len(chunk)
            if size > MAX_MESSAGE:
                raise httpx2.ReadError(f"it is larger than {MAX_MESSAGE >> 20} MiB")
            yield chunk

    async def aclose(self) -> None:
        await self._inner.aclose()
