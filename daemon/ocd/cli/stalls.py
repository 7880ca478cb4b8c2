"""Why a daemon does not respond: stopped, or hanging at a place named in log/stalls.log."""

import re
from datetime import UTC, datetime
from pathlib import Path

import psutil

from ocd.api.errors import OcdError
from ocd.cli import control
from ocd.runtime.watchdog import last_line, stalls_path

# The file grows to a megabyte at most; a stall's stacks are the last thing in it.
_HEADER = re.compile(r"(\S+) pid (\d+): no turn of the event loop for (\d+) s")
_NOTE = re.compile(r"\S+ pid \d+: ")
_CURRENT = "Current thread "
_FRAME = re.compile(r'\s+File "([^"]{1,4096})", line (\d+) in (\S+)')
_OURS = "/ocd/"


def explain_silence(home: Path, error: OcdError) -> OcdError:
    """Return the error of a daemon that did not answer, with the reason if it can be seen."""
    holder = control.find_holder(home)
    process = holder.find() if holder else None
    if error.code != "timeout" or process is None:
        return error
    if process.status() == psutil.STATUS_STOPPED:
        return OcdError(
            "timeout",
            f"The daemon (pid {process.pid}) is stopped (SIGSTOP) and does not respond",
            hint=f"Resume it: kill -CONT {process.pid}",
        )
    path = stalls_path(home)
    where = stall_of(process.pid, path)
    if where is None:
        return error
    return OcdError(
        "timeout",
        f"The daemon (pid {process.pid}) hangs: {where}. All stacks: {path}",
        hint="Its watchdog kills it if this continues (watchdog_end_s). Now: ocd stop --force",
        path=str(path),
    )


def is_stuck(home: Path, pid: int) -> bool:
    """Return whether the daemon cannot react: its process is stopped, or its loop hangs."""
    try:
        stopped: bool = psutil.Process(pid).status() == psutil.STATUS_STOPPED
    except psutil.Error:
        return False
    return stopped or stall_of(pid, stalls_path(home)) is not None


def ended_by_watchdog(home: Path) -> str:
    """Return a sentence that says so if the last thing the watchdog did was to end a daemon."""
    path = stalls_path(home)
    return f": its watchdog killed it, see {path}" if ": ended by" in last_line(path) else ""


def stall_of(pid: int, path: Path) -> str | None:
    """Return where the daemon's loop hangs, and for how long, as text; None if it does not hang.

    Reads what ocd.runtime.watcher and faulthandler wrote; a stall that is over does not count.
    """
    try:
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return None
    start = max((n for n, line in enumerate(lines) if _NOTE.match(line)), default=0)
    header = _HEADER.match(lines[start]) if lines else None
    if header is None or int(header[2]) != pid:
        return None
    since = datetime.fromisoformat(header[1]).replace(tzinfo=UTC)
    seconds = int(header[3]) + max(0, (datetime.now(UTC) - since).total_seconds())
    return f"its event loop has been blocked for {seconds:.0f} s in {_place(lines[start:])}"


def _place(lines: list[str]) -> str:
    """Return "`function` (file, line n)", with the first function of ours that led there."""
    begin = next((n + 1 for n, line in enumerate(lines) if line.startswith(_CURRENT)), len(lines))
    frames = []
    for line in lines[begin:]:
        frame = _FRAME.match(line)
        if frame is None:
            break
        frames.append(frame)
    if not frames:
        return "an unknown place"
    ours = next((frame for frame in frames if _OURS in frame[1]), frames[0])
    led = f", called by `{ours[3]}` ({_place_of(ours)})" if ours is not frames[0] else ""
    return f"`{frames[0][3]}` ({_place_of(frames[0])}){led}"


def _place_of(frame: "re.Match[str]") -> str:
    return f"{'/'.join(Path(frame[1]).parts[-3:])}, line {frame[2]}"
