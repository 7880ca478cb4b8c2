"""HTTP/1.1 as the daemon's socket speaks it (RFC 9112), without I/O: bytes in and out.

Both clients use it, with I/O of their own.
"""

from __future__ import annotations

from collections.abc import Generator

MAX_HEAD_BYTES = 65536


class ProtocolError(Exception):
    """The response is not from the daemon."""


def request(method: str, path: str, body: bytes, accept: str) -> bytes:
    """Return a request in its wire form."""
    head = (
        f"{method} {path} HTTP/1.1\r\nHost: ocd\r\nAccept: {accept}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


class Response:
    """One response: pass what arrives to `feed`, which returns the body's part of it."""

    def __init__(self) -> None:
        self.status = 0
        self.headers: dict[str, str] = {}
        self.complete = False
        self._buffer = bytearray()
        self._ended = False
        self._reading = self._read()
        next(self._reading)

    def feed(self, data: bytes) -> bytes:
        """Process bytes, `b""` at the end of the stream, and return those of the body."""
        self._buffer += data
        self._ended = not data
        body = bytearray()
        while not self.complete:
            try:
                piece = next(self._reading)
            except StopIteration:
                self.complete = True
                break
            if piece is None:
                break
            body += piece
        if self._ended and not self.complete:
            raise ProtocolError("the response is truncated")
        return bytes(body)

    @property
    def reusable(self) -> bool:
        """Whether the connection can carry another request."""
        closes = self.headers.get("connection", "").lower() == "close"
        return self.complete and not (closes or self._ended or self._buffer)

    def _read(self) -> Generator[bytes | None, None, None]:
        # Yields pieces of the body, and None if it needs more bytes.
        yield None
        while (end := self._buffer.find(b"\r\n\r\n")) < 0:
            if len(self._buffer) > MAX_HEAD_BYTES:
                raise ProtocolError("the response has no header")
            yield None
        self._parse_head(self._take(end + 4))
        if self.headers.get("transfer-encoding", "").lower() == "chunked":
            yield from self._read_chunks()
        elif "content-length" in self.headers:
            yield from self._read_counted(int(self.headers["content-length"]))
        else:
            while not self._ended:
                yield self._take(len(self._buffer)) or None

    def _parse_head(self, head: bytes) -> None:
        first, *lines = head.decode("latin-1").rstrip("\r\n").split("\r\n")
        version, _, rest = first.partition(" ")
        if not version.startswith("HTTP/1.") or not rest[:3].isdecimal():
            raise ProtocolError("the response is not HTTP")
        self.status = int(rest[:3])
        for line in lines:
            name, _, value = line.partition(":")
            self.headers[name.lower()] = value.strip()

    def _read_counted(self, left: int) -> Generator[bytes | None, None, None]:
        while left:
            piece = self._take(min(left, len(self._buffer)))
            left -= len(piece)
            yield piece or None

    def _read_chunks(self) -> Generator[bytes | None, None, None]:
        while True:
            size = int((yield from self._line()).partition(b";")[0], 16)
            if not size:
                break
            yield from self._read_counted(size)
            yield from self._line()
        while (yield from self._line()):
            pass  # trailers

    def _line(self) -> Generator[None, None, bytes]:
        while (end := self._buffer.find(b"\r\n")) < 0:
            yield None
        return self._take(end + 2)[:-2]

    def _take(self, size: int) -> bytes:
        data = bytes(self._buffer[:size])
        del self._buffer[:size]
        return data
