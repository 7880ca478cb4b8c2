"""`oc hold`: a person controls a tab while this command runs."""

from __future__ import annotations

import os
import sys
import threading

from oc import terminal
from oc.connection.daemon_client import require_success, result_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from oc.command_line.argv import Command
    from oc.command_line.command_index import Index
    from oc.connection.daemon_client import DaemonClient

# The daemon takes a tab back 45 s after the last renewal.
_RENEW_S = 15.0


def hold(daemon: DaemonClient, command: Command, _index: Index) -> int:
    """Take a tab; give it back after a line of input, the end of input, or Ctrl-C."""
    request = {
        "action": "acquire", "session": command.session, "holder": _holder(),
        "tab_id": command.params.get("tab_id"),
    }  # fmt: skip
    lease = result_in(require_success(daemon.post("/v1/leases", request)).read())["lease"]
    terminal.write_line(f"You hold {lease['tab_id']}: {lease['url']}")
    sys.stdout.flush()
    if not command.quiet:
        terminal.say("Agents' acting calls on it wait. Press Enter to give it back.")
    try:
        _keep(daemon, lease)
    except KeyboardInterrupt:
        terminal.say("")
    require_success(daemon.post("/v1/leases", {"action": "release", "key": lease["key"]}))
    if not command.quiet:
        terminal.say(f"{lease['tab_id']} was given back.")
    return 0


def _keep(daemon: DaemonClient, lease: dict[str, Any]) -> None:
    done = threading.Event()
    threading.Thread(target=_wait_for_enter, args=(done,), daemon=True).start()
    while not done.wait(_RENEW_S):
        require_success(daemon.post("/v1/leases", {"action": "renew", "key": lease["key"]}))


def _wait_for_enter(done: threading.Event) -> None:
    sys.stdin.readline()
    done.set()


def _holder() -> str:
    name = os.environ.get("USER") or os.environ.get("USERNAME") or "A person"
    return f"{name} (terminal)"
