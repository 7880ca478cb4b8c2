"""Where pages are extracted: small ones here, large ones in a process of their own."""

import asyncio
import sys
from contextlib import suppress
from types import TracebackType
from typing import Self

import msgspec

from ocd.crawl.extract import Extracted, Job, extract
from ocd.crawl.failures import fetch_error
from ocd.crawl.worker import LENGTH_BYTES, frame

# Pages of this size take about 10 ms, those of so many tags up to 50: no other call should wait
# longer for the loop.
LARGE_BYTES = 150_000
_MANY_TAGS = 6_000
# A crawl of more pages than this is worth a process that takes half of the work.
_WORTH_A_PROCESS = 10
# Small pages that may wait for the process; further ones are extracted here.
_MAX_WAITING = 3
_MAX_CONVERSION_S = 30.0


class Converter:
    """Extracts the pages of one crawl; an async context manager that ends what it started."""

    def __init__(self) -> None:
        self._process: asyncio.subprocess.Process | None = None
        self._starting = asyncio.Lock()
        # Fair: answers come in the order of the jobs, and so do those who wait for them.
        self._reading = asyncio.Lock()
        self._waiting = 0
        self._converted = 0

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        await self._end()

    async def convert(self, job: Job) -> Extracted:
        """Return what `extract` returns; FetchError `too_large` for a page that takes too long."""
        self._converted += 1
        large = _is_large(job)
        if not large and (self._converted < _WORTH_A_PROCESS or self._waiting >= _MAX_WAITING):
            return extract(job)
        try:
            return await self._elsewhere(job)
        except (TimeoutError, asyncio.IncompleteReadError, OSError) as error:
            await self._end()
            if not large:
                return extract(job)  # it waited behind the page that was too much
            raise fetch_error("too_large", "the page could not be converted in time") from error
        except asyncio.CancelledError:
            await self._end()  # half an answer may be in the pipe
            raise

    async def _elsewhere(self, job: Job) -> Extracted:
        self._waiting += 1
        try:
            process = await self._running()
            assert process.stdin
            assert process.stdout
            process.stdin.write(frame(msgspec.msgpack.encode(job)))
            async with self._reading, asyncio.timeout(_MAX_CONVERSION_S):
                await process.stdin.drain()
                size = int.from_bytes(await process.stdout.readexactly(LENGTH_BYTES), "big")
                answer = await process.stdout.readexactly(size)
        finally:
            self._waiting -= 1
        return msgspec.msgpack.decode(answer, type=Extracted)

    async def _running(self) -> asyncio.subprocess.Process:
        async with self._starting:
            if self._process is None:
                pipe = asyncio.subprocess.PIPE
                self._process = await asyncio.create_subprocess_exec(
                    sys.executable, "-m", "ocd.crawl.worker", stdin=pipe, stdout=pipe, limit=2**20
                )
            return self._process

    async def _end(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()


def _is_large(job: Job) -> bool:
    bodies = [job.body, *(html.encode() for _, html in job.frames)]
    return sum(map(len, bodies)) >= LARGE_BYTES or sum(b.count(b"<") for b in bodies) > _MANY_TAGS
