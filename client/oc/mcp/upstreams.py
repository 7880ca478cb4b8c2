"""`oc mcp upstreams` and `oc mcp approve`: the MCP servers behind the gateway."""

from typing import Any

from oc import render, results
from oc.argv import Command
from oc.calling import Line, good, result_in
from oc.spelling import Entry


def states(line: Line, command: Command, _index: dict[str, Entry]) -> int:
    """Show what each server is, offers and has withheld."""
    reply = good(line.post("/v1/upstreams", {"action": "list"}))
    if command.as_json:
        results.show_json(reply, command)
        return 0
    found = result_in(reply.read())["upstreams"]
    render.write_line(render.for_humans(found) if found else "None are configured.")
    return 0


def approve(line: Line, command: Command, _index: dict[str, Entry]) -> int:
    """Agree to the tools of a server, and show what was not agreed to before."""
    name = command.params["upstream"]
    reply = good(line.post("/v1/upstreams", {"action": "approve", "name": name}))
    if command.as_json:
        results.show_json(reply, command)
        return 0
    found: dict[str, Any] = result_in(reply.read())
    for one in found["approved"]:
        render.write_line(f"{one['tool']}  {one['state']}")
    if not command.quiet:
        render.say(f"All {found['tools']} tools of {name} are agreed to as they are now.")
    return 0
