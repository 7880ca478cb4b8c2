"""Tasks: long calls that continue in the daemon, whether or not anybody waits for them."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Generic, Literal, NamedTuple, TypeVar, cast

from openchrome.errors import CallTimeoutError, exception_for
from openchrome.hints import in_python
from openchrome.outputs import Output
from openchrome.protocol import Call, Flow
from openchrome.results import Result

if TYPE_CHECKING:
    from openchrome.client import Client

ResultT = TypeVar("ResultT", bound=Result, covariant=True)
Status = Literal["PENDING", "RUNNING", "COMPLETED", "FAILED", "CANCELLED"]
# The longest wait of one request; a longer one takes several.
_WAIT_MS = 60_000


class TaskMeta(NamedTuple):
    """A task's state in the ledger; times are RFC 3339 UTC.

    figures: for a crawl, its speed, queue, failures and hosts.
    """

    task_id: str
    kind: str
    status: Status
    done: int
    total: int | None
    message: str
    created_at: str
    ended_at: str | None
    error: Mapping[str, Any] | None
    figures: Mapping[str, Any] | None = None

    @property
    def ended(self) -> bool:
        """Whether its state is final."""
        return self.status in ("COMPLETED", "FAILED", "CANCELLED")


class TaskEvent(NamedTuple):
    """An event of a task: created, started, unit, completed, failed, …"""

    ts: str
    kind: str
    data: Mapping[str, Any]


class Task(Generic[ResultT]):
    """A task of the ledger. It survives this program; `Client.task(id)` finds it again.

    `client.start.crawl(url)` is a `Task[shapes.CrawlResult]`; any task is a `Task[Result]`.
    """

    def __init__(self, client: Client, task_id: str) -> None:
        self._client = client
        self.id = task_id

    def meta(self) -> TaskMeta:
        """Return its current state."""
        return self._client.run(get(self.id))

    def done(self) -> bool:
        """Return whether it has ended."""
        return self.meta().ended

    def wait(self, timeout: float | None = None) -> ResultT:
        """Wait until it has ended and return its result.

        Args:
            timeout: in seconds; None: without a limit.

        Raises:
            OpenChromeError: the task's own error, if it failed.
            CallCancelledError: it was cancelled.
            CallTimeoutError: it is still running.
        """
        return cast("ResultT", self._client.run(wait(self.id, timeout)))

    def output(self) -> Output:
        """Return its results so far as a stored output: a crawl's pages as far as they are."""
        return Output(self._client, self._client.run(store_result(self.id)))

    def cancel(self) -> TaskMeta:
        """Ask it to stop; finished work is kept."""
        return self._client.run(cancel(self.id))

    def events(self, *, follow: bool = True) -> Iterator[TaskEvent]:
        """Yield its events; follow: continue until it has ended."""
        return map(event_in, self._client.lines(events_path(self.id, follow=follow)))

    def __iter__(self) -> Iterator[TaskEvent]:
        return self.events()

    def __repr__(self) -> str:
        return f"<Task {self.id}>"


def get(task_id: str) -> Flow[TaskMeta]:
    """Return a task's state."""
    found = yield Call("oc_task_get", {"task_id": task_id})
    return meta_in(found)


def cancel(task_id: str) -> Flow[TaskMeta]:
    """Cancel a task and return its state."""
    found = yield Call("oc_task_cancel", {"task_id": task_id})
    return meta_in(found)


def wait(task_id: str, timeout: float | None) -> Flow[Result]:
    """Wait for a task's end; return its result or raise its error."""
    until = None if timeout is None else time.monotonic() + timeout
    while True:
        left_ms = _WAIT_MS if until is None else round((until - time.monotonic()) * 1000)
        try:
            yield Call("oc_task_wait", {"task_id": task_id, "timeout_ms": _between(left_ms)})
            break
        except CallTimeoutError:
            if until is not None and left_ms <= _WAIT_MS:
                raise
    found = yield Call("oc_task_get", {"task_id": task_id, "include_result": True})
    meta = meta_in(found)
    if meta.error is not None:
        error = dict(meta.error)
        in_python(error)
        details = {**error, "task_id": task_id, "result": found.get("result")}
        raise exception_for(details.pop("code"), details.pop("message"), details)
    if meta.status == "CANCELLED":
        details = {"task_id": task_id, "result": found.get("result")}
        raise exception_for("cancelled", f"The task {task_id} was cancelled", details)
    return Result(found.get("result") or {})


def store_result(task_id: str) -> Flow[dict[str, Any]]:
    """Return the descriptor of a stored output that holds a task's result."""
    params = {"task_id": task_id, "include_result": True, "output_mode": "handle"}
    return (yield Call("oc_task_get", params))


def start(kind: str, args: Mapping[str, Any]) -> Flow[str]:
    """Start a task and return its id."""
    params = {name: value for name, value in args.items() if value is not None}
    started = yield Call("oc_task_start", {"kind": kind, "args": params})
    return str(started["task_id"])


def events_path(task_id: str, *, follow: bool) -> str:
    """Return the path of the request for a task's events."""
    if not task_id.isalnum():
        raise exception_for("task_not_found", f"There is no task {task_id!r}", {})
    return f"/v1/tasks/{task_id}/events" + ("?follow=1" if follow else "")


def meta_in(found: Mapping[str, Any]) -> TaskMeta:
    """Return the state in a response."""
    meta = found["meta"]
    progress = meta.get("progress") or {}
    return TaskMeta(
        meta["task_id"], meta["kind"], meta["status"],
        progress.get("done", 0), progress.get("total"), progress.get("message", ""),
        meta["created_at"], meta.get("ended_at"), meta.get("error"), progress.get("figures"),
    )  # fmt: skip


def event_in(line: Mapping[str, Any]) -> TaskEvent:
    """Return the event in a line."""
    return TaskEvent(line["ts"], line["kind"], line.get("data", {}))


def _between(milliseconds: int) -> int:
    return min(max(milliseconds, 1), _WAIT_MS)
