"""Commands about the daemon: its status, sessions and catalog, and calls of any verb."""

from __future__ import annotations

import json

from oc import terminal, verb_call
from oc.command_line import value_parsing
from oc.command_line.argv import Command
from oc.command_line.command_names import key
from oc.output import human_text, reply_rendering

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from oc.command_line.command_index import Index
    from oc.connection.daemon_client import DaemonClient


def status(daemon: DaemonClient, command: Command, _index: Index) -> int:
    """Show the daemon's status; it is only started for that with --start."""
    return _show_status(daemon, command, lambda status: status)


def session_list(daemon: DaemonClient, command: Command, _index: Index) -> int:
    """Show the sessions in the daemon's status."""
    return _show_status(daemon, command, lambda status: status["session_names"])


def _show_status(
    daemon: DaemonClient, command: Command, part: Callable[[dict[str, Any]], Any]
) -> int:
    command.options.setdefault("start", False)
    reply = daemon.get("/v1/status", timeout_s=_timeout_s(command))
    if command.as_json:
        reply_rendering.show_json(reply, command)
    else:
        terminal.write_line(human_text.for_humans(part(json.loads(reply.read()))))
    return 0


def catalog(daemon: DaemonClient, command: Command, _index: Index) -> int:
    """List the daemon's verbs."""
    reply = daemon.get("/v1/catalog", timeout_s=_timeout_s(command))
    if command.as_json:
        reply_rendering.show_json(reply, command)
        return 0

    verbs = json.loads(reply.read())["verbs"]
    terminal.write_line(human_text.table(verbs, ("name", "capability", "tier", "summary")))
    return 0


def call(daemon: DaemonClient, command: Command, index: Index) -> int:
    """Call any verb by name, even one that this version's catalog does not have."""
    verb = key(command.params["verb"])
    entry = index.get(verb)
    if entry is None or "run" in entry:
        entry = {"name": verb, "params": {"properties": {}}}
    params: dict[str, Any] = dict(command.params.get("json_params", {}))
    known = entry["params"]["properties"]
    texts: dict[str, list[str]] = {}
    for text in command.params.get("param", ()):
        name, _, value = text.partition("=")
        texts.setdefault(name, []).append(value)
    for name, given in texts.items():
        params[name] = value_parsing.parse(name, known.get(name, {}), given)
    if "timeout_ms" in command.options:
        params.setdefault("timeout_ms", command.options["timeout_ms"])
    verb_command = Command(entry, params, command.options)
    return verb_call.run(daemon, verb_command, entry["name"], params, index)


def _timeout_s(command: Command) -> float:
    # These never wait for a page: a daemon that takes longer is hung.
    return float(command.options.get("timeout_ms", 10_000)) / 1000
