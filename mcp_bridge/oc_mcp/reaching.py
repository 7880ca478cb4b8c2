"""Ways to another MCP server: a program's stdio, or HTTP. Both speak all revisions of the SDK."""

import asyncio
import contextlib
import os
from collections import deque
from collections.abc import AsyncIterator, Callable, Mapping
from typing import Any

import anyio
import httpx2
import mcp_types as types
from mcp import Client, StdioServerParameters
from mcp.client.session import MessageHandlerFnT
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.message import SessionMessage

_WHO = types.Implementation(name="openchrome", title="OpenChrome gateway", version="1")
# A server may keep an answer's stream open as long as the call's own deadline allows.
_TIMEOUT = httpx2.Timeout(30.0, read=None)


@contextlib.asynccontextmanager
async def opened(
    start: Mapping[str, Any],
    heard: MessageHandlerFnT,
    lost: Callable[[], None],
    said: deque[str],
) -> AsyncIterator[Client]:
    """Open a connection; entered and left in one task.

    start: command, env, cwd, url and headers. heard: is given the server's notifications. lost: is
    called when a program has ended. said: takes the last lines that a program writes to stderr.
    """
    async with contextlib.AsyncExitStack() as stack:
        if start["url"]:
            http = httpx2.AsyncClient(headers=start["headers"], timeout=_TIMEOUT)
            await stack.enter_async_context(http)
            transport: Any = streamable_http_client(start["url"], http_client=http)
        else:
            transport = _program(start, lost, said)
        client = Client(transport, cache=None, message_handler=heard, client_info=_WHO)
        yield await stack.enter_async_context(client)


@contextlib.asynccontextmanager
async def _program(
    start: Mapping[str, Any], lost: Callable[[], None], said: deque[str]
) -> AsyncIterator[Any]:
    program, *args = start["command"]
    # The SDK adds PATH, HOME, USER, LOGNAME, SHELL and TERM, and nothing else of our environment.
    started = StdioServerParameters(
        command=program, args=args, env=dict(start["env"]), cwd=start["cwd"]
    )
    reading, writing = os.pipe()
    with os.fdopen(writing, "w") as errors:
        # Before there is a program whose failure would cancel it: uvloop, cancelled in there, has
        # closed the descriptor, and the file closes its number again, which may be another's then.
        reader = asyncio.StreamReader(limit=1 << 16)
        transport, _ = await asyncio.get_running_loop().connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(reading, "rb")
        )
        try:
            async with asyncio.TaskGroup() as group:
                listening = group.create_task(_hear_errors(reader, said))
                async with _watched(stdio_client(started, errlog=errors), lost) as streams:
                    errors.close()
                    yield streams
                listening.cancel()
        finally:
            transport.close()


async def _hear_errors(reader: asyncio.StreamReader, said: deque[str]) -> None:
    """Read what the program writes to stderr, so that it never waits for a reader."""
    while chunk := await reader.read(4096):
        said.extend(line[:500] for line in chunk.decode("utf-8", "replace").splitlines())


@contextlib.asynccontextmanager
async def _watched(transport: Any, lost: Callable[[], None]) -> AsyncIterator[Any]:  # noqa: ANN401 - the SDK's private protocol
    """Open a transport and call `lost` when the other side has ended; the SDK does not tell."""
    async with transport as (incoming, outgoing):
        forward, received = anyio.create_memory_object_stream[SessionMessage | Exception](0)

        async def pump() -> None:
            with contextlib.suppress(anyio.ClosedResourceError, anyio.BrokenResourceError):
                async with forward:
                    async for item in incoming:
                        await forward.send(item)
            lost()

        async with anyio.create_task_group() as group:
            group.start_soon(pump)
            try:
                yield received, outgoing
            finally:
                group.cancel_scope.cancel()
