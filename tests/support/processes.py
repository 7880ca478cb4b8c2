"""Find and end processes without ever hitting a stranger: by home folder, pid and start time."""

import contextlib
import signal
from dataclasses import dataclass
from pathlib import Path

import psutil

from support.waiting import wait_until


@dataclass(frozen=True)
class Identity:
    """A process as (pid, start time): a pid that was given to somebody else is not equal."""

    pid: int
    started: float

    @classmethod
    def of(cls, pid: int) -> "Identity":
        return cls(pid, psutil.Process(pid).create_time())

    @property
    def alive(self) -> bool:
        try:
            process = psutil.Process(self.pid)
            same: bool = process.create_time() == self.started
            return same and process.status() != psutil.STATUS_ZOMBIE
        except psutil.NoSuchProcess:
            return False

    def kill(self, number: int = signal.SIGKILL) -> None:
        """Send the signal, if that very process still lives."""
        if self.alive:
            with contextlib.suppress(psutil.NoSuchProcess):
                psutil.Process(self.pid).send_signal(number)

    def wait_gone(self, timeout: float = 10.0) -> None:
        wait_until(lambda: not self.alive, timeout, f"the end of {self}")


def naming(text: str | Path) -> list[psutil.Process]:
    """Return the living processes that name `text` (a home folder) on their command line."""
    found = []
    for process in psutil.process_iter(["cmdline", "status"]):
        words = process.info["cmdline"] or []
        if process.info["status"] != psutil.STATUS_ZOMBIE and any(str(text) in w for w in words):
            found.append(process)
    return found


def renderers(profile: str | Path) -> list[psutil.Process]:
    """Return the renderer processes of the Chromium that uses `profile`."""
    browsers = [p for p in naming(profile) if "--type=" not in " ".join(p.cmdline())]
    children = [c for b in browsers for c in b.children(recursive=True)]
    return [c for c in children if "--type=renderer" in c.cmdline()]
