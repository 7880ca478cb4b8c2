"""State changes of a workflow's workers, and the resulting state of the workflow."""

from typing import Any

import pytest
from msgspec.structs import replace

from ocd.workflows.states import (
    MAX_LOG_ENTRIES,
    WorkerReport,
    WorkerState,
    WorkflowMeta,
    apply_deadlines,
    apply_report,
    merge,
    stop_worker,
    workflow_status,
)

START = "2026-11-20T12:00:00.000Z"
META = WorkflowMeta(
    workflow_id="wf", name="n", session="s", created_at=START, workers=("a",),
    worker_timeout_ms=1000, global_timeout_ms=5000, max_stale_iterations=3,
)  # fmt: skip
WORKER = WorkerState(
    name="a", worker_id="w1", tab_id="t1", url="", task="t", success_criteria="",
    started_at=START, timeout_ms=1000,
)  # fmt: skip


def at(seconds: int) -> str:
    return START.replace("00.000", f"{seconds:02}.000")


def test_time_ends_a_worker_at_its_moment() -> None:
    """Whenever it is read, the worker ended when its own time, or the workflow's, was over."""
    assert apply_deadlines(META, WORKER, "2026-11-20T12:00:00.999Z") == WORKER
    late = apply_deadlines(META, WORKER, at(30))
    assert (late.status, late.ended_by, late.ended_at) == ("PARTIAL", "timeout", at(1))
    slow = replace(WORKER, timeout_ms=60_000)
    later = apply_deadlines(META, slow, at(30))
    assert (later.ended_by, later.ended_at) == ("global_timeout", at(5))


def test_forced_ends_keep_data_and_messages() -> None:
    """A forced end keeps data and messages, and ends nobody twice."""
    worker = apply_report(WORKER, WorkerReport(extracted_data=[1], result_summary="half"), 3, START)
    ended = stop_worker(worker, "cleanup", "[cleanup]", at(1))
    assert (ended.extracted_data, ended.result_summary) == ([1], "[cleanup]; half")
    assert stop_worker(ended, "stale", "x", at(2)) == ended


def test_a_late_report_counts() -> None:
    """A worker that was timed out and then reports that it is done counts as done."""
    ended = apply_deadlines(META, WORKER, at(30))
    done = apply_report(ended, WorkerReport(status="SUCCESS", result_summary="fine"), 3, at(40))
    assert (done.status, done.ended_by, done.result_summary) == ("SUCCESS", "worker", "fine")


def test_log_is_bounded_and_says_what_was_dropped() -> None:
    """The newest lines stay, and the dropped ones are counted."""
    worker = WORKER
    for number in range(MAX_LOG_ENTRIES + 7):
        worker = apply_report(worker, WorkerReport(iteration=number, action="x"), 3, START)
    assert (len(worker.progress_log), worker.dropped) == (MAX_LOG_ENTRIES, 7)
    assert worker.progress_log[-1].iteration == MAX_LOG_ENTRIES + 6


@pytest.mark.parametrize(
    ("before", "new", "after"),
    [
        (None, {"a": 1}, {"a": 1}),
        ({"a": {"x": 1}}, {"a": {"y": 2}}, {"a": {"x": 1, "y": 2}}),
        ({"a": [1]}, {"a": [2]}, {"a": [2]}),
        ([1], {"a": 1}, {"a": 1}),
        ({"a": 1}, {"a": None}, {"a": 1}),
    ],
)
def test_objects_merge_key_by_key(before: Any, new: Any, after: Any) -> None:  # noqa: ANN401
    assert merge(before, new) == after


@pytest.mark.parametrize(
    ("ends", "status"),
    [
        (["", ""], "INIT"),
        (["S", ""], "RUNNING"),
        (["S", "S"], "COMPLETED"),
        (["S", "F"], "PARTIAL"),
        (["S", "T"], "PARTIAL"),
        (["P", "P"], "PARTIAL"),
        (["T", "T"], "FAILED"),
        (["D", "T"], "PARTIAL"),
        (["F", "F"], "FAILED"),
    ],
)
def test_status_follows_from_the_workers(ends: list[str], status: str) -> None:
    """S success, P partial by its own word, F failed, T timed out, D timed out with data."""
    words: dict[str, Any] = {"S": "SUCCESS", "P": "PARTIAL", "F": "FAIL"}

    def ended(end: str) -> WorkerState:
        if end in words:
            return apply_report(WORKER, WorkerReport(status=words[end]), 3, START)
        data = {"a": 1} if end == "D" else None
        reported = WorkerReport(extracted_data=data)
        worker = apply_report(WORKER, reported, 3, START) if data else WORKER
        return apply_deadlines(META, worker, at(30)) if end else worker

    assert workflow_status([ended(end) for end in ends]) == status
