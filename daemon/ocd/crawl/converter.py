"""Where pages are extracted: small ones here, large ones in a process of their own."""

import asyncio
import sys
from contextlib import suppress
from types import TracebackType
from typing import Self

import msgspec

from ocd.crawl.extract import Extracted, Job, extract
from ocd.crawl.fetch import fetch_error
from ocd.crawl.worker import LENGTH_BYTES, frame

# A page of this size takes about 10 ms: no other call should wait longer for the loop.
LARGE_BYTES = 150_000
_MAX_CONVERSION_S = 30.0


class Converter:
    """Extracts the pages of one crawl; an async context manager that ends what it started."""

    def __init__(self, large_bytes: int = LARGE_BYTES) -> None:
        self._large = large_bytes
        self._lock = asyncio.Lock()
        self._process: asyncio.subprocess.Process | None = None

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
        if len(job.body) < self._large:
            return extract(job)
        async with self._lock:
            return await self._elsewhere(job)

    async def _elsewhere(self, job: Job) -> Extracted:
        process = await self._running()
        assert process.stdin
        assert process.stdout
        try:
            async with asyncio.timeout(_MAX_CONVERSION_S):
                process.stdin.write(frame(msgspec.msgpack.encode(job)))
                await process.stdin.drain()
                size = int.from_bytes(await process.stdout.readexactly(LENGTH_BYTES), "big")
                return msgspec.msgpack.decode(
                    await process.stdout.readexactly(size), type=Extracted
                )
        except (TimeoutError, asyncio.IncompleteReadError, OSError) as error:
            await self._end()
            raise fetch_error("too_large", "the page could not be converted in time") from error
        except asyncio.CancelledError:
            await self._end()  # half an answer is in the pipe
            raise

    async def _running(self) -> asyncio.subprocess.Process:
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
