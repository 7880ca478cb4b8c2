"""The tasks of this daemon: accepted, queued, run, cancelled, waited for, ended."""

import asyncio
import logging
from collections import Counter
from collections.abc import Callable, Mapping
from secrets import token_hex
from typing import Any

from msgspec.structs import replace

from ocd.api.errors import OcdError, did_you_mean
from ocd.api.timestamps import rfc3339
from ocd.api.tool_calls import tool_call
from ocd.api.waiting import Spawn, wait_for_event
from ocd.ledger import completion, retention
from ocd.ledger.args_summary import summarise
from ocd.ledger.queue import TaskQueue
from ocd.ledger.results import TaskResult
from ocd.ledger.resumption import FinishedWork, not_resumable, read_arguments
from ocd.ledger.states import Outcome, TaskMeta, ask_cancel, timestamp
from ocd.ledger.store import TaskStore
from ocd.ledger.task_kind import TaskKind
from ocd.ledger.task_queries import Listing, Tasks
from ocd.ledger.task_run import TaskRun
from ocd.storage.payload import Payload
from ocd.storage.process_identity import own_identity

__all__ = ["Listing", "Runner", "TaskKind", "TaskResult"]

CANCEL_ANSWER_S = 2.0
STOP_S = 6.0
SAVE_EVERY_S = 0.5

logger = logging.getLogger(__name__)


