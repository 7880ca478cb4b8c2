"""Page requests for workers, queued and sent in batches."""

import asyncio
from collections import Counter, deque
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace

from ocd.api.errors import OcdError
from ocd.api.waiting import SpawnTask
from ocd.crawl.archive.raw_answers import mask_body
from ocd.crawl.cluster.connection import ClusterConnection, WorkerGoneError
from ocd.crawl.cluster.messages import MAX_BATCH, PageAnswer, encode
from ocd.crawl.fetch.fetch_errors import fetch_error
from ocd.crawl.fetch.http_fetch import Admit, AnswerHead
from ocd.crawl.visits.outcome import VisitResult
from ocd.crawl.visits.page_reader import PageReader, PageRequest

_DIED = "several workers of the cluster died while reading it"
_MAX_CANCELLED = 5
# How many workers may die while reading a page before it is read alone, and before it fails.
_MAX_DEATHS_TOGETHER = 1
_MAX_DEATHS = 4


@dataclass(slots=True, eq=False)
class _QueuedRequest:
    """A request and its answer.

    Attributes:
        preferred_worker: the worker that has begun with it.
        cancelled: how many workers have ended while they were reading it.
        ended: the last of those.
        deaths: how many workers have died while they were reading it.
    """

    request: PageRequest
    answer: asyncio.Future[PageAnswer] | None = None
    preferred_worker: str = ""
    cancelled: int = 0
    ended: str = ""
    deaths: int = 0

    @property
    def alone(self) -> bool:
        """Whether it is read alone, because workers died while reading it in a batch."""
        return self.deaths > _MAX_DEATHS_TOGETHER

    def fail(self, error: OcdError) -> None:
        """Raise the error where the answer is awaited, if anything still awaits it."""
        if self.answer is not None and not self.answer.done():
            self.answer.set_exception(error)


def _take_heads(request: PageRequest, heads: Sequence[AnswerHead]) -> None:
    if request.chain is not None:
        request.chain.heads = [*heads]


