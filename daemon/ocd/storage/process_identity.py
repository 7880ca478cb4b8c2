"""Process identity: pid and start time, to tell a process from a later one with the same pid."""

from functools import cache
from pathlib import Path
from typing import Annotated

import msgspec
import psutil

# The kernel gives a process's start relative to a boot time that is rounded to whole seconds and
# moves a little when the clock is set.
START_TIME_TOLERANCE_S = 1.5


class ProcessIdentity(msgspec.Struct, frozen=True):
    """A process as a file names it.

    started_at: seconds since 1970; 0: not recorded, so any process with this pid matches.
    boot_id: the boot of the machine that it belongs to; "": unknown. start_ticks: the time from
    that boot to its start, which stays the same when the clock is set; 0: unknown.
    """

    pid: Annotated[int, msgspec.Meta(gt=0)]
    started_at: float
    boot_id: str = ""
    start_ticks: int = 0

    def find(self) -> psutil.Process | None:
        """Return the process if it lives and is this one, not a later one with its pid."""
        if self.boot_id and boot_id() not in ("", self.boot_id):
            return None
        try:
            process = psutil.Process(self.pid)
            dead = process.status() == psutil.STATUS_ZOMBIE
            return process if self._is(process) and not dead else None
        except (psutil.Error, ValueError, OverflowError):
            # AccessDenied is somebody else's process, so none that wrote into this home.
            return None

    def _is(self, process: psutil.Process) -> bool:
        if self.boot_id and self.start_ticks:
            return start_ticks(self.pid) == self.start_ticks
        drift = process.create_time() - (self.started_at or process.create_time())
        return abs(drift) <= START_TIME_TOLERANCE_S


@cache
def own_identity() -> ProcessIdentity:
    """Return this process's identity."""
    process = psutil.Process()
    ticks = start_ticks(process.pid)
    return ProcessIdentity(process.pid, process.create_time(), boot_id(), ticks)


def start_ticks(pid: int) -> int:
    """Return the time from the boot to this process's start; 0 where /proc does not tell."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace")
        # The name before them is in parentheses, and may contain any character.
        return int(stat.rpartition(")")[2].split()[19])
    except (OSError, IndexError, ValueError):
        return 0


@cache
def boot_id() -> str:
    """Return the id of this boot of the machine; "" where the system has none."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except OSError:
        return ""
