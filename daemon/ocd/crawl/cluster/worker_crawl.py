"""One crawl on one worker: its HTTP client, its browser, and the pages read with them."""

import asyncio
import logging
import time
from collections.abc import Iterator, Sequence
from contextlib import AsyncExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from ocd.api.errors import OcdError
from ocd.api.waiting import SpawnTask
from ocd.browser.pool.page_pool import PagePool
from ocd.browser.process.chromium import Chromium, ChromiumOptions
from ocd.browser.process.network_rules import has_own_proxy
from ocd.config.loader import environment, load
from ocd.conversion.worker import ConversionPool
from ocd.crawl.cluster.messages import PageAnswer, PageFailure, WorkerSettings
from ocd.crawl.extraction import MAX_WAITING, ExtractionClient
from ocd.crawl.fetch.browser_fetch import BrowserFetcher, pool_options
from ocd.crawl.fetch.http_fetch import HttpFetcher
from ocd.crawl.visits.page_reader import LocalReader, PageRequest
from ocd.ledger.cancellation import job_group
from ocd.safety import certificate_errors

logger = logging.getLogger(__name__)

# A browser with more tabs than this only costs memory.
_MAX_TABS = 16
# How long a batch may take: one slow page does not delay the answers for the others.
BATCH_S = 1.0
# How many times as long it may wait for its turn: another worker may be free by then.
_MAX_TURNS = 5


class _RedirectedError(Exception):
    """A redirect; whether it may be followed is decided by the daemon."""


class Slots(asyncio.Semaphore):
    """The number of pages that one worker reads at a time, for all crawls."""

    def __init__(self, count: int) -> None:
        super().__init__(count)
        self.count = count


@dataclass(slots=True, eq=False)
class _Reading:
    """A page that is being read, or waits for a slot. error: raised to those who wait for it."""

    request: PageRequest
    job: asyncio.Task[None] | None = None
    begun: bool = False
    answer: PageAnswer | None = None
    error: Exception | None = None


@dataclass(frozen=True, slots=True)
class _WorkerServices:
    """What pages are read with. start: starts a coroutine that ends with the crawl."""

    reader: LocalReader
    http: HttpFetcher
    start: SpawnTask


