"""Routes of the fixture site for what pages leave behind: files to save."""

from __future__ import annotations

from aiohttp import web

from support.routes import STATE


async def file(request: web.Request) -> web.StreamResponse:
    """Answer with `size` bytes, Content-Disposition as in `as`; `gate`: half of them first."""
    size = int(request.query.get("size", 5))
    response = web.StreamResponse()
    # As it is: aiohttp would refuse what real servers send.
    response.headers["Content-Disposition"] = request.query.get("as", "attachment")
    response.content_type = "application/octet-stream"
    response.content_length = size
    await response.prepare(request)
    await response.write(b"x" * (size // 2))
    if "gate" in request.query:
        await request.app[STATE].wait_open(request.query["gate"])
    await response.write(b"x" * (size - size // 2))
    return response


ROUTES = [web.get("/state/file", file), web.get("/state/file/{name}", file)]
