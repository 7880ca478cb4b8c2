"""Unix sockets of the daemon: bound with mode 0600, removed at exit, the user of a peer.

The MCP socket is a named pipe on Windows.
"""

import asyncio
import contextlib
import os
import socket
import struct
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from ocd.storage.files import Identity, storage

MAX_MESSAGE_BYTES = 64 * 1024 * 1024


@contextlib.contextmanager
def remove_at_exit(address: str) -> Iterator[None]:
    """Remove the socket's file after the block, if it is still the same file."""
    identity = Identity.of(Path(address))
    try:
        yield
    finally:
        # Another daemon may have its own there, if our home was deleted under us.
        if identity is not None and Identity.of(Path(address)) == identity:
            remove(address)


async def listen(
    address: str, connected: Callable[[asyncio.StreamReader, asyncio.StreamWriter], None]
) -> asyncio.AbstractServer:
    """Accept connections at a Unix socket (mode 0600) or named pipe; the caller holds the lock."""
    if os.name == "nt":
        return await _at_pipe(address, connected)
    listener = bind(address)
    return await asyncio.start_unix_server(
        connected, sock=listener, limit=MAX_MESSAGE_BYTES, backlog=128
    )


def bind(address: str) -> socket.socket:
    """Return a Unix socket of mode 0600.

    Whatever file is there is stale: the caller holds the daemon's lock.
    """
    remove(address)
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listener.bind(address)
    Path(address).chmod(0o600)
    return listener


def remove(address: str) -> None:
    """Remove the socket's file."""
    if os.name != "nt":
        with storage("removing", Path(address)):
            Path(address).unlink(missing_ok=True)


async def _at_pipe(
    address: str, connected: Callable[[asyncio.StreamReader, asyncio.StreamWriter], None]
) -> asyncio.AbstractServer:
    loop: Any = asyncio.get_running_loop()

    def protocol() -> asyncio.StreamReaderProtocol:
        reader = asyncio.StreamReader(limit=MAX_MESSAGE_BYTES)
        return asyncio.StreamReaderProtocol(reader, connected)

    (server,) = await loop.start_serving_pipe(protocol, address)
    served: asyncio.AbstractServer = server
    return served


def peer_uid(connection: socket.socket | None) -> int | None:
    """Return the user id of the peer of a Unix socket; None where the OS does not tell."""
    if connection is None or connection.family != getattr(socket, "AF_UNIX", None):
        return None
    if hasattr(socket, "SO_PEERCRED"):
        raw = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
        return int(struct.unpack("3i", raw)[1])
    # macOS and the BSDs: struct xucred {version, uid, …} through LOCAL_PEERCRED, level 0.
    raw = connection.getsockopt(0, 1, 76)
    return int(struct.unpack_from("2I", raw)[1])
