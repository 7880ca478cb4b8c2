"""Calling one verb: prints its result or error, returns its exit status."""

from __future__ import annotations

import json
import sys

from oc import terminal
from oc.connection import daemon_client
from oc.output import reply_rendering

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from oc.command_line.argv import Command
    from oc.command_line.command_index import Index
    from oc.connection.daemon_client import DaemonClient


def run(
    daemon: DaemonClient, command: Command, verb: str, params: dict[str, Any], index: Index
) -> int:
    """Call a verb, show its result or error, and return the exit status."""
    return carry_out(daemon, command, verb, params, index, decode=False)[0]


def run_own(daemon: DaemonClient, command: Command, index: Index) -> int:
    """Run one of the client's own commands."""
    module, _, function = command.entry["run"].partition(":")
    # As importlib does, without importing it.
    status: int = getattr(__import__(module, fromlist=[function]), function)(daemon, command, index)
    return status


def carry_out(
    daemon: DaemonClient,
    command: Command,
    verb: str,
    params: dict[str, Any],
    index: Index,
    *,
    decode: bool = True,
) -> tuple[int, Any]:
    """Call a verb and show its result or error; return the exit status and the result.

    decode: return the decoded result even if it is printed unchanged.
    """
    silent = command.as_json or command.quiet
    if command.entry.get("long") and not silent and sys.stderr.isatty():
        from oc.output import progress_bars

        result = progress_bars.call(daemon, verb, params)
        reply_rendering.show(result, command, index)
        return 0, result
    reply = daemon.call(verb, params)
    if reply.status >= 400:
        body = reply.read()
        error = daemon_client.error_in(body)
        return terminal.failure(error, as_json=command.as_json, body=body), None
    waited = verb == "oc_task_wait"
    if command.as_json:
        body = reply_rendering.show_json(reply, command, keep=decode or waited)
        result = json.loads(body)["result"] if body else None
    else:
        result = daemon_client.result_in(terminal.json_in_commands(reply.read()))
        reply_rendering.show(result, command, index)
    return _end_of_task(result, command) if waited else 0, result


def _end_of_task(result: Any, command: Command) -> int:  # noqa: ANN401 - any JSON value
    from oc.output import task_rendering

    return task_rendering.say_end(result["meta"], quiet=command.as_json)
