"""A tiny HTTP server in the test's own loop, for tests that hold the browser's classes in hand.

A route is a reply, or a coroutine function that gets the request's path and gives one. What it has
seen stands in `seen`, in order.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Self


@dataclass(frozen=True)
class Reply:
    body: str | bytes = ""
    status: int = 200
    kind: str = "text/html; charset=utf-8"
    headers: dict[str, str] = field(default_factory=dict)

    def encode(self) -> bytes:
        body = self.body.encode() if isinstance(self.body, str) else self.body
        lines = [f"HTTP/1.1 {self.status} -", f"Content-Length: {len(body)}", "Connection: close"]
        lines += [f"Content-Type: {self.kind}"] if self.kind else []
        lines += [f"{name}: {value}" for name, value in self.headers.items()]
        return "\r\n".join([*lines, "", ""]).encode() + body


def redirect(to: str) -> Reply:
    return Reply(status=302, headers={"Location": to})


Handler = Callable[[str], Awaitable[Reply]]


class InlineSite:
    """Serves `routes` (path without query -> reply) on 127.0.0.1; localhost is another origin."""

    def __init__(self, routes: dict[str, Reply | Handler]) -> None:
        self.routes = routes
        self.seen: list[str] = []
        self._open: set[asyncio.Task[None]] = set()
        self._asked = asyncio.Condition()

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *exc: object) -> None:
        self._server.close()
        for task in list(self._open):
            task.cancel()
        if self._open:
            await asyncio.wait(self._open)

    def url(self, path: str, host: str = "127.0.0.1") -> str:
        return f"http://{host}:{self.port}{path}"

    async def wait_asked(self, path: str) -> None:
        """Return once the path was asked for."""
        async with self._asked, asyncio.timeout(10):
            await self._asked.wait_for(lambda: path in self.seen)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task
        self._open.add(task)
        try:
            with suppress(ConnectionError, asyncio.IncompleteReadError):
                await self._answer(reader, writer)
        except asyncio.CancelledError:
            return
        finally:
            self._open.discard(task)
            writer.close()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        path = head.split(b" ", 2)[1].decode()
        async with self._asked:
            self.seen.append(path)
            self._asked.notify_all()
        route = self.routes.get(path.partition("?")[0], Reply("not found", 404))
        reply = route if isinstance(route, Reply) else await route(path)
        writer.write(reply.encode())
        await writer.drain()
