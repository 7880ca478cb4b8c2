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

# The longest message that is accepted. Parsing it takes about 100 ms at most.
MAX_MESSAGE = 16 * 1024 * 1024
# The message of the error that replaces a longer answer.
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
# Called when the other side has ended, with the reason if it is known.
Lost = Callable[[str], None]


class Unreadable(Exception):
    """The connection cannot continue after what was received; the argument says why."""


@contextlib.asynccontextmanager
async def program(start: Mapping[str, Any], errors: TextIO, lost: Lost) -> AsyncIterator[Any]:
    """Start a program and yield its message streams; on exit the program is ended.

    Args:
        start: command, env and cwd.
        errors: where its stderr goes.
        lost: called if the program ends by itself, before its messages end.
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
            return  # the reader has gone

    async def write() -> None:
        with contextlib.suppress(*_GONE):
            async for message in outgoing:
                line = message.message.model_dump_json(by_alias=True, exclude_unset=True)
                await process.stdin.send(line.encode() + b"\n")
            return
        lost("")
        await incoming.aclose()  # the program receives nothing further

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
    """Yield the messages of the lines until the stream ends.

    Raises:
        Unreadable: a line that is too long or not UTF-8.
    """
    parts: list[bytes] = []
    size = 0
    with contextlib.suppress(*_GONE):
        while True:
            *lines, rest = (await stdout.receive(_CHUNK)).split(b"\n")
            for line in lines:
                yield await _message(parts, line, size + len(line))
                parts, size = [], 0
            size += len(rest)
            # Only the beginning of a line that is too long is kept.
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
    """Return the error that replaces an answer over the limit; None if it is not an answer.

    Args:
        head: the beginning of the message.
    """
    known = _ANSWER.match(head)
    if known is None:
        return None
    error = types.ErrorData(code=types.INTERNAL_ERROR, message=TOO_LARGE)
    return types.JSONRPCError(jsonrpc="2.0", id=int(known[1]), error=error)


def parse_line(line: bytes) -> _Item:
    """Return the message of a line, or the error that describes what is wrong with it.

    Raises:
        Unreadable: the connection cannot continue after it.
    """
    try:
        text = line.decode()
    except UnicodeDecodeError as error:
        raise Unreadable(f"it sent a line that is not UTF-8 (byte {error.start})") from None
    adapter = types.jsonrpc_message_adapter
    try:
        try:
            message = adapter.validate_python(msgspec.json.decode(text), by_name=False)
        except msgspec.DecodeError:  # NaN, which is not valid JSON but which some servers write
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
    """End a program as MCP prescribes: close its stdin, wait, then kill it and its children."""
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
    # A program that is still writing to a full pipe could not exit.
    with contextlib.suppress(*_GONE):
        while True:
            await stdout.receive(_CHUNK)


async def _has_ended(process: Any) -> bool:  # noqa: ANN401 - of two kinds
    # Not its wait(), which also waits for every process that has inherited its pipes.
    deadline = time.monotonic() + _END_S
    while process.returncode is None and time.monotonic() < deadline:  # noqa: ASYNC110 - no event
        await anyio.sleep(_POLL_S)
    return process.returncode is not None


def _closed(process: Any) -> None:  # noqa: ANN401 - of two kinds
    # A process that has inherited a pipe keeps the transport open, so it is closed here.
    transport = getattr(getattr(process, "_process", None), "_transport", None)
    if close := getattr(transport, "close", None):
        with contextlib.suppress(PermissionError):
            close()
