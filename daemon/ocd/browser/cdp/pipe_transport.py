"""The pipe to Chromium: JSON messages, each terminated by a NUL."""

import asyncio
import contextlib
from collections.abc import Callable
from typing import BinaryIO, cast

import msgspec

from ocd.browser.cdp.messages import ANSWER, Incoming, unreadable
from ocd.browser.cdp.streaming_decode import LongMessage

# The size of the pipe, hence of one read (Linux; elsewhere the system's default).
PIPE_BYTES = 1 << 20


# Longer answers are decoded while they arrive.
LONG_BYTES = 1 << 18
_HEAD = 40

Message = bytes | Incoming
_UNDECODABLE = (msgspec.MsgspecError, ValueError, MemoryError)


class _LostAnswer:
    """A long answer that cannot be decoded: the rest of it is dropped, and its call fails."""

    def __init__(self, head: bytes, why: Exception) -> None:
        self._answer = unreadable(head, why)

    def feed(self, data: bytes) -> None:
        """Drop the next bytes."""

    def end(self) -> Incoming:
        """Return the error that answers the call."""
        return self._answer


class Framer:
    """Splits a stream of bytes at NULs, in linear time."""

    def __init__(self) -> None:
        self._rest: list[bytes] = []
        self._size = 0
        self._long: LongMessage | _LostAnswer | None = None
        self._head = b""

    def feed(self, data: bytes) -> list[Message]:
        """Return the messages that `data` completes; long answers are decoded already."""
        first, *others = data.split(b"\0")
        if not others:
            self._keep(data)
            return []
        messages: list[Message] = [self._finish_message(first), *others[:-1]]
        self._keep(others[-1])
        return messages

    @property
    def in_long(self) -> bool:
        """Whether the next bytes belong to a long answer."""
        return self._long is not None

    def _keep(self, data: bytes) -> None:
        if self._long is not None:
            self._feed_long(self._long, data)
        elif data:
            self._rest.append(data)
            self._size += len(data)
            if self._size > LONG_BYTES and self._rest[0].startswith(ANSWER):
                self._head = self._rest[0][:_HEAD]
                self._long = LongMessage()
                self._feed_long(self._long, self._take_messages())

    def _finish_message(self, last: bytes) -> Message:
        if self._long is None:
            # The pieces of a message are joined once, when it is complete.
            self._rest.append(last)
            return self._take_messages()
        self._feed_long(self._long, last)
        message, self._long = self._long, None
        try:
            return message.end()
        except _UNDECODABLE as error:
            return _LostAnswer(self._head, error).end()

    def _feed_long(self, message: LongMessage | _LostAnswer, data: bytes) -> None:
        # One unreadable answer must not end the connection, and with it all tabs.
        try:
            message.feed(data)
        except _UNDECODABLE as error:
            self._long = _LostAnswer(self._head, error)

    def _take_messages(self) -> bytes:
        pieces, self._rest, self._size = self._rest, [], 0
        return b"".join(pieces)


class _Reader(asyncio.Protocol):
    def __init__(self, received: Callable[[list[Message]], None], lost: Callable[[], None]) -> None:
        self._framer = Framer()
        self._received = received
        self._lost = lost

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        # A cast: uvloop's transports are not instances of asyncio's classes.
        self._transport = cast("asyncio.ReadTransport", transport)

    def data_received(self, data: bytes) -> None:
        messages = self._framer.feed(data)
        if messages:
            self._received(messages)
        if self._framer.in_long:
            # Between two reads the loop's other work has its turn.
            self._transport.pause_reading()
            asyncio.get_running_loop().call_soon(self._read_on)

    def _read_on(self) -> None:
        if not self._transport.is_closing():
            self._transport.resume_reading()

    def connection_lost(self, exc: Exception | None) -> None:
        self._lost()


class PipeTransport:
    """Our ends of Chromium's pipes. Writing never blocks the loop."""

    url = "pipe:"

    def __init__(self) -> None:
        self._read: asyncio.BaseTransport | None = None
        self._write: asyncio.WriteTransport | None = None

    async def open(
        self,
        ends: tuple[BinaryIO, BinaryIO],
        received: Callable[[list[Message]], None],
        lost: Callable[[], None],
    ) -> None:
        """Start reading from the first file and writing to the second."""
        loop = asyncio.get_running_loop()
        for end in ends:
            _widen(end)
        write, _ = await loop.connect_write_pipe(lambda: _Writer(lost), ends[1])
        self._write = write
        self._read, _ = await loop.connect_read_pipe(lambda: _Reader(received, lost), ends[0])

    def write(self, message: bytes) -> None:
        """Send one message; what does not fit into the pipe waits in memory."""
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
