"""Daemons forked from one process that has imported them, instead of an interpreter for each.

An interpreter with the daemon's imports is half a second of computing, and most tests are about
something else. Run as a program it is that process: it reads requests from its standard input, one
JSON object a line, and answers with the pid of each daemon and, later, with how it ended.
"""

from __future__ import annotations

import atexit
import gc
import json
import os
import queue
import select
import signal
import subprocess
import sys
import tempfile
import threading
import time
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import IO, Any

TESTS = Path(__file__).resolve().parents[1]
# What a program reads before its first line: a daemon that gets it needs an interpreter of its own.
_EARLY = ("PYTHON", "LD_")
_LOCALE = "C.UTF-8"
# What a daemon reads when it is first needed: MCP alone is a second of computing in each of them.
_LATER = (
    "ada_url", "anyio._backends._asyncio", "html_to_markdown", "re2", "uvloop", "watchfiles",
    "ocd.browser.cdp.pyppeteer_adapter", "ocd.server.attaching.port", "ocd.server.dashboard.server",
    "oc_mcp.client.upstream_connection", "oc_mcp.server.server", "oc_mcp.server.streamable_http",
)  # fmt: skip


def can_fork(environ: dict[str, str]) -> bool:
    """Return whether a forked daemon would respect the whole environment."""
    return environ.get("LC_ALL") == _LOCALE and not any(n.startswith(_EARLY) for n in environ)


class ForkedDaemon:
    """A daemon that was forked, as far as tests use subprocess.Popen."""

    def __init__(self, pid: int, forks: DaemonForks) -> None:
        self.pid = pid
        self._forks = forks

    @property
    def returncode(self) -> int | None:
        return self._forks.status_of(self.pid, 0)

    def poll(self) -> int | None:
        return self.returncode

    def wait(self, timeout: float) -> int:
        """Return its exit status; raise subprocess.TimeoutExpired if it is still running."""
        status = self._forks.status_of(self.pid, timeout)
        if status is None:
            raise subprocess.TimeoutExpired("ocd", timeout)
        return status

    def send_signal(self, number: int) -> None:
        if self.returncode is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)


class DaemonForks:
    """The process that forks daemons, and their exit statuses."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "support.daemon_forks"], cwd=TESTS, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True,
            env={"PATH": os.environ["PATH"], "LC_ALL": _LOCALE, "TERM": "dumb", "NO_COLOR": "1"},
        )  # fmt: skip
        self._pids: queue.SimpleQueue[int] = queue.SimpleQueue()
        self._ended: dict[int, int] = {}
        self._change = threading.Condition()
        self._starting = threading.Lock()
        threading.Thread(target=self._listen, daemon=True).start()
        atexit.register(self._close)

    def fork(self, arguments: list[str], environ: dict[str, str], folder: Path) -> ForkedDaemon:
        """Start `ocd` with these arguments in `folder`; it writes to daemon.log there."""
        request = {"arguments": arguments, "environ": environ, "folder": str(folder)}
        assert self._process.stdin
        with self._starting:
            self._process.stdin.write(json.dumps(request) + "\n")
            self._process.stdin.flush()
            pid = self._pids.get()
        assert pid, "the process that forks daemons has ended"
        return ForkedDaemon(pid, self)

    def status_of(self, pid: int, timeout: float) -> int | None:
        """Return the exit status, None if the process is still running."""
        with self._change:
            self._change.wait_for(lambda: pid in self._ended, timeout)
            return self._ended.get(pid)

    def _listen(self) -> None:
        assert self._process.stdout
        for line in self._process.stdout:
            pid, status = json.loads(line)
            with self._change:
                if status is None:
                    self._ended.pop(pid, None)  # the pid of one that ended may come again
                    self._pids.put(pid)
                else:
                    self._ended[pid] = status
                    self._change.notify_all()
        self._pids.put(0)

    def _close(self) -> None:
        assert self._process.stdin
        self._process.stdin.close()
        self._process.wait()


@cache
def daemon_forks() -> DaemonForks:
    """Return this worker's process that forks daemons."""
    return DaemonForks()


def _answer(pid: int, status: int | None) -> None:
    os.write(1, f"{json.dumps([pid, status])}\n".encode())


def _reap() -> None:
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if not pid:
            return
        _answer(pid, os.waitstatus_to_exitcode(status))


def _fork(request: dict[str, Any]) -> bool:
    """Return whether this is the child."""
    if pid := os.fork():
        _answer(pid, None)
        return False
    os.setsid()
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.chdir(request["folder"])
    log = os.open("daemon.log", os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    nothing = os.open(os.devnull, os.O_RDONLY)
    for source, target in ((nothing, 0), (log, 1), (log, 2)):
        os.dup2(source, target)
    os.closerange(3, 256)
    os.environ.clear()
    os.environ.update(request["environ"])
    time.tzset()
    tempfile.tempdir = None  # of the environment, and known since the imports
    sys.argv = ["ocd", *request["arguments"]]
    return True


def _serve(wakes: IO[bytes]) -> bool:
    """Fork and reap until the input ends; return whether this is a child."""
    rest = b""
    while True:
        ready, _, _ = select.select([0, wakes.fileno()], [], [])
        if wakes.fileno() in ready:
            wakes.read(4096)
            _reap()
        if 0 in ready:
            data = os.read(0, 65536)
            if not data:
                return False
            *lines, rest = (rest + data).split(b"\n")
            for line in lines:
                if _fork(json.loads(line)):
                    return True


def _main() -> None:
    for name in _LATER:  # with the daemon's own, so that children have it
        import_module(name)
    import ocd.lifecycle  # noqa: F401
    from ocd.__main__ import main

    gc.collect()
    gc.freeze()
    reading, writing = os.pipe()
    os.set_blocking(reading, False)
    os.set_blocking(writing, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(writing)
    if _serve(open(reading, "rb", buffering=0, closefd=False)):  # noqa: SIM115 - a pipe
        main()


if __name__ == "__main__":
    _main()
