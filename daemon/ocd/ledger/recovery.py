"""At start, before any task is accepted: end the tasks whose process is gone."""

import logging
import os
from collections.abc import Mapping

from ocd.api.errors import OcdError
from ocd.ledger.completion import reap_orphan
from ocd.ledger.index import TaskIndex, readable
from ocd.ledger.states import TaskMeta, milliseconds
from ocd.ledger.store import TaskStore
from ocd.ledger.task_kind import TaskKind
from ocd.storage.process_identity import ProcessIdentity

logger = logging.getLogger(__name__)


def recover(store: TaskStore, index: TaskIndex, kinds: Mapping[str, TaskKind]) -> list[TaskMeta]:
    """Fill the index and reap every orphan; return those. Blocks; may be repeated.

    A task that cannot be read is left alone; one that cannot be written stays for the next start.
    """
    store.sweep()
    index.refresh()
    reaped = []
    for task_id in index.newest(("PENDING", "RUNNING")):
        meta = readable(index, store, task_id)
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
    """Return whether the process that ran the task is dead, or its pid another process's by now."""
    if meta.pid is None:
        return True
    try:
        started_at = milliseconds(meta.pid_started_at) / 1000 if meta.pid_started_at else 0
    except ValueError:
        return True  # a time that nobody can read is that of no process
    return ProcessIdentity(meta.pid, started_at, meta.boot_id).find() is None


def _is_orphan(meta: TaskMeta) -> bool:
    # Nothing of this process runs yet: a task with our pid is of an earlier one that had it, as
    # happens in containers, where the daemon gets the same pid at every start.
    return meta.pid == os.getpid() or process_is_gone(meta)
