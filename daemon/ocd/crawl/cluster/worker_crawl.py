"""One crawl on one worker: its HTTP client, its browser, and what is read with them."""

import asyncio
import logging
import time
from collections.abc import Iterator
from contextlib import AsyncExitStack, contextmanager
from dataclasses import replace
from pathlib import Path

from ocd.api.errors import OcdError
from ocd.browser.pool.page_pool import PagePool
from ocd.browser.process.chromium import Chromium, ChromiumOptions
from ocd.browser.process.network_rules import has_own_proxy
from ocd.config.loader import environment, load
from ocd.conversion.worker import ConversionPool
from ocd.crawl.cluster.messages import PageAnswer, PageFailure, WorkerSettings
from ocd.crawl.extraction import ExtractionClient
from ocd.crawl.fetch.browser_fetch import BrowserFetcher, pool_options
from ocd.crawl.fetch.http_fetch import HttpFetcher
from ocd.crawl.visits.page_reader import LocalReader, PageRequest
from ocd.ledger.cancellation import run_until
from ocd.safety import certificate_errors

logger = logging.getLogger(__name__)

# A browser with more tabs than this only costs memory.
_MAX_TABS = 16


class _RedirectedError(Exception):
    """Whether the redirect may be followed is for the daemon to say."""


class WorkerCrawl:
    """Reads pages for one crawl while `serve` runs, at most one for each of the worker's slots."""

    def __init__(
        self, settings: WorkerSettings, slots: int, converters: ConversionPool, directory: Path
    ) -> None:
        self.settings = settings
        self._policy = settings.policy
        self._slots = slots
        self._converters = converters
        self._directory = directory
        self._stop = asyncio.Event()
        self._ready: asyncio.Future[tuple[LocalReader, HttpFetcher]] = (
            asyncio.get_running_loop().create_future()
        )
        self._users = 0
        self._expiry: asyncio.TimerHandle | None = None

    # --- life ---------------------------------------------------------------------------------

    async def serve(self) -> None:
        """Hold what the pages are read with, until `stop`."""
        try:
            async with asyncio.TaskGroup() as group, AsyncExitStack() as stack:
                self._ready.set_result(await self._open(group, stack))
                await self._stop.wait()
        except Exception as error:
            logger.exception("a crawl of this worker has ended")
            if not self._ready.done():
                self._ready.set_exception(error)
                self._ready.exception()  # there may be nobody who waits
        finally:
            self._stop.set()
            self._expire_in(None)

    async def _open(
        self, group: asyncio.TaskGroup, stack: AsyncExitStack
    ) -> tuple[LocalReader, HttpFetcher]:
        given, spec = self.settings, self.settings.spec
        chromium = Chromium(await asyncio.to_thread(self._browser_options), group.create_task)
        stack.push_async_callback(chromium.close)
        http = await stack.enter_async_context(
            HttpFetcher.open(
                self._slots,
                given.logins,
                spec.requests,
                any_certificate=given.any_certificate or spec.requests.any_certificate,
            )
        )
        renderer = BrowserFetcher(
            lambda tabs, options: PagePool(chromium, tabs, options),
            min(self._slots, _MAX_TABS), pool_options(spec), logins=given.logins,
        )  # fmt: skip
        stack.push_async_callback(renderer.close)
        converter = ExtractionClient(self._converters)
        stack.callback(converter.close)
        return LocalReader(spec, http, renderer, converter, sanitize=given.sanitize), http

    def _browser_options(self) -> ChromiumOptions:
        # How Chromium is started is a matter of the machine, what it may do one of the crawl.
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
        """End it, with what is being read."""
        self._stop.set()

    @contextmanager
    def in_use(self, kept_s: float) -> Iterator[None]:
        """Keep it during the block, and for so long after the last one."""
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

    async def read(self, request: PageRequest) -> PageAnswer:
        """Return what comes of a page; `cancelled` if the crawl ends first."""
        answers: list[PageAnswer] = []

        async def read() -> None:
            answers.append(await self._read(request))

        await run_until(self._stop, read())
        return answers[0] if answers else _failed(OcdError("cancelled", "The crawl has ended"))

    async def _read(self, request: PageRequest) -> PageAnswer:
        started = time.monotonic()
        chain = request.chain
        try:
            reader, http = await asyncio.shield(self._ready)
            chain = chain or http.begin(request.url)
            visited = await reader.read(
                replace(request, chain=chain),
                lambda target: self._admit(target, by_browser=request.by_browser),
                lambda: None,
            )
        except _RedirectedError:
            return PageAnswer(redirect=chain)
        except OcdError as error:
            return _failed(error)
        visited.record.duration_ms = round((time.monotonic() - started) * 1000)
        return PageAnswer(visited=visited)

    async def _admit(self, target: str, *, by_browser: bool) -> None:
        self._policy.check(target)
        if not by_browser:  # a browser has followed it already
            raise _RedirectedError


def _failed(error: OcdError) -> PageAnswer:
    return PageAnswer(failure=PageFailure.of(error))
