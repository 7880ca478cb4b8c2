"""What the practice site does beyond serving its pages: a login, forms, a handbook, data."""

from __future__ import annotations

import asyncio

from aiohttp import web

from ocd.practice import handbook, studio
from ocd.practice.answers import UPLOADS, html, red_dot

_SESSION = "s3cret-session"


async def login(request: web.Request) -> web.Response:
    """Show a form; posting user `ada` with password `lovelace` sets the session cookie."""
    if request.method == "POST":
        data = await request.post()
        if (data.get("user"), data.get("password")) == ("ada", "lovelace"):
            answer = web.HTTPSeeOther("/private")
            answer.set_cookie("session", _SESSION, httponly=True, path="/")
            raise answer
        return html("Log in", "<h1>Wrong password</h1>", status=401)
    return html(
        "Log in",
        '<h1>Log in</h1><form method="post"><label>User <input name="user"></label>'
        '<label>Password <input name="password" type="password"></label>'
        "<button>Log in</button></form>",
    )


async def private(request: web.Request) -> web.Response:
    """Show what only those who have logged in may see."""
    if request.cookies.get("session") != _SESSION:
        raise web.HTTPFound("/login")
    return html("Private", "<h1>Members only</h1><p>The treasure is below the oak.</p>")


async def submit(request: web.Request) -> web.Response:
    """List the fields that were sent."""
    data = await request.post()
    rows = "".join(f"<li>{key}={value!s}</li>" for key, value in data.items())
    return html("Received", f"<h1>Received</h1><ul>{rows}</ul>")


async def upload(request: web.Request) -> web.Response:
    """Keep the files that were sent, and count them."""
    data = await request.post()
    uploads = request.app[UPLOADS]
    for value in data.values():
        if isinstance(value, web.FileField):
            uploads.append((value.filename, value.file.read()))
    return html("Uploaded", f"<h1>Uploaded {len(uploads)}</h1>")


async def chapter(request: web.Request) -> web.Response:
    """Show a page of the handbook."""
    number = int(request.match_info["number"] or 1)
    if not 1 <= number <= handbook.COUNT:
        raise web.HTTPNotFound
    return web.Response(text=handbook.page(number), content_type="text/html")


async def download(_request: web.Request) -> web.Response:
    """Send a small file to save."""
    headers = {"Content-Disposition": 'attachment; filename="report.csv"'}
    return web.Response(body=b"a,b\n1,2\n", headers=headers, content_type="text/csv")


async def image(_request: web.Request) -> web.Response:
    """Send a picture of one red dot."""
    return web.Response(body=red_dot(), content_type="image/png")


async def data(request: web.Request) -> web.Response:
    """Send some JSON, after `ms`."""
    await asyncio.sleep(int(request.query.get("ms", 0)) / 1000)
    return web.json_response({"items": ["first", "second", "third"], "query": request.query_string})


ROUTES = [
    web.route("*", "/login", login),
    web.get("/private", private),
    web.post("/submit", submit),
    web.post("/upload", upload),
    web.get(r"/many-pages/{number:\d*}", chapter),
    web.get(r"/many-pages/{number:\d+}.html", chapter),
    web.get("/download", download),
    web.get("/image", image),
    web.get("/json", data),
    *studio.ROUTES,
]
