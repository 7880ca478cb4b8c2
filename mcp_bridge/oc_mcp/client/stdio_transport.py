"""A program that speaks MCP on its stdin and stdout, as a transport of the SDK's client.

After a byte that is not UTF-8, the SDK's own transport reads forever; it joins partial lines again
with every chunk, and parses on the event loop. This one ends the connection, is linear, has a size
limit, and parses long lines in a thread.
"""

import asyncio
import contextlib
import re
import sys
import time
from collections.abc import AsyncIterator, Callable, Mapping
from typing import Any, TextIO

import anyio
import mcp_types as types
import msgspec
from mcp.client.stdio import get_default_environment
from mcp.os.posix.utilities import terminate_posix_process_tree
from mcp.os.win32.utilities import (
    close_process_job,
    create_windows_process,
    get_windows_executable_command,
    terminate_windows_process_tree,
)
from mcp.shared.message import SessionMessage

# The longest message that is taken. Its parsing takes some 100 ms at most.
MAX_MESSAGE = 16 * 1024 * 1024
# The message of the error that stands in the place of a longer answer.
TOO_LARGE = f"The answer is larger than {MAX_MESSAGE >> 20} MiB"
# Longer lines are parsed in a thread.
LONG = 64 * 1024
HEAD = 256
_CHUNK = 1 << 16
_END_S = 2.0
_POLL_S = 0.01
_ANSWER = re.compile(
    rb'\s{0,9}\{\s{0,9}(?:"jsonrpc"\s{0,9}:\s{0,9}"2\.0"\s{0,9},\s{0,9})?'
    rb'"id"\s{0,9}:\s{0,9}(\d{1,15})\s{0,9},'
)
_Item = SessionMessage | Exception
_GONE = (
    anyio.EndOfStream, anyio.ClosedResourceError, anyio.BrokenResourceError, ConnectionError,
    OSError,
)  # fmt: skip
# Is told that the other side has ended, and why if that is known.
Lost = Callable[[str], None]


class Unreadable(Exception):
    """What came is nothing that the connection could go on after; the argument says what."""


@contextlib.asynccontextmanager
async def program(start: Mapping[str, Any], errors: TextIO, lost: Lost) -> AsyncIterator[Any]:
    """Start a program and yield the streams of its messages; it is ended when they are left.

    start: command, env, cwd. errors: where its stderr goes. lost: is called before the messages end
    by themselves.
    """
    process = await _running_process(start, errors)
    incoming, received = anyio.create_memory_object_stream[_Item](0)
    sending, outgoing = anyio.create_memory_object_stream[SessionMessage](0)

    async def read() -> None:
        why = ""
        try:
            async with incoming:
                try:
                    async for item in _messages(process.stdout):
                        await incoming.send(item)
                except Unreadable as error:
                    why = str(error)
                lost(why)
        except (anyio.BrokenResourceError, anyio.ClosedResourceError):
            return  # nobody reads any more

    async def write() -> None:
        with contextlib.suppress(*_GONE):
            async for message in outgoing:
                line = message.message.model_dump_json(by_alias=True, exclude_unset=True)
                await process.stdin.send(line.encode() + b"\n")
            return
        lost("")
        await incoming.aclose()  # the program hears nothing any more

    async with anyio.create_task_group() as group:
        group.start_soon(read)
        group.start_soon(write)
        try:
            yield received, sending
        finally:
            group.cancel_scope.cancel()
            with anyio.CancelScope(shield=True):
                await _end_process(process)
                for stream in (incoming, received, sending, outgoing):
                    await stream.aclose()


# --- messages ----------------------------------------------------------------------------------


async def _messages(stdout: Any) -> AsyncIterator[_Item]:  # noqa: ANN401 - the SDK has two kinds
    """Yield what the lines say until the stream ends; raises Unreadable."""
    parts: list[bytes] = []
    size = 0
    with contextlib.suppress(*_GONE):
        while True:
            *lines, rest = (await stdout.receive(_CHUNK)).split(b"\n")
            for line in lines:
                yield await _message(parts, line, size + len(line))
                parts, size = [], 0
            size += len(rest)
            # Of what is too long only the beginning is kept.
            if rest and (size <= MAX_MESSAGE or not parts):
                parts.append(rest)
            elif len(parts) > 1:
                parts = [b"".join(parts)[:HEAD]]


