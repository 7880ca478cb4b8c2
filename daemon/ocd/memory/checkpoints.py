"""Checkpoints and session snapshots that agents save.

checkpoints/<safe name>.json    how far a task is, for a program to continue
sessions/<snapshot id>.json     what a session was about, for whoever resumes it
"""

from datetime import UTC, datetime
from pathlib import Path
from secrets import token_hex
from typing import Any, Literal

import msgspec

from ocd.storage.named_files import NamedFileStore, NamedRecord

MAX_CHECKPOINTS = 500
MAX_SNAPSHOTS = 200


class TabState(msgspec.Struct, frozen=True, kw_only=True):
    """A tab's saved state; `target_id` is Chromium's own id for it, which is never reused."""

    tab_id: str
    url: str
    title: str = ""
    target_id: str = ""


class Checkpoint(NamedRecord, frozen=True, kw_only=True):
    """The progress of a task. `current_url` is the most recent tab's."""

    format: Literal["checkpoint"] = "checkpoint"
    task_description: str = ""
    completed_steps: list[Any] = msgspec.field(default_factory=list[Any])
    pending_steps: list[Any] = msgspec.field(default_factory=list[Any])
    extracted_data: Any = None
    current_url: str | None = None
    tabs: list[TabState] = msgspec.field(default_factory=list[TabState])


class Snapshot(NamedRecord, frozen=True, kw_only=True):
    """A session's goal and progress. Its name is its id; `current` is the id of its latest tab."""

    format: Literal["session_snapshot"] = "session_snapshot"
    label: str = ""
    objective: str
    current_step: str
    next_actions: list[str]
    completed_steps: list[str] = msgspec.field(default_factory=list[str])
    notes: str = ""
    current: str | None = None
    tabs: list[TabState] = msgspec.field(default_factory=list[TabState])


def checkpoints(home: Path) -> NamedFileStore[Checkpoint]:
    """Return the checkpoints of a home."""
    return NamedFileStore(home / "checkpoints", Checkpoint, "checkpoint", most=MAX_CHECKPOINTS)


def snapshots(home: Path) -> NamedFileStore[Snapshot]:
    """Return the snapshots of a home."""
    return NamedFileStore(home / "sessions", Snapshot, "snapshot", most=MAX_SNAPSHOTS)


def new_snapshot_id() -> str:
    """Return an id that sorts by time."""
    return f"snap-{datetime.now(UTC):%Y%m%d-%H%M%S}-{token_hex(3)}"
