"""Transports to another MCP server: stdio or HTTP. Both support all revisions of the SDK."""

import asyncio
import contextlib
import os
from collections import deque
from collections.abc import AsyncIterator, Mapping
from typing import Any

import anyio
import httpx2
import mcp_types as types
from mcp import Client
from mcp.client.session import MessageHandlerFnT
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.message import SessionMessage

from oc_mcp.client import stdio_transport
from oc_mcp.client.envelopes import put_in_envelopes
from oc_mcp.client.message_bounds import UNCOMPRESSED, LongMessages

_WHO = types.Implementation(name="openchrome", title="OpenChrome gateway", version="1")
# A server may keep the stream of an answer open for as long as the call's deadline allows.
_TIMEOUT = httpx2.Timeout(30.0, read=None)


@contextlib.asynccontextmanager
async def open_transport(
    start: Mapping[str, Any],
    on_message: MessageHandlerFnT,
    lost: stdio_transport.Lost,
    stderr_lines: deque[str],
) -> AsyncIterator[Client]:
    """Open a connection; enter and leave it in the same task.

    Args:
        start: command, env, cwd, url and headers.
        on_message: called with the server's notifications.
        lost: called when a program has ended, with the reason.
        stderr_lines: receives the last lines of a program's stderr.
    """
    messages = LongMessages()
    async with contextlib.AsyncExitStack() as stack:
        if start["url"]:
            headers, hooks = {**UNCOMPRESSED, **start["headers"]}, {"response": [messages.bound]}
            http = httpx2.AsyncClient(headers=headers, timeout=_TIMEOUT, event_hooks=hooks)
            await stack.enter_async_context(http)
            transport: Any = streamable_http_client(start["url"], http_client=http)
        else:
            transport = _program(start, lost, stderr_lines)
        client = Client(
            _in_envelopes(transport, messages),
            cache=None,
            message_handler=on_message,
            client_info=_WHO,
        )
        yield await stack.enter_async_context(client)


@contextlib.asynccontextmanager
async def _program(
    start: Mapping[str, Any], lost: stdio_transport.Lost, stderr_lines: deque[str]
) -> AsyncIterator[Any]:
    reading, writing = os.pipe()
    with os.fdopen(writing, "w") as errors:
        # Before the program starts, whose failure would cancel this: cancelled here, uvloop has
        # closed the descriptor already, and the file would close its number a second time, which
        # may belong to another file by then.
        reader = asyncio.StreamReader(limit=1 << 16)
        transport, _ = await asyncio.get_running_loop().connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(reading, "rb")
        )
        try:
            async with asyncio.TaskGroup() as group:
                listening = group.create_task(_log_stderr(reader, stderr_lines))
                async with stdio_transport.program(start, errors, lost) as streams:
                    errors.close()
                    yield streams
                listening.cancel()
        finally:
            transport.close()


async def _log_stderr(reader: asyncio.StreamReader, stderr_lines: deque[str]) -> None:
    """Read what the program writes to stderr, so that it never waits for a reader."""
    while chunk := await reader.read(4096):
        stderr_lines.extend(line[:500] for line in chunk.decode("utf-8", "replace").splitlines())


@contextlib.asynccontextmanager
async def _in_envelopes(
    transport: Any,  # noqa: ANN401 - the SDK's private protocol
    messages: LongMessages,
) -> AsyncIterator[Any]:
    """Open a transport that puts results in envelopes and replaces stand-ins by long messages."""
    async with transport as (incoming, outgoing):
        forward, received = anyio.create_memory_object_stream[SessionMessage | Exception](0)

        async def pump() -> None:
            with contextlib.suppress(anyio.ClosedResourceError, anyio.BrokenResourceError):
                async with forward:
                    async for item in incoming:
                        await forward.send(put_in_envelopes(messages.take(item)))

        async with anyio.create_task_group() as group:
            group.start_soon(pump)
            try:
                yield received, outgoing
            finally:
                group.cancel_scope.cancel()
