"""`oc task start|watch|events`, and how tasks are shown."""

import json
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from oc import command_names, daemon_calls, hot_path, render, reply_output
from oc.argv import Command
from oc.command_names import Entry
from oc.daemon_calls import DaemonClient
from ocd.api.errors import OcdError

Index = dict[str, Entry]

_OWN = frozenset(("kind", "args", "wait", "watch"))
_WAIT_MS = 60_000


def start(line: DaemonClient, command: Command, index: Index) -> int:
    """Start a task; with --wait or --watch stay until it has ended."""
    given = command.params
    args = given.get("args", {}) | {k: v for k, v in given.items() if k not in _OWN}
    kind = command_names.kind(index, given["kind"])
    params = {"kind": kind["name"] if kind else command_names.key(given["kind"]), "args": args}
    if not (given.get("wait") or given.get("watch")):
        return hot_path.call(line, command, "oc_task_start", params, index)
    task_id = line.result("oc_task_start", **params)["task_id"]
    if not (command.quiet or command.as_json):
        render.say(f"Started task {task_id}")
    try:
        if given.get("watch") or _wants_bar(command):
            _follow(line, command, task_id)
        else:
            _wait(line, command, task_id)
    except KeyboardInterrupt:
        render.say(f"\nTask {task_id} goes on.")
        render.say(f"Hint: oc task cancel {task_id}")
        raise
    return _finish(line, command, task_id, show_json=True)


def watch(line: DaemonClient, command: Command, _index: Index) -> int:
    """Show a task's progress until it has ended; the exit status tells how."""
    task_id = command.params["task_id"]
    _follow(line, command, task_id)
    return _finish(line, command, task_id, show_json=False)


def events(line: DaemonClient, command: Command, _index: Index) -> int:
    """Print a task's events, as they came or as lines for humans."""
    follow = bool(command.params.get("follow"))
    _print_events(line, command, command.params["task_id"], follow=follow)
    return 0


def task_table(tasks: list[dict[str, Any]]) -> str:
    """Return tasks as a table: id, kind, status, done/total, age, message."""
    if not tasks:
        return "No tasks"
    return render.table(map(_row, tasks))


def event_line(event: dict[str, Any]) -> str:
    """Return one event as a line: time, what happened, details."""
    data = event.get("data", {})
    details = (
        f"{name}={_value_text(value)}" for name, value in data.items() if value not in (None, "")
    )
    return "  ".join([event["ts"], event["kind"], *details])


def progress_in(event: dict[str, Any]) -> dict[str, Any] | None:
    """Return the progress {"done", "total"?, "message"?} that an event carries, or None."""
    return event["data"] if event["kind"] == "progress" else None


def _wants_bar(command: Command) -> bool:
    return sys.stderr.isatty() and not (command.as_json or command.quiet)


def _follow(line: DaemonClient, command: Command, task_id: str) -> None:
    if not _wants_bar(command):
        _print_events(line, command, task_id, follow=True)
        return
    from oc import progress_bars as bars

    reply = line.get(_events_path(task_id, follow=True), timeout_s=None)
    with bars.bar(f"task {task_id}") as move:
        for text in reply.lines():
            progress = progress_in(json.loads(text))
            if progress is not None:
                move(progress)


def _print_events(line: DaemonClient, command: Command, task_id: str, *, follow: bool) -> None:
    reply = line.get(_events_path(task_id, follow=follow), timeout_s=None)
    show: Callable[[bytes], None] = _show_raw if command.as_json else _show_event
    for text in reply.lines():
        show(text)


def _show_raw(text: bytes) -> None:
    render.write_bytes(text + b"\n")


def _show_event(text: bytes) -> None:
    render.write_line(event_line(json.loads(text)))


def _events_path(task_id: str, *, follow: bool) -> str:
    if not task_id.isalnum():
        raise OcdError("task_not_found", f"There is no task '{task_id}'", hint="oc task list")
    return f"/v1/tasks/{task_id}/events" + ("?follow=1" if follow else "")


def _wait(line: DaemonClient, command: Command, task_id: str) -> None:
    limit = command.options.get("timeout_ms")
    while True:
        try:
            line.result("oc_task_wait", task_id=task_id, timeout_ms=limit or _WAIT_MS)
        except OcdError as error:
            if error.code != "timeout" or limit:
                raise
        else:
            return


def _finish(line: DaemonClient, command: Command, task_id: str, *, show_json: bool) -> int:
    """Say how the task ended; 0 if it completed, else 1."""
    body = daemon_calls.good(line.call("oc_task_get", {"task_id": task_id})).read()
    meta = json.loads(body)["result"]["meta"]
    if command.as_json:
        if show_json:
            render.write_bytes(body.rstrip(b"\n") + b"\n")
    else:
        render.write_line(f"{meta['status']}  {meta['kind']}  {_done_text(meta)}  {task_id}")
        error = meta.get("error")
        if error:
            reply_output.say_error(error)
    return 0 if meta["status"] == "COMPLETED" else 1


def _row(meta: dict[str, Any]) -> dict[str, Any]:
    return {
        "id": meta.get("task_id"),
        "kind": meta.get("kind"),
        "status": meta.get("status"),
        "done": _done_text(meta),
        "age": age(meta.get("created_at"), datetime.now(UTC)),
        "message": (meta.get("error") or meta.get("progress") or {}).get("message", ""),
    }


def _done_text(meta: dict[str, Any]) -> str:
    progress = meta.get("progress") or {}
    total = progress.get("total")
    return f"{progress.get('done', 0)}/{'?' if total is None else total}"


def age(since: str | None, now: datetime) -> str:
    """Return how long ago an RFC 3339 time was, in its largest unit: 5s, 3m, 7h, 2d."""
    try:
        seconds = (now - datetime.fromisoformat(since or "")).total_seconds()
    except (ValueError, TypeError):
        return "-"
    for unit, size in (("d", 86400), ("h", 3600), ("m", 60)):
        if seconds >= size:
            return f"{int(seconds // size)}{unit}"
    return f"{max(0, int(seconds))}s"


def _value_text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
