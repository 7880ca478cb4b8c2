"""A site for crawl tests, on a free port of 127.0.0.1: it remembers every request that it saw.

`site(pages={"/": html, …})` gives pages of your own; `/chain/N`, `/loop`, `/hang`, `/drip`,
`/busy`, … are always there. `seen` counts requests by path, `order` has them in order.
"""

import asyncio
import gzip
from collections import Counter
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager

from aiohttp import web

from support.routes import break_off

HTML = {"Content-Type": "text/html; charset=utf-8"}


def page(title: str, *links: str, body: str = "") -> str:
    """Return a page with a title, a paragraph and links."""
    anchors = "".join(f'<a href="{link}">{link}</a>\n' for link in links)
    return (
        f"<!doctype html><html><head><title>{title}</title></head><body><main><h1>{title}</h1>"
        f"<p>About {title}.</p>{body}</main><nav>{anchors}</nav></body></html>"
    )


def tree(count: int, fanout: int = 5) -> dict[str, str]:
    """Return `count` pages, / and /p/N, each linking to the next `fanout` ones and back."""
    pages = {}
    for number in range(count):
        children = [
            f"/p/{child}"
            for child in range(number * fanout + 1, number * fanout + fanout + 1)
            if child < count
        ]
        pages["/" if number == 0 else f"/p/{number}"] = page(f"Page {number}", "/", *children)
    return pages


class Site:
    """The running site: what it serves, and what it saw."""

    def __init__(self, pages: Mapping[str, str]) -> None:
        self.pages = dict(pages)
        self.answers: dict[str, Callable[[web.Request], web.StreamResponse]] = {}
        self.robots: web.Response | str | None = None
        self.seen: Counter[str] = Counter()
        self.order: list[str] = []
        self.times: list[float] = []
        self.headers: list[Mapping[str, str]] = []
        self.in_flight = 0
        self.most_in_flight = 0
        self.aborted: Counter[str] = Counter()
        self.released = asyncio.Event()
        self.reached = asyncio.Event()
        self.url = ""

    def url_of(self, path: str) -> str:
        """Return the absolute URL of a path."""
        return self.url + path

    @property
    def pages_seen(self) -> Counter[str]:
        """Requests by path, those for robots.txt left out."""
        return Counter({path: n for path, n in self.seen.items() if path != "/robots.txt"})

    async def handle(self, request: web.Request) -> web.StreamResponse:
        path = request.path_qs
        self.seen[path] += 1
        self.order.append(path)
        self.times.append(asyncio.get_running_loop().time())
        self.headers.append(dict(request.headers))
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        try:
            return await self._answer(request, path)
        except asyncio.CancelledError:
            self.aborted[path] += 1
            raise
        finally:
            self.in_flight -= 1

    async def _answer(self, request: web.Request, path: str) -> web.StreamResponse:
        if path == "/robots.txt":
            return self._robots()
        if path in self.answers:
            return self.answers[path](request)
        if path in self.pages:
            return web.Response(text=self.pages[path], headers=HTML)
        name = path.strip("/").partition("/")[0]
        special = getattr(self, f"_{name}", None)
        return await special(request) if special else web.Response(status=404, text="nothing here")

    def _robots(self) -> web.Response:
        if isinstance(self.robots, web.Response):
            kept = self.robots
            return web.Response(status=kept.status, body=kept.body, headers=kept.headers)
        if self.robots is None:
            return web.Response(status=404)
        return web.Response(text=self.robots)

    async def _chain(self, request: web.Request) -> web.Response:
        left = int(request.path.rpartition("/")[2])
        raise web.HTTPFound(f"/chain/{left - 1}" if left else "/")

    async def _loop(self, _request: web.Request) -> web.Response:
        raise web.HTTPFound("/loop2")

    async def _loop2(self, _request: web.Request) -> web.Response:
        raise web.HTTPFound("/loop")

    async def _hang(self, _request: web.Request) -> web.Response:
        self.reached.set()
        await self.released.wait()
        return web.Response(text="late")

    async def _drip(self, request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers=HTML)
        await response.prepare(request)
        await response.write(b"<p>a")
        self.reached.set()
        await self.released.wait()
        return response

    async def _short(self, request: web.Request) -> web.StreamResponse:
        return await break_off(request, page("Short", "/late"), {"Content-Length": "9999"})

    async def _unended(self, request: web.Request) -> web.StreamResponse:
        return await break_off(request, page("Unended", "/late"), {})

    async def _big(self, request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers=HTML)
        await response.prepare(request)
        for _ in range(12):
            await response.write(b"x" * 2**20)
        return response

    async def _pdf(self, _request: web.Request) -> web.Response:
        return web.Response(body=b"%PDF-1.7 \0", content_type="application/pdf")

    async def _zipped(self, _request: web.Request) -> web.Response:
        return web.Response(
            body=gzip.compress(page("Zipped", "/").encode()),
            headers={**HTML, "Content-Encoding": "gzip"},
        )

    async def _twice(self, _request: web.Request) -> web.Response:
        body = gzip.compress(gzip.compress(page("Twice").encode()))
        return web.Response(body=body, headers={**HTML, "Content-Encoding": "gzip, gzip"})

    async def _torn(self, _request: web.Request) -> web.Response:
        body = gzip.compress((page("Torn") + "<p>word" * 999999).encode())[:-20]
        return web.Response(body=body, headers={**HTML, "Content-Encoding": "gzip"})

    async def _unasked(self, _request: web.Request) -> web.Response:
        return web.Response(body=b"\x0b\x02", headers={**HTML, "Content-Encoding": "compress"})

    async def _latin(self, _request: web.Request) -> web.Response:
        body = page("Caf\xe9").replace("<head>", '<head><meta charset="iso-8859-1">')
        return web.Response(body=body.encode("latin-1"), content_type="text/html")

    async def _data(self, _request: web.Request) -> web.Response:
        return web.json_response({"answer": 42})


@asynccontextmanager
async def site(pages: Mapping[str, str] | None = None) -> AsyncIterator[Site]:
    """Run a site until the block ends."""
    served = Site(pages if pages is not None else tree(31))
    app = web.Application(handler_args={"handler_cancellation": True, "access_log": None})
    app.router.add_route("*", "/{rest:.*}", served.handle)
    runner = web.AppRunner(app, handler_cancellation=True, access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    server = web.TCPSite(runner, "127.0.0.1", 0)
    await server.start()
    port = runner.addresses[0][1]
    served.url = f"http://127.0.0.1:{port}"
    try:
        yield served
    finally:
        served.released.set()
        await runner.cleanup()


@asynccontextmanager
async def raw_server(sent: bytes, *, abort: bool = False) -> AsyncIterator[str]:
    """A server that answers each connection with these bytes; yields its "host:port"."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readline()
        writer.write(sent)
        if abort:
            writer.transport.abort()
        else:
            writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    async with server:
        yield f"127.0.0.1:{server.sockets[0].getsockname()[1]}"