class Runner(Tasks):
    """Accepts and runs tasks. `recover` must be called before anything else.

    Other processes may change the same files: their tasks are read from disk, those of this process
    are answered from memory. ended: how many of its tasks have ended, by kind and status.
    """

    def __init__(
        self,
        store: TaskStore,
        kinds: Mapping[str, TaskKind],
        spawn: Spawn,
        *,
        max_concurrent: int = 4,
        max_tasks: int = 1000,
        admit: Callable[[str], None] = lambda _kind: None,
    ) -> None:
        """Create a runner without tasks.

        Args:
            store: the tasks' files.
            kinds: the task kinds by name.
            spawn: runs a coroutine in the daemon's TaskGroup.
            max_concurrent: how many tasks run at once; others wait.
            max_tasks: how many may run or wait; more are refused.
            admit: raises for kinds that are disabled.
        """
        super().__init__(store, kinds)
        self._spawn = spawn
        self._admit = admit
        self._line = TaskQueue(max_concurrent)
        self._max_tasks = max_tasks
        self._last_created = 0
        self._stopping = False
        self.orphans: list[TaskMeta] = []
        self.ended: Counter[tuple[str, str]] = Counter()
        self._ended_units: Counter[str] = Counter()

    @property
    def max_concurrent(self) -> int:
        """How many tasks run at once; it may be set at any time."""
        return self._line.max_at_once

    @max_concurrent.setter
    def max_concurrent(self, value: int) -> None:
        self._line.max_at_once = value

    async def recover(self) -> list[TaskMeta]:
        """Reap the tasks of dead processes and return them; to be done before any `start`."""
        self.orphans = await asyncio.to_thread(
            completion.recover, self._store, self._index, self._kinds
        )
        return self.orphans

    # --- starting and running ----------------------------------------------------------------

    async def start(
        self, kind: str, args: dict[str, Any], session: str = "default", *, direct: bool = False
    ) -> TaskMeta:
        """Accept a task and return it once it is on disk, PENDING or already RUNNING.

        A task whose kind reports when its work has begun is returned only then, or once it has
        ended. `direct`: the caller waits for the result, so the task does not queue.
        Cancelling this call cancels the task.

        Raises what the kind's `prepare` and the runner's `admit` raise, `invalid_argument` for an
        unknown kind, `limit_reached`, `shutting_down`, storage_*.
        """
        return await self._begin(self._accept(kind, args, session, direct=direct), direct=direct)

    async def resume(
        self, task_id: str, changes: Mapping[str, Any], session: str = "default"
    ) -> TaskMeta:
        """Accept a task that resumes an ended one, with changes to its arguments.

        Raises what `start` raises, `task_not_found`, `not_resumable`, and `invalid_argument` for a
        parameter that may not change or must be given again.
        """
        meta = await self.get(task_id)
        kind = self._kind(meta.kind)
        self._check_resumable(meta, kind)
        assert kind.resumption is not None
        stored = await asyncio.to_thread(read_arguments, self._store, task_id)
        args = stored.changed(changes, kind.resumption)
        work = FinishedWork(self._store, meta, kind.resumption)
        is_same = all(stored.args.get(name) == value for name, value in changes.items())
        if meta.status == "COMPLETED" and is_same and not await asyncio.to_thread(work.has_passing):
            hint = f"Raise a limit: {', '.join(kind.resumption.limits)}."
            raise not_resumable(task_id, "it did everything that was requested", hint)
        self._check_resumable(meta, kind)  # other calls ran meanwhile
        return await self._begin(self._accept(meta.kind, args, session, finished=work))

    def _check_resumable(self, meta: TaskMeta, kind: TaskKind) -> None:
        if kind.resumption is None:
            raise not_resumable(meta.task_id, f"tasks of kind {meta.kind} cannot be resumed")
        if not meta.terminal:
            raise not_resumable(meta.task_id, f"it is still {meta.status}")
        for other in self._runs.values():
            if other.meta.resumed_from == meta.task_id:
                raise not_resumable(meta.task_id, f"{other.meta.task_id} already continues it")

    async def _begin(self, run: TaskRun, *, direct: bool = False) -> TaskMeta:
        run.waits_in_line = not (direct or run.kind.reports_begin)
        self._runs[run.meta.task_id] = run
        run.changed.on_fire = lambda: self._tell_listeners(run)
        self._spawn(self._live(run))
        try:
            await run.stored.wait()
            if run.kind.reports_begin:
                await run.work.begun.wait()
        except asyncio.CancelledError:
            run.ask_stop()
            raise
        if run.refused is not None:
            raise run.refused
        return run.meta

    def detach(self, task_id: str) -> None:
        """Make a direct call's task an ordinary one, because its caller no longer waits."""
        if (run := self._runs.get(task_id)) is not None:
            run.detach()

    def _accept(
        self,
        name: str,
        args: dict[str, Any],
        session: str,
        *,
        direct: bool = False,
        finished: FinishedWork | None = None,
    ) -> TaskRun:
        if self._stopping:
            raise OcdError("shutting_down", "The daemon is stopping", hint="Start it again.")
        kind = self._kind(name)
        self._admit(name)
        prepared = kind.prepare(args)
        if len(self._runs) >= self._max_tasks:
            raise OcdError(
                "limit_reached",
                f"{len(self._runs)} tasks are already running or waiting",
                hint=f"Cancel some: {tool_call('oc_task_list', status='PENDING')}",
                limit=self._max_tasks,
            )
        meta = self._new_meta(name, args, session, direct=direct)
        if finished is not None:
            meta = replace(meta, resumed_from=finished.task_id)
        return TaskRun(self._store, kind, prepared, meta, finished)

    def _kind(self, name: str) -> TaskKind:
        kind = self._kinds.get(name)
        if kind is None:
            hint = did_you_mean(name, self._kinds, f"Use one of: {', '.join(self._kinds)}.")
            raise OcdError(
                "invalid_argument",
                f"There is no task kind '{name}'",
                hint=hint,
                parameter="kind",
                expected=sorted(self._kinds),
            )
        return kind

    def _new_meta(self, kind: str, args: dict[str, Any], session: str, *, direct: bool) -> TaskMeta:
        # Two tasks never share a time of creation, so that "newest first" is one order.
        self._last_created = max(self._last_created + 1, self._store.clock())
        own = own_identity()
        return TaskMeta(
            task_id=token_hex(8),
            kind=kind,
            status="PENDING",
            session=session,
            direct=direct,
            pid=own.pid,
            pid_started_at=rfc3339(own.started_at),
            boot_id=own.boot_id,
            start_ticks=own.start_ticks,
            created_at=timestamp(self._last_created),
            args_summary=summarise(args),
        )

    async def _live(self, run: TaskRun) -> None:
        """Take one task through its life: stored, queued, running, ended."""
        try:
            if await self._store_result(run):
                await run.turn.wait()
                await self._run(run)
        finally:
            self._leave(run)

    async def _store_result(self, run: TaskRun) -> bool:
        try:
            await asyncio.to_thread(run.save_new)
        except OcdError as error:
            run.refused = error
            return False
        finally:
            run.stored.set()
        self._index.put(run.meta)
        run.changed.fire()
        if run.waits_in_line:
            self._line.join(run)
        else:
            run.turn.set()
        return True

    async def _run(self, run: TaskRun) -> None:
        verdict, payload = run.outcome_without_run(), None
        if not run.stopping:
            verdict, payload = await self._work(run)
        run.work.close()
        run.adopt(await self._end(run, verdict, payload))

    async def _work(self, run: TaskRun) -> tuple[Outcome, Payload | None]:
        run.mark_started()
        try:
            run.adopt(await asyncio.to_thread(run.save_started))
        except OcdError as error:
            return Outcome(status="FAILED", error=error.body()), None
        self._index.put(run.meta)
        run.check_disk()
        if run.stopping:
            return run.outcome_without_run(), None
        self._spawn(self._keep_saved(run))
        return await run.perform()

    async def _end(self, run: TaskRun, verdict: Outcome, payload: Payload | None) -> TaskMeta:
        meta, stored = await asyncio.to_thread(run.save_end, verdict, payload)
        if not stored:
            self._unstored[meta.task_id] = meta
        self._index.put(meta)
        return meta

    async def _keep_saved(self, run: TaskRun) -> None:
        """Save a running task's progress, and notice there if another process has cancelled it."""
        while not run.ended.is_set():
            run.work.take_figures()
            try:
                saved = await asyncio.to_thread(run.save_progress)
            except OcdError as error:
                logger.warning("progress of task %s is not stored: %s", run.meta.task_id, error)
                saved = None
            if saved is not None and not run.ended.is_set():
                run.adopt(saved)
                run.check_disk()
            await wait_for_event(run.save_now, SAVE_EVERY_S)
            run.save_now.clear()

    def _leave(self, run: TaskRun) -> None:
        if self._runs.pop(run.meta.task_id, None) is not None:
            self.ended[run.meta.kind, run.meta.status] += 1
            self._ended_units[run.meta.kind] += run.work.finished
        self._line.leave(run)
        run.leave()

    def finished_units(self) -> Counter[str]:
        """Return how many units this process's tasks have finished, by kind."""
        running = Counter[str]()
        for run in self._runs.values():
            running[run.meta.kind] += run.work.finished
        return self._ended_units + running

    # --- ending ------------------------------------------------------------------------------

    def request_cancel(self, task_id: str) -> None:
        """Ask a task of this process to stop, without waiting; do nothing for any other."""
        run = self._runs.get(task_id)
        if run is not None:
            run.ask_stop()

    async def cancel(self, task_id: str) -> TaskMeta:
        """Ask a task to stop; return it once it has ended, or in its current state after 2 s."""
        try:
            async with asyncio.timeout(CANCEL_ANSWER_S):
                return await self._cancel(task_id)
        except TimeoutError:
            return await self.get(task_id)

    async def _cancel(self, task_id: str) -> TaskMeta:
        run = self._runs.get(task_id)
        if run is None:
            meta = await asyncio.to_thread(self._cancel_elsewhere, task_id)
            return meta if meta.terminal else await self._wait_ended(task_id)
        await run.stored.wait()
        run.ask_stop()
        await run.ended.wait()
        return run.meta

    def _cancel_elsewhere(self, task_id: str) -> TaskMeta:
        meta = self._require(task_id) or self._read_elsewhere(task_id)
        if meta.terminal or meta.cancel_requested_at is not None:
            return meta
        events = self._store.events(task_id)
        events.end("cancel_requested")
        return self._store.update(
            task_id, lambda now: ask_cancel(now, self._store.now()), "cancel.meta"
        )

    def prune(self, retention_days: float) -> int:
        """Remove tasks that ended longer ago, in days (0: never); return how many. Blocks."""
        return retention.prune(self._store, self._index, retention_days)

    async def stop(self) -> None:
        """End every task as CANCELLED with `daemon_stopped`, in bounded time; accept no more."""
        self._stopping = True
        error = OcdError("daemon_stopped", "The daemon was stopped while this task ran").body()
        for run in list(self._runs.values()):
            run.ask_stop(error)
        try:
            async with asyncio.timeout(STOP_S):
                while self._runs:
                    await next(iter(self._runs.values())).ended.wait()
        except TimeoutError:
            logger.warning("these tasks did not end in time: %s", ", ".join(self._runs))

    def __repr__(self) -> str:
        return f"Runner({len(self._runs)} tasks here, {self._index!r})"