class ClusterReader:
    """Reads the pages of one crawl on a cluster's workers.

    settings: returns the WorkerSettings as they are now, encoded. start: runs a coroutine. Files
    are read by `local`.
    """

    def __init__(
        self,
        connection: ClusterConnection,
        settings: Callable[[], bytes],
        start: SpawnTask,
        local: PageReader,
    ) -> None:
        self._connection = connection
        self._settings = settings
        self._start = start
        self._local = local
        # By the worker that has begun with the pages; and those that are sent alone, in turn.
        self._queues: dict[str, deque[_QueuedRequest]] = {}
        self._alone: deque[_QueuedRequest] = deque()
        self._alone_sent = False
        self._batches = self._waiting = self._sent = 0
        self._sent_to = Counter[str]()  # pages, by worker
        self._wanted = asyncio.Event()

    async def read(
        self, request: PageRequest, admit: Admit, answered: Callable[[], None]
    ) -> VisitResult:
        """Return the page; see PageReader. Raises cluster_lost besides."""
        if request.url.startswith("file:"):
            return await self._local.read(request, admit, answered)
        waiting = _QueuedRequest(request)
        while (redirect := (answer := await self._ask(waiting)).redirect) is not None:
            _take_heads(request, redirect.heads)
            await admit(redirect.url)
            waiting.request = replace(request, chain=redirect)
        answered()
        _take_heads(request, answer.heads)
        if answer.failure is not None:
            raise answer.failure.error()
        assert answer.visited is not None
        final = answer.visited.record.final_url
        if request.by_browser and final != request.url:
            await admit(final)
        for raw in answer.visited.raw:
            await asyncio.to_thread(mask_body, raw)
        return answer.visited

    async def _ask(self, waiting: _QueuedRequest) -> PageAnswer:
        waiting.answer = asyncio.get_running_loop().create_future()
        self._queue(waiting)
        return await waiting.answer

    def _queue(self, waiting: _QueuedRequest, *, first: bool = False) -> None:
        self._waiting += 1
        queue = (
            self._alone
            if waiting.alone
            else self._queues.setdefault(waiting.preferred_worker, deque())
        )
        (queue.appendleft if first else queue.append)(waiting)
        self._wanted.set()

    # --- batches ------------------------------------------------------------------------------

    async def run(self) -> None:
        """Send waiting pages, as far as the workers have room."""
        while True:
            await self._wanted.wait()
            # By now every page that the same answer has released is waiting, too.
            self._wanted.clear()
            while self._waiting and self._has_place():
                batch, worker = self._take_batch()
                self._waiting -= len(batch)
                self._sent += len(batch)
                self._sent_to[worker] += len(batch)
                self._batches += 1
                _sending = self._start(self._send(batch, worker))

    def send(self) -> None:
        """Check again whether the workers have room."""
        self._wanted.set()

    def _has_place(self) -> bool:
        # If a slot is free while the others hold slow pages, it is worth another batch.
        slots = self._connection.slots
        has_room = self._batches < self._connection.max_batches or self._sent < slots
        return has_room and (bool(self._queues) or self._has_alone())

    def _has_alone(self) -> bool:
        return bool(self._alone) and not self._alone_sent

    def _take_batch(self) -> tuple[list[_QueuedRequest], str]:
        """Return the next pages and the worker that they go to."""
        if self._has_alone():
            self._alone_sent = True
            return [self._alone.popleft()], self._least_busy_worker()
        share = min(MAX_BATCH, -(-(self._waiting + self._sent) // self._connection.max_batches))
        near, freest = next(iter(self._queues)), self._least_busy_worker()
        batch = self._take_from(near, share)
        if near not in self._connection.workers:
            return batch, self._least_busy_worker({waiting.ended for waiting in batch})
        if near == freest and "" in self._queues:
            batch += self._take_from("", share - len(batch))
        return batch, near

    def _least_busy_worker(self, ending: Collection[str] = ()) -> str:
        """Return the worker with the fewest pages per slot; an ending one if there is no other."""
        slots = self._connection.workers
        return min(
            slots, key=lambda worker: (worker in ending, self._sent_to[worker] / slots[worker])
        )

    def _take_from(self, near: str, count: int) -> list[_QueuedRequest]:
        queue = self._queues.pop(near)
        batch = [queue.popleft() for _ in range(min(count, len(queue)))]
        if queue:
            self._queues[near] = queue  # after the other queues
        return batch

    async def _send(self, batch: list[_QueuedRequest], worker: str) -> None:
        is_alone = batch[0].alone
        try:
            await self._read_batch(batch, worker)
        finally:
            self._alone_sent = self._alone_sent and not is_alone
            self._batches -= 1
            self._sent -= len(batch)
            self._sent_to[worker] -= len(batch)
            self._wanted.set()

    async def _read_batch(self, batch: list[_QueuedRequest], worker: str) -> None:
        pages = encode([waiting.request for waiting in batch])
        try:
            answer = await self._connection.run(self._settings(), pages, worker)
        except WorkerGoneError as gone:
            self._ask_again(batch, died=gone.died)
        except OcdError as error:
            for one in batch:
                one.fail(error)
        else:
            read = sum(not page.is_empty for page in answer.pages)
            self._connection.rates.count(answer.worker, read)
            pairs = zip(batch, answer.pages, strict=True)
            left = [one for one, page in pairs if not self._settle(one, page, answer.worker)]
            for one in reversed(left):
                self._queue(one, first=True)

    def _settle(self, waiting: _QueuedRequest, page: PageAnswer, worker: str) -> bool:
        """Accept a worker's answer for a page; False if the page must be requested again."""
        if page.failure is not None and page.failure.code == "cancelled":
            waiting.preferred_worker, waiting.cancelled, waiting.ended = (
                "",
                waiting.cancelled + 1,
                worker,
            )
            if waiting.cancelled < _MAX_CANCELLED:
                return False  # that worker is ending; another one reads it
        # The load continues on that worker, which has its cookies, proxy and connection.
        continues = page.begun or page.redirect is not None
        waiting.preferred_worker = worker if continues else ""
        if not page.is_empty and waiting.answer is not None and not waiting.answer.done():
            waiting.answer.set_result(page)
        return not page.is_empty

    def _ask_again(self, batch: list[_QueuedRequest], *, died: bool) -> None:
        """Have others read the batch, and find out which page kills workers."""
        for waiting in reversed(batch):
            waiting.preferred_worker, waiting.deaths = "", waiting.deaths + died
            if waiting.deaths > _MAX_DEATHS:
                waiting.fail(fetch_error("fetch_failed", _DIED))
            else:
                self._queue(waiting, first=True)
