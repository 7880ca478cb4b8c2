"""Running `ocd start` for a client that found no daemon. Standard library only."""

import contextlib
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator
from pathlib import Path
from typing import Any

from ocd.api import paths

START_S = 30
_POLL_S = 0.05


class StartError(Exception):
    """The daemon did not start; `exit_status` is the status of `ocd start` if it has exited."""

    def __init__(self, reason: str, hint: str = "", exit_status: int | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.hint = hint
        self.exit_status = exit_status


def start_daemon() -> None:
    """Run `ocd start`, which returns when the socket answers; raises StartError.

    Clients that find no daemon at the same time take turns: the first one starts it, for all.
    """
    with _turn() as is_first:
        if is_first:
            _run_start()


def _run_start() -> None:
    command = [sys.executable, "-m", "ocd", "start"]
    # A file, not a pipe: a daemon that kept the pipe's other end would keep us waiting for ever.
    with tempfile.TemporaryFile() as output:
        try:
            done = subprocess.run(
                command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=output,
                timeout=START_S, check=False,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            raise StartError(f"ocd start took longer than {START_S} s") from None
        except OSError as error:
            raise StartError(f"Could not run ocd start: {error}") from None
        output.seek(0)
        complaint = output.read().decode("utf-8", "replace").strip()
    if done.returncode:
        # The caller says "Error: …" and "Hint: …", too; once is enough.
        reason, _, hint = complaint.removeprefix("Error: ").partition("\nHint: ")
        reason = reason or f"ocd start exited with status {done.returncode}"
        raise StartError(reason, hint, done.returncode)


@contextlib.contextmanager
def _turn() -> Generator[bool, None, None]:
    """Hold the clients' lock; yield whether nobody has started the daemon meanwhile."""
    home = paths.home()
    try:
        import fcntl

        for folder in (Path(home), Path(home, "run")):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        lock = os.open(Path(home, "run", "clients.lock"), os.O_RDWR | os.O_CREAT, 0o600)
    except (ImportError, OSError):  # Windows; or `ocd start` says what is wrong with the home
        yield True
        return
    try:
        deadline = time.monotonic() + START_S
        while not _lock(fcntl, lock):
            if _answers(home):
                yield False
                return
            if time.monotonic() > deadline:
                raise StartError(f"another client's ocd start took longer than {START_S} s")
            time.sleep(_POLL_S)
        yield not _answers(home)
    finally:
        os.close(lock)


def _lock(fcntl: Any, file: int) -> bool:  # noqa: ANN401 - a module that Windows lacks
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _answers(home: str) -> bool:
    """Return whether somebody listens on the daemon's socket."""
    with socket.socket(socket.AF_UNIX) as client:
        client.settimeout(1)
        try:
            client.connect(paths.daemon_socket(home))
        except OSError:
            return False
    return True
