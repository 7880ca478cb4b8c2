"""Attaching to a browser that is already running (`--browser-url`), over its WebSocket."""

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING

from ocd.api.errors import OcdError
from ocd.api.waiting import Spawn
from ocd.browser.cdp.connection import Connection
from ocd.browser.process.launch import LaunchedBrowser

if TYPE_CHECKING:
    import aiohttp

CONNECT_S = 10


class SocketTransport:
    """A WebSocket to the browser; one task reads, one writes."""

    def __init__(self, url: str) -> None:
        self.url = url
        self._outbox: asyncio.Queue[bytes | None] = asyncio.Queue()
        self._session: aiohttp.ClientSession | None = None
        self._socket: aiohttp.ClientWebSocketResponse | None = None

    async def open(self) -> None:
        """Connect; browser_failed if nothing responds there."""
        import aiohttp  # only needed when attaching

        self._session = aiohttp.ClientSession()
        try:
            url = await _socket_url(self._session, self.url)
            self._socket = await self._session.ws_connect(url, max_msg_size=0, compress=0)
        except (aiohttp.ClientError, TimeoutError, ValueError, KeyError, OSError) as error:
            await self._session.close()
            raise OcdError(
                "browser_failed",
                f"No browser responds at {self.url}: {error}",
                hint="Start it with --remote-debugging-port and pass that address.",
            ) from error
        self.url = url

    async def read(self, received: Callable[[list[bytes]], None], lost: Callable[[], None]) -> None:
        """Deliver messages until the connection ends."""
        assert self._socket
        assert self._session
        try:
            async for message in self._socket:
                data = message.data
                received([data.encode() if isinstance(data, str) else data])
        finally:
            self._outbox.put_nowait(None)
            lost()
            await self._session.close()

    async def drain(self) -> None:
        """Write what is sent until the connection ends."""
        assert self._socket
        while (message := await self._outbox.get()) is not None:
            try:
                await self._socket.send_str(message.decode())
            except ConnectionError:
                return
        await self._socket.close()

    def write(self, message: bytes) -> None:
        """Send one message; it waits in memory while the other side is slow."""
        self._outbox.put_nowait(message)

    def close(self) -> None:
        """End the connection once everything is written."""
        self._outbox.put_nowait(None)


async def _socket_url(session: "aiohttp.ClientSession", url: str) -> str:
    if url.startswith(("ws://", "wss://")):
        return url
    async with asyncio.timeout(CONNECT_S):
        async with session.get(url.rstrip("/") + "/json/version") as reply:
            return str((await reply.json(content_type=None))["webSocketDebuggerUrl"])


async def attach(url: str, spawn: Spawn) -> LaunchedBrowser:
    """Connect to the browser at `url` (http:// or ws://); it will never be closed by us."""
    transport = SocketTransport(url)
    await transport.open()
    connection = Connection(transport)
    spawn(transport.read(connection.receive, connection.on_lost))
    spawn(transport.drain())
    reply = await connection.send("Browser.getVersion")
    return LaunchedBrowser(None, connection, str(reply["product"]))
