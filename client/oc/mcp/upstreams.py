"""`oc mcp upstreams` and `oc mcp approve`: the MCP servers behind the gateway."""

import sys
from typing import Any

from oc import terminal
from oc.command_line.argv import Command
from oc.command_line.command_names import Entry
from oc.connection.daemon_client import DaemonClient, require_success, result_in
from oc.output import human_text, reply_rendering
from ocd.api.errors import OcdError


def states(daemon: DaemonClient, command: Command, _index: dict[str, Entry]) -> int:
    """Show each server's state, and the tools that it offers and that are withheld."""
    reply = require_success(daemon.post("/v1/upstreams", {"action": "list"}))
    if command.as_json:
        reply_rendering.show_json(reply, command)
        return 0
    found = result_in(reply.read())["upstreams"]
    terminal.write_line(human_text.for_humans(found) if found else "No MCP servers are configured.")
    return 0


def approve(daemon: DaemonClient, command: Command, _index: dict[str, Entry]) -> int:
    """Show the changes since the last approval, ask, and approve them."""
    name = command.params["upstream"]
    request = {"name": name, "action": "review"}
    found: dict[str, Any] = result_in(require_success(daemon.post("/v1/upstreams", request)).read())
    agreed = {"name": name, "action": "approve", "mark": found["mark"]}
    sure = command.params.get("yes") or not found["changes"]
    if command.as_json:
        if not sure:
            raise _print_without_asking(name, found)
        reply_rendering.show_json(require_success(daemon.post("/v1/upstreams", agreed)), command)
        return 0
    _show(found["changes"])
    if not (sure or _confirm(name, found)):
        terminal.say("Nothing was approved.")
        return 1
    if found["changes"]:
        require_success(daemon.post("/v1/upstreams", agreed))
    if not command.quiet:
        same = "" if found["changes"] else "Nothing has changed. "
        terminal.say(f"{same}All {found['tools']} tools of {name} are approved as they are now.")
    return 0


def _show(changes: list[dict[str, Any]]) -> None:
    for change in changes:
        terminal.write_line(f"{change['name'] or change['tool']}  {change['state']}")
        for note in (change.get("unknown"), change["diff"]):
            if note:
                terminal.write_line(note)
        terminal.write_line("")


def _confirm(name: str, found: dict[str, Any]) -> bool:
    if not sys.stdin.isatty():
        raise _print_without_asking(name, found)
    sys.stderr.write(f"Approve these changes and let agents call the tools of {name}? [y/N] ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def _print_without_asking(name: str, found: dict[str, Any]) -> OcdError:
    count = len(found["changes"])
    return OcdError(
        "consent_needed", f"{count} changes to the tools of {name} await a person's approval",
        hint=f"After reviewing them: oc mcp approve {name} --yes", upstream=name,
        changes=found["changes"],
    )  # fmt: skip