async def _message(parts: list[bytes], last: bytes, size: int) -> _Item:
    if size > MAX_MESSAGE:
        return _too_large(b"".join((*parts[:1], last))[:HEAD])
    line = b"".join((*parts, last))
    return await asyncio.to_thread(parse_line, line) if size > LONG else parse_line(line)


def _too_large(head: bytes) -> SessionMessage:
    error = too_large_error(head)
    if error is None:
        raise Unreadable(f"it sent a message of more than {MAX_MESSAGE >> 20} MiB")
    return SessionMessage(error)


def too_large_error(head: bytes) -> types.JSONRPCError | None:
    """Return the error that answers the request in the place of its answer, which begins so.

    None for what is no answer.
    """
    known = _ANSWER.match(head)
    if known is None:
        return None
    error = types.ErrorData(code=types.INTERNAL_ERROR, message=TOO_LARGE)
    return types.JSONRPCError(jsonrpc="2.0", id=int(known[1]), error=error)


def parse_line(line: bytes) -> _Item:
    """Return the message of a line, or what is wrong with it; raises Unreadable."""
    try:
        text = line.decode()
    except UnicodeDecodeError as error:
        raise Unreadable(f"it sent a line that is not UTF-8 (byte {error.start})") from None
    adapter = types.jsonrpc_message_adapter
    try:
        try:
            message = adapter.validate_python(msgspec.json.decode(text), by_name=False)
        except msgspec.DecodeError:  # NaN, which is no JSON and which some write
            message = adapter.validate_json(text, by_name=False)
    except (ValueError, RecursionError) as error:
        return error
    return SessionMessage(message)


# --- the process -------------------------------------------------------------------------------


async def _running_process(start: Mapping[str, Any], errors: TextIO) -> Any:  # noqa: ANN401 - of two kinds
    command, *args = start["command"]
    # The SDK adds PATH, HOME, USER, LOGNAME, SHELL and TERM, and nothing else of our environment.
    env, cwd = get_default_environment() | dict(start["env"]), start["cwd"]
    if sys.platform == "win32":
        command = await asyncio.to_thread(get_windows_executable_command, command)
        return await create_windows_process(command, args, env, errors, cwd)
    return await anyio.open_process(
        [command, *args], env=env, stderr=errors, cwd=cwd, start_new_session=True
    )


async def _end_process(process: Any) -> None:  # noqa: ANN401 - of two kinds
    """End it as the protocol says: close its stdin, wait, then end it and what it has started."""
    async with anyio.create_task_group() as group:
        group.start_soon(_drained, process.stdout)
        with contextlib.suppress(*_GONE):
            await process.stdin.aclose()
        if not await _has_ended(process):
            if sys.platform == "win32":
                await terminate_windows_process_tree(process)
            else:
                await terminate_posix_process_tree(process, _END_S)
            await _has_ended(process)
        group.cancel_scope.cancel()
    close_process_job(process)
    with contextlib.suppress(*_GONE):
        await process.stdout.aclose()
    _closed(process)


async def _drained(stdout: Any) -> None:  # noqa: ANN401 - of two kinds
    # A program that still writes to a full pipe could not end.
    with contextlib.suppress(*_GONE):
        while True:
            await stdout.receive(_CHUNK)


async def _has_ended(process: Any) -> bool:  # noqa: ANN401 - of two kinds
    # Not its wait(): that one waits for all who have inherited its pipes, too.
    deadline = time.monotonic() + _END_S
    while process.returncode is None and time.monotonic() < deadline:  # noqa: ASYNC110 - no event
        await anyio.sleep(_POLL_S)
    return process.returncode is not None


def _closed(process: Any) -> None:  # noqa: ANN401 - of two kinds
    # What has inherited a pipe keeps the transport open; only here can it be closed.
    transport = getattr(getattr(process, "_process", None), "_transport", None)
    if close := getattr(transport, "close", None):
        with contextlib.suppress(PermissionError):
            close()
