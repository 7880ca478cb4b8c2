"""What a killed daemon leaves behind: a running Chromium, a profile that seems to be in use."""

import contextlib
import os
import signal
import socket
import time
from pathlib import Path

import msgspec
import psutil

from ocd.api.errors import OcdError
from ocd.storage.files import UNDECODABLE, read_whole, write_whole
from ocd.storage.process_identity import ProcessIdentity, boot_id, start_ticks

RECORD = "chromium.json"
# Chromium's marks of a profile in use (not on Windows); the first names host and pid.
_LOCK = "SingletonLock"
_MARKS = (_LOCK, "SingletonSocket", "SingletonCookie")
_ENDING_S = 5.0
_LOOK_S = 0.02


class BrowserIdentity(ProcessIdentity, kw_only=True, frozen=True):
    """The record of a Chromium that a daemon has started: its process, profile and host."""

    profile: str
    host: str
    version: int = 1


def remember(run_dir: Path, pid: int, profile: Path) -> None:
    """Write the record of the Chromium that this daemon has started."""
    with contextlib.suppress(psutil.Error):
        started_at = psutil.Process(pid).create_time()
        record = BrowserIdentity(
            pid, started_at, boot_id(), start_ticks(pid),
            profile=str(profile), host=socket.gethostname(),
        )  # fmt: skip
        write_whole(run_dir / RECORD, msgspec.json.encode(record))


def forget(run_dir: Path, pid: int) -> None:
    """Remove the record of this Chromium, which has ended; another daemon's record stays."""
    record = _read_record(run_dir)
    if record is not None and record.pid == pid:
        with contextlib.suppress(OSError):
            (run_dir / RECORD).unlink(missing_ok=True)


def reap(run_dir: Path) -> int | None:
    """End the Chromium that an earlier daemon has left running; return its pid if there was one."""
    record = _read_record(run_dir)
    if record is None:
        return None
    process = _alive(record)
    if process is not None:
        _kill_tree(process)
    forget(run_dir, record.pid)
    return process.pid if process is not None else None


def _read_record(run_dir: Path) -> BrowserIdentity | None:
    try:
        data = read_whole(run_dir / RECORD)
        return msgspec.json.decode(data, type=BrowserIdentity) if data else None
    except (OcdError, *UNDECODABLE):
        # Not a reason to refuse to start: the profile is still protected by its lock.
        return None


def _alive(record: BrowserIdentity) -> psutil.Process | None:
    with contextlib.suppress(psutil.Error):
        process = record.find()
        if process is not None and _uses(process, Path(record.profile)):
            return process
    return None


def _uses(process: psutil.Process, profile: Path) -> bool:
    # On Linux Chromium rewrites its title, so the arguments may be one string.
    words = " ".join(process.cmdline())
    return f"--user-data-dir={profile}" in words


def find_orphans(home: Path, run_dir: Path) -> list[psutil.Process]:
    """Return the browsers that dead daemons of this home have left running, and no others.

    A browser is ours if our own record names it, or if it has a profile inside our home and is
    controlled through a pipe, as only we start them. Descendants of this process are in use.
    """
    used = {os.getpid(), *(child.pid for child in psutil.Process().children(recursive=True))}
    record = _read_record(run_dir)
    recorded = _alive(record) if record is not None else None
    result = [] if recorded is None else [recorded]
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error):
            if process.pid not in used and process not in result and _is_ours(process, home):
                result.append(process)
    return [process for process in result if process.pid not in used]


def _is_ours(process: psutil.Process, home: Path) -> bool:
    if hasattr(os, "getuid") and process.uids().real != os.getuid():
        return False
    words = " ".join(process.cmdline())
    inside = f"--user-data-dir={home}{os.sep}" in words
    piped = "--remote-debugging-pipe" in words and "--type=" not in words
    return inside and piped and process.status() != psutil.STATUS_ZOMBIE


def end_orphan(process: psutil.Process) -> dict[str, object]:
    """End a browser with all its children; return its pid and start time (seconds since 1970)."""
    about: dict[str, object] = {"pid": process.pid}
    with contextlib.suppress(psutil.Error):
        # psutil checks the start time again, so that a reused pid is spared.
        about["started_at"] = process.create_time()
        if process.is_running():
            _kill_tree(process)
    return about


def _kill_tree(process: psutil.Process) -> None:
    with contextlib.suppress(OSError):
        os.killpg(process.pid, signal.SIGKILL)
    with contextlib.suppress(psutil.Error):
        for child in process.children(recursive=True):
            child.kill()
        process.kill()
        process.wait(5)


def free_profile(profile: Path) -> None:
    """Remove the marks of a dead owner; browser_failed if the owner is alive."""
    lock = profile / _LOCK
    try:
        host, _, pid = str(lock.readlink()).rpartition("-")
    except OSError:
        return
    if host != socket.gethostname():
        raise OcdError(
            "browser_failed",
            f"The profile {profile} is in use on another computer ({host}).",
            hint=f"If no Chromium runs there any more, remove {lock}.",
        )
    if pid.isdecimal() and _is_browser(int(pid), profile):
        raise OcdError(
            "browser_failed",
            f"The profile {profile} is in use by another Chromium (pid {pid}).",
            hint="Close it, or start with --isolated or another --profile.",
            pid=int(pid),
        )
    for mark in _MARKS:
        (profile / mark).unlink(missing_ok=True)


def _words_once_settled(process: psutil.Process) -> list[str]:
    """Return the process's command line; psutil.NoSuchProcess once it has ended. Blocks.

    A process that is ending has lost its command line but still has its name: on a busy machine a
    killed Chromium looks like that for a while.
    """
    end = time.monotonic() + _ENDING_S
    while not (words := process.cmdline()) and time.monotonic() < end:
        time.sleep(_LOOK_S)
    return list(words)


def _is_browser(pid: int, profile: Path) -> bool:
    # The pid may have been reused since: only a process with our profile counts.
    # A user's own Chrome uses its default profile without naming it.
    try:
        process = psutil.Process(pid)
        words = " ".join(_words_once_settled(process))
        named = "--user-data-dir=" in words
        return _uses(process, profile) or (not named and "chrom" in process.name().lower())
    except psutil.NoSuchProcess:
        return False
    except psutil.Error:
        return True
