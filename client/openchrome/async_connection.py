"""The daemon's socket, for asyncio."""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from collections.abc import AsyncIterator
from weakref import WeakKeyDictionary

from openchrome import http, protocol, starting
from openchrome.errors import exception_for

Wire = tuple[asyncio.StreamReader, asyncio.StreamWriter]


class AsyncConnections:
    """Reused connections to one daemon, which is started if necessary."""

    def __init__(self, address: str, home: str, *, start: bool | None) -> None:
        self._address = address
        self._home = home
        self._start = start
        # By the event loop that they belong to: `asyncio.run` creates a new one each time.
        self._idle_of: WeakKeyDictionary[asyncio.AbstractEventLoop, deque[Wire]]
        self._idle_of = WeakKeyDictionary()
        # The hash of the daemon's catalog, once a response has had it; errors do not have it.
        self.catalog = ""

    async def exchange(
        self, method: str, path: str, body: bytes = b"", *, deadline_s: float | None = None
    ) -> tuple[int, bytes]:
        """Send a request and return the response's status and body."""
        wire = await self._connected()
        response = http.Response()
        try:
            _send(wire, method, path, body, protocol.JSON)
            pieces = [piece async for piece in self._receive(wire, response, deadline_s)]
        except BaseException:  # cancelled: the rest of the response would be taken for another one
            wire[1].close()
            raise
        if response.reusable:
            self._idle.append(wire)
        else:
            wire[1].close()
        return response.status, b"".join(pieces)

    async def lines(self, path: str) -> AsyncIterator[bytes]:
        """Yield the lines of a response as they arrive."""
        wire = await self._connected()
        response, rest = http.Response(), b""
        try:
            _send(wire, "GET", path, b"", protocol.LINES)
            async for data in self._receive(wire, response, None):
                if response.status >= 400:
                    rest += data
                    continue
                *whole, rest = (rest + data).split(b"\n")
                for line in filter(None, whole):
                    yield line
        finally:
            wire[1].close()
        if response.status >= 400:
            protocol.decode_result(response.status, rest)
        if rest:
            yield rest

    async def close(self) -> None:
        """Close the idle connections."""
        while self._idle:
            writer = self._idle.pop()[1]
            writer.close()
            await writer.wait_closed()

    @property
    def _idle(self) -> deque[Wire]:
        return self._idle_of.setdefault(asyncio.get_running_loop(), deque())

    async def _receive(
        self, wire: Wire, response: http.Response, deadline_s: float | None
    ) -> AsyncIterator[bytes]:
        while not response.complete:
            try:
                async with asyncio.timeout(protocol.silence_limit_s(deadline_s)):
                    data = await wire[0].read(65536)
            except TimeoutError:
                if deadline_s is not None:
                    raise protocol.deadline_error(deadline_s) from None
                await self._expect_life()
                continue
            except ConnectionError:
                data = b""
            try:
                body = response.feed(data)
            except http.ProtocolError:
                await self._settle()
                raise protocol.connection_lost() from None
            if body:
                yield body
        self.catalog = response.headers.get("x-openchrome-catalog", self.catalog)

    async def _connected(self) -> Wire:
        while self._idle:
            wire = self._idle.pop()
            if not (wire[0].at_eof() or wire[1].is_closing()):
                return wire
            wire[1].close()
        found = await self._connect()
        if found is None:
            await asyncio.to_thread(starting.start_daemon, self._home, wanted=self._start)
            found = await self._connect()
        if found is None:
            message = f"The daemon was started, but nothing listens on {self._address}"
            raise exception_for("no_daemon", message, {"hint": "ocd logs"})
        return found

    async def _connect(self) -> Wire | None:
        try:
            return await asyncio.open_unix_connection(self._address)
        except (FileNotFoundError, ConnectionRefusedError, NotADirectoryError):
            return None
        except OSError as error:
            message = f"Cannot use the daemon's socket {self._address}: {error.strerror or error}"
            raise exception_for("no_daemon", message, {"hint": "ocd status"}) from None

    async def _expect_life(self) -> None:
        try:
            answers = await self._probe()
        except TimeoutError:
            raise protocol.hung_daemon_error() from None
        if not answers:
            raise protocol.connection_lost()

    async def _settle(self) -> None:
        await self.close()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(protocol.SETTLE_S):
                while await self._probe() is False:  # noqa: ASYNC110 - another process is waited for
                    await asyncio.sleep(protocol.SETTLE_PAUSE_S)

    async def _probe(self) -> bool | None:
        wire = await self._connect()
        if wire is None:
            return None
        try:
            _send(wire, "GET", "/v1/status", b"", protocol.JSON)
            async with asyncio.timeout(protocol.PROBE_S):
                return bool(await wire[0].read(1))
        except ConnectionError:
            return False
        finally:
            wire[1].close()


def _send(wire: Wire, method: str, path: str, body: bytes, accept: str) -> None:
    wire[1].write(http.request(method, path, body, accept))
