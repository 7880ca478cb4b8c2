"""The practice site's server: `ocd practice` runs it until it is interrupted."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from aiohttp import web

from ocd.practice.answers import UPLOADS, html, media_type
from ocd.practice.routes import ROUTES
from ocd.server.tcp_sockets import listening_sockets

if TYPE_CHECKING:
    from collections.abc import Iterable

HOST = "127.0.0.1"
PAGES = Path(__file__).with_name("pages")


def serve(port: int) -> None:
    """Serve at this port of loopback (0: any free one). Prints the address once it listens.

    Raises `address_in_use`.
    """
    asyncio.run(_serve(port))


async def _serve(port: int) -> None:
    app = web.Application()
    app[UPLOADS] = []
    app.add_routes([*ROUTES, web.get("/{path:.*}", _page)])
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    (listening,) = listening_sockets(HOST, port, "port")
    await web.SockSite(runner, listening).start()
    sys.stdout.write(f"http://{HOST}:{listening.getsockname()[1]}\n")
    sys.stdout.flush()
    try:
        await asyncio.Event().wait()
    finally:
        await runner.cleanup()


def find_page(path: str, folders: Iterable[Path] = (PAGES,)) -> Path | None:
    """Return the file of an address's path, from the first folder that has it, or None."""
    for folder in folders:
        file = (folder / (path or "index.html")).resolve()
        if file.is_relative_to(folder) and file.is_file():
            return file
    return None


async def _page(request: web.Request) -> web.Response:
    file = find_page(request.match_info["path"])
    if file is None:
        return html("Not found", "<h1>Not found</h1>", status=404)
    return web.Response(body=file.read_bytes(), headers={"Content-Type": media_type(file)})
