"""The floor: a crawler of raw CDP over the pipe that does nothing but crawl.

Flat sessions, reused hidden tabs, lean flags, one evaluate a page; no ledger, no Markdown, no
robots, no errors handled. Prints one JSON line: pages, seconds.
"""

import asyncio
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from urllib.parse import urldefrag

import msgspec
import psutil

FLAGS = (
    "--headless=new --no-sandbox --no-first-run --no-default-browser-check --disable-gpu "
    "--disable-field-trial-config --disable-back-forward-cache --disable-background-networking "
    "--disable-component-update --disable-default-apps --disable-extensions --disable-sync "
    "--disable-breakpad --disable-hang-monitor --disable-ipc-flooding-protection "
    "--disable-features=RenderDocument,BackForwardCache,SpareRendererForSitePerProcess,PaintHolding,"
    "MediaRouter,OptimizationHints,Translate,HttpsUpgrades"
).split()
TAKE = (
    "({u: location.href, t: document.title, l: Array.from(document.links, a => a.href),"
    " h: document.documentElement.outerHTML})"
)
SHIM = """(() => {
  const timers = new Map(); let next = 0;
  window.requestAnimationFrame = f => {
    const id = ++next;
    timers.set(id, setTimeout(() => { timers.delete(id); f(performance.now()); }, 16));
    return id;
  };
  window.cancelAnimationFrame = id => { clearTimeout(timers.get(id)); timers.delete(id); };
})()"""


class Pipe:
    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.WriteTransport) -> None:
        self.reader, self.writer = reader, writer
        self.waiting: dict[int, asyncio.Future] = {}
        self.loaded: dict[str, asyncio.Future] = {}
        self.last = 0

    def send(self, method: str, params: dict | None = None, session: str | None = None):
        self.last += 1
        message = {"id": self.last, "method": method, "params": params or {}}
        if session:
            message["sessionId"] = session
        self.waiting[self.last] = future = asyncio.get_running_loop().create_future()
        self.writer.write(msgspec.json.encode(message) + b"\0")
        return future

    async def pump(self) -> None:
        decode = msgspec.json.Decoder().decode
        while True:
            message = decode((await self.reader.readuntil(b"\0"))[:-1])
            if "id" in message:
                self.waiting.pop(message["id"]).set_result(message.get("result"))
            elif message["method"] == "Page.loadEventFired":
                future = self.loaded.pop(message["sessionId"], None)
                if future:
                    future.set_result(None)


def cpu_seconds() -> float:
    """Return what we and the browser have used."""
    own = psutil.Process()
    times = [one.cpu_times() for one in (own, *own.children(recursive=True))]
    return sum(one.user + one.system for one in times)


async def open_pipe(binary: str, profile: str) -> tuple[subprocess.Popen, Pipe]:
    to_read, to_write = os.pipe()
    from_read, from_write = os.pipe()
    command = [
        "sh", "-c", f'exec "$@" 3<&{to_read} 4>&{from_write}', "sh", binary, *FLAGS,
        "--remote-debugging-pipe", f"--user-data-dir={profile}", "about:blank",
    ]  # fmt: skip
    process = subprocess.Popen(
        command,
        pass_fds=(to_read, from_write),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    os.close(to_read)
    os.close(from_write)
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader(limit=1 << 26)
    await loop.connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(from_read, "rb", 0)
    )
    writer, _ = await loop.connect_write_pipe(asyncio.BaseProtocol, os.fdopen(to_write, "wb", 0))
    return process, Pipe(reader, writer)


async def tab(pipe: Pipe, context: str) -> str:
    target = await pipe.send(
        "Target.createTarget",
        {"url": "about:blank", "browserContextId": context, "hidden": True},
    )
    attached = await pipe.send(
        "Target.attachToTarget", {"targetId": target["targetId"], "flatten": True}
    )
    session = attached["sessionId"]
    metrics = {"width": 1280, "height": 800, "deviceScaleFactor": 1, "mobile": False}
    await pipe.send("Page.enable", None, session)
    await pipe.send("Emulation.setDeviceMetricsOverride", metrics, session)
    await pipe.send("Page.addScriptToEvaluateOnNewDocument", {"source": SHIM}, session)
    return session


async def crawl(binary: str, base: str, pages: int, tabs: int) -> None:
    profile = tempfile.mkdtemp(prefix="floor-")
    process, pipe = await open_pipe(binary, profile)
    async with asyncio.TaskGroup() as group:
        pump = group.create_task(pipe.pump())
        await pipe.send("Target.setDiscoverTargets", {"discover": False})
        context = (await pipe.send("Target.createBrowserContext"))["browserContextId"]
        seen, done, made = {f"{base}/p/0"}, 0, 0
        queue: asyncio.Queue[str] = asyncio.Queue()
        queue.put_nowait(f"{base}/p/0")
        started, used = time.perf_counter(), cpu_seconds()

        async def work() -> None:
            nonlocal done, made
            session = await tab(pipe, context)
            while True:
                url = await queue.get()
                pipe.loaded[session] = loaded = asyncio.get_running_loop().create_future()
                await pipe.send("Page.navigate", {"url": url}, session)
                await loaded
                taken = await pipe.send(
                    "Runtime.evaluate", {"expression": TAKE, "returnByValue": True}, session
                )
                value = taken["result"]["value"]
                for link in (urldefrag(raw)[0] for raw in value["l"]):
                    if link.startswith(base) and link not in seen and len(seen) < pages:
                        seen.add(link)
                        queue.put_nowait(link)
                done += 1
                made += "MADE-BY-SCRIPT words" in value["h"]
                queue.task_done()

        workers = [group.create_task(work()) for _ in range(tabs)]
        await queue.join()
        seconds, used = time.perf_counter() - started, cpu_seconds() - used
        for worker in workers:
            worker.cancel()
        pump.cancel()
    process.terminate()
    process.wait()
    shutil.rmtree(profile, ignore_errors=True)
    found = {"pages": done, "scripted": made, "seconds": seconds}
    print(json.dumps({**found, "cpu_ms": used * 1000 / done}))


if __name__ == "__main__":
    asyncio.run(crawl(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])))
