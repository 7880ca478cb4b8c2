"""The Dask worker plugin, which owns everything that crawls need on that worker."""

import asyncio
from collections import deque
from pathlib import Path

from distributed import Worker, WorkerPlugin

from ocd.api.waiting import wait_for_event
from ocd.conversion.worker import ConversionPool
from ocd.crawl.cluster.messages import (
    BatchAnswer,
    decode_pages,
    decode_settings,
    encode,
    own_version,
)
from ocd.crawl.cluster.worker_crawl import Slots, WorkerCrawl

_NAME = "openchrome"
# How long a crawl without requests keeps its browser here.
KEPT_S = 60.0
_REMEMBERED = 100


async def plugin_of(worker: Worker) -> "OpenChromePlugin":
    """Return the worker's plugin; the first call adds it."""
    if _NAME not in worker.plugins:
        await worker.plugin_add(OpenChromePlugin(), name=_NAME, catch_errors=False)
    found = worker.plugins[_NAME]
    assert isinstance(found, OpenChromePlugin)
    await found.ready.wait()
    return found


class OpenChromePlugin(WorkerPlugin):
    """The crawls that this worker reads pages for, by their settings."""

    def setup(self, worker: Worker) -> None:
        """Start the task group of everything that runs here, in the worker's own loop."""
        self._address: str = worker.address
        self._slots = Slots(worker.state.nthreads)
        self._directory = Path(worker.local_directory)
        self._converters = ConversionPool()
        self._crawls: dict[bytes, tuple[WorkerCrawl, asyncio.Task[None]]] = {}
        self._ended: deque[str] = deque(maxlen=_REMEMBERED)
        self._holds: dict[str, asyncio.Event] = {}
        self._stop, self._gone, self.ready = asyncio.Event(), asyncio.Event(), asyncio.Event()
        worker.loop.add_callback(self._serve)

    async def _serve(self) -> None:
        try:
            async with asyncio.TaskGroup() as self.group:
                self.ready.set()
                await self._stop.wait()
                for crawl, _ in self._crawls.values():
                    crawl.stop()
            await self._converters.close()
        finally:  # a worker that receives a stop signal cancels everything
            self._gone.set()

    async def teardown(self, worker: Worker) -> None:
        """End all crawls, with their browsers."""
        self._stop.set()
        for ended in self._holds.values():
            ended.set()
        await self._gone.wait()

    async def read_batch(self, encoded: bytes, pages: bytes) -> bytes:
        """Read a batch for a crawl; see remote."""
        answer = BatchAnswer(self._address)
        crawl = self._find(encoded) or self._begin(encoded, answer)
        if crawl is not None:
            with crawl.in_use(KEPT_S):
                answer.pages = await crawl.read_all(decode_pages(pages))
        return encode(answer)

    def _find(self, encoded: bytes) -> WorkerCrawl | None:
        known = self._crawls.get(encoded)
        return known[0] if known is not None and not known[1].done() else None

    def _begin(self, encoded: bytes, answer: BatchAnswer) -> WorkerCrawl | None:
        settings = decode_settings(encoded)
        if settings.version != own_version():
            answer.refused = f"it has openchrome {own_version()}, the daemon {settings.version}"
            return None
        crawl = WorkerCrawl(settings, self._slots, self._converters, self._directory)
        if settings.crawl in self._ended:
            crawl.stop()
        running = self.group.create_task(crawl.serve())
        self._crawls[encoded] = (crawl, running)
        running.add_done_callback(lambda _: self._forget(encoded, crawl))
        return crawl

    def _forget(self, encoded: bytes, crawl: WorkerCrawl) -> None:
        known = self._crawls.get(encoded)
        if known is not None and known[0] is crawl:
            del self._crawls[encoded]

    async def end(self, crawl: str) -> None:
        """End a crawl, even while it is reading pages; later batches of it are refused."""
        self._ended.append(crawl)
        if crawl in self._holds:
            self._holds[crawl].set()
        mine = self._of(crawl)
        for one, _ in mine:
            one.stop()
        if mine:
            await asyncio.wait([running for _, running in mine])

    async def hold(self, crawl: str) -> None:
        """Wait until a crawl has ended, or has not sent a request for a while."""
        if crawl in self._ended or self._stop.is_set():
            return
        ended = self._holds.setdefault(crawl, asyncio.Event())
        is_silent = False
        while not (ended.is_set() or is_silent):
            await wait_for_event(ended, KEPT_S)
            is_silent = not self._of(crawl)
        self._holds.pop(crawl, None)

    def _of(self, crawl: str) -> list[tuple[WorkerCrawl, asyncio.Task[None]]]:
        return [entry for entry in self._crawls.values() if entry[0].settings.crawl == crawl]
