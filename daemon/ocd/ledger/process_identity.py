"""Which process runs a task, told apart from a later one that got the same pid."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import psutil

from ocd.ledger.states import TaskMeta, milliseconds, timestamp

# The kernel gives a process's start relative to a boot time that is rounded to whole seconds.
_SAME_START_MS = 1500


@dataclass(frozen=True, slots=True)
class ProcessIdentity:
    """A process: its pid, when it started (RFC 3339), and the boot it belongs to ("": unknown)."""

    pid: int
    started_at: str
    boot_id: str


@cache
def own_identity() -> ProcessIdentity:
    """Return this process's identity."""
    process = psutil.Process()
    return ProcessIdentity(process.pid, timestamp(int(process.create_time() * 1000)), boot_id())


@cache
def boot_id() -> str:
    """Return what names this boot of the machine; "" where the system has no such word."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except OSError:
        return ""


def process_is_gone(meta: TaskMeta) -> bool:
    """Whether the process that ran the task is dead, or its pid is another process's by now."""
    if meta.pid is None or (meta.boot_id and boot_id() not in ("", meta.boot_id)):
        return True
    try:
        process = psutil.Process(meta.pid)
        if process.status() == psutil.STATUS_ZOMBIE:
            return True
        started_ms = process.create_time() * 1000
    except (psutil.Error, ValueError, OverflowError):
        # AccessDenied is somebody else's process, so none that wrote into this home.
        return True
    return not _matches_start(meta, started_ms)


def _matches_start(meta: TaskMeta, started_ms: float) -> bool:
    if meta.pid_started_at is None:
        return True
    try:
        return abs(milliseconds(meta.pid_started_at) - started_ms) <= _SAME_START_MS
    except ValueError:
        return False
