"""Where pages are converted: in the daemon or, if they are large, in a process of their own."""

import asyncio

from ocd.content.conversion_cost import MUCH_GROWTH, growth
from ocd.conversion.worker import ConversionFailedError, ConversionPool, ConversionWorker
from ocd.crawl.fetch.charset import is_undeclared
from ocd.crawl.fetch.fetch_errors import FetchError, fetch_error
from ocd.crawl.page_extractor import ExtractionJob, ExtractionResult, extract, extract_in_process
from ocd.storage.machine_limits import is_out_of_memory

# Pages of this size take about 10 ms, those with this many tags up to 50: no other call should
# wait longer for the loop.
LARGE_BYTES = 150_000
_MANY_TAGS = 6_000
# A crawl of more pages than this is worth a process that does half of the work.
_WORTH_A_PROCESS = 10
# How many small pages may wait for the process; further ones are extracted here, which makes the
# daemon load the parsers, too: 10 MB.
MAX_WAITING = 16


class ExtractionClient:
    """Extracts the pages of one crawl; `close` it at the end.

    max_waiting: how many small pages wait for the process before further ones are extracted here.
    """

    def __init__(self, workers: ConversionPool, max_waiting: int = MAX_WAITING) -> None:
        self._workers = workers
        self._max_waiting = max_waiting
        self._worker: ConversionWorker | None = None
        self._starting = asyncio.Lock()
        self._local_lock = asyncio.Lock()
        self._converted = 0

    def close(self) -> None:
        """Give the borrowed worker back."""
        worker, self._worker = self._worker, None
        if worker is not None:
            self._workers.give_back(worker)

    async def convert(self, job: ExtractionJob) -> ExtractionResult:
        """Return what `extract` returns; conversion_failed for a page that kills the process."""
        self._converted += 1
        # Estimating a page's cost takes a tenth of converting it, so only where it matters.
        if await self._can_convert_here() and not _is_large(job):
            return _extract_here(job)
        while True:
            try:
                worker = await self._start_process()
            except OSError as error:
                if not _is_large(job):
                    return _extract_here(job)
                raise _failed(f"no process could be started for it: {error.strerror}") from error
            try:
                return await worker.run(extract_in_process, job)
            except ConversionFailedError as error:
                raise _failed(str(error)) from error
            except ConnectionResetError:
                continue  # it was waiting behind the page that killed the process

    async def _can_convert_here(self) -> bool:
        worker = self._worker
        if worker is None:
            return self._converted < _WORTH_A_PROCESS and not self._workers.warm
        if worker.busy < self._max_waiting:
            return False
        async with self._local_lock:
            # One at a time, with turns of the loop in between to see what the process has finished:
            # otherwise it would idle while everything is converted here.
            await asyncio.sleep(0)
            return worker.busy >= self._max_waiting

    async def _start_process(self) -> ConversionWorker:
        if self._worker is not None and not self._worker.ended:
            return self._worker
        async with self._starting:
            if self._worker is None or self._worker.ended:
                self._worker = await self._workers.lend()
            return self._worker


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
