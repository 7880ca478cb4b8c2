"""Where pages are converted: in processes beside the daemon or, some small ones, in the daemon."""

import asyncio
import contextlib
from operator import attrgetter

from ocd.content import converter
from ocd.content.conversion_cost import MUCH_GROWTH, growth
from ocd.conversion.worker import (
    ConversionFailedError,
    ConversionPool,
    ConversionProcessEndedError,
    ConversionWorker,
)
from ocd.crawl.fetch.charset import is_undeclared
from ocd.crawl.fetch.fetch_errors import FetchError, fetch_error
from ocd.crawl.page_extractor import ExtractionJob, ExtractionResult, extract, extract_in_process
from ocd.storage.machine_limits import is_out_of_memory, usable_processors

# Pages of this size take about 10 ms, those with this many tags up to 50: no other call should
# wait longer for the loop.
LARGE_BYTES = 150_000
_MANY_TAGS = 6_000
# A crawl of more pages than this is worth a process, if the parsers are loaded here anyway.
_WORTH_A_PROCESS = 10
# How many pages wait for each process when another one is started.
_CROWDED = 4
# How many small pages may wait for each of as many processes as there may be; further ones are
# extracted here.
MAX_WAITING = 16
# One process takes three times as long for a page as the daemon, which is busy with fetching it.
_MAX_PROCESSES = 3


class ExtractionClient:
    """Extracts the pages of one crawl; `close` it at the end.

    Args:
        pool: lends processes, and takes them back at the end.
        processes: how many may work at once; None for one per processor, up to three.
        max_waiting: how many small pages wait for each of them before further ones are extracted
            here.
    """

    def __init__(
        self, pool: ConversionPool, processes: int | None = None, max_waiting: int = MAX_WAITING
    ) -> None:
        self._pool = pool
        self._max_processes = processes or min(_MAX_PROCESSES, usable_processors())
        self._max_waiting = max_waiting
        self._workers: list[ConversionWorker] = []
        self._starting = asyncio.Lock()
        self._local_lock = asyncio.Lock()
        self._converted = 0

    def close(self) -> None:
        """Give the borrowed processes back."""
        for worker in self._workers:
            self._pool.give_back(worker)
        self._workers.clear()

    async def prepare(self) -> None:
        """Start a process unless pages can be extracted here, so that it is ready for the first."""
        if not converter.is_loaded():
            with contextlib.suppress(OSError):  # tried again with the first page
                await self._process()

    async def convert(self, job: ExtractionJob) -> ExtractionResult:
        """Return what `extract` returns; conversion_failed for a page that kills the process."""
        self._converted += 1
        # Estimating a page's cost takes a tenth of converting it, so only where it matters.
        if await self._can_convert_here() and not _is_large(job):
            return _extract_here(job)
        try:
            try:
                return await self._convert_in_process(job)
            except ConversionProcessEndedError:
                # Killed by somebody, or by this page: that shows in another one.
                return await self._convert_in_process(job)
        except ConversionFailedError as error:
            raise _failed(str(error)) from error

    async def _convert_in_process(self, job: ExtractionJob) -> ExtractionResult:
        while True:
            try:
                worker = await self._process()
            except OSError as error:
                if not _is_large(job):
                    return _extract_here(job)
                raise _failed(f"no process could be started for it: {error.strerror}") from error
            try:
                return await worker.run(extract_in_process, job)
            except ConversionFailedError:
                raise
            except ConnectionResetError:
                continue  # it was waiting behind the page that killed the process

    async def _can_convert_here(self) -> bool:
        least_busy = self._least_busy()
        if least_busy is None:
            is_short = self._converted < _WORTH_A_PROCESS and not self._pool.warm
            return is_short and converter.is_loaded()
        if not self._is_full(least_busy) or len(self._workers) < self._max_processes:
            return False
        async with self._local_lock:
            # One at a time, with turns of the loop in between to see what the process has finished:
            # otherwise it would idle while everything is converted here.
            await asyncio.sleep(0)
            least_busy = self._least_busy()
            return least_busy is not None and self._is_full(least_busy)

    def _least_busy(self) -> ConversionWorker | None:
        self._workers = [worker for worker in self._workers if not worker.ended]
        return min(self._workers, key=attrgetter("busy"), default=None)

    def _is_full(self, worker: ConversionWorker) -> bool:
        return worker.busy >= self._max_waiting

    async def _process(self) -> ConversionWorker:
        """Return the least busy process, or another one if that is crowded; OSError without any."""
        worker = self._least_busy()
        if worker is not None and not self._may_start_beside(worker):
            return worker
        async with self._starting:
            worker = self._least_busy()  # another page may have started one
            if worker is not None and not self._may_start_beside(worker):
                return worker
            try:
                started = await self._pool.lend()
            except OSError:
                if worker is None:
                    raise
                self._max_processes = len(self._workers)
                return worker
            self._workers.append(started)
            return started

    def _may_start_beside(self, least_busy: ConversionWorker) -> bool:
        return least_busy.busy >= _CROWDED and len(self._workers) < self._max_processes


def _is_large(job: ExtractionJob) -> bool:
    if job.schema or is_undeclared(job.body, job.charset):
        return True
    documents = [(job.url, job.body), *((url, html.encode()) for url, html in job.frames)]
    size = sum(len(body) for _, body in documents)
    if size >= LARGE_BYTES or sum(body.count(b"<") for _, body in documents) > _MANY_TAGS:
        return True
    # A body with zero bytes may be UTF-16, whose tags are not recognised here.
    return any(
        b"\0" in body or growth(url, body) > MUCH_GROWTH for url, body in documents if job.html
    )


def _extract_here(job: ExtractionJob) -> ExtractionResult:
    try:
        return extract(job)
    except Exception as error:
        if not is_out_of_memory(error):
            raise
        raise _failed("there is no memory left for it") from error


def _failed(why: str) -> FetchError:
    return fetch_error("conversion_failed", f"the page could not be converted: {why}")
