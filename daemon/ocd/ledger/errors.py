"""The errors that the ledger's files give rise to."""

from pathlib import Path

from ocd.api.errors import OcdError


def not_found(task_id: str) -> OcdError:
    """Return the error of an id that names no task."""
    return OcdError(
        "task_not_found", f"There is no task '{task_id}'", hint="List them: `oc_task_list`",
        task_id=task_id,
    )  # fmt: skip


def unreadable(path: Path, why: str) -> OcdError:
    """Return the error of a file that cannot be understood and is therefore left alone."""
    return OcdError("unreadable_file", f"Cannot read {path}: {why}", path=str(path))
