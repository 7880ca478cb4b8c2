"""A task's states and their transitions. Pure: no files, no clocks.

PENDING → RUNNING → COMPLETED | FAILED | CANCELLED, PENDING → CANCELLED, and for reaping alone
PENDING → FAILED. A terminal task never changes again: every transition returns it as it is.
"""

from collections.abc import Mapping
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, Literal

import msgspec
from msgspec.structs import replace

from ocd.api.errors import OcdError
from ocd.api.tool_calls import tool_call
from ocd.api.wire import CrawlFigures

FORMAT = 1

Status = Literal["PENDING", "RUNNING", "COMPLETED", "FAILED", "CANCELLED"]
TERMINAL: frozenset[str] = frozenset({"COMPLETED", "FAILED", "CANCELLED"})


class TaskProgress(msgspec.Struct, frozen=True):
    """Finished units of `total` (None: unknown), the current step, and figures if measured."""

    done: int = 0
    total: int | None = None
    message: str = ""
    figures: CrawlFigures | msgspec.UnsetType = msgspec.UNSET

    def at_end(self) -> "TaskProgress":
        """Return the progress of a task that has ended: no time is left."""
        if self.figures is msgspec.UNSET:
            return self
        return replace(self, figures=replace(self.figures, left_s=msgspec.UNSET))


class ResultListSpan(msgspec.Struct, frozen=True):
    """Where the list of a result is in result.json: its keys, and the bytes from `[` to `]`.

    in_units: the list's items are exactly the lines that the task's units file had.
    """

    keys: tuple[str, ...]
    start: int
    end: int
    in_units: bool


class TaskMeta(msgspec.Struct, frozen=True, kw_only=True):
    """One task as meta.json keeps it. Times are RFC 3339, UTC, with milliseconds.

    direct: a verb's caller waits for it, and gets its result; nobody started it as a task.
    pid and pid_started_at identify the process that runs it; boot_id and start_ticks do so even
    after the clock was set. args_summary is redacted JSON text of at most 2 KiB. error is an error
    body ({"code", "message", …}). result_path is set once there is a result, whole or partial.
    result_checked: result.idx is beside it, with its checksums; the results of earlier releases
    have none. resumed_from: the task whose work this one continues.
    """

    version: int = FORMAT
    task_id: str
    kind: str
    status: Status
    session: str = "default"
    direct: bool = False
    pid: int | None = None
    pid_started_at: str | None = None
    boot_id: str = ""
    start_ticks: int = 0
    resumed_from: str | None = None
    created_at: str
    started_at: str | None = None
    ended_at: str | None = None
    cancel_requested_at: str | None = None
    args_summary: str = "{}"
    progress: TaskProgress = TaskProgress()
    result_path: str | None = None
    result_list: ResultListSpan | None = None
    result_checked: bool = False
    error: dict[str, Any] | None = None

    @property
    def units_in_result(self) -> bool:
        """Whether result.json holds every finished unit, so that pages.jsonl may go."""
        place = self.result_list
        return self.terminal and self.result_checked and place is not None and place.in_units

    @property
    def terminal(self) -> bool:
        """Whether the task has ended; it then never changes."""
        return self.status in TERMINAL


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """How a task ended: the status, its error if it has one, and its result if there is one."""

    status: Literal["COMPLETED", "FAILED", "CANCELLED"]
    error: dict[str, Any] | None = None
    result_path: str | None = None
    result_list: ResultListSpan | None = None
    result_checked: bool = False


_PRIVATE = ("version", "boot_id", "start_ticks", "result_list", "result_checked")


def public(meta: TaskMeta) -> dict[str, Any]:
    """Return the task as callers see it: meta.json without the ledger's internal fields.

    `direct` is there if it is true, `resumed_from` if it was.
    """
    data: dict[str, Any] = msgspec.to_builtins(meta)
    unset = [name for name in ("direct", "resumed_from") if not data[name]]
    for name in (*_PRIVATE, *unset):
        del data[name]
    return data


def begin(meta: TaskMeta, now: str) -> TaskMeta:
    """PENDING → RUNNING; any other task is returned unchanged."""
    if meta.status != "PENDING":
        return meta
    return replace(meta, status="RUNNING", started_at=now)


def advance(meta: TaskMeta, progress: TaskProgress) -> TaskMeta:
    """Return the running task with its progress; any other task unchanged."""
    return replace(meta, progress=progress) if meta.status == "RUNNING" else meta


def ask_cancel(meta: TaskMeta, now: str) -> TaskMeta:
    """Record that the task was asked to stop; only the first request counts."""
    if meta.terminal or meta.cancel_requested_at is not None:
        return meta
    return replace(meta, cancel_requested_at=now)


def end(meta: TaskMeta, outcome: Outcome, now: str) -> TaskMeta:
    """End a running task, or a waiting one that was cancelled; any other is returned unchanged."""
    allowed = meta.status == "RUNNING" or (
        meta.status == "PENDING" and outcome.status == "CANCELLED"
    )
    return _end(meta, outcome, now) if allowed else meta


def reap(meta: TaskMeta, outcome: Outcome, now: str) -> TaskMeta:
    """End a task whose process is gone, waiting or running, as FAILED."""
    assert outcome.status == "FAILED"
    return meta if meta.terminal else _end(meta, outcome, now)


def _end(meta: TaskMeta, outcome: Outcome, now: str) -> TaskMeta:
    progress = meta.progress.at_end()
    if outcome.status == "COMPLETED":
        # A task that counted nothing counts as one unit; an unreached total becomes what was done.
        done = 1 if (progress.done, progress.total) == (0, None) else progress.done
        progress = replace(progress, done=done, total=done)
    return replace(
        meta,
        status=outcome.status,
        progress=progress,
        ended_at=now,
        error=outcome.error,
        result_path=outcome.result_path,
        result_list=outcome.result_list,
        result_checked=outcome.result_checked,
    )


def orphaned_error(meta: TaskMeta, units: int, *, resumable: bool) -> Mapping[str, Any]:
    """Return the error body of a task whose process is gone."""
    resumption = (
        f"; resume it: {tool_call('oc_task_resume', task_id=meta.task_id)}" if resumable else ""
    )
    return {
        "code": "orphaned",
        "message": f"The process that ran this task (pid {meta.pid}) is gone; "
        f"{units} finished units are kept",
        "hint": "Its partial result: "
        + tool_call("oc_task_get", task_id=meta.task_id, include_result=True)
        + resumption,
    }


def timestamp(milliseconds: int) -> str:
    """Return epoch milliseconds as RFC 3339 in UTC, for example 2026-03-01T12:00:00.000Z."""
    return f"{_to_seconds(milliseconds // 1000)}.{milliseconds % 1000:03d}Z"


@lru_cache(maxsize=64)  # a crawl writes many events in one second
def _to_seconds(seconds: int) -> str:
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%dT%H:%M:%S}"


def milliseconds(time: str) -> int:
    """Return an RFC 3339 time (any offset; none means UTC) as epoch milliseconds; ValueError."""
    moment = datetime.fromisoformat(time)
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return round(moment.timestamp() * 1000)


def not_found(task_id: str) -> OcdError:
    """Return the error of an id that names no task."""
    return OcdError(
        "task_not_found", f"There is no task '{task_id}'", hint="List them: `oc_task_list`",
        task_id=task_id,
    )  # fmt: skip
