"""Which process wrote a file, told apart from a later one that got the same pid."""

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
    boot_id: the boot of the machine that it belongs to; "": unknown.
    """

    pid: Annotated[int, msgspec.Meta(gt=0)]
    started_at: float
    boot_id: str = ""

    def find(self) -> psutil.Process | None:
        """Return the process if it lives and is this one, not a later one with its pid."""
        if self.boot_id and boot_id() not in ("", self.boot_id):
            return None
        try:
            process = psutil.Process(self.pid)
            drift = process.create_time() - (self.started_at or process.create_time())
            dead = process.status() == psutil.STATUS_ZOMBIE
        except (psutil.Error, ValueError, OverflowError):
            # AccessDenied is somebody else's process, so none that wrote into this home.
            return None
        return None if dead or abs(drift) > START_TIME_TOLERANCE_S else process


@cache
def own_identity() -> ProcessIdentity:
    """Return this process's identity."""
    process = psutil.Process()
    return ProcessIdentity(process.pid, process.create_time(), boot_id())


@cache
def boot_id() -> str:
    """Return the id of this boot of the machine; "" where the system has none."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except OSError:
        return ""
