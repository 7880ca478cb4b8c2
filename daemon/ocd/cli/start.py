"""`ocd start`: the daemon in the background."""

import contextlib
import os
import subprocess
import sys
import time
from collections.abc import Generator, Sequence
from pathlib import Path
from typing import IO, Any, NamedTuple

import msgspec
import portalocker
import psutil

from ocd.api.errors import OcdError, error_from_body
from ocd.cli import control
from ocd.cli.flags import given_flags, to_arguments
from ocd.cli.logfile import create_log
from ocd.cli.options import Json, with_settings
from ocd.cli.output import say, show_json
from ocd.cli.serving import FAILED
from ocd.config.loader import environment, load, unknown_variables
from ocd.storage.files import make_dir, open_private, storage

# Less than `oc` waits for us, so that it hears the reason.
START_TIMEOUT_S = 25.0
_LOG_LINES = 12
_NAMING_S = 1.0
# Windows has no sessions; DETACHED_PROCESS and CREATE_NEW_PROCESS_GROUP are its way.
_DETACHED = 0x8 | 0x200 if os.name == "nt" else 0
# The service manager of our parent must not get notifications from this daemon.
_NOT_INHERITED = ("NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID")


class StartResult(NamedTuple):
    """Result of `start`: the daemon's status, and whether it was already running."""

    status: dict[str, Any]
    already: bool


@with_settings
def start(*, json: Json = False, **flags: Any) -> None:  # noqa: ANN401 - flags, decoded by ocd.config.loader
    """Start the daemon in the background

    Returns when the daemon accepts calls. A running daemon is left as it is.
    """
    values = given_flags(flags)
    config = load(values)
    for name, hint in unknown_variables(environment()):
        say(f"Warning: {name} is not a setting. {hint}".rstrip())
    arguments = to_arguments(config.overrides, values)
    started = start_daemon(config.home, arguments)
    report(config.home, started, arguments, as_json=json)


def start_daemon(home: Path, arguments: Sequence[str]) -> StartResult:
    """Return the running daemon of `home`; start one with these arguments of `ocd run` if none."""
    running = _answering(home)
    if running:
        return StartResult(running, already=True)
    log = create_log(home)
    deadline = time.monotonic() + START_TIMEOUT_S
    with _hold_start_lock(home, deadline):
        # Whoever held the lock before us may have started it.
        running = _answering(home)
        return (
            StartResult(running, already=True)
            if running
            else _start(home, log, arguments, deadline)
        )


def _start(home: Path, log: Path, arguments: Sequence[str], deadline: float) -> StartResult:
    _announce(log)
    before = log.stat().st_size
    child = _spawn(home, log, arguments)
    while time.monotonic() < deadline:
        status = _answering(home)
        if status:
            return StartResult(status, already=status.get("pid") != child.pid)
        # A child that lost the race for the lock ends; then the winner's socket is waited for.
        if child.poll() is not None and not control.find_holder(home):
            reason = _early_end_reason(child.returncode, log, before)
            # The winner may not have written its name into the lock yet.
            late = reason.code == "busy" and control.wait_until(
                lambda: control.find_holder(home) is not None, _NAMING_S
            )
            if not late and not _answering(home):
                raise reason
        time.sleep(control.POLL_S)
    raise _late()


@contextlib.contextmanager
def _hold_start_lock(home: Path, deadline: float) -> Generator[None, None, None]:
    """Hold the lock under which a daemon is started, one at a time.

    A dozen programs that find no daemon would else start a dozen, and all but one in vain.
    """
    path = make_dir(home / "run") / "start.lock"
    with storage("opening", path):
        file = open_private(path, append=True)
    with file:
        if not control.wait_until(lambda: _locked(file), deadline - time.monotonic()):
            raise _late()
        yield


def _locked(file: IO[bytes]) -> bool:
    try:
        portalocker.lock(file, portalocker.LOCK_EX | portalocker.LOCK_NB)
    except portalocker.LockException:
        return False
    return True


def _late() -> OcdError:
    return OcdError(
        "timeout",
        f"The daemon did not answer within {START_TIMEOUT_S:g} s",
        hint="See what it does: ocd logs",
    )


def report(home: Path, started: StartResult, arguments: Sequence[str], *, as_json: bool) -> None:
    """Print pid and socket; warn if the daemon was already running with other flags."""
    pid, socket = started.status.get("pid"), control.address(home)
    if as_json:
        show_json({"pid": pid, "socket": socket, "already_running": started.already})
    else:
        say("ocd is already running." if started.already else "Started ocd.")
        print(f"pid: {pid}\nsocket: {socket}")
    if started.already and arguments and running_arguments(home) != list(arguments):
        say("Hint: It keeps the flags it was started with. To change them: ocd restart --FLAG …")


def running_arguments(home: Path) -> list[str]:
    """Return the flags the running daemon was started with; empty if that cannot be seen."""
    holder = control.find_holder(home)
    process = holder.find() if holder else None
    try:
        command = process.cmdline() if process else []
    except psutil.Error:
        return []
    return command[command.index("run") + 1 :] if "run" in command else []


def _answering(home: Path) -> dict[str, Any] | None:
    try:
        return control.status(home)
    except OcdError as error:
        # Somebody listens but hangs or resets: a daemon on its way up or down, or a broken one.
        if error.code == "timeout" and not control.find_holder(home):
            return None
        raise


def _announce(path: Path) -> None:
    """Write the first log line: a full disk shows here, where it can still be reported."""
    now = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime())
    with storage("writing", path), path.open("ab", buffering=0) as file:
        file.write(f"{now} INFO ocd.cli.start: starting\n".encode())


def _spawn(home: Path, log: Path, arguments: Sequence[str]) -> subprocess.Popen[bytes]:
    # -P: a module that happens to lie in the working folder must not shadow a library.
    command = [sys.executable, "-P", "-m", "ocd", "run", *arguments]
    inherited = {k: v for k, v in environment().items() if k not in _NOT_INHERITED}
    inherited["OPENCHROME_HOME"] = str(home)  # a relative one would be another from the child's cwd
    with storage("starting the daemon in", home), log.open("ab") as output:
        return subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            cwd=home,
            env=inherited,
            start_new_session=os.name != "nt",
            creationflags=_DETACHED,
        )


def _early_end_reason(status: int, log: Path, before: int) -> OcdError:
    """Return why a daemon ended early: the error it logged, or the last it wrote."""
    with storage("reading", log), log.open("rb") as file:
        file.seek(before)
        lines = file.read().decode(errors="replace").splitlines()
    for line in reversed(lines):
        _, marked, body = line.partition(FAILED)
        if marked:
            return error_from_body(msgspec.json.decode(body))
    last = "\n".join(lines[-_LOG_LINES:])
    return OcdError(
        "internal",
        f"The daemon exited early with status {status}:\n{last}",
        hint=f"Full log: {log}",
    )
