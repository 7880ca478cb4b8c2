"""What the dashboard costs the daemon, and how soon it shows a change."""

import argparse
import asyncio
import statistics
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from urllib.parse import urlsplit

import aiohttp

from bench.daemon import Daemon
from bench.figures import Section, median

PAGE = "data:text/html,<title>x</title><p>hello"
CHANGES, TURNS, CALLS, VIEWERS = 30, 8, 30, 20
IDLE_S, FRAME_S = 10.0, 30.0
SCRIPTS = {
    "call that shows nothing": "%d",
    "call that paints the whole page": "document.body.style.background = 'rgb(%d, 0, 0)'",
}
SETTLING_S = 0.5


def watching(options: argparse.Namespace) -> Section:
    """Measure what people who watch a tab notice."""
    section = Section("Dashboard")
    with Daemon("--dashboard", "0") as daemon:
        daemon.call("navigate", url=PAGE)
        asyncio.run(_measure(daemon, section))
    return section


async def _measure(daemon: Daemon, section: Section) -> None:
    async with _visiting(daemon) as (session, origin), AsyncExitStack() as stack:

        async def view() -> aiohttp.ClientWebSocketResponse:
            return await stack.enter_async_context(session.ws_connect(f"{origin}/api/events"))

        page = await view()
        section.at_most("processor, page open", await _processor(daemon), 1, "%")
        await _watch(page, "t1")
        section.at_most("processor, tab watched, still", await _processor(daemon), 1, "%")
        section.at_most("change → frame, median", await _change_ms(daemon, page), 150, "ms")
        for what, code in SCRIPTS.items():
            section.at_most(f"{what}, watched / not", await _cost(daemon, page, code), 1.1)
        more = [await view() for _ in range(VIEWERS - 1)]
        for one in more:
            await _watch(one, "t1")
        for number in range(CALLS):
            await _paint(daemon, f"rgb(0, {number * 4}, 0)")
        section.at_most(f"daemon, {VIEWERS} viewers on a tab", daemon.rss_mb(), 150, "MB")


@asynccontextmanager
async def _visiting(daemon: Daemon) -> AsyncIterator[tuple[aiohttp.ClientSession, str]]:
    """Log in as a browser does; yield the HTTP client and the dashboard's origin."""
    link = urlsplit(daemon.dashboard_link())
    origin = f"{link.scheme}://{link.netloc}"
    jar = aiohttp.CookieJar(unsafe=True)
    async with aiohttp.ClientSession(cookie_jar=jar, headers={"Origin": origin}) as session:
        async with session.get(link.geturl()):
            pass
        yield session, origin


async def _watch(page: aiohttp.ClientWebSocketResponse, tab_id: str | None) -> None:
    tab = {"session": "default", "tab_id": tab_id} if tab_id else None
    await page.send_json({"watch": tab})
    await asyncio.sleep(SETTLING_S)


async def _processor(daemon: Daemon) -> float:
    """Return the daemon's CPU use, in percent of one core."""
    before = daemon.process.cpu_times()
    await asyncio.sleep(IDLE_S)
    after = daemon.process.cpu_times()
    taken_s = after.user + after.system - before.user - before.system
    return round(100 * taken_s / IDLE_S, 2)


async def _paint(daemon: Daemon, color: str) -> None:
    code = f"document.body.style.background = '{color}'"
    await asyncio.to_thread(daemon.call, "javascript_tool", code=code)


async def _change_ms(daemon: Daemon, page: aiohttp.ClientWebSocketResponse) -> float:
    """Return the median from sending a call that changes the tab to the frame that shows it."""
    taken = []
    for number in range(CHANGES):
        await _drain(page)
        began = time.perf_counter()
        await _paint(daemon, f"rgb({number * 8}, 0, 0)")
        await _next_frame(page, FRAME_S)
        taken.append((time.perf_counter() - began) * 1000)
    return median(taken)


async def _next_frame(page: aiohttp.ClientWebSocketResponse, timeout_s: float) -> None:
    async with asyncio.timeout(timeout_s):
        while (await page.receive()).type != aiohttp.WSMsgType.BINARY:
            pass


async def _drain(page: aiohttp.ClientWebSocketResponse) -> None:
    """Receive pending messages until there is a pause."""
    while True:
        try:
            async with asyncio.timeout(SETTLING_S):
                await page.receive()
        except TimeoutError:
            return


async def _cost(daemon: Daemon, page: aiohttp.ClientWebSocketResponse, code: str) -> float:
    """Return the ratio of a call's time while its tab is watched to its time otherwise.

    By the quicker quarter's bound of both: what else the machine does is in the others.
    """
    taken: dict[bool, list[float]] = {False: [], True: []}
    async with asyncio.TaskGroup() as group:
        for _ in range(TURNS):
            for watched in (False, True):
                await _watch(page, "t1" if watched else None)
                reading = group.create_task(_read(page))
                for number in range(CALLS):
                    began = time.perf_counter()
                    await asyncio.to_thread(daemon.call, "javascript_tool", code=code % number)
                    taken[watched].append(time.perf_counter() - began)
                reading.cancel()
    plain, watched_ = (statistics.quantiles(taken[one], n=4)[0] for one in (False, True))
    return watched_ / plain


async def _read(page: aiohttp.ClientWebSocketResponse) -> None:
    async for _ in page:
        pass