class WorkerCrawl:
    """Reads pages for one crawl while `serve` runs, at most one for each of the worker's slots."""

    def __init__(
        self, settings: WorkerSettings, slots: Slots, converters: ConversionPool, directory: Path
    ) -> None:
        self.settings = settings
        self._policy = settings.policy
        self._slots = slots
        self._converters = converters
        self._directory = directory
        self._stop = asyncio.Event()
        self._ready: asyncio.Future[_WorkerServices] = asyncio.get_running_loop().create_future()
        self._readings: dict[tuple[str, bool], _Reading] = {}
        self._users = 0
        self._expiry: asyncio.TimerHandle | None = None

    # --- life ---------------------------------------------------------------------------------

    async def serve(self) -> None:
        """Keep the HTTP client, the browser and the processes open until `stop`."""
        try:
            async with (
                asyncio.TaskGroup() as group,
                AsyncExitStack() as stack,
                job_group() as start,
            ):
                reader, http = await self._open(group, stack)
                self._ready.set_result(_WorkerServices(reader, http, start))
                await self._stop.wait()
        except Exception as error:
            logger.exception("a crawl of this worker has ended")
            if not self._ready.done():
                self._ready.set_exception(error)
                self._ready.exception()  # perhaps nobody is waiting for it
        finally:
            self._stop.set()
            self._expire_in(None)

    async def _open(
        self, group: asyncio.TaskGroup, stack: AsyncExitStack
    ) -> tuple[LocalReader, HttpFetcher]:
        settings, spec = self.settings, self.settings.spec
        chromium = Chromium(await asyncio.to_thread(self._browser_options), group.create_task)
        stack.push_async_callback(chromium.close)
        http = await stack.enter_async_context(
            HttpFetcher.open(
                self._slots.count,
                settings.logins,
                spec.requests,
                any_certificate=settings.any_certificate or spec.requests.any_certificate,
            )
        )
        renderer = BrowserFetcher(
            lambda tabs, options: PagePool(chromium, tabs, options),
            min(self._slots.count, _MAX_TABS), pool_options(spec), logins=settings.logins,
        )  # fmt: skip
        stack.push_async_callback(renderer.close)
        # A machine has a worker for each processor or two.
        max_waiting = min(MAX_WAITING, self._slots.count // 2)
        converter = ExtractionClient(self._converters, 1, max_waiting)
        stack.callback(converter.close)
        return LocalReader(spec, http, renderer, converter, sanitize=settings.sanitize), http

    def _browser_options(self) -> ChromiumOptions:
        # The machine decides how Chromium is started, the crawl what it may do.
        own = load({})
        run_dir = self._directory / f"crawl-{self.settings.crawl}"
        run_dir.mkdir(parents=True, exist_ok=True)
        trust = (certificate_errors.FLAG,) if self.settings.any_certificate else ()
        return ChromiumOptions(
            profile=run_dir / "profile", run_dir=run_dir, isolated=True, idle_minutes=0,
            browser_path=own.browser_path, extra_args=(*own.browser_args, *trust),
            own_proxy=has_own_proxy(own.browser_args, environment()),
            policy=self._policy,
        )  # fmt: skip

    def stop(self) -> None:
        """End the crawl here, including the pages that are being read."""
        self._stop.set()

    @contextmanager
    def in_use(self, kept_s: float) -> Iterator[None]:
        """Keep the crawl open during the block, and for `kept_s` after the last such block."""
        self._users += 1
        self._expire_in(None)
        try:
            yield
        finally:
            self._users -= 1
            if not self._users:
                self._expire_in(kept_s)

    def _expire_in(self, seconds: float | None) -> None:
        if self._expiry is not None:
            self._expiry.cancel()
        loop = asyncio.get_running_loop()
        ends = seconds is not None and not self._stop.is_set()
        self._expiry = loop.call_later(seconds or 0.0, self.stop) if ends else None

    # --- reading ------------------------------------------------------------------------------

    async def read_all(self, requests: Sequence[PageRequest]) -> list[PageAnswer]:
        """Return an answer for each request, in order, when all are ready or BATCH_S has passed.

        A page that is still being read is answered as `begun` and continues: a later request for it
        gets its result. While none has begun, this waits longer. If the crawl ends, pages without a
        result are answered as `cancelled`.
        """
        tools = await asyncio.shield(self._ready)
        readings = [self._reading(request, tools) for request in requests]
        await self._wait_for_progress(readings)
        return [self._answer(reading) for reading in readings]

    async def _wait_for_progress(self, readings: Sequence[_Reading]) -> None:
        pending = {reading.job for reading in readings if reading.job is not None}
        for _ in range(_MAX_TURNS):
            if pending:
                _, pending = await asyncio.wait(pending, timeout=BATCH_S)
            if not pending or any(reading.begun for reading in readings):
                return  # otherwise all slots are busy with the previous batch

    def _reading(self, request: PageRequest, tools: _WorkerServices) -> _Reading:
        key = (request.url, request.by_browser)
        found = self._readings.get(key)
        if found is None:
            found = self._readings[key] = _Reading(request)
            if not self._stop.is_set():
                found.job = tools.start(self._read_in_slot(found, tools))
        return found

    def _answer(self, reading: _Reading) -> PageAnswer:
        if reading.error is not None:
            raise reading.error
        if self._stop.is_set():
            return reading.answer or _failed(OcdError("cancelled", "The crawl has ended"))
        if reading.answer is None and reading.begun:
            return PageAnswer(begun=True)
        self._readings.pop((reading.request.url, reading.request.by_browser), None)
        if reading.answer is None and reading.job is not None:
            reading.job.cancel()
        return reading.answer or PageAnswer()

    async def _read_in_slot(self, reading: _Reading, tools: _WorkerServices) -> None:
        async with self._slots:
            reading.begun = True
            try:
                reading.answer = await self._read(reading.request, tools)
            except Exception as error:
                logger.exception("%s could not be read", reading.request.url)
                reading.error = error

    async def _read(self, request: PageRequest, tools: _WorkerServices) -> PageAnswer:
        started = time.monotonic()
        chain = request.chain or tools.http.begin(request.url)
        try:
            visited = await tools.reader.read(
                replace(request, chain=chain),
                lambda target: self._admit(target, by_browser=request.by_browser),
                lambda: None,
            )
        except _RedirectedError:
            return PageAnswer(redirect=chain)
        except OcdError as error:
            answer = _failed(error)
        else:
            visited.record.duration_ms = round((time.monotonic() - started) * 1000)
            answer = PageAnswer(visited=visited)
        answer.heads = chain.heads if self.settings.spec.keeps_raw else []
        return answer

    async def _admit(self, target: str, *, by_browser: bool) -> None:
        self._policy.check(target)
        if not by_browser:  # a browser has followed it itself
            raise _RedirectedError


def _failed(error: OcdError) -> PageAnswer:
    return PageAnswer(failure=PageFailure.of(error))
