"""Starting the daemon when none runs. Off the hot path: it may import what it likes."""

import subprocess
import sys
import tempfile

from oc.terminal import say
from ocd.api.errors import OcdError

_WAIT_S = 30


def start_daemon(home: str, *, quiet: bool) -> None:
    """Run `ocd start`, which returns when the socket answers; `no_daemon` says why it did not."""
    command = [sys.executable, "-m", "ocd", "start"]
    # A file, not a pipe: a daemon that kept the pipe's other end would keep us waiting for ever.
    with tempfile.TemporaryFile() as said:
        try:
            done = subprocess.run(
                command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=said,
                timeout=_WAIT_S, check=False,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            raise _start_error(f"ocd start took longer than {_WAIT_S} s") from None
        except OSError as error:
            raise _start_error(f"Could not run ocd start: {error}") from None
        said.seek(0)
        complaint = said.read().decode("utf-8", "replace").strip()
    if done.returncode != 0:
        raise _start_error(
            complaint or f"ocd start exited with status {done.returncode}", done.returncode
        )
    if not quiet:
        say(f"Started the daemon ({home}).")


def _start_error(reason: str, status: int | None = None) -> OcdError:
    # Both programs say "Error: …" and "Hint: …"; once is enough.
    first, _, hint = reason.removeprefix("Error: ").partition("\nHint: ")
    details = {} if status is None else {"exit_status": status}
    return OcdError(
        "no_daemon", f"The daemon did not start: {first}", hint=hint or "ocd start", **details
    )
