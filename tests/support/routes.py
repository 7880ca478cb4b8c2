"""The fixture site's behaviours that need a server, one handler each."""

from __future__ import annotations

import asyncio
import gzip
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field

from aiohttp import web

from ocd.practice.answers import html


@dataclass
class State:
    """What the site remembers between requests: gates, counters, uploads.

    Gates belong to the site's loop; `reset` runs there, too.
    """

    gates: defaultdict[str, asyncio.Event] = field(
        default_factory=lambda: defaultdict(asyncio.Event)
    )
    hits: Counter[str] = field(default_factory=Counter)
    uploads: list[tuple[str, bytes]] = field(default_factory=list)

    def reset(self) -> None:
        """Forget everything; whoever waits at a gate goes on, later visitors find it shut."""
        for event in self.gates.values():
            event.set()
        self.gates.clear()
        self.hits.clear()
        self.uploads.clear()

    def open(self, gate: str) -> None:
        """Open the gate for everybody, now and later."""
        self.gates[gate].set()

    async def wait_open(self, gate: str) -> None:
        """Wait until a test opens the gate."""
        await self.gates[gate].wait()


STATE: web.AppKey[State] = web.AppKey("state", State)


def _number(request: web.Request, name: str, default: int) -> int:
    return int(request.query.get(name, default))


# --- answers that are late, endless or missing ------------------------------------------------


async def hang(request: web.Request) -> web.Response:
    """Never answer."""
    await request.app[STATE].wait_open("hang")
    return html("Released", "<h1>Released</h1>")


async def hang_body(request: web.Request) -> web.StreamResponse:
    """Answer with headers and half a page, then nothing."""
    response = web.StreamResponse(headers={"Content-Type": "text/html"})
    await response.prepare(request)
    await response.write(b"<!doctype html><title>Half</title><h1>Half a page</h1>")
    await request.app[STATE].wait_open("hang")
    return response


async def break_off(
    request: web.Request, text: str, headers: Mapping[str, str], *, gate: str = ""
) -> web.StreamResponse:
    """Send a part of a page and close the connection; with `gate`, once that is open."""
    response = web.StreamResponse(headers={"Content-Type": "text/html", **headers})
    await response.prepare(request)
    await response.write(text.encode())
    if gate:
        await request.app[STATE].wait_open(gate)
    assert request.transport is not None
    request.transport.close()
    return response


async def broken_off(request: web.Request) -> web.StreamResponse:
    """Half of a page, and then the connection's end: once the browser has read that half."""
    state = request.app[STATE]
    state.hits["broken-off"] += 1
    gate = f"half-{state.hits['broken-off']}"
    text = f"<title>Half</title><h1>Half</h1><img src='/opened/{gate}' alt=''>"
    return await break_off(request, text, {"Content-Length": "9999"}, gate=gate)


async def opened(request: web.Request) -> web.Response:
    """Open the gate of that name."""
    request.app[STATE].open(request.match_info["name"])
    return web.Response(status=204)


async def stopped(request: web.Request) -> web.StreamResponse:
    """A page that never ends, until its script stops its loading."""
    response = web.StreamResponse(headers={"Content-Type": "text/html"})
    await response.prepare(request)
    await response.write(
        b"<title>Stopped</title><h1>Enough</h1><script>setTimeout('stop()')</script>"
    )
    await request.app[STATE].wait_open("hang")
    return response


async def gate(request: web.Request) -> web.Response:
    """Answer once the test opens the gate of that name."""
    name = request.match_info["name"]
    await request.app[STATE].wait_open(name)
    return html(f"Gate {name}", f"<h1>Gate {name}</h1>")


async def chain(request: web.Request) -> web.Response:
    """Page n of a chain: links to n+1 up to `last`; pages from `hold` on wait at gate `chain`."""
    number = int(request.match_info["number"])
    hold = _number(request, "hold", 0)
    if hold and number >= hold:
        await request.app[STATE].wait_open("chain")
    last = _number(request, "last", 1000)
    following = f'<a href="/chain/{number + 1}?{request.query_string}">on</a>' * (number < last)
    return html(f"Link {number}", f"<h1>Link {number}</h1><p>Text of {number}.</p>{following}")


async def star(request: web.Request) -> web.Response:
    """Page 0 links to 1 … `leaves`; leaves from `hold` on wait at gate `star`."""
    number, leaves = int(request.match_info["number"]), _number(request, "leaves", 10)
    hold = _number(request, "hold", 0)
    if number and hold and number >= hold:
        await request.app[STATE].wait_open("star")
    out = "".join(
        f'<a href="/star/{n}?{request.query_string}">leaf {n}</a> ' for n in range(1, leaves + 1)
    )
    return html(f"Star {number}", f"<h1>Star {number}</h1>{out if number == 0 else ''}")


