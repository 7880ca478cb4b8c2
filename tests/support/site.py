"""The fixture site: a real HTTP server on a port of its own that remembers what it was asked.

It has the practice site of the documentation (ocd.practice) and, beside it, one page for each
behaviour: plain pages lie in fixtures/site, behaviour that needs a server is a route
(support.routes). Run it by hand with `python tests/support/site.py --port 0`; the first line it
prints is its address.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from aiohttp import web
from aiohttp.typedefs import Handler

from ocd.practice import routes as practice_routes
from ocd.practice.answers import UPLOADS, html, media_type
from ocd.practice.server import PAGES as PRACTICE_PAGES
from ocd.practice.server import find_page

if __package__ in (None, ""):  # run as a file
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from support import (
    capture_routes,
    hidden_text,
    routes,
    skill_routes,
    state_routes,
    task_sites,
)
from support.waiting import LEAST_S, wait_until

PAGES = Path(__file__).resolve().parents[2] / "fixtures" / "site"
ROBOTS = {
    "allow": "User-agent: *\nAllow: /\n",
    "deny": "User-agent: *\nDisallow: /\n",
    "private": "User-agent: *\nDisallow: /many-pages/\nAllow: /many-pages/1.html\n",
    "delay": "User-agent: *\nCrawl-delay: 1\n",
    "wildcard": "User-agent: *\nDisallow: /*.html$\nAllow: /article.html\n",
}


@dataclass(slots=True)
class Seen:
    """One request as the site saw it; `status` is None while (or if never) answered."""

    method: str
    path: str
    query: str
    host: str
    headers: Mapping[str, str]
    at: float
    in_flight: int
    status: int | None = None
    ended: float | None = None


@dataclass
class Site:
    """A running fixture site: `with Site() as site: site.url("article.html")`.

    robots: the text of robots.txt, an HTTP status to answer it with, or None for 404.
    """

    robots: str | int | None = None
    port: int = 0
    requests: list[Seen] = field(default_factory=list)
    state: routes.State = field(default_factory=routes.State)
    records: task_sites.SiteRecords = field(default_factory=task_sites.SiteRecords)

    def __enter__(self) -> Site:
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._run, name="fixture-site", daemon=True)
        self._thread.start()
        assert self._ready.wait(LEAST_S), "the fixture site did not start"
        return self

    def __exit__(self, *exc: object) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(LEAST_S)

    # --- addresses -------------------------------------------------------------------------

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def other_origin(self) -> str:
        """The same server under another name: cross-origin, and cross-site to the first."""
        return f"http://localhost:{self.port}"

    def url(self, path: str = "") -> str:
        return f"{self.origin}/{path.lstrip('/')}"

    # --- what it saw -----------------------------------------------------------------------

    def seen(self, path: str) -> list[Seen]:
        """Return the requests for a path, oldest first; a trailing `*` matches any ending."""
        path = "/" + path.lstrip("/")
        if path.endswith("*"):
            return [r for r in list(self.requests) if r.path.startswith(path[:-1])]
        return [r for r in list(self.requests) if r.path == path]

    def wait_for(self, path: str, count: int = 1, timeout: float = 15.0) -> list[Seen]:
        """Return the requests for a path once there are `count` of them."""
        wait_until(lambda: len(self.seen(path)) >= count, timeout, f"{count} requests for {path}")
        return self.seen(path)

    def in_flight(self, path: str) -> int:
        return sum(1 for r in self.seen(path) if r.ended is None)

    def forget(self) -> None:
        """Start over: no requests seen, all gates closed, counters at zero."""
        self.requests.clear()
        self._in_loop(self.state.reset)
        self._in_loop(self.records.forget)

    def open_gate(self, name: str) -> None:
        """Open a gate, at which pages wait (`/gate/<name>`, `/chain/…?gate=<name>`)."""
        self._in_loop(partial(self.state.open, name))

    def _in_loop(self, action: Callable[[], None]) -> None:
        done = threading.Event()

        def act() -> None:
            action()
            done.set()

        self._loop.call_soon_threadsafe(act)
        assert done.wait(LEAST_S), "the fixture site is stuck"

    # --- the server ------------------------------------------------------------------------

    def _run(self) -> None:
        asyncio.run(self._serve())

    async def _serve(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._stop = asyncio.Event()
        runner = web.AppRunner(
            self.application(), access_log=None, handler_cancellation=True, shutdown_timeout=0.2
        )
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", self.port).start()
        self.port = runner.addresses[0][1]
        self._ready.set()
        await self._stop.wait()
        self.state.reset()
        await runner.cleanup()

    def application(self) -> web.Application:
        app = web.Application(middlewares=[self._remember], client_max_size=64 << 20)
        app[routes.STATE] = self.state
        app[UPLOADS] = self.state.uploads
        app.add_routes(routes.ROUTES)
        app[task_sites.RECORDS] = self.records
        app.add_routes(task_sites.ROUTES)
        app.add_routes(state_routes.ROUTES)
        app.add_routes(skill_routes.ROUTES)
        app.add_routes(capture_routes.ROUTES)
        app.add_routes(hidden_text.ROUTES)
        app.add_routes(practice_routes.ROUTES)
        app.router.add_get("/robots.txt", self._robots)
        app.router.add_get("/{path:.*}", self._page)
        return app

    @web.middleware
    async def _remember(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        flying = sum(1 for r in self.requests if r.ended is None) + 1
        seen = Seen(
            request.method, request.path, request.query_string, request.host,
            dict(request.headers), time.monotonic(), flying,
        )  # fmt: skip
        self.requests.append(seen)
        try:
            response = await handler(request)
            seen.status = response.status
        except web.HTTPException as error:
            seen.status = error.status
            raise
        finally:
            seen.ended = time.monotonic()
        return response

    async def _robots(self, _request: web.Request) -> web.Response:
        if isinstance(self.robots, int):
            return web.Response(status=self.robots, text="robots are out of order")
        if self.robots is None:
            raise web.HTTPNotFound
        return web.Response(text=self.robots)

    async def _page(self, request: web.Request) -> web.Response:
        path = find_page(request.match_info["path"], (PAGES, PRACTICE_PAGES))
        if path is None:
            return html("Not found", "<h1>Not found</h1>", status=404)
        body = path.read_bytes()
        if path.suffix == ".html":
            body = body.replace(b"{{origin}}", self.origin.encode())
            body = body.replace(b"{{other_origin}}", self.other_origin.encode())
        return web.Response(body=body, headers={"Content-Type": media_type(path)})


def main() -> None:
    """Serve until interrupted; print the address first."""
    parser = argparse.ArgumentParser(description="Serve the fixture site")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--robots", choices=sorted(ROBOTS), help="the robots.txt to serve")
    given = parser.parse_args()
    with Site(robots=ROBOTS.get(given.robots or ""), port=given.port) as site:
        sys.stdout.write(f"{site.origin}\n")
        sys.stdout.flush()
        try:
            threading.Event().wait()
        except KeyboardInterrupt:
            return


if __name__ == "__main__":
    main()
