"""MCP over HTTP in the daemon's loop: the listening sockets and the token."""

import asyncio
import contextlib
import errno
import logging
import os
import secrets
import socket
from collections.abc import AsyncIterator, Callable, Coroutine
from pathlib import Path
from typing import Any

from ocd.api.errors import OcdError
from ocd.config.loader import Config
from ocd.server.mcp_socket import McpSocketServer
from ocd.storage.files import make_dir, read_whole, storage, write_whole

logger = logging.getLogger(__name__)

_BACKLOG = 512
# Without IPv6 there is nothing to listen at there.
_ABSENT = (errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT)
_TOKEN_BYTES = 32

Spawn = Callable[[Coroutine[Any, Any, None]], asyncio.Task[None]]


@contextlib.asynccontextmanager
async def listening(
    door: McpSocketServer, config: Config, spawn: Spawn
) -> AsyncIterator[int | None]:
    """Serve MCP over HTTP until left, if the configuration says so; yield the port.

    Raises `address_in_use`, or `config_invalid` for a host that is none of ours.
    """
    if config.http is None:
        yield None
        return
    token = _token(config.token_file)
    sockets = _bind(config.http_host, config.http)
    port: int = sockets[0].getsockname()[1]
    stop = asyncio.Event()
    serving = spawn(_serve(door, config.http_host, sockets, token, stop))
    logger.info("MCP over HTTP: http://%s:%d/mcp", config.http_host, port)
    try:
        yield port
    finally:
        stop.set()
        await serving
        for one in sockets:
            one.close()


async def _serve(
    door: McpSocketServer, host: str, sockets: list[socket.socket], token: str, stop: asyncio.Event
) -> None:
    # Callers that come before the import is done wait in the sockets' queues.
    module = await door.load("oc_mcp.server.streamable_http")
    hosts = [host, *(one.getsockname()[0] for one in sockets)]
    port = sockets[0].getsockname()[1]
    server = module.HttpServer(door, hosts=hosts, port=port, token=token)
    async with asyncio.TaskGroup() as group:
        group.create_task(server.serve(sockets))
        await stop.wait()
        server.stop()


def _bind(host: str, port: int) -> list[socket.socket]:
    """Return a listening socket for each address of the host, all at one port."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except OSError as error:
        raise OcdError(
            "config_invalid", f"http_host: {host} is no host: {error.strerror or error}"
        ) from error
    sockets: list[socket.socket] = []
    try:
        for family, kind, protocol, _, address in dict.fromkeys(found):
            at = (address[0], port, *address[2:])
            listener = _listener(family, kind, protocol, at)
            if listener is not None:
                sockets.append(listener)
                port = listener.getsockname()[1]
    except OSError as error:
        for one in sockets:
            one.close()
        raise _not_bound(host, port, error) from error
    if not sockets:
        raise OcdError("config_invalid", f"http_host: this machine has no address {host}")
    return sockets


def _listener(
    family: int, kind: int, protocol: int, address: tuple[Any, ...]
) -> socket.socket | None:
    listener = socket.socket(family, kind, protocol)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:
            listener.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        listener.bind(address)
        listener.listen(_BACKLOG)
    except OSError as error:
        listener.close()
        if error.errno in _ABSENT:
            return None
        raise
    listener.setblocking(False)  # noqa: FBT003 - the socket's own signature
    return listener


def _not_bound(host: str, port: int, error: OSError) -> OcdError:
    if error.errno == errno.EADDRINUSE:
        return OcdError(
            "address_in_use",
            f"Port {port} of {host} is in use",
            hint="Give another one with --http, or 0 for any free one.",
            port=port,
        )
    return OcdError("config_invalid", f"Cannot listen at {host}:{port}: {error.strerror}")


def _refuse_shared(path: Path, mode: int) -> None:
    if mode & 0o077:
        raise OcdError(
            "config_invalid",
            f"token_file: other users may use {path} (mode {mode & 0o777:o}), and it is a key",
            hint=f"chmod 600 {path}, and change the token in it if others could read it.",
            path=str(path),
        )


def _token(path: Path) -> str:
    """Return the token in the file; made, private to the user, if there is none."""
    with storage("reading", path):
        found = read_whole(path)
        if found and os.name != "nt":
            _refuse_shared(path, path.stat().st_mode)
    token = (found or b"").decode("utf-8", "replace").strip()
    if not token:
        token = secrets.token_urlsafe(_TOKEN_BYTES)
        make_dir(path.parent)
        write_whole(path, token.encode() + b"\n")
    return token
