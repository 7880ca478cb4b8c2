"""Running `ocd start` for a client that found no daemon. Standard library only."""

import subprocess
import sys
import tempfile

START_S = 30


class StartError(Exception):
    """The daemon did not start; `exit_status` is the status of `ocd start` if it has exited."""

    def __init__(self, reason: str, hint: str = "", exit_status: int | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.hint = hint
        self.exit_status = exit_status


def start_daemon() -> None:
    """Run `ocd start`, which returns when the socket answers; raises StartError."""
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
