"""TOTP seeds: typed or piped in, never an argument, which the shell would remember."""

from __future__ import annotations

import sys

from oc import terminal
from oc.connection.daemon_client import require_success, result_in
from oc.output import human_text, reply_rendering
from ocd.api.errors import OcdError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from oc.command_line.argv import Command
    from oc.command_line.command_index import Index
    from oc.connection.daemon_client import DaemonClient

_MAX_SEED = 10_000


def add(daemon: DaemonClient, command: Command, _index: Index) -> int:
    """Pass a seed to the daemon."""
    domain = command.params["domain"]
    body = {"action": "add", "domain": domain, "seed": _seed(domain)}
    return _ask_for_seed(daemon, command, body)


def names(daemon: DaemonClient, command: Command, _index: Index) -> int:
    """List the domains that have a seed."""
    return _ask_for_seed(daemon, command, {"action": "list"})


def remove(daemon: DaemonClient, command: Command, _index: Index) -> int:
    """Remove a seed."""
    return _ask_for_seed(daemon, command, {"action": "remove", "domain": command.params["domain"]})


def _ask_for_seed(daemon: DaemonClient, command: Command, body: dict[str, Any]) -> int:
    reply = require_success(daemon.post("/v1/totp", body))
    if command.as_json:
        reply_rendering.show_json(reply, command)
        return 0
    result = result_in(reply.read())
    terminal.write_line(human_text.for_humans(result.get("seeds") or result))
    if result.get("kept_in") == "file" and not command.quiet:
        terminal.say("No keyring is available: the seed is in a file that only you can read.")
        terminal.say("Hint: unlock a keyring and run oc totp add again to move it there.")
    return 0


def _seed(domain: str) -> str:
    if sys.stdin.isatty():
        import getpass

        seed = getpass.getpass(f"Seed of {domain} (base32 or otpauth://): ")
    else:
        seed = sys.stdin.read(_MAX_SEED)
    if not seed.strip():
        raise OcdError(
            "invalid_argument", "No seed was given",
            hint=f"Type it at the prompt, or pipe it: oc totp add {domain} < seed.txt",
        )  # fmt: skip
    return seed.strip()
