"""`PYTHONPATH=tests python -m field.firefox`: the dashboard in Firefox; exit 1 for a faulty view.

Each view at 1440 and 375 pixels: nothing is wider than the screen, and axe-core finds nothing. Then
a film is played to its end, and a tab is taken, written in and given back. $FIREFOX names the
program; else it is firefox-esr.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import os
import re
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from tempfile import TemporaryDirectory
from typing import Any

import aiohttp

from support import npm
from support.daemon import Daemon
from support.dashboard import DashboardPort
from support.site import Site

_ADDRESS = re.compile(r"BiDi listening on (ws://\S+)")
_ANSWER_S = 120.0
_AXE = """axe.run(document).then(found => JSON.stringify(
  found.violations.map(one => [one.id, one.nodes.map(node => node.html)])))"""
_HAS_TEXT = """(async () => {
  while (!document.body.innerText.includes(%s)) await new Promise(requestAnimationFrame);
})()"""
_PLAY = """(async () => {
  const film = document.querySelector('video');
  const ended = new Promise((done, failed) => {
    film.addEventListener('ended', done);
    film.addEventListener('error', () => failed(new Error(film.error.message)));
  });
  film.muted = true;
  await film.play();
  await ended;
  return `${film.videoWidth} x ${film.videoHeight}, ${film.currentTime.toFixed(1)} s`;
})()"""
_BUTTON = "document.querySelector('.control button').click()"
_PICTURE = """(() => {
  const { x, y, width, height } = document.querySelector('canvas').getBoundingClientRect();
  return JSON.stringify([x + width * 0.1, y + height * 0.067]);
})()"""


class Firefox:
    """One tab of Firefox, over WebDriver BiDi."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self._socket = socket
        self._numbers = itertools.count(1)
        self._tab = ""

    async def begin(self) -> None:
        """Begin a session with one tab."""
        await self.send("session.new", capabilities={})
        self._tab = (await self.send("browsingContext.create", type="tab"))["context"]

    async def send(self, method: str, **params: object) -> Any:  # noqa: ANN401 - any JSON
        number = next(self._numbers)
        await self._socket.send_json({"id": number, "method": method, "params": params})
        async with asyncio.timeout(_ANSWER_S):
            while (said := await self._socket.receive_json()).get("id") != number:
                pass
        if said["type"] == "error":
            raise RuntimeError(f"{method}: {said['message']}")
        return said["result"]

    async def act(self, method: str, **params: object) -> Any:  # noqa: ANN401 - any JSON
        return await self.send(method, context=self._tab, **params)

    async def run(self, code: str) -> Any:  # noqa: ANN401 - any JSON
        target = {"context": self._tab}
        done = await self.send("script.evaluate", expression=code, target=target, awaitPromise=True)
        if done["type"] != "success":
            raise RuntimeError(done["exceptionDetails"]["text"])
        return done["result"].get("value")

    async def open(self, url: str, text: str) -> None:
        await self.act("browsingContext.navigate", url=url, wait="complete")
        await self.wait_for_text(text)

    async def wait_for_text(self, text: str) -> None:
        await self.run(_HAS_TEXT % json.dumps(text))

    async def resize(self, width: int) -> None:
        await self.act("browsingContext.setViewport", viewport={"width": width, "height": 1000})

    async def write(self, text: str) -> None:
        """Click at a tenth of the tab's picture, and type."""
        x, y = map(int, json.loads(await self.run(_PICTURE)))
        mouse = [{"type": "pointerMove", "x": x, "y": y}, *_both("pointer", button=0)]
        keys = [step for one in text for step in _both("key", value=one)]
        for kind, steps in (("pointer", mouse), ("key", keys)):
            device = {"type": kind, "id": kind, "actions": steps}
            await self.act("input.performActions", actions=[device])


def _both(kind: str, **what: object) -> list[dict[str, object]]:
    return [{"type": f"{kind}{way}", **what} for way in ("Down", "Up")]


