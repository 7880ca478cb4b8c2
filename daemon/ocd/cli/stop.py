"""`ocd stop` and `ocd restart`."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Annotated, Any, Literal

import psutil
import typer

from ocd.api import paths
from ocd.api.errors import OcdError
from ocd.cli import control
from ocd.cli.flags import given_flags, to_arguments
from ocd.cli.options import Json, with_settings
from ocd.cli.output import say
from ocd.cli.stalls import is_stuck
from ocd.cli.start import report, running_arguments, start_daemon
from ocd.config.loader import home_dir, load
from ocd.server.unix_socket import remove
from ocd.storage.process_identity import ProcessIdentity

# How long a process may take to go after SIGTERM, and after SIGKILL.
TERM_S = 5.0
KILL_S = 5.0

Grace = Annotated[
    float,
    typer.Option(
        "--grace", min=0, max=600, metavar="S", help="Seconds to wait before killing it by pid"
    ),
]


Force = Annotated[
    bool,
    typer.Option("--force", help="Kill it by pid immediately; calls and tasks are interrupted"),
]


def stop(*, grace: Grace = 10, force: Force = False) -> None:
    """Stop the daemon

    Running tasks end as CANCELLED and keep their results so far. A daemon that does not respond
    is killed by pid, after its pid and start time have been verified.
    """
    say(stop_daemon(home_dir(), grace, force=force))


@with_settings
def restart(*, grace: Grace = 10, json: Json = False, **flags: Any) -> None:  # noqa: ANN401
    """Stop the daemon and start it again

    Flags replace those it was started with; without flags it keeps them.
    """
    values = given_flags(flags)
    config = load(values)  # before anything is stopped: a wrong flag must not cost the daemon
    _refuse_if_managed(config.home)
    arguments = to_arguments(config.overrides, values) or running_arguments(config.home)
    say(stop_daemon(config.home, grace))
    report(config.home, start_daemon(config.home, arguments), arguments, as_json=json)


def stop_daemon(home: Path, grace_s: float, *, force: bool = False) -> str:
    """End the daemon of `home` and return a sentence that says how."""
    holder = control.find_holder(home)
    kill, terminate = (psutil.Process.kill, KILL_S), (psutil.Process.terminate, TERM_S)
    if force and holder is not None and holder.find() is not None:
        return _end_by_pid(home, holder, (kill,), f"Killed ocd (pid {holder.pid}).")
    answer = _request_shutdown(home, grace_s)
    if answer == "not_running" and holder is None:
        return "ocd is not running."
    # One that was silent for all of the grace period is not given another.
    if control.wait_until(
        lambda: _is_gone(home, holder), 0 if answer == "no_response" else grace_s
    ):
        return "Stopped ocd."
    if holder is None:
        raise OcdError(
            "timeout",
            "The daemon does not respond, and its lock file names no live process",
            hint="See what is wrong: ocd doctor",
        )
    message = f"Killed ocd (pid {holder.pid}), which did not respond."
    # A signal's handler runs in the loop: one that hangs or is stopped never gets to it.
    signals = (kill,) if is_stuck(home, holder.pid) else (terminate, kill)
    return _end_by_pid(home, holder, signals, message)


def _request_shutdown(
    home: Path, grace_s: float
) -> Literal["accepted", "no_response", "not_running"]:
    try:
        return "accepted" if control.shutdown(home, max(grace_s, 0.1)) else "not_running"
    except OcdError as error:
        if error.code != "timeout":
            raise
        return "no_response"  # it listens, but hangs


def _is_gone(home: Path, holder: ProcessIdentity | None) -> bool:
    if holder is not None:
        return holder.find() is None
    try:
        return control.status(home, 0.5) is None
    except OcdError:
        return False


def _end_by_pid(
    home: Path,
    holder: ProcessIdentity,
    signals: Iterable[tuple[Callable[[psutil.Process], None], float]],
    message: str,
) -> str:
    """End a daemon by pid; its identity is verified before each signal. Return `message`."""
    try:
        for send, wait_s in signals:
            process = holder.find()
            if process is not None:
                send(process)
            if control.wait_until(lambda: holder.find() is None, wait_s):
                # It had no time for that; callers would take them for a daemon that hangs.
                for address in (paths.daemon_socket(str(home)), paths.mcp_socket(str(home))):
                    remove(address)
                _reap_chromium(home)
                return message
    except psutil.AccessDenied as error:
        raise OcdError(
            "forbidden",
            f"The daemon (pid {holder.pid}) cannot be killed: it belongs to another user",
        ) from error
    raise OcdError("timeout", f"The daemon (pid {holder.pid}) does not exit, even after SIGKILL")


def _reap_chromium(home: Path) -> None:
    # It ends with its pipe; one that hangs does not. Imported here: few stops come so far.
    from ocd.browser.process import orphans

    orphans.reap(home / "run")


def _refuse_if_managed(home: Path) -> None:
    """Leave a daemon that systemd watches to systemd: started by us it would escape it."""
    holder = control.find_holder(home)
    process = holder.find() if holder else None
    try:
        managed = process is not None and "NOTIFY_SOCKET" in process.environ()
    except psutil.Error:
        return
    if managed:
        raise OcdError(
            "disabled",
            "This daemon is managed by systemd",
            hint="systemctl --user restart openchrome.service",
        )
