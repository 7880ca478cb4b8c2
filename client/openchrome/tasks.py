"""Tasks: long calls that go on in the daemon, whoever waits for them."""

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
# One request of a wait; a longer wait is several.
_WAIT_MS = 60_000


class TaskMeta(NamedTuple):
    """A task as the ledger has it; times are RFC 3339 UTC.

    figures: of a crawl, its speed, queue, failures and hosts.
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
        """Whether its state will not change any more."""
        return self.status in ("COMPLETED", "FAILED", "CANCELLED")


class TaskEvent(NamedTuple):
    """Something that happened to a task: created, started, unit, completed, failed, …"""

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
        """Return its state now."""
        return self._client.run(get(self.id))

    def done(self) -> bool:
        """Return whether it has ended."""
        return self.meta().ended

    def wait(self, timeout: float | None = None) -> ResultT:
        """Wait until it has ended and return its result.

        timeout: in seconds; None: for ever. Raises the task's own error if it failed,
        CallCancelledError if it was cancelled, CallTimeoutError if it still goes on.
        """
        return cast("ResultT", self._client.run(wait(self.id, timeout)))

    def output(self) -> Output:
        """Return what it has by now as a stored output: pages of a crawl as they are so far."""
        return Output(self._client, self._client.run(store_result(self.id)))

    def cancel(self) -> TaskMeta:
        """Ask it to end; what it has finished stays."""
        return self._client.run(cancel(self.id))

    def events(self, *, follow: bool = True) -> Iterator[TaskEvent]:
        """Yield what happened to it; follow: stay until it has ended."""
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
    """Return where a task's events are read."""
    if not task_id.isalnum():
        raise exception_for("task_not_found", f"There is no task {task_id!r}", {})
    return f"/v1/tasks/{task_id}/events" + ("?follow=1" if follow else "")


def meta_in(found: Mapping[str, Any]) -> TaskMeta:
    """Return the state in an answer."""
    meta = found["meta"]
    progress = meta.get("progress") or {}
    return TaskMeta(
        meta["task_id"], meta["kind"], meta["status"],
        progress.get("done", 0), progress.get("total"), progress.get("message", ""),
        meta["created_at"], meta.get("ended_at"), meta.get("error"), progress.get("figures"),
    )  # fmt: skip


def event_in(line: Mapping[str, Any]) -> TaskEvent:
    """Return the event that a line tells."""
    return TaskEvent(line["ts"], line["kind"], line.get("data", {}))


def _between(milliseconds: int) -> int:
    return min(max(milliseconds, 1), _WAIT_MS)
