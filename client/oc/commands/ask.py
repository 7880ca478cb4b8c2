"""`oc ask`: asks a person, and says on stderr how to answer while it waits."""

from __future__ import annotations

import json

from oc import terminal
from oc.connection.daemon_client import PROGRESS, require_success
from oc.output import reply_rendering
from ocd.api.errors import OcdError, error_from_body

TYPE_CHECKING = False
if TYPE_CHECKING:
    from oc.command_line.argv import Command
    from oc.command_line.command_index import Index
    from oc.connection.daemon_client import DaemonClient


def ask(daemon: DaemonClient, command: Command, index: Index) -> int:
    """Ask a person, say how to answer, wait, and show what has changed."""
    reply = require_success(daemon.call("oc_ask_human", command.params, accept=PROGRESS))
    shown = ""
    for line in reply.lines():
        body = json.loads(line)
        message = body.get("progress", {}).get("message", "")
        if message and message != shown:
            terminal.say(message)
            shown = message
        if "error" in body:
            return terminal.failure(
                error_from_body(body["error"]), as_json=command.as_json, body=line
            )
        if "result" in body:
            if command.as_json:
                terminal.write_line(json.dumps(body))
            else:
                reply_rendering.show(body["result"], command, index)
            return 0
    raise OcdError("no_daemon", "The daemon's answer ended early", hint="ocd logs")
