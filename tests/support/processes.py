"""Find and end processes without ever hitting a stranger: by home folder, pid and start time."""

import contextlib
import signal
from dataclasses import dataclass
from pathlib import Path

import psutil

from support.waiting import wait_until


@dataclass(frozen=True)
class Identity:
    """A process as (pid, start time), so that a reused pid is not equal."""

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


def has_ended(pid: int) -> bool:
    """Return whether no process with this pid runs; one that nobody waits for has ended, too."""
    try:
        return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


def words_of(process: psutil.Process) -> list[str]:
    """Return the command line; nothing for a process that has ended meanwhile."""
    try:
        words: list[str] = process.cmdline()
    except psutil.Error:
        return []
    return words


def naming(text: str | Path) -> list[psutil.Process]:
    """Return the living processes that name `text` (a home folder) on their command line."""
    return [p for p in psutil.process_iter() if any(str(text) in w for w in words_of(p))]


def browsers(profile: str | Path) -> list[psutil.Process]:
    """Return the browser processes, not their helpers, whose command line names `profile`.

    A child that was forked and has not called `exec` yet bears its parent's command line: only
    the parent counts.
    """
    named = {
        process.pid: process
        for process in naming(profile)
        if any(word.startswith("--user-data-dir=") for word in words_of(process))
        and not any(word.startswith("--type=") for word in words_of(process))
    }
    return [process for process in named.values() if parent_pid(process) not in named]


def parent_pid(process: psutil.Process) -> int | None:
    """Return the pid of its parent; None for a process that has ended meanwhile."""
    try:
        pid: int = process.ppid()
    except psutil.Error:
        return None
    return pid


def renderers(profile: str | Path) -> list[psutil.Process]:
    """Return the renderer processes of the Chromium that uses `profile`."""
    children = [c for browser in browsers(profile) for c in browser.children(recursive=True)]
    return [c for c in children if "--type=renderer" in words_of(c)]
