"""The fixture site's behaviours for capturing: bodies, streams, policies, challenges."""

from __future__ import annotations

from aiohttp import web

from ocd.practice.answers import html
from support.routes import STATE

BYTES = bytes(range(256)) * 4


async def binary(_request: web.Request) -> web.Response:
    """Answer with bytes that are not text."""
    return web.Response(body=BYTES, content_type="application/octet-stream")


async def stream(request: web.Request) -> web.StreamResponse:
    """Send one event, then none until the gate opens."""
    response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
    await response.prepare(request)
    await response.write(b"data: one\n\n")
    await request.app[STATE].wait_open("stream")
    return response


async def csp(_request: web.Request) -> web.Response:
    """Forbid scripts, and hold one."""
    page = html("Strict", "<h1>Strict</h1><script>window.ran = true</script>")
    page.headers["Content-Security-Policy"] = "script-src 'none'"
    return page


async def large(request: web.Request) -> web.Response:
    """Answer with so many kilobytes of text."""
    return web.Response(text="0123456789abcde\n" * 64 * int(request.query.get("kb", "1")))


async def spam(request: web.Request) -> web.Response:
    """Ask for so many pictures."""
    count = int(request.query.get("count", "10"))
    return html("Many", "".join(f'<img src="/image?{i}" alt="">' for i in range(count)))


async def realm(request: web.Request) -> web.Response:
    """Ask for user `ada`, password `lovelace`; a realm of its own for each name."""
    if request.headers.get("Authorization") == "Basic YWRhOmxvdmVsYWNl":
        return html("Let in", "<h1>Let in</h1>")
    asked = f'Basic realm="{request.match_info["name"]}"'
    return web.Response(status=401, text="Who are you?", headers={"WWW-Authenticate": asked})


async def style(_request: web.Request) -> web.Response:
    """Answer with a style sheet and a cookie."""
    response = web.Response(text="h1 { color: navy }", content_type="text/css")
    response.set_cookie("sid", "cookie-0123456789")
    return response


ROUTES = [
    web.get("/capture/slow.css", style),
    web.get("/realm/{name}", realm),
    web.get("/capture/bytes", binary),
    web.get("/capture/stream", stream),
    web.get("/capture/csp", csp),
    web.get("/capture/large", large),
    web.get("/capture/pictures", spam),
]
