"""MCP over HTTP in the daemon's loop: the listening sockets and the token."""

import asyncio
import contextlib
import logging
import os
import secrets
import socket
from collections.abc import AsyncIterator
from pathlib import Path

from ocd.api.errors import OcdError
from ocd.api.waiting import SpawnTask
from ocd.config.loader import Config
from ocd.server.mcp_socket import McpSocketServer
from ocd.server.tcp_sockets import listening_sockets
from ocd.storage.files import make_dir, read_whole, storage, write_whole

logger = logging.getLogger(__name__)

_TOKEN_BYTES = 32


@contextlib.asynccontextmanager
async def listening(
    door: McpSocketServer, config: Config, spawn: SpawnTask
) -> AsyncIterator[int | None]:
    """Serve MCP over HTTP during the block, if it is configured; yield the port, or None.

    Raises `address_in_use`, or `config_invalid` for a host that is not this machine's.
    """
    if config.http is None:
        yield None
        return
    token = _token(config.token_file)
    sockets = listening_sockets(config.http_host, config.http, "http")
    port: int = sockets[0].getsockname()[1]
    stop = asyncio.Event()
    serving = spawn(_serve(door, config.http_host, sockets, token, stop))
    logger.info("MCP over HTTP: http://%s:%d/mcp", config.http_host, port)
    try:
        yield port
    finally:
        stop.set()
        await serving
        for listener in sockets:
            listener.close()


async def _serve(
    door: McpSocketServer, host: str, sockets: list[socket.socket], token: str, stop: asyncio.Event
) -> None:
    # Callers that come before the import is done wait in the sockets' queues.
    module = await door.load("oc_mcp.server.streamable_http")
    hosts = [host, *(listener.getsockname()[0] for listener in sockets)]
    port = sockets[0].getsockname()[1]
    server = module.HttpServer(door, hosts=hosts, port=port, token=token)
    async with asyncio.TaskGroup() as group:
        group.create_task(server.serve(sockets))
        await stop.wait()
        server.stop()


def _refuse_shared(path: Path, mode: int) -> None:
    if mode & 0o077:
        raise OcdError(
            "config_invalid",
            f"token_file: other users can access {path} (mode {mode & 0o777:o}), which is a key",
            hint=f"chmod 600 {path}, and replace the token if others may have read it.",
            path=str(path),
        )


def _token(path: Path) -> str:
    """Return the token in the file, created private to the user if missing."""
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
