"""The task ledger: scripts/verify/oc-task-ledger.sh, the verification of the requirements."""

from support.daemon import Home
from support.shell import run_script


def test_the_ledger_from_start_to_orphan(home: Home) -> None:
    """Start, list, cancel after a page, restart with it still listed, kill -9, reap, wait."""
    assert run_script(home, "verify/oc-task-ledger.sh").splitlines() == [
        "OK navigate",
        "OK oc_task_start: 16 hex, PENDING or RUNNING",
        "OK oc_task_list: the task, kind crawl",
        "OK oc_task_cancel: CANCELLED within 2 s",
        "OK oc_task_get: partial pages",
        "OK oc_task_list after a restart: still there, CANCELLED",
        "OK kill -9: FAILED, orphaned, its pages kept",
        "OK oc_task_wait: COMPLETED",
    ]
