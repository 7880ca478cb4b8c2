"""Pages read by workers: requests wait here, and go out in batches."""

import asyncio
from collections import deque
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, replace
from typing import Any

from ocd.api.errors import OcdError
from ocd.crawl.archive.raw_answers import mask_body
from ocd.crawl.cluster.connection import ClusterConnection, WorkersDiedError
from ocd.crawl.cluster.messages import MAX_BATCH, PageAnswer, encode
from ocd.crawl.fetch.fetch_errors import fetch_error
from ocd.crawl.fetch.http_fetch import Admit
from ocd.crawl.visits.outcome import VisitResult
from ocd.crawl.visits.page_reader import PageReader, PageRequest

_DIED = "several workers of the cluster have died while they read it"
# In flight for each slot: what a worker has at hand when it is done with the batch before.
_PER_SLOT = 2
_MAX_CANCELLED = 5


@dataclass(slots=True, eq=False)
class _Waiting:
    """A request and its answer.

    near: the worker that has begun with it. alone: it is in no batch with others. cancelled: how
    many workers have ended while they read it.
    """

    request: PageRequest
    answer: asyncio.Future[PageAnswer] | None = None
    near: str = ""
    alone: bool = False
    cancelled: int = 0

    def fail(self, error: OcdError) -> None:
        """Raise the error where the answer is awaited, if it is."""
        if self.answer is not None and not self.answer.done():
            self.answer.set_exception(error)


Start = Callable[[Coroutine[Any, Any, None]], asyncio.Task[None]]


class ClusterReader:
    """Reads the pages of one crawl on a cluster's workers.

    settings: returns the WorkerSettings as they are now, encoded. start: runs a coroutine. Files
    are read by `local`.
    """

    def __init__(
        self,
        connection: ClusterConnection,
        settings: Callable[[], bytes],
        start: Start,
        local: PageReader,
    ) -> None:
        self._connection = connection
        self._settings = settings
        self._start = start
        self._local = local
        self._waiting: deque[_Waiting] = deque()
        self._in_flight: set[asyncio.Task[None]] = set()

    async def read(
        self, request: PageRequest, admit: Admit, answered: Callable[[], None]
    ) -> VisitResult:
        """Return the page; see PageReader. Raises cluster_lost besides."""
        if request.url.startswith("file:"):
            return await self._local.read(request, admit, answered)
        waiting = _Waiting(request)
        while (redirect := (answer := await self._ask(waiting)).redirect) is not None:
            await admit(redirect.url)
            waiting.request = replace(request, chain=redirect)
        answered()
        if answer.failure is not None:
            raise answer.failure.error()
        assert answer.visited is not None
        final = answer.visited.record.final_url
        if request.by_browser and final != request.url:
            await admit(final)
        for raw in answer.visited.raw:
            await asyncio.to_thread(mask_body, raw)
        return answer.visited

    async def _ask(self, waiting: _Waiting) -> PageAnswer:
        waiting.answer = asyncio.get_running_loop().create_future()
        self._waiting.append(waiting)
        self.send()
        return await waiting.answer

    def send(self) -> None:
        """Send what waits, as far as the workers have room."""
        places = max(1, _PER_SLOT * self._connection.slots)
        while self._waiting and len(self._in_flight) < places:
            task = self._start(self._send(self._take_batch(places)))
            self._in_flight.add(task)
            task.add_done_callback(self._on_sent)

    def _on_sent(self, task: asyncio.Task[None]) -> None:
        self._in_flight.discard(task)
        if not task.cancelled():
            self.send()

    def _take_batch(self, places: int) -> list[_Waiting]:
        size = min(MAX_BATCH, -(-len(self._waiting) // places))
        batch = [self._waiting.popleft()]
        while len(batch) < size and not (batch[0].alone or self._waiting[0].alone):
            batch.append(self._waiting.popleft())
        return batch

    async def _send(self, batch: list[_Waiting]) -> None:
        pages = encode([one.request for one in batch])
        try:
            answer = await self._connection.run(self._settings(), pages, batch[0].near)
        except WorkersDiedError:
            self._ask_alone(batch)
        except OcdError as error:
            for one in batch:
                one.fail(error)
        else:
            self._connection.rates.count(answer.worker, len(batch))
            for one, page in zip(batch, answer.pages, strict=True):
                self._answer(one, page, answer.worker)

    def _answer(self, one: _Waiting, page: PageAnswer, worker: str) -> None:
        if page.failure is not None and page.failure.code == "cancelled":
            one.near, one.cancelled = "", one.cancelled + 1
            if one.cancelled < _MAX_CANCELLED:
                self._waiting.appendleft(one)  # that worker ends; another one reads it
                return
        # Its redirect goes on where its cookies and its proxy are.
        one.near = worker if page.redirect is not None else ""
        one.alone = page.redirect is not None
        if one.answer is not None and not one.answer.done():
            one.answer.set_result(page)

    def _ask_alone(self, batch: list[_Waiting]) -> None:
        """Find out which page of a batch it is that workers die of."""
        for one in reversed(batch):
            if len(batch) == 1:
                one.fail(fetch_error("fetch_failed", _DIED))
            else:
                one.alone, one.near = True, ""
                self._waiting.appendleft(one)
