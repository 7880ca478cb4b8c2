"""The pipe to Chromium: messages of JSON, each ended by a NUL."""

import asyncio
import contextlib
from collections.abc import Callable
from typing import BinaryIO

# How much one read may take (Linux; elsewhere the system's default stays).
PIPE_BYTES = 1 << 20


class Framer:
    """Cuts a stream of bytes at its NULs, in time proportional to the bytes."""

    def __init__(self) -> None:
        self._rest: list[bytes] = []

    def feed(self, data: bytes) -> list[bytes]:
        """Return the messages that `data` completes."""
        first, *others = data.split(b"\0")
        if not others:
            self._rest.append(data)
            return []
        # Pieces of an unfinished message are joined once, when its end is here.
        messages = [b"".join((*self._rest, first)), *others]
        last = messages.pop()
        self._rest = [last] if last else []
        return messages


class _Reader(asyncio.Protocol):
    def __init__(self, received: Callable[[list[bytes]], None], lost: Callable[[], None]) -> None:
        self._framer = Framer()
        self._received = received
        self._lost = lost

    def data_received(self, data: bytes) -> None:
        messages = self._framer.feed(data)
        if messages:
            self._received(messages)

    def connection_lost(self, exc: Exception | None) -> None:
        self._lost()


class PipeTransport:
    """Our two ends of Chromium's pipes. Nothing that is written here blocks the loop."""

    url = "pipe:"

    def __init__(self) -> None:
        self._read: asyncio.BaseTransport | None = None
        self._write: asyncio.WriteTransport | None = None

    async def open(
        self,
        ends: tuple[BinaryIO, BinaryIO],
        received: Callable[[list[bytes]], None],
        lost: Callable[[], None],
    ) -> None:
        """Start to read from the first file and to write to the second."""
        loop = asyncio.get_running_loop()
        for end in ends:
            _widen(end)
        write, _ = await loop.connect_write_pipe(lambda: _Writer(lost), ends[1])
        self._write = write
        self._read, _ = await loop.connect_read_pipe(lambda: _Reader(received, lost), ends[0])

    def write(self, message: bytes) -> None:
        """Send one message; what the pipe has no room for waits in memory."""
        if self._write is not None and not self._write.is_closing():
            self._write.write(message + b"\0")

    def close(self) -> None:
        """Close both pipes; Chromium ends when it notices."""
        if self._write is not None and not self._write.is_closing():
            self._write.abort()
        if self._read is not None and not self._read.is_closing():
            self._read.close()


class _Writer(asyncio.BaseProtocol):
    def __init__(self, lost: Callable[[], None]) -> None:
        self._lost = lost

    def connection_lost(self, exc: Exception | None) -> None:
        self._lost()


def _widen(end: BinaryIO) -> None:
    with contextlib.suppress(ImportError, AttributeError, OSError):
        import fcntl

        fcntl.fcntl(end, fcntl.F_SETPIPE_SZ, PIPE_BYTES)
