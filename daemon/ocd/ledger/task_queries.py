"""Reading and waiting for all tasks: this process's from memory, others from disk."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Collection, Mapping
from contextlib import aclosing
from dataclasses import dataclass

from msgspec import to_builtins

from ocd.api.errors import OcdError
from ocd.api.tool_calls import tool_call
from ocd.ledger.completion import process_is_gone, reap_orphan, result_so_far
from ocd.ledger.events import EVENTS, Tail
from ocd.ledger.folder_watch import changes
from ocd.ledger.index import TaskIndex, read_or_drop
from ocd.ledger.results import TaskResult, read_result
from ocd.ledger.states import TaskMeta
from ocd.ledger.store import TaskStore
from ocd.ledger.task_kind import TaskKind
from ocd.ledger.task_run import TaskRun
from ocd.storage.payload import JsonLinesFile


@dataclass(frozen=True, slots=True)
class Listing:
    """Some tasks, newest first, and the number that could not be read."""

    metas: list[TaskMeta]
    unreadable: int


class Tasks:
    """The tasks of a store, with those that run in this process.

    listeners: called at each change of a task that runs in this process.
    """

    def __init__(self, store: TaskStore, kinds: Mapping[str, TaskKind]) -> None:
        self._store = store
        self._kinds = kinds
        self._index = TaskIndex(store)
        self._runs: dict[str, TaskRun] = {}
        self.listeners: list[Callable[[TaskMeta], None]] = []
        # Ends that the disk could not take (it was full).
        self._unstored: dict[str, TaskMeta] = {}

    @property
    def store(self) -> TaskStore:
        """The tasks' files."""
        return self._store

    async def get(self, task_id: str) -> TaskMeta:
        """Return the task's current state: `task_not_found`, `unreadable_file`."""
        meta = self._require(task_id)
        return await asyncio.to_thread(self._store.read, task_id) if meta is None else meta

    def _require(self, task_id: str) -> TaskMeta | None:
        run = self._runs.get(task_id)
        return self._unstored.get(task_id) if run is None else run.meta

    async def list(
        self,
        statuses: Collection[str] = (),
        kinds: Collection[str] = (),
        *,
        since: int = 0,
        before: int | None = None,
        limit: int = 50,
        answered: bool = True,
    ) -> Listing:
        """Return the newest `limit` tasks of these statuses and kinds (empty: any), created at
        epoch millisecond `since` or later and earlier than `before`.

        answered: include direct calls whose callers have received the result.
        """
        return await asyncio.to_thread(
            self._select, statuses, kinds, (since, before), limit, answered
        )

    def _select(
        self,
        statuses: Collection[str],
        kinds: Collection[str],
        created: tuple[int, int | None],
        limit: int,
        answered: bool,
    ) -> Listing:
        self._index.refresh(own=tuple(self._runs))
        metas: list[TaskMeta] = []
        for task_id in self._index.newest(statuses, kinds, *created, answered=answered):
            meta = self._require(task_id) or read_or_drop(self._index, self._store, task_id)
            if meta is not None and (not statuses or meta.status in statuses):
                metas.append(meta)
                if len(metas) >= limit:
                    break
        return Listing(metas, len(self._index.unreadable))

    def _tell_listeners(self, run: TaskRun) -> None:
        for listener in tuple(self.listeners):
            listener(run.meta)

    def result(self, meta: TaskMeta) -> TaskResult | None:
        """Return the result of a task, whole or partial; None if it has none (yet). Blocks.

        Of a task that runs, or whose result the disk could not take, it is what it has finished.
        """
        if meta.result_path is None:
            found = result_so_far(self._store, self._kinds.get(meta.kind), meta)
            if found is not None or meta.terminal:
                return found
            meta = self._require(meta.task_id) or self._store.read(meta.task_id)
        return read_result(
            self._store.result_file(meta.task_id), self._store.units(meta.task_id), meta
        )

    def log(self, meta: TaskMeta, name: str) -> JsonLinesFile:
        """Return a log that the task's kind keeps in its folder; without a file it has no lines."""
        return JsonLinesFile(self._store.directory(meta.task_id) / name)

    def counts(self) -> dict[str, int]:
        """Return how many tasks there are, and how many of this process run and wait."""
        running = sum(run.meta.status == "RUNNING" for run in self._runs.values())
        return {
            "total": len(self._index),
            "running": running,
            "pending": len(self._runs) - running,
            "unreadable": len(self._index.unreadable),
        }

    # --- waiting -----------------------------------------------------------------------------

    async def wait(self, task_id: str, timeout_s: float) -> TaskMeta:
        """Return the task once it has ended; raise `timeout`, with its progress, if it has not."""
        try:
            async with asyncio.timeout(timeout_s):
                return await self._wait_ended(task_id)
        except TimeoutError:
            meta = await self.get(task_id)
        if meta.terminal:
            return meta
        raise OcdError(
            "timeout",
            f"Task {task_id} is still {meta.status} after {timeout_s:g} s",
            hint=f"Wait again: {tool_call('oc_task_wait', task_id=task_id)}",
            task_id=task_id,
            status=meta.status,
            progress=to_builtins(meta.progress),
        )

    async def watch(self, task_id: str, on_change: Callable[[TaskMeta], None]) -> TaskMeta:
        """Call `on_change` with the task whenever it changed, and return it once it has ended."""
        run = self._runs.get(task_id)
        while run is not None and not run.ended.is_set():
            change = run.changed.next
            on_change(run.meta)
            await change.wait()
        return run.meta if run is not None else await self._wait_ended(task_id)

    async def states(self, task_id: str) -> AsyncGenerator[TaskMeta, None]:
        """Yield the task now and after each change; the last one has ended.

        Changes between two requests for the next state are merged into one.
        """
        async with aclosing(self._change_ticks(await self.get(task_id), follow=True)) as moments:
            async for _ in moments:
                yield await self.get(task_id)

    async def _wait_ended(self, task_id: str) -> TaskMeta:
        run = self._runs.get(task_id)
        if run is not None:
            await run.ended.wait()
            return run.meta
        meta = await self.get(task_id)
        if meta.terminal:
            return meta
        async with aclosing(changes(self._store.directory(task_id))) as moments:
            async for _ in moments:
                meta = await asyncio.to_thread(self._read_elsewhere, task_id)
                if meta.terminal:
                    break
        return meta

    def _read_elsewhere(self, task_id: str) -> TaskMeta:
        """Return a task of another process; if that died meanwhile, the task is reaped."""
        meta = self._store.read(task_id)
        if not meta.terminal and process_is_gone(meta):
            meta = reap_orphan(self._store, self._kinds.get(meta.kind), meta)
        self._index.put(meta)
        return meta

    async def events(self, task_id: str, *, follow: bool = False) -> AsyncIterator[bytes]:
        """Yield the task's events as JSON lines; with `follow` also later ones, until it ends."""
        meta = await self.get(task_id)
        tail = Tail(self._store.directory(task_id) / EVENTS)
        async with aclosing(self._change_ticks(meta, follow=follow)) as moments:
            async for _ in moments:
                for line in await asyncio.to_thread(tail.new_lines):
                    yield line

    async def _change_ticks(self, meta: TaskMeta, *, follow: bool) -> AsyncGenerator[None, None]:
        """Yield now and whenever the task's events may have grown, the last time after its end."""
        run = self._runs.get(meta.task_id)
        while follow and run is not None and not run.ended.is_set():
            change = run.changed.next
            yield
            await change.wait()
        if follow and run is None and not meta.terminal:
            async with aclosing(changes(self._store.directory(meta.task_id))) as moments:
                async for _ in moments:
                    yield
                    if (await asyncio.to_thread(self._read_elsewhere, meta.task_id)).terminal:
                        break
        yield
