"""Changes of one task's record that another process makes, too."""

from pathlib import Path

from ocd.ledger import states
from ocd.ledger.states import TaskProgress
from ocd.ledger.store import TaskStore


def count_up(root: Path, task_id: str, times: int) -> None:
    """Raise the task's progress by one, `times` times, each in a change of its own."""
    store = TaskStore(root)
    for _ in range(times):
        store.update(task_id, lambda one: states.advance(one, TaskProgress(one.progress.done + 1)))
