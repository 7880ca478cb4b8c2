"""The browser process: started with pipes at 3 and 4, watched, ended with its children."""

import asyncio
import contextlib
import errno
import os
import signal
import threading
from collections import deque
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO

from ocd.api.errors import OcdError
from ocd.api.waiting import wait_for_event
from ocd.storage.files import open_private

LOG_BYTES = 1 << 20
_HINTS = {
    errno.EMFILE: "Too many files are open: raise `ulimit -n`, or close tabs and connections.",
    errno.ENFILE: "Too many files are open on this machine.",
    errno.EAGAIN: "Too many processes or threads run: end some, or raise `ulimit -u`.",
    errno.ENOMEM: "There is too little memory: end other programs.",
}
_LAST_LINES = 40


class ErrorLog:
    """Chromium's stderr: the last lines in memory, a bounded part of it in a file.

    When the file is full it becomes `<name>.1`, so at most two times LOG_BYTES stay on disk.
    """

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._file: BinaryIO | None = None
        self.last: deque[str] = deque(maxlen=_LAST_LINES)
        self._ended = threading.Event()

    async def wait_ended(self, seconds: float) -> None:
        """Wait until all output has been read, up to that many seconds."""
        await asyncio.to_thread(self._ended.wait, seconds)

    def pump(self, end: BinaryIO) -> None:
        """Read `end` until all writers have closed it (blocks: runs in a thread)."""
        with end, contextlib.suppress(OSError):
            for line in end:
                self.last.append(line.decode(errors="replace").rstrip())
                self._write(line[:4096])
        if self._file is not None:
            self._file.close()
        self._ended.set()

    def _write(self, line: bytes) -> None:
        if self._path is None:
            return
        # A log that cannot be written must stop neither Chromium nor the reading of its pipe.
        with contextlib.suppress(OSError):
            if self._file is not None and self._file.tell() > LOG_BYTES:
                self._file.close()
                self._file = None
                self._path.replace(self._path.with_name(self._path.name + ".1"))
            if self._file is None:
                self._file = open_private(self._path, append=True)
            self._file.write(line)
            self._file.flush()


class BrowserProcess:
    """A started browser; `exited` is set once it has ended."""

    def __init__(self, pid: int, log: ErrorLog) -> None:
        self.pid = pid
        self.log = log
        self.exited = asyncio.Event()
        self.status: int | None = None
        self._reaped = False
        # Held while a signal is sent and while the process is reaped: its pid, once reaped, may be
        # given to anybody, another daemon's browser say, which leads a group of that number, too.
        self._reaping = threading.Lock()

    def record_exit(self, status: int) -> None:
        """Record the exit status."""
        self.status = status
        self.exited.set()

    def kill(self) -> None:
        """Kill the process and all its children; does nothing after its end."""
        with self._reaping:
            if not self._reaped:
                self._kill_group()

    def reap(self) -> int:
        """End its remaining children once it has exited; return its exit status. Blocks."""
        if not hasattr(os, "waitid"):  # macOS, before Python 3.13
            return self._wait()
        try:
            os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOWAIT)
        except ChildProcessError:
            return self._wait()
        with self._reaping:
            self._kill_group()
            return self._wait()

    def _wait(self) -> int:
        try:
            _, status = os.waitpid(self.pid, 0)
        except ChildProcessError:
            return 0  # reaped already
        finally:
            self._reaped = True
        return os.waitstatus_to_exitcode(status)

    def _kill_group(self) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, signal.SIGKILL)

    async def wait_exited(self, grace_s: float) -> bool:
        """Return whether it ended within `grace_s`."""
        return await wait_for_event(self.exited, grace_s)

    def __repr__(self) -> str:
        return f"BrowserProcess(pid={self.pid}, status={self.status})"


def start(
    arguments: Sequence[str], log: ErrorLog
) -> tuple[BrowserProcess, tuple[BinaryIO, BinaryIO]]:
    """Start the browser and return it with our ends of its pipes (to read, to write).

    Its stderr goes to `log`; it is the leader of its own session and process group.
    Raises browser_failed if the system does not start it.
    """
    if os.name == "nt":
        raise OcdError(
            "browser_failed",
            "On Windows the daemon cannot start a browser itself",
            hint="Start one with --remote-debugging-port=0 and give its URL to --browser-url.",
        )
    with (
        _translate_refusals(arguments[0]),
        contextlib.ExitStack() as ours,
        contextlib.ExitStack() as theirs,
    ):
        their_in, our_out = _pipe(theirs, ours)
        our_in, their_out = _pipe(ours, theirs)
        errors_in, errors_out = _pipe(ours, theirs)
        pid = _spawn(arguments, their_in, their_out, errors_out)
        process = BrowserProcess(pid, log)
        try:
            _thread(_watch, process, asyncio.get_running_loop())
            _thread(log.pump, os.fdopen(errors_in, "rb"))
        except RuntimeError as error:
            process.kill()
            raise OSError(errno.EAGAIN, "No thread can be started") from error
        ours.pop_all()
    return process, (os.fdopen(our_in, "rb", 0), os.fdopen(our_out, "wb", 0))


@contextlib.contextmanager
def _translate_refusals(binary: str) -> Iterator[None]:
    """Translate a refusal of the system (descriptors, processes, memory) to browser_failed."""
    try:
        yield
    except OSError as error:
        hint = _HINTS.get(error.errno or 0, "")
        message = f"Starting {binary}: {error.strerror}"
        raise OcdError("browser_failed", message, hint=hint, errno=error.errno) from error


def _spawn(arguments: Sequence[str], read: int, write: int, errors: int) -> int:
    actions = [
        (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
        (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
        (os.POSIX_SPAWN_DUP2, errors, 2),
        (os.POSIX_SPAWN_DUP2, read, 3),
        (os.POSIX_SPAWN_DUP2, write, 4),
    ]
    return os.posix_spawn(
        arguments[0], list(arguments), dict(os.environ), file_actions=actions, setsid=True
    )


def _pipe(readers: contextlib.ExitStack, writers: contextlib.ExitStack) -> tuple[int, int]:
    """Return a pipe's ends, to read and to write; the stacks close them."""
    import fcntl  # only on Unix

    # Numbers above 9, so that none is overwritten when the child's 0 to 4 are set up.
    with contextlib.ExitStack() as low:
        for end in (ends := os.pipe()):
            low.callback(os.close, end)
        read = fcntl.fcntl(ends[0], fcntl.F_DUPFD_CLOEXEC, 10)
        readers.callback(os.close, read)
        write = fcntl.fcntl(ends[1], fcntl.F_DUPFD_CLOEXEC, 10)
        writers.callback(os.close, write)
    return read, write


def _thread(target: object, *args: object) -> None:
    threading.Thread(target=target, args=args, daemon=True).start()  # type: ignore[arg-type]


def _watch(process: BrowserProcess, loop: asyncio.AbstractEventLoop) -> None:
    status = process.reap()
    # The loop may be gone already; then nobody is waiting.
    with contextlib.suppress(RuntimeError):
        loop.call_soon_threadsafe(process.record_exit, status)
