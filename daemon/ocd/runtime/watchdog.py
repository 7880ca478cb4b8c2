"""The event loop's heartbeat; runtime/watcher.py ends the daemon when it stops.

A thread would not do: `re` and other C code hold the interpreter's lock while they compute, so that
no thread can run. faulthandler writes the stacks to log/stalls.log in a signal handler, which needs
no lock either. systemd's watchdog gets the same beats.
"""

import asyncio
import contextlib
import faulthandler
import logging
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from ocd.runtime import watcher
from ocd.runtime.sd_notify import Notifier
from ocd.storage.files import open_private, storage

logger = logging.getLogger(__name__)

FILE_NAME = "stalls.log"
BEATS_PER_DUMP = 4
# A watcher that somebody ended is started again, but not all the time.
RESTART_S = 10.0
_END_S = 2.0
ENDED = ": ended by the watchdog"


def stalls_path(home: Path) -> Path:
    """Return the path of the file that says when and where the loop hung."""
    return home / "log" / FILE_NAME


def last_line(path: Path) -> str:
    """Return the last line of the file; an empty string if there is none."""
    try:
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return ""
    return lines[-1] if lines else ""


class Watchdog:
    """The beats of one loop and the process that listens to them.

    dump_s: seconds without a turn after which the stacks are written; end_s: after which the daemon
    is killed, 0: never.
    """

    def __init__(self, home: Path, dump_s: float, end_s: float, notifier: Notifier) -> None:
        self._path = stalls_path(home)
        self._dump_s = dump_s
        self._end_s = end_s
        self._notifier = notifier
        self._beat_s = dump_s / BEATS_PER_DUMP
        self._process: subprocess.Popen[bytes] | None = None
        self._started = 0.0

    async def keep_beating(self) -> None:
        """Beat until cancelled: for the watcher, and for systemd if its watchdog is on."""
        pause = self._beat_s
        if interval := self._notifier.watchdog_interval:
            pause = min(pause, interval)
        due = 0.0
        while True:
            self._beat()
            if interval and time.monotonic() >= due:
                self._notifier.ping()
                due = time.monotonic() + interval - pause
            await asyncio.sleep(pause)

    def _beat(self) -> None:
        process = self._process
        if process is None:
            return
        assert process.stdin is not None
        try:
            os.write(process.stdin.fileno(), b".")
        except BlockingIOError:
            return  # it is stopped, or has no turns: the pipe is full
        except OSError:
            self._replace(process)

    def _replace(self, ended: "subprocess.Popen[bytes]") -> None:
        if time.monotonic() - self._started > RESTART_S:
            logger.warning("the watchdog's process has ended (%s); started again", ended.poll())
            self._close(ended)
            self._process = self._start()

    @contextlib.contextmanager
    def watching(self) -> Iterator[None]:
        """Have the loop watched during the block; does nothing on Windows."""
        if watcher.DUMP_SIGNAL is None:
            yield
            return
        with self._stacks_to_file():
            self._process = self._start()
            try:
                yield
            finally:
                if self._process is not None:
                    self._close(self._process)

    @contextlib.contextmanager
    def _stacks_to_file(self) -> Iterator[None]:
        assert watcher.DUMP_SIGNAL is not None
        if ENDED in last_line(self._path):
            logger.warning("the daemon before this one hung: %s", self._path)
        with storage("opening", self._path):
            if self._path.exists() and self._path.stat().st_size > watcher.MAX_FILE_BYTES // 2:
                self._path.replace(self._path.with_name(self._path.name + ".1"))
            file = open_private(self._path, append=True)
        with file:
            faulthandler.register(watcher.DUMP_SIGNAL, file=file, all_threads=True)
            try:
                yield
            finally:
                faulthandler.unregister(watcher.DUMP_SIGNAL)

    def _start(self) -> "subprocess.Popen[bytes] | None":
        numbers = (os.getpid(), self._beat_s, self._dump_s, self._end_s)
        command = [
            sys.executable,
            "-I",
            "-S",
            watcher.__file__,
            *map(str, numbers),
            str(self._path),
        ]
        self._started = time.monotonic()
        try:
            # Its own process session: Ctrl-C on the terminal of `ocd run` is for the daemon.
            process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, bufsize=0, cwd="/",
                start_new_session=True,
            )  # fmt: skip
        except OSError as error:
            logger.warning("the loop is not watched: %s", error)
            return None
        assert process.stdin is not None
        os.set_blocking(process.stdin.fileno(), False)
        return process

    def _close(self, process: "subprocess.Popen[bytes]") -> None:
        assert process.stdin is not None
        process.stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(_END_S)

    def __repr__(self) -> str:
        pid = self._process.pid if self._process else None
        return f"Watchdog(pid={pid}, dump_s={self._dump_s:g}, end_s={self._end_s:g})"
