"""States of a workflow's workers and their transitions. Pure: no files, no clocks.

INIT → IN_PROGRESS → SUCCESS | PARTIAL | FAIL. A worker that is stopped (timeout, stale,
cleanup) becomes PARTIAL and keeps what it has reported; a late report of its own still counts.
"""

import hashlib
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, Literal

import msgspec
from msgspec.structs import replace

from ocd.api.timestamps import rfc3339

VERSION = 1
MAX_LOG_ENTRIES = 500
MAX_ERRORS = 100

WorkerStatus = Literal["INIT", "IN_PROGRESS", "SUCCESS", "PARTIAL", "FAIL"]
EndedBy = Literal["worker", "timeout", "global_timeout", "stale", "cleanup"]
ENDED = frozenset({"SUCCESS", "PARTIAL", "FAIL"})


class WorkflowMeta(msgspec.Struct, frozen=True, kw_only=True):
    """A workflow as it was started, and when it was cleaned up; times are RFC 3339."""

    workflow_id: str
    name: str
    session: str
    created_at: str
    workers: tuple[str, ...]
    worker_timeout_ms: int
    global_timeout_ms: int
    max_stale_iterations: int
    cleaned_at: str | None = None
    format: str = "workflow"
    version: int = VERSION


class ProgressEntry(msgspec.Struct, frozen=True):
    """One entry of a worker's progress log."""

    iteration: int
    timestamp: str
    action: str
    result: str
    error: str | None = None


class WorkerState(msgspec.Struct, frozen=True, kw_only=True):
    """One worker: its task, where it works, and what it has reported.

    unchanged counts the updates in a row that brought data, but none that was new; `fingerprint`
    is the data's. dropped counts what no longer fits into progress_log and errors.
    """

    name: str
    worker_id: str
    tab_id: str | None
    url: str
    task: str
    success_criteria: str
    started_at: str
    timeout_ms: int
    status: WorkerStatus = "INIT"
    iteration: int = 0
    last_updated_at: str | None = None
    ended_at: str | None = None
    ended_by: EndedBy | None = None
    result_summary: str = ""
    extracted_data: Any = None
    progress_log: tuple[ProgressEntry, ...] = ()
    errors: tuple[str, ...] = ()
    dropped: int = 0
    load_error: str | None = None
    fingerprint: str = ""
    unchanged: int = 0
    format: str = "workflow_worker"
    version: int = VERSION

    @property
    def ended(self) -> bool:
        """Whether it has ended, for whatever reason."""
        return self.status in ENDED

    @property
    def forced(self) -> bool:
        """Whether it was ended before it said that it was done."""
        return self.ended and self.ended_by != "worker"


class WorkerReport(msgspec.Struct, frozen=True, kw_only=True):
    """What a worker reports; None: unchanged."""

    status: WorkerStatus | None = None
    iteration: int | None = None
    action: str | None = None
    result: str | None = None
    extracted_data: Any = None
    error: str | None = None
    result_summary: str | None = None


def merge(before: Any, new: Any) -> Any:  # noqa: ANN401 - any JSON values
    """Merge new data into old: objects key by key, everything else is replaced."""
    if isinstance(before, dict) and isinstance(new, dict):
        return before | {key: merge(before.get(key), value) for key, value in new.items()}
    return before if new is None else new


def fingerprint(data: Any) -> str:  # noqa: ANN401 - any JSON value
    """Return a hash of all of the data."""
    return hashlib.sha256(msgspec.json.encode(data, order="sorted")).hexdigest()


def apply_report(
    worker: WorkerState, report: WorkerReport, max_stale: int, now: str
) -> WorkerState:
    """Return the worker after its report: what the report does not name stays as it was."""
    worker = _with_data(worker, report.extracted_data, now)
    if report.iteration is not None:
        worker = replace(worker, iteration=report.iteration)
    if report.action is not None or report.result is not None or report.error is not None:
        worker = _with_log(worker, report, now)
    if report.result_summary is not None:
        worker = replace(worker, result_summary=report.result_summary)
    if report.status in ENDED:
        return replace(worker, status=report.status, ended_at=now, ended_by="worker")
    if worker.ended:
        return worker
    if worker.unchanged >= max_stale:
        summary = f"[stale] {worker.unchanged} updates without new data"
        return stop_worker(worker, "stale", summary, now)
    return replace(worker, status=report.status or "IN_PROGRESS")


def _with_data(worker: WorkerState, data: Any, now: str) -> WorkerState:  # noqa: ANN401 - JSON
    if data is None:
        return replace(worker, last_updated_at=now)
    merged = merge(worker.extracted_data, data)
    digest = fingerprint(merged)
    unchanged = worker.unchanged + 1 if digest == worker.fingerprint else 0
    return replace(
        worker, extracted_data=merged, fingerprint=digest, unchanged=unchanged, last_updated_at=now
    )


def _with_log(worker: WorkerState, report: WorkerReport, now: str) -> WorkerState:
    errors = worker.errors if report.error is None else (*worker.errors, report.error)
    step = ProgressEntry(
        worker.iteration,
        now,
        report.action or "",
        report.result or ("FAIL" if report.error else "IN_PROGRESS"),
        report.error,
    )
    log = (*worker.progress_log, step)
    over = max(len(log) - MAX_LOG_ENTRIES, 0) + max(len(errors) - MAX_ERRORS, 0)
    return replace(
        worker, progress_log=log[-MAX_LOG_ENTRIES:], errors=errors[-MAX_ERRORS:],
        dropped=worker.dropped + over,
    )  # fmt: skip


def stop_worker(worker: WorkerState, by: EndedBy, summary: str, at: str) -> WorkerState:
    """Return the worker, stopped as PARTIAL; its reported data stays."""
    if worker.ended:
        return worker
    if worker.result_summary:
        summary = f"{summary}; {worker.result_summary}"
    return replace(worker, status="PARTIAL", ended_at=at, ended_by=by, result_summary=summary)


def apply_deadlines(meta: WorkflowMeta, worker: WorkerState, now: str) -> WorkerState:
    """Return the worker, stopped if its deadline or the workflow's has passed."""
    own = _later(worker.started_at, worker.timeout_ms)
    everyone = ends_at(meta)
    if worker.ended or now < min(own, everyone):
        return worker
    if own <= everyone:
        return stop_worker(worker, "timeout", f"[timeout] after {worker.timeout_ms} ms", own)
    summary = f"[timeout] the workflow ended after {meta.global_timeout_ms} ms"
    return stop_worker(worker, "global_timeout", summary, everyone)


def ends_at(meta: WorkflowMeta) -> str:
    """Return the time by which all workers of the workflow have ended."""
    return _later(meta.created_at, meta.global_timeout_ms)


def _later(time: str, milliseconds: int) -> str:
    moment = datetime.fromisoformat(time) + timedelta(milliseconds=milliseconds)
    return rfc3339(moment)


def workflow_status(workers: Sequence[WorkerState]) -> str:
    """Return INIT, RUNNING, COMPLETED, PARTIAL or FAILED.

    COMPLETED: every worker reported SUCCESS. FAILED: none has a result: each one failed or was
    stopped before it reported data.
    """
    if not all(worker.ended for worker in workers):
        return "INIT" if all(worker.status == "INIT" for worker in workers) else "RUNNING"
    if all(worker.status == "SUCCESS" for worker in workers):
        return "COMPLETED"
    if all(_has_no_result(worker) for worker in workers):
        return "FAILED"
    return "PARTIAL"


def _has_no_result(worker: WorkerState) -> bool:
    return worker.status == "FAIL" or (worker.forced and worker.extracted_data in (None, {}, []))