_DETOUR = {
    "start": ("late", "quick"),
    "quick": ("step",),
    "step": ("goal",),
    "late": ("goal",),
    "goal": ("beyond",),
}


async def detour(request: web.Request) -> web.Response:
    """Two ways to `goal`: a short one over the slow page `late`, a longer one over quick pages."""
    name = request.match_info["name"]
    await asyncio.sleep(0.5 if name == "late" else 0)
    out = "".join(f'<a href="/detour/{target}">{target}</a>' for target in _DETOUR.get(name, ()))
    return html(name.title(), f"<h1>{name.title()}</h1>{out}")


async def slow(request: web.Request) -> web.Response:
    """Answer after `ms`."""
    await asyncio.sleep(_number(request, "ms", 500) / 1000)
    return html("Slow", "<h1>Slow</h1>")


async def answering_socket(request: web.Request) -> web.WebSocketResponse:
    """Answer each message "N" by two, the second one N ms after the first; others by none."""
    socket = web.WebSocketResponse()
    await socket.prepare(request)
    async for message in socket:
        if message.data.isdecimal():
            await socket.send_str("received")
            await asyncio.sleep(int(message.data) / 1000)
            await socket.send_str("done")
    return socket


async def drip(request: web.Request) -> web.StreamResponse:
    """Send `bytes` of text spread evenly over `ms`."""
    count, duration = _number(request, "bytes", 1000), _number(request, "ms", 1000) / 1000
    response = web.StreamResponse(headers={"Content-Type": "text/html"})
    await response.prepare(request)
    for _ in range(10):
        await response.write(b"x" * (count // 10))
        await asyncio.sleep(duration / 10)
    return response


async def never_idle(_request: web.Request) -> web.Response:
    """A page that sends a request every 50 ms forever."""
    return html(
        "Never idle",
        "<h1>Never idle</h1><script>setInterval(()=>fetch('/json?'+Math.random()),50)</script>",
    )


async def hang_script(_request: web.Request) -> web.Response:
    """A page whose script never returns, so that its renderer answers nothing."""
    return html("Busy", "<h1>Busy</h1><script>addEventListener('load',()=>{for(;;);})</script>")


# --- statuses, redirects, kinds of bodies -----------------------------------------------------


async def status(request: web.Request) -> web.Response:
    code = int(request.match_info["code"])
    if code in (204, 304):
        return web.Response(status=code)
    return html(f"Status {code}", f"<h1>Status {code}</h1>", status=code)


async def redirect(request: web.Request) -> web.Response:
    left = int(request.match_info["left"])
    if left == 0:
        return html("Arrived", "<h1>Arrived</h1>")
    raise web.HTTPFound(f"/redirect/{left - 1}")


async def redirect_to(request: web.Request) -> web.Response:
    """Redirect to `url` with `status` (302; 307 keeps method and body)."""
    headers = {"Location": request.query["url"]}
    return web.Response(status=_number(request, "status", 302), headers=headers)


async def redirect_loop(request: web.Request) -> web.Response:
    turn = "b" if request.query.get("turn") == "a" else "a"
    raise web.HTTPFound(f"/redirect-loop?turn={turn}")


async def back_off(request: web.Request) -> web.Response:
    """Answer the first `n` requests with the status and Retry-After, later ones with a page."""
    code, key = int(request.match_info["code"]), request.path_qs
    hits = request.app[STATE].hits
    hits[key] += 1
    if hits[key] > _number(request, "n", 1):
        return html("At last", "<h1>At last</h1>")
    after = request.query.get("after", "1")
    return web.Response(status=code, text="slower", headers={"Retry-After": after})


async def big(request: web.Request) -> web.Response:
    """A page of `kb` kilobytes of plain sentences."""
    kilobytes = _number(request, "kb", 1024)
    line = "<p>" + "The quick brown fox jumps over the lazy dog. " * 21 + "</p>\n"
    return html("Big", "<h1>Big</h1>" + line * (kilobytes * 1024 // len(line) + 1))


_PDF = (
    b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n"
    b"2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n"
    b"3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 72 72]>>endobj\n"
    b"trailer<</Root 1 0 R>>\n%%EOF\n"
)


async def pdf(_request: web.Request) -> web.Response:
    return web.Response(body=_PDF, content_type="application/pdf")


async def plain(_request: web.Request) -> web.Response:
    return web.Response(text="Plain text, no markup: <b>not bold</b>.")


async def latin(_request: web.Request) -> web.Response:
    body = "<!doctype html><title>Café</title><h1>Café à la crème</h1>".encode("latin-1")
    return web.Response(body=body, headers={"Content-Type": "text/html; charset=iso-8859-1"})


async def echo(request: web.Request) -> web.Response:
    body = (await request.read()).decode(errors="replace")
    headers = {k.lower(): v for k, v in request.headers.items()}
    return web.json_response({"method": request.method, "headers": headers, "body": body})


# --- log-in, forms, uploads -------------------------------------------------------------------


async def basic_auth(request: web.Request) -> web.Response:
    """Ask for user `ada`, password `lovelace`."""
    if request.headers.get("Authorization") == "Basic YWRhOmxvdmVsYWNl":
        return html("Let in", "<h1>Let in</h1>")
    headers = {"WWW-Authenticate": 'Basic realm="fixture"'}
    return web.Response(status=401, text="Who are you?", headers=headers)


# --- many pages, sitemaps ---------------------------------------------------------------------


def _origin(request: web.Request) -> str:
    return f"http://{request.host}"


def _urlset(request: web.Request, numbers: range) -> str:
    rows = "".join(
        f"<url><loc>{_origin(request)}/many-pages/{n}.html</loc></url>\n" for n in numbers
    )
    space = "http://www.sitemaps.org/schemas/sitemap/0.9"
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="{space}">\n{rows}</urlset>\n'


async def sitemap(request: web.Request) -> web.Response:
    return web.Response(text=_urlset(request, range(1, 11)), content_type="application/xml")


async def dead_sitemap(request: web.Request) -> web.Response:
    rows = "\n".join(f"{_origin(request)}/status/404?{number}" for number in range(2))
    return web.Response(text=rows)


async def sitemap_gz(request: web.Request) -> web.Response:
    body = gzip.compress(_urlset(request, range(11, 21)).encode())
    return web.Response(body=body, content_type="application/gzip")


async def sitemap_index(request: web.Request) -> web.Response:
    space, origin = "http://www.sitemaps.org/schemas/sitemap/0.9", _origin(request)
    rows = "".join(
        f"<sitemap><loc>{origin}/{name}</loc></sitemap>"
        for name in ("sitemap.xml", "sitemap-2.xml.gz")
    )
    return web.Response(
        text=f'<?xml version="1.0"?><sitemapindex xmlns="{space}">{rows}</sitemapindex>',
        content_type="application/xml",
    )


async def spa(_request: web.Request) -> web.Response:
    """One shell for every address below /spa; the script draws what the address says."""
    script = """
    const draw = () => { document.querySelector('main').innerHTML =
      `<h1>View ${location.pathname}</h1><a href="/spa/two" onclick="go(event)">two</a>`; };
    const go = e => { e.preventDefault(); history.pushState({}, '', e.target.href); draw(); };
    addEventListener('popstate', draw); draw();"""
    return html("App", f"<main></main><script>{script}</script>")


ROUTES = [
    web.get("/hang", hang),
    web.get("/hang-body", hang_body),
    web.get("/hang-script", hang_script),
    web.get("/broken-off", broken_off),
    web.get("/opened/{name}", opened),
    web.get("/stopped", stopped),
    web.get("/gate/{name}", gate),
    web.get(r"/chain/{number:\d+}", chain),
    web.get(r"/star/{number:\d+}", star),
    web.get("/detour/{name}", detour),
    web.get("/slow", slow),
    web.get("/socket", answering_socket),
    web.get("/drip", drip),
    web.get("/never-idle", never_idle),
    web.route("*", r"/status/{code:\d+}", status),
    web.get(r"/redirect/{left:\d+}", redirect),
    web.route("*", "/redirect-to", redirect_to),
    web.get("/redirect-loop", redirect_loop),
    web.get("/{code:429|503}", back_off),
    web.get("/big", big),
    web.get("/pdf", pdf),
    web.get("/plain", plain),
    web.get("/latin", latin),
    web.route("*", "/echo", echo),
    web.get("/basic-auth", basic_auth),
    web.get("/sitemap.xml", sitemap),
    web.get("/dead-sitemap.xml", dead_sitemap),
    web.get("/sitemap-2.xml.gz", sitemap_gz),
    web.get("/sitemap_index.xml", sitemap_index),
    web.get("/spa", spa),
    web.get("/spa/{rest:.*}", spa),
]