@asynccontextmanager
async def firefox() -> AsyncIterator[Firefox]:
    program = os.environ.get("FIREFOX", "firefox-esr")
    with TemporaryDirectory(prefix="openchrome-firefox-") as profile:
        flags = ("--headless", "--no-remote", "--remote-debugging-port=0", "--profile", profile)
        process = await asyncio.create_subprocess_exec(
            program, *flags, stderr=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.DEVNULL
        )
        try:
            assert process.stderr is not None
            address = None
            while address is None and (line := await process.stderr.readline()):
                address = _ADDRESS.search(line.decode("utf-8", "replace"))
            if address is None:
                raise RuntimeError(f"{program} has ended")
            async with (
                aiohttp.ClientSession() as client,
                client.ws_connect(f"{address[1]}/session", max_msg_size=0) as socket,
            ):
                browser = Firefox(socket)
                await browser.begin()
                yield browser
        finally:
            if process.returncode is None:
                process.terminate()
            await process.communicate()


def fill(daemon: Daemon, site: Site) -> dict[str, str]:
    """Make something for every view; return each view's address with a text that it has."""
    url = site.url("article.html")
    task = daemon.start_task("crawl", url=url, max_pages=1)
    daemon.finish(task)
    stored = daemon.do("crawl", url=url, max_pages=1, output_mode="handle")["output_handle"]
    daemon.do("navigate", "film", url=url)
    daemon.do("oc_recording_start", "film", name="order", screenshots="after", video=True)
    daemon.do("navigate", "film", url=site.url("index.html"))
    daemon.do("navigate", "film", url=url)
    film = daemon.do("oc_recording_stop", "film")["recording_id"]
    before = daemon.do("oc_evidence_bundle", "film")["bundle_id"]
    daemon.do("navigate", "film", url=site.url("dashboard/hands.html"))
    after = daemon.do("oc_evidence_bundle", "film")["bundle_id"]
    return {
        "/tasks": task, f"/task/{task}": "The lighthouse", "/outputs": stored,
        f"/output/{stored}": "of 1 item", "/journal": "navigate", "/recordings": "order",
        f"/recording/{film}": "Previous", "/approvals": "Nothing needs your attention",
        "/evidence": "Hands", f"/evidence/{before}/{after}": "Differences",
        "/tab/film/t1": "Take over",
    }  # fmt: skip


async def look(browser: Firefox, origin: str, views: dict[str, str]) -> int:
    """Look at every view; return how many have a fault."""
    axe = (npm.installed() / "axe-core" / "axe.min.js").read_text(encoding="utf-8")
    faulty = 0
    for path, text in views.items():
        await browser.open(origin + path, text)
        faults = []
        for width in (1440, 375):
            await browser.resize(width)
            if await browser.run("document.documentElement.scrollWidth > innerWidth"):
                faults.append(f"wider than {width}")
            faults += map(str, json.loads(await browser.run(f"{axe};{_AXE}")))
        print(path, "; ".join(faults) or "ok")
        faulty += bool(faults)
    return faulty


async def trial(daemon: Daemon, site: Site) -> int:
    views, port = fill(daemon, site), DashboardPort(daemon)
    async with firefox() as browser:
        await browser.open(port.link(), "Connected")
        faulty = await look(browser, port.origin, views)
        await browser.resize(1440)
        (recording,) = (path for path in views if path.startswith("/recording/"))
        await browser.open(port.origin + recording, views[recording])
        print("a film was played:", await browser.run(_PLAY))
        await browser.open(port.origin + "/tab/film/t1", "Take over")
        await browser.run(_BUTTON)
        await browser.wait_for_text("Ctrl+Alt+Enter")
        await browser.write("hé!")
        daemon.do("wait_for", "film", type="text", value="keydown Digit1 !", timeout_ms=60_000)
        await browser.run(_BUTTON)
        await browser.wait_for_text("You gave the tab back.")
    print("a tab was taken, written in and given back")
    return faulty


def main() -> int:
    with Site() as site, Daemon("--dashboard", "0") as daemon:
        return min(asyncio.run(trial(daemon, site)), 1)


if __name__ == "__main__":
    sys.exit(main())
