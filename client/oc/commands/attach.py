"""`oc attach`: prints an address at which your own program can connect to a session."""

from __future__ import annotations

import os

from oc import terminal
from oc.connection.daemon_client import require_success, result_in
from oc.output import reply_rendering
from ocd.api.errors import OcdError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from oc.command_line.argv import Command
    from oc.command_line.command_index import Index
    from oc.connection.daemon_client import DaemonClient

_UNITS = {"s": 1, "m": 60, "h": 3600}
_MAX_S = 86_400


def attach(daemon: DaemonClient, command: Command, _index: Index) -> int:
    """Print an address that works for one program, once."""
    reply = require_success(daemon.post("/v1/attach", request_body(command)))
    if command.as_json:
        reply_rendering.show_json(reply, command)
        return 0
    address = result_in(reply.read())
    terminal.write_line(address["url"])
    if not command.quiet:
        terminal.say(f"One program may connect to session {address['session']}, once, and stay")
        terminal.say(f"until {address['until']}. Playwright: connect_over_cdp(URL), Puppeteer:")
        terminal.say("connect({browserWSEndpoint: URL}), pyppeteer: connect(browserWSEndpoint=URL)")
    return 0


def request_body(command: Command) -> dict[str, Any]:
    """Return the body of the request to the daemon."""
    ttl = command.params.get("ttl", "10m")
    return {"session": command.session, "ttl_s": _seconds(ttl), "cwd": os.getcwd()}


def _seconds(text: str) -> float:
    number, unit = (text[:-1], text[-1]) if text[-1:] in _UNITS else (text, "s")
    if not number.isdecimal() or not 1 <= int(number[:9]) * _UNITS[unit] <= _MAX_S:
        raise OcdError(
            "invalid_argument", f"Not a valid duration: {text!r}",
            hint="For example --ttl 10m, 90s or 2h; at most 24h.", parameter="ttl",
        )  # fmt: skip
    return float(int(number) * _UNITS[unit])
