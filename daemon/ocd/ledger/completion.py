"""How a task gets its result and its final state, whether it finished or died.

`recover` ends, at start, the tasks whose process is gone.
"""

import logging
import os
from collections.abc import Mapping

from msgspec.structs import replace

from ocd.api.errors import OcdError
from ocd.ledger.index import TaskIndex, read_or_drop
from ocd.ledger.results import TaskResult
from ocd.ledger.states import (
    Outcome,
    TaskMeta,
    TaskProgress,
    milliseconds,
    orphaned_error,
    reap,
)
from ocd.ledger.store import TaskStore
from ocd.ledger.task_kind import TaskKind, errors_as_internal
from ocd.storage import crash_points
from ocd.storage.payload import Payload
from ocd.storage.process_identity import ProcessIdentity

logger = logging.getLogger(__name__)


def with_result(
    store: TaskStore,
    kind: TaskKind | None,
    meta: TaskMeta,
    verdict: Outcome,
    payload: Payload | None,
) -> Outcome:
    """Write the task's result and return the verdict with its path.

    Without a payload, the result is made from the finished units. If the result cannot be stored, a
    completed task becomes a failed one; a failed or cancelled one ends without a result.
    """
    try:
        with errors_as_internal(meta.task_id):
            payload = _recovered_payload(store, kind, meta) if payload is None else payload
            if payload is None:
                return replace(verdict, result_path=_present_result(store, meta.task_id))
            path, place = store.write_result(meta.task_id, payload)
    except OcdError as error:
        logger.warning("no result of task %s: %s", meta.task_id, error)
        return verdict if verdict.error else _failed_outcome(verdict, error)
    return replace(verdict, result_path=path, result_list=place, result_checked=True)


def _recovered_payload(store: TaskStore, kind: TaskKind | None, meta: TaskMeta) -> Payload | None:
    if kind is None or kind.recover is None:
        return None
    # An unreadable line loses only that unit; the file is then kept beside the result.
    return kind.recover(meta, store.units(meta.task_id, readable_only=True))


def result_so_far(store: TaskStore, kind: TaskKind | None, meta: TaskMeta) -> TaskResult | None:
    """Return the result of a task that has none on disk, from its finished units; None without any.

    The task still runs, or the disk could not take its result.
    """
    if kind is None or kind.recover is None:
        return None
    try:
        units = store.opened_units(meta.task_id)
    except FileNotFoundError:  # there are none yet, or the result has just taken them
        return None
    try:
        with errors_as_internal(meta.task_id):
            payload = kind.recover(meta, units)
    except OcdError as error:
        logger.warning("no result of task %s: %s", meta.task_id, error)
        return None
    return TaskResult(payload.data, units, payload.items_at)


def _present_result(store: TaskStore, task_id: str) -> str | None:
    path = store.result_file(task_id)
    return str(path) if path.exists() else None


def _failed_outcome(verdict: Outcome, error: OcdError) -> Outcome:
    failed = "FAILED" if verdict.status == "COMPLETED" else verdict.status
    return replace(verdict, status=failed, error=error.body())


def reap_orphan(store: TaskStore, kind: TaskKind | None, meta: TaskMeta) -> TaskMeta:
    """End a task whose process is gone, with a result of the units it finished (step 6)."""
    store.sweep_parts(meta.task_id)
    units = sum(1 for _ in store.units(meta.task_id, readable_only=True))
    progress = meta.progress.at_end()
    progress = replace(progress, done=units) if units else progress
    resumable = kind is not None and kind.resumption is not None
    error = orphaned_error(meta, units, resumable=resumable)
    verdict = Outcome(status="FAILED", error=dict(error))
    outcome = with_result(store, kind, replace(meta, progress=progress), verdict, None)
    crash_points.point("reap.result")
    ended = store.update(
        meta.task_id, lambda now: _orphaned_meta(now, outcome, progress, store.now()), "reap.meta"
    )
    store.remove_held_units(ended)
    events = store.events(meta.task_id)
    events.end("orphaned", units=units)
    crash_points.point("reap.event")
    return ended


def _orphaned_meta(meta: TaskMeta, outcome: Outcome, progress: TaskProgress, now: str) -> TaskMeta:
    return meta if meta.terminal else replace(reap(meta, outcome, now), progress=progress)


# --- at start, before any task is accepted ----------------------------------------------------


def recover(store: TaskStore, index: TaskIndex, kinds: Mapping[str, TaskKind]) -> list[TaskMeta]:
    """Fill the index and reap every orphan; return the reaped tasks. Blocks; may be repeated.

    A task that cannot be read is left alone; one that cannot be written is left for the next start.
    """
    store.sweep()
    index.refresh()
    reaped = []
    for task_id in index.newest(("PENDING", "RUNNING")):
        meta = read_or_drop(index, store, task_id)
        if meta is not None and _is_orphan(meta):
            try:
                reaped.append(reap_orphan(store, kinds.get(meta.kind), meta))
            except OcdError as error:
                logger.warning("task %s stays as it is: %s", task_id, error)
    for meta in reaped:
        index.put(meta)
        logger.info("task %s (%s) was orphaned", meta.task_id, meta.kind)
    return reaped


def process_is_gone(meta: TaskMeta) -> bool:
    """Return whether the process that ran the task has ended, even if its pid is in use again."""
    if meta.pid is None:
        return True
    try:
        started_at = milliseconds(meta.pid_started_at) / 1000 if meta.pid_started_at else 0
    except ValueError:
        return True  # no process has an unreadable start time
    owner = ProcessIdentity(meta.pid, started_at, meta.boot_id, meta.start_ticks)
    return owner.find() is None


def _is_orphan(meta: TaskMeta) -> bool:
    # This process runs no task yet: one with our pid is an earlier process's, as happens in
    # containers, where the daemon gets the same pid at every start.
    return meta.pid == os.getpid() or process_is_gone(meta)
