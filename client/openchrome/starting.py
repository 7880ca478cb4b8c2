"""Starting the daemon if none is running."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile

from openchrome import locations
from openchrome.errors import NoDaemonError, exception_for

_WAIT_S = 30


def start_daemon(home: str, *, wanted: bool | None) -> None:
    """Run `ocd start` for this home and return when the daemon answers.

    wanted: None asks OPENCHROME_AUTO_START and config.toml, as `oc` does. Raises NoDaemonError.
    """
    if wanted is False or (wanted is None and not locations.may_start(home)):
        raise _failure("No daemon is running", "ocd start")
    environment = {**os.environ, "OPENCHROME_HOME": home}
    # A file, not a pipe, which the daemon would keep open.
    with tempfile.TemporaryFile() as output:
        try:
            done = subprocess.run(
                _command(), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=output,
                env=environment, timeout=_WAIT_S, check=False,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            raise _failure(f"ocd start took longer than {_WAIT_S} s", "ocd logs") from None
        output.seek(0)
        complaint = output.read().decode("utf-8", "replace").strip()
    if done.returncode:
        reason, _, hint = complaint.removeprefix("Error: ").partition("\nHint: ")
        reason = reason or f"ocd start exited with status {done.returncode}"
        raise _failure(f"The daemon did not start: {reason}", hint or "ocd start")


def _command() -> list[str]:
    if importlib.util.find_spec("ocd") is not None:
        return [sys.executable, "-m", "ocd", "start"]
    program = shutil.which("ocd")
    if program is None:
        raise _failure("No daemon is running, and there is no ocd here", "pip install openchrome")
    return [program, "start"]


def _failure(message: str, hint: str) -> NoDaemonError:
    failure = exception_for("no_daemon", message, {"hint": hint})
    assert isinstance(failure, NoDaemonError)
    return failure
