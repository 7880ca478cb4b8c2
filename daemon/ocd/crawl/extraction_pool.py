"""The process that extracts pages beside the daemon: started when a crawl is worth it, kept warm.

Its start takes as long as the extraction of fifty pages, so the next crawl takes over the one that
the last crawl has left, if that is not long ago.
"""

import asyncio
import os
import sys
from collections import deque
from typing import cast

import msgspec

from ocd.crawl.extraction_process import LENGTH_BYTES, frame
from ocd.crawl.page_extractor import ExtractionJob, ExtractionResult
from ocd.storage import crash_points

# What one page may take: the kernel ends the process with a page that computes longer, and refuses
# it more memory. Pages of 10 MB, the most that is read, take a fifteenth of either.
MAX_CPU_S = 15.0
MAX_MEMORY_BYTES = 1 << 30
# For a process that does not even compute. Busy machines are slow: this is no measure of the page.
MAX_CONVERSION_S = 120.0
# How long a process waits for the next crawl.
KEPT_S = 60.0

_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(ExtractionResult).decode


class Unconverted(ConnectionResetError):
    """The process has ended while it was at work on this page."""


class ExtractionWorker(asyncio.SubprocessProtocol):
    """One process. Answers come in the order of the jobs.

    When it ends, the page it was at work on fails with Unconverted, those behind it with
    ConnectionResetError: another process can do them.
    """

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._waiting: deque[asyncio.Future[ExtractionResult]] = deque()
        self._rest = bytearray()
        self._since = 0.0
        self._process: asyncio.SubprocessTransport | None = None
        self._input: asyncio.WriteTransport | None = None
        self._watch: asyncio.TimerHandle | None = None
        self._gone = asyncio.Event()

    @classmethod
    async def start(cls) -> "ExtractionWorker":
        """Start the process; OSError if it cannot be."""
        bounds = (str(MAX_CPU_S), str(MAX_MEMORY_BYTES))
        module = (sys.executable, "-P", "-m", "ocd.crawl.extraction_process")
        command = (*module, str(os.getpid()), *bounds, crash_points.armed())
        _, worker = await asyncio.get_running_loop().subprocess_exec(cls, *command, stderr=None)
        return worker

    @property
    def busy(self) -> int:
        """How many jobs wait for their answers."""
        return len(self._waiting)

    @property
    def ended(self) -> bool:
        """Whether it takes no more jobs."""
        return self._process is None

    def extract(self, job: ExtractionJob) -> asyncio.Future[ExtractionResult]:
        """Return the future of what `extract` returns; see the class for its failures."""
        future: asyncio.Future[ExtractionResult] = self._loop.create_future()
        if self._input is None:
            future.set_exception(ConnectionResetError("the worker has ended"))
            return future
        if not self._waiting:
            self._since = self._loop.time()
        self._waiting.append(future)
        self._input.write(frame(_encode(job)))
        if self._watch is None:
            self._watch = self._loop.call_later(MAX_CONVERSION_S, self._check_alive)
        return future

    def _check_alive(self) -> None:
        # Once in a while instead of a deadline for each page.
        self._watch = None
        left = self._since + MAX_CONVERSION_S - self._loop.time()
        if self._waiting and left <= 0:
            self.kill()
        elif self._waiting:
            self._watch = self._loop.call_later(left, self._check_alive)

    def kill(self) -> None:
        """End it now; jobs in flight fail."""
        process, self._process, self._input = self._process, None, None
        if process is not None:
            process.close()
        self._fail()

    async def wait_ended(self) -> None:
        """Return when the process is gone."""
        await self._gone.wait()

    def _fail(self) -> None:
        if self._watch is not None:
            self._watch.cancel()
            self._watch = None
        error: OSError = Unconverted("the worker has ended with this page")
        while self._waiting:
            future = self._waiting.popleft()
            if not future.done():
                future.set_exception(error)
            error = ConnectionResetError("the worker has ended")

    # --- what asyncio calls -------------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Take the process over."""
        # Casts: uvloop's transports are none of asyncio's classes.
        self._process = cast("asyncio.SubprocessTransport", transport)
        self._input = cast("asyncio.WriteTransport", self._process.get_pipe_transport(0))

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        """Give the answers that are whole to those who wait."""
        rest = self._rest
        rest += data
        start = 0
        while (begin := start + LENGTH_BYTES) <= len(rest):
            end = begin + int.from_bytes(rest[start:begin], "big")
            if end > len(rest):
                break
            future = self._waiting.popleft()
            self._since = self._loop.time()
            if not future.done():  # else nobody waits any more
                future.set_result(_decode(memoryview(rest)[begin:end]))
            start = end
        if start:
            del rest[:start]

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        """Fail what is in flight: the process has closed its ends."""
        self.kill()

    def process_exited(self) -> None:
        """Note the end."""
        self.kill()
        self._gone.set()


class ExtractionPool:
    """Lends processes to crawls, one each. Keeps one of those that come back for a while."""

    def __init__(self) -> None:
        self._idle: ExtractionWorker | None = None
        self._expiry: asyncio.TimerHandle | None = None

    @property
    def warm(self) -> bool:
        """Whether one is there that costs nothing."""
        return self._idle is not None and not self._idle.ended

    async def lend(self) -> ExtractionWorker:
        """Return a process that is the caller's alone; OSError if none can be started."""
        idle, self._idle = self._idle, None
        self._keep_until(None)
        return idle if idle is not None and not idle.ended else await ExtractionWorker.start()

    def give_back(self, worker: ExtractionWorker) -> None:
        """Take a process back; one that is still at work, or one too many, is ended."""
        if worker.busy or worker.ended or self.warm:
            worker.kill()
            return
        self._idle = worker
        self._keep_until(asyncio.get_running_loop().call_later(KEPT_S, self._end))

    def _keep_until(self, expiry: asyncio.TimerHandle | None) -> None:
        if self._expiry is not None:
            self._expiry.cancel()
        self._expiry = expiry

    def _end(self) -> None:
        idle, self._idle = self._idle, None
        if idle is not None:
            idle.kill()

    async def close(self) -> None:
        """End the process that is kept."""
        self._keep_until(None)
        idle, self._idle = self._idle, None
        if idle is not None:
            idle.kill()
            await idle.wait_ended()
