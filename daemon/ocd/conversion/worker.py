"""The daemon's side of the conversion processes, and those that are kept for a while."""

import asyncio
import os
import sys
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar, cast

import msgspec

from ocd.conversion.process import LENGTH_BYTES, FunctionCall, Outcome, codec, encode, frame
from ocd.storage import crash_points
from ocd.storage.machine_limits import usable_processors

# For a process that is not even computing: busy machines are slow, whatever the page.
MAX_CONVERSION_S = 120.0
# How long a process waits for the next crawl.
KEPT_S = 60.0

A = TypeVar("A")
R = TypeVar("R")
_decode = msgspec.msgpack.Decoder(Outcome).decode


@dataclass(frozen=True, slots=True)
class Bounds:
    """Limits for one document, enforced by the kernel.

    More memory it refuses. The default is for documents of 10 MB, which take a fifteenth of either.
    """

    cpu_s: float = 15.0
    memory_bytes: int = 1 << 30

    def __str__(self) -> str:
        return f"{self.cpu_s:g} s of computing or {self.memory_bytes >> 20} MB of memory"


DEFAULT_BOUNDS = Bounds()


class ConversionFailedError(ConnectionResetError):
    """The process ended while converting this document, or refused it, and why."""


class ConversionProcessEndedError(ConversionFailedError):
    """The process ended while converting this document, sooner than for its bounds.

    Somebody killed it, or the document crashes it: converting it again will tell.
    """


@dataclass(slots=True)
class _SentJob:
    """A job that was sent, and how its result is decoded."""

    future: asyncio.Future[Any]
    decode: Callable[[msgspec.Raw], Any]


class ConversionWorker(asyncio.SubprocessProtocol):
    """One process. Answers come in the order of the jobs.

    When it ends, the document it was at work on fails with ConversionFailedError, those behind it
    with ConnectionResetError: another process can do them.
    """

    def __init__(self, bounds: Bounds) -> None:
        self._loop = asyncio.get_running_loop()
        self._bounds = bounds
        self._waiting: deque[_SentJob] = deque()
        self._rest = bytearray()
        self._since = 0.0
        self._process: asyncio.SubprocessTransport | None = None
        self._input: asyncio.WriteTransport | None = None
        self._watch: asyncio.TimerHandle | None = None
        self._gone = asyncio.Event()

    @classmethod
    async def start(cls, bounds: Bounds | None = None) -> "ConversionWorker":
        """Start the process; OSError if it cannot be."""
        bounds = bounds or DEFAULT_BOUNDS
        module = (sys.executable, "-P", "-m", "ocd.conversion.process")
        limits = (str(bounds.cpu_s), str(bounds.memory_bytes))
        command = (*module, str(os.getpid()), *limits, crash_points.armed())
        _, worker = await asyncio.get_running_loop().subprocess_exec(
            lambda: cls(bounds), *command, stderr=None
        )
        return worker

    @property
    def busy(self) -> int:
        """How many jobs wait for their answers."""
        return len(self._waiting)

    @property
    def ended(self) -> bool:
        """Whether it accepts no more jobs."""
        return self._process is None

    @property
    def is_gone(self) -> bool:
        """Whether the process has exited."""
        return self._gone.is_set()

    def run(self, function: Callable[[A], R], argument: A) -> asyncio.Future[R]:
        """Return the future of what a module's function returns; see the class for its failures."""
        future: asyncio.Future[R] = self._loop.create_future()
        if self._input is None:
            future.set_exception(ConnectionResetError("the worker has ended"))
            return future
        if not self._waiting:
            self._since = self._loop.time()
        self._waiting.append(_SentJob(future, codec(function).result))
        name = f"{function.__module__}:{function.__qualname__}"
        self._input.write(frame(encode(FunctionCall(name, msgspec.Raw(encode(argument))))))
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
        self._end(ConversionFailedError(f"more than {self._bounds}"))

    def _end(self, error: ConversionFailedError) -> None:
        process, self._process, self._input = self._process, None, None
        if process is not None:
            process.close()
        self._fail(error)

    async def wait_ended(self) -> None:
        """Wait until the process is gone."""
        await self._gone.wait()

    def _fail(self, error: OSError) -> None:
        if self._watch is not None:
            self._watch.cancel()
            self._watch = None
        while self._waiting:
            future = self._waiting.popleft().future
            if not future.done():
                future.set_exception(error)
            error = ConnectionResetError("the worker has ended")

    # --- what asyncio calls -------------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Take the process over."""
        # Casts: uvloop's transports are not instances of asyncio's classes.
        self._process = cast("asyncio.SubprocessTransport", transport)
        self._input = cast("asyncio.WriteTransport", self._process.get_pipe_transport(0))

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        """Deliver complete answers to the callers that wait for them."""
        rest = self._rest
        rest += data
        start = 0
        while (begin := start + LENGTH_BYTES) <= len(rest):
            end = begin + int.from_bytes(rest[start:begin], "big")
            if end > len(rest):
                break
            waiting = self._waiting.popleft()
            self._since = self._loop.time()
            if not waiting.future.done():  # else nobody waits any more
                self._resolve(waiting, _decode(bytes(memoryview(rest)[begin:end])))
            start = end
        if start:
            del rest[:start]

    def _resolve(self, waiting: _SentJob, outcome: Outcome) -> None:
        if outcome.failed:
            error = ConversionFailedError(f"{outcome.failed}: more than {self._bounds}")
            waiting.future.set_exception(error)
        else:
            waiting.future.set_result(waiting.decode(outcome.result))

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        """Fail what is in flight: the process has closed its ends."""
        self._end(self._exit_error())

    def process_exited(self) -> None:
        """Record that the process has ended."""
        self._end(self._exit_error())
        self._gone.set()

    def _exit_error(self) -> ConversionFailedError:
        # It cannot have computed for longer than it has had the document.
        if self._loop.time() - self._since < self._bounds.cpu_s:
            return ConversionProcessEndedError("its process has ended")
        return ConversionFailedError(f"more than {self._bounds}")


class ConversionPool:
    """Lends processes to crawls. Those that come back are kept for a while, one per processor."""

    def __init__(self) -> None:
        self._idle: list[ConversionWorker] = []
        self._ending: list[ConversionWorker] = []
        self._expiry: asyncio.TimerHandle | None = None

    @property
    def warm(self) -> bool:
        """Whether a started process is available."""
        return any(not worker.ended for worker in self._idle)

    async def lend(self) -> ConversionWorker:
        """Return a process for the caller's exclusive use; OSError if none can be started."""
        while self._idle:
            worker = self._idle.pop()
            if not worker.ended:
                return worker
        return await ConversionWorker.start()

    def give_back(self, worker: ConversionWorker) -> None:
        """Take a process back; it is ended if it is still busy, or if enough are kept."""
        if worker.busy or worker.ended or len(self._idle) >= usable_processors():
            self._end(worker)
            return
        self._idle.append(worker)
        if self._expiry is not None:
            self._expiry.cancel()
        self._expiry = asyncio.get_running_loop().call_later(KEPT_S, self._end_idle)

    def _end_idle(self) -> None:
        while self._idle:
            self._end(self._idle.pop())

    def _end(self, worker: ConversionWorker) -> None:
        worker.kill()
        self._ending = [one for one in (*self._ending, worker) if not one.is_gone]

    async def close(self) -> None:
        """End the processes that are kept for reuse, and wait for all that were ended."""
        if self._expiry is not None:
            self._expiry.cancel()
        self._end_idle()
        for worker in self._ending:
            await worker.wait_ended()
