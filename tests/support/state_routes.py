"""Routes of the fixture site for state that sites keep: cookies, identity, downloads."""

from __future__ import annotations

from aiohttp import web

from support.routes import html


async def echo(request: web.Request) -> web.Response:
    """Answer the request's headers as JSON."""
    return web.json_response(dict(request.headers))


ROUTES = [web.get("/state/echo", echo)]
