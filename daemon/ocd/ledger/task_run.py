"""One task of this process, from its creation to its final state."""

import asyncio
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

from msgspec import UNSET, to_builtins
from msgspec.structs import replace

from ocd.api.errors import OcdError
from ocd.ledger.completion import with_result
from ocd.ledger.events import Events
from ocd.ledger.folder_watch import ChangeSignal
from ocd.ledger.resumption import FinishedWork, write_arguments
from ocd.ledger.states import Outcome, TaskMeta, TaskProgress, advance, ask_cancel, begin, end
from ocd.ledger.store import TaskStore
from ocd.ledger.task_handle import TaskHandle
from ocd.ledger.task_kind import TaskKind, errors_as_internal
from ocd.ledger.webhooks import write_webhook
from ocd.safety.redact import redact
from ocd.storage import crash_points
from ocd.storage.payload import Payload

# A kind that does not look at `stop` for this long is cancelled where it waits.
GRACE_S = 1.5

logger = logging.getLogger(__name__)


class TaskRun:
    """A task run by this process; `meta` is current, the files follow.

    Methods whose name begins with `save` block and are for threads; the others are for the loop.
    """

    def __init__(
        self,
        store: TaskStore,
        kind: TaskKind,
        prepared: Any,  # noqa: ANN401 - what the kind's `prepare` returned
        meta: TaskMeta,
        taken_over: FinishedWork | None = None,
    ) -> None:
        self.kind = kind
        self.meta = meta
        self.work = TaskHandle(
            meta.task_id, meta.session, store.directory(meta.task_id), self._on_progress
        )
        self.turn = asyncio.Event()  # it may run now, or was stopped before it did
        self.stored = asyncio.Event()  # it is on disk, or could not be written
        self.ended = asyncio.Event()
        self.changed = ChangeSignal()
        self.refused: OcdError | None = None
        self.save_now = asyncio.Event()  # there is something to save, or saving has ended
        self.waits_in_line = True
        self.holds_turn = False
        self._store = store
        self._prepared = prepared
        self._taken_over = taken_over
        self._events: Events | None = None
        self._units_reported = 0
        self._reported = meta.progress
        self._unsaved = False
        self._seen: tuple[int, int] | None = None
        self._grace: asyncio.Timeout | None = None
        self._stop_error: dict[str, Any] | None = None

    @property
    def stopping(self) -> bool:
        """Whether the task was asked to stop."""
        return self.work.stopping

    # --- on the loop -------------------------------------------------------------------------

    def ask_stop(self, error: dict[str, Any] | None = None) -> None:
        """Ask the task to stop; `error` says why if nobody cancelled it. Once is enough."""
        if self.stopping:
            return
        self._stop_error = error
        if error is None:
            self.meta = ask_cancel(self.meta, self._store.now())
            self._record_event("cancel_requested")
            crash_points.point("cancel.event")
        self._unsaved = True
        self.save_now.set()
        self.work.stop.set()
        self.turn.set()
        self._limit_grace()
        self.changed.fire()

    def _limit_grace(self) -> None:
        if self._grace is not None:
            self._grace.reschedule(asyncio.get_running_loop().time() + GRACE_S)

    async def perform(self) -> tuple[Outcome, Payload | None]:
        """Run the kind's code; return how that ended, and its payload if it returned one."""
        try:
            payload = await self._within_grace()
        except OcdError as error:
            return self._verdict("FAILED", redact(error.body())), None
        return self._verdict("COMPLETED"), payload

    async def _within_grace(self) -> Payload | None:
        try:
            async with asyncio.timeout(None) as self._grace:
                if self.stopping:
                    self._limit_grace()
                return await self._kind_run()
        except TimeoutError:
            return None  # it did not look at `stop` in time; its finished units are kept
        finally:
            self._grace = None
            self.work.take_figures()

    async def _kind_run(self) -> Payload:
        with errors_as_internal(self.meta.task_id):
            try:
                return await self.kind.run(self.work, self._prepared)
            except asyncio.CancelledError as error:
                task = asyncio.current_task()
                if task is None or task.cancelling():
                    raise
                # Something that the kind waited for was cancelled, not the task itself.
                raise RuntimeError("the work was cancelled from within") from error

    def _verdict(
        self, status: Literal["COMPLETED", "FAILED"], error: dict[str, Any] | None = None
    ) -> Outcome:
        if self.stopping:
            return Outcome(status="CANCELLED", error=self._stop_error)
        return Outcome(status=status, error=error)

    def outcome_without_run(self) -> Outcome:
        """Return the outcome of a task that was asked to stop while it waited."""
        return Outcome(status="CANCELLED", error=self._stop_error)

    def _on_progress(self, work: TaskHandle) -> None:
        self.meta = advance(self.meta, work.now)
        self._unsaved = True
        if work.finished > self._units_reported:
            self._units_reported = work.finished
            self._record_event("unit", n=work.finished)
            crash_points.point("unit.event")
        self.changed.fire()

    def _record_event(self, event: str, **data: Any) -> None:  # noqa: ANN401 - JSON values
        # A full disk must not keep a task from being cancelled: events report it, meta.json
        # decides.
        try:
            if self._events is not None:
                self._events.append(event, **data)
        except OcdError as error:
            logger.warning("task %s: event %s is lost: %s", self.meta.task_id, event, error)

    def mark_started(self) -> None:
        """Note that the task runs now; `save_started` writes it to disk."""
        self.meta = begin(self.meta, self._store.now())

    def adopt(self, saved: TaskMeta) -> None:
        """Take over the task as a thread has stored it; keep what the loop changed meanwhile."""
        if not self.meta.terminal:
            self.meta = saved if saved.terminal else self._with_current_progress(saved)
            self.changed.fire()

    def detach(self) -> None:
        """Become an ordinary background task: the caller no longer waits."""
        self.meta = replace(self.meta, direct=False)
        self._unsaved = True

    def check_disk(self) -> None:
        """Stop if another process asked for it in meta.json, or ended the task there."""
        if self.meta.cancel_requested_at is not None or self.meta.terminal:
            self.ask_stop()

    def leave(self) -> None:
        """Close the files and wake everybody who waits."""
        self.work.close()
        if self._events is not None:
            self._events.close()
        self.stored.set()
        self.work.begun.set()
        self.ended.set()
        self.save_now.set()
        self.changed.fire()

    def _with_current_progress(self, meta: TaskMeta) -> TaskMeta:
        """Return the task from disk, with the newer values that are in memory."""
        if self.meta.status == "RUNNING":
            meta = begin(meta, self.meta.started_at or self._store.now())
        if self.meta.cancel_requested_at is not None:
            meta = ask_cancel(meta, self.meta.cancel_requested_at)
        meta = replace(meta, direct=self.meta.direct)
        return advance(meta, self.work.now)

    # --- in threads --------------------------------------------------------------------------

    def save_new(self) -> None:
        """Put the task on disk (step 1)."""
        self._store.create(self.meta, self._fill)
        self._events = self._store.events(self.meta.task_id)

    def _fill(self, folder: Path) -> None:
        if self.kind.arguments is not None:
            write_arguments(folder, self.kind.arguments(self._prepared))
        if webhook := self.kind.webhook(self._prepared):
            write_webhook(folder, webhook)
        if self._taken_over is not None:
            self._taken_over.copy_to(folder)

    def save_started(self) -> TaskMeta:
        """Note on disk that the task runs (step 2)."""
        saved = self._update("run.meta")
        self._record_event("started")
        crash_points.point("run.event")
        return saved

    def save_progress(self) -> TaskMeta | None:
        """Write changes to disk; return the task if it or its file had changed."""
        if not self._unsaved and self._store.change_stamp(self.meta.task_id) == self._seen:
            return None
        self._unsaved = False
        saved = self._update("cancel.meta" if self.stopping else "progress.meta")
        if saved.progress != self._reported:
            self._record_progress(saved.progress)
        return saved

    def _record_progress(self, now: TaskProgress) -> None:
        self._reported = now
        self._record_event("progress", **to_builtins(now))

    def save_end(self, verdict: Outcome, payload: Payload | None) -> tuple[TaskMeta, bool]:
        """Write the result and the last state (step 5); return it, and whether the disk has it."""
        self._save_cancel()
        outcome = with_result(self._store, self.kind, self.meta, verdict, payload)
        crash_points.point("result.file")
        now = self._store.now()
        try:
            meta, stored = self._update("end.meta", lambda one: end(one, outcome, now)), True
        except OcdError as error:
            # The disk could not take it, so only memory has it; the next start finds an orphan.
            logger.warning("the end of task %s is not stored: %s", self.meta.task_id, error)
            failed = replace(outcome, status="FAILED", error=outcome.error or error.body())
            meta, stored = end(begin(self.meta, now), failed, now), False
        if stored:
            self._store.remove_held_units(meta)
        if meta.progress.figures not in (UNSET, self._reported.figures):
            self._record_progress(meta.progress)
        self._record_end(meta)
        return meta, stored

    def _save_cancel(self) -> None:
        # Before the result, which may take long to write: the cancel request is on record by then.
        if self.meta.cancel_requested_at is not None:
            try:
                self._update("cancel.meta")
            except OcdError as error:
                logger.warning("cancelling task %s is not stored: %s", self.meta.task_id, error)

    def _record_end(self, meta: TaskMeta) -> None:
        error = {"error": meta.error} if meta.error else {}
        try:
            if self._events is not None:
                self._events.end(meta.status.lower(), **error)
        except OcdError as failure:
            logger.warning("task %s: the last event is lost: %s", meta.task_id, failure)
        crash_points.point("end.event")

    def _update(
        self, point: str, change: Callable[[TaskMeta], TaskMeta] = lambda meta: meta
    ) -> TaskMeta:
        task_id = self.meta.task_id
        saved = self._store.update(
            task_id, lambda meta: change(self._with_current_progress(meta)), point
        )
        self._seen = self._store.change_stamp(task_id)
        return saved

    def __repr__(self) -> str:
        return f"TaskRun({self.meta.task_id!r}, {self.meta.kind}, {self.meta.status})"
