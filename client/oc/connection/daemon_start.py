"""Starting the daemon if none is running. Off the hot path, so imports are free."""

from oc.terminal import say
from ocd.api import daemon_start
from ocd.api.errors import OcdError


def start_daemon(home: str, *, quiet: bool) -> None:
    """Run `ocd start`, which returns when the socket answers; no_daemon tells why it did not."""
    try:
        daemon_start.start_daemon()
    except daemon_start.StartError as error:
        details = {} if error.exit_status is None else {"exit_status": error.exit_status}
        message = f"The daemon did not start: {error.reason}"
        raise OcdError("no_daemon", message, hint=error.hint or "ocd start", **details) from None
    if not quiet:
        say(f"Started the daemon ({home}).")
