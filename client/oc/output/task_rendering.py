"""Tasks and their events as text."""

import json
from datetime import UTC, datetime
from typing import Any

from oc import terminal
from oc.output import human_text
from ocd.api import progress_text

_MAY_GO_ON = ("PENDING", "RUNNING")


def task_table(tasks: list[dict[str, Any]]) -> str:
    """Return tasks as a table: id, kind, status, done/total, age, message."""
    if not tasks:
        return "No tasks"
    # Whether somebody waits is only shown if the list has both kinds.
    both = any(meta.get("direct") for meta in tasks)
    return human_text.table(_row(meta) | (_caller(meta) if both else {}) for meta in tasks)


def event_line(event: dict[str, Any]) -> str:
    """Return one event as a line: time, event, details."""
    data = event.get("data", {})
    details = (
        progress_text.line(value) if name == "figures" else f"{name}={_value_text(value)}"
        for name, value in data.items()
        if value not in (None, "")
    )
    return "  ".join([event["ts"], event["kind"], *details])


def progress_in(event: dict[str, Any]) -> dict[str, Any] | None:
    """Return an event's progress {"done", "total"?, …}, or None."""
    return event["data"] if event["kind"] == "progress" else None


def _caller(meta: dict[str, Any]) -> dict[str, str]:
    return {"by": "direct call" if meta.get("direct") else "task start"}


def _row(meta: dict[str, Any]) -> dict[str, Any]:
    return {
        "id": meta.get("task_id"),
        "kind": meta.get("kind"),
        "status": meta.get("status"),
        "done": done_text(meta),
        "age": age(meta.get("created_at"), datetime.now(UTC)),
        "message": (meta.get("error") or meta.get("progress") or {}).get("message", ""),
    }


def done_text(meta: dict[str, Any]) -> str:
    """Return how much of a task is done: 3/10, 3/? while it runs, and after its end 3 or -."""
    progress = meta.get("progress") or {}
    done, total = progress.get("done", 0), progress.get("total")
    if total is None and meta.get("status") not in _MAY_GO_ON:
        return str(done or "-")
    return f"{done}/{'?' if total is None else total}"


def age(since: str | None, now: datetime) -> str:
    """Return the time since an RFC 3339 time in its largest unit: 5s, 3m, 7h, 2d."""
    try:
        seconds = (now - datetime.fromisoformat(since or "")).total_seconds()
    except (ValueError, TypeError):
        return "-"
    for unit, size in (("d", 86400), ("h", 3600), ("m", 60)):
        if seconds >= size:
            return f"{int(seconds // size)}{unit}"
    return f"{max(0, int(seconds))}s"


def say_end(meta: dict[str, Any], *, quiet: bool) -> int:
    """Say why a task has failed, unless `quiet`; return 0 if it completed, else 1.

    That is the exit status of every command that waits for a task.
    """
    if meta.get("error") and not quiet:
        terminal.say_error(meta["error"])
    return 0 if meta["status"] == "COMPLETED" else 1


def _value_text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
