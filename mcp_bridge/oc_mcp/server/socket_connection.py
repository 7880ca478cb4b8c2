"""One bridge connection: lines on a socket, and an SDK server behind them.

The SDK silently drops what is not JSON-RPC; here it gets a reply.
"""

import asyncio
import json
import logging
from collections.abc import Sequence
from typing import Any

import anyio
import mcp_types as types
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.server.lowlevel import Server
from mcp.shared.message import SessionMessage
from pydantic import ValidationError

logger = logging.getLogger(__name__)

_LONG = 1_000_000

_Incoming = MemoryObjectSendStream[SessionMessage | Exception]
_Outgoing = MemoryObjectReceiveStream[SessionMessage]


async def serve_lines(
    server: Server[Any],
    reader: asyncio.StreamReader,
    writer: asyncio.StreamWriter,
    first: Sequence[bytes] = (),
) -> None:
    """Serve until the peer ends; `first` are the lines that have been read already."""
    send_in, receive_in = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    send_out, receive_out = anyio.create_memory_object_stream[SessionMessage](0)
    async with anyio.create_task_group() as group:
        group.start_soon(_read, reader, writer, send_in, first)
        group.start_soon(_write, receive_out, writer)
        await server.run(receive_in, send_out, server.create_initialization_options())
        group.cancel_scope.cancel()


async def _read(
    reader: asyncio.StreamReader,
    writer: asyncio.StreamWriter,
    incoming: _Incoming,
    first: Sequence[bytes],
) -> None:
    async with incoming:
        for line in first:
            await _accept(line, writer, incoming)
        while line := await _line(reader, writer):
            await _accept(line, writer, incoming)


async def _line(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bytes:
    try:
        return await reader.readline()
    except ValueError:
        writer.write(error_line(types.INVALID_REQUEST, "The message is too large"))
    except ConnectionError:
        logger.debug("a bridge went away in the middle of a line")
    return b""


async def _accept(line: bytes, writer: asyncio.StreamWriter, incoming: _Incoming) -> None:
    if not line.strip():
        return
    try:
        message = types.jsonrpc_message_adapter.validate_json(line, by_name=False)
    except ValidationError as error:
        writer.write(_invalid_message_error(line, error))
        return
    if isinstance(message, types.JSONRPCNotification) and _has_id(line):
        # The SDK mistakes a request whose id has the wrong type for a notification.
        writer.write(error_line(types.INVALID_REQUEST, "id must be a string or an integer"))
        return
    await incoming.send(SessionMessage(message))


def _invalid_message_error(line: bytes, error: ValidationError) -> bytes:
    # Also where only pydantic refuses the JSON (half of a surrogate pair, as of a cut emoji): the
    # host waits for an answer to this id.
    request_id = _id_of(line)
    for problem in error.errors(include_input=False):
        if problem["type"] == "json_invalid":
            why = str(problem.get("ctx", {}).get("error", "")) or "invalid"
            return error_line(types.PARSE_ERROR, f"The line is not JSON: {why}", request_id)
    return error_line(types.INVALID_REQUEST, "The line is not a JSON-RPC 2.0 message", request_id)


def _id_of(line: bytes) -> str | int | None:
    try:
        message = json.loads(line)
    except (ValueError, RecursionError):
        return None
    found = message.get("id") if isinstance(message, dict) else None
    return found if isinstance(found, str | int) and not isinstance(found, bool) else None


def _has_id(line: bytes) -> bool:
    return b'"id"' in line and "id" in json.loads(line)


def error_line(code: int, message: str, request_id: str | int | None = None) -> bytes:
    """Return a JSON-RPC error as one line."""
    body = {"jsonrpc": "2.0", "id": request_id, "error": {"code": code, "message": message}}
    return json.dumps(body).encode() + b"\n"


async def _write(outgoing: _Outgoing, writer: asyncio.StreamWriter) -> None:
    async with outgoing:
        async for item in outgoing:
            try:
                writer.writelines((await _encode(item.message), b"\n"))
                await writer.drain()
            except ConnectionError:
                return  # the reader notices the end, too
            del item  # it may be large, and the next one may take long to arrive


async def _encode(message: types.JSONRPCMessage) -> bytes:
    def dump() -> bytes:
        return types.jsonrpc_message_adapter.dump_json(message, by_alias=True, exclude_unset=True)

    return await asyncio.to_thread(dump) if _is_long(message) else dump()


def _is_long(message: types.JSONRPCMessage) -> bool:
    """Return whether it is a tool result with too much text to encode in a few milliseconds."""
    result = message.result if isinstance(message, types.JSONRPCResponse) else {}
    blocks = result.get("content")
    if not isinstance(blocks, list):
        return False
    return sum(len(block.get("text", "")) for block in blocks) > _LONG
