"""Calling one verb: its result or error shown, its exit status returned."""

from __future__ import annotations

import sys

from oc import daemon_client, reply_rendering, terminal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from oc.argv import Command
    from oc.command_index import Index
    from oc.daemon_client import DaemonClient


def run(
    daemon: DaemonClient, command: Command, verb: str, params: dict[str, Any], index: Index
) -> int:
    """Call a verb, show its result or error, and return the exit status."""
    silent = command.as_json or command.quiet
    if command.entry.get("long") and not silent and sys.stderr.isatty():
        from oc import progress_bars

        reply_rendering.show(progress_bars.call(daemon, verb, params), command, index)
        return 0
    reply = daemon.call(verb, params)
    if reply.status >= 400:
        body = reply.read()
        return terminal.failure(daemon_client.error_in(body), as_json=command.as_json, body=body)
    if command.as_json:
        reply_rendering.show_json(reply, command)
    else:
        reply_rendering.show(daemon_client.result_in(reply.read()), command, index)
    return 0
