"""Deletion of old tasks: after the retention period, and beyond the maximum number."""

import logging

from ocd.api.errors import OcdError
from ocd.ledger.index import TaskIndex, read_or_drop
from ocd.ledger.states import TERMINAL, milliseconds
from ocd.ledger.store import TaskStore

MAX_TASKS = 20_000
_DAY_MS = 86_400_000

logger = logging.getLogger(__name__)


def prune(
    store: TaskStore, index: TaskIndex, retention_days: float, max_tasks: int = MAX_TASKS
) -> int:
    """Remove old tasks and return how many. Blocks.

    Tasks that have not ended or cannot be read are always kept. Units that a crash has left beside
    a result which contains them (step 5.4 of the store) are removed as well.

    Args:
        store: the tasks.
        index: their index.
        retention_days: remove tasks that ended longer ago than this; 0: never.
        max_tasks: remove the oldest tasks beyond this number.
    """
    ended = index.newest(TERMINAL)
    for task_id in ended:
        if store.has_units(task_id) and (meta := read_or_drop(index, store, task_id)):
            store.remove_held_units(meta)
    running = len(index) - len(ended)
    surplus = set(ended[max(0, max_tasks - running) :])
    oldest_kept = store.clock() - retention_days * _DAY_MS if retention_days else 0
    removed = 0
    for task_id in reversed(ended):
        if task_id in surplus or _is_expired(store, index, task_id, oldest_kept):
            removed += _remove(store, index, task_id)
    return removed


def _is_expired(store: TaskStore, index: TaskIndex, task_id: str, moment: float) -> bool:
    if index.created_ms(task_id) >= moment:
        return False  # it cannot have ended before it was created: no need to read it
    meta = read_or_drop(index, store, task_id)
    return meta is not None and milliseconds(meta.ended_at or meta.created_at) < moment


def _remove(store: TaskStore, index: TaskIndex, task_id: str) -> bool:
    try:
        store.remove(task_id)
    except OcdError as error:
        logger.warning("%s", error)
        return False
    index.drop(task_id)
    return True
