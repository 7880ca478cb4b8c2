"""`oc mcp config`: prints a host's configuration of `oc-mcp`, or writes it to the host's file."""

from typing import Any

from oc import terminal
from oc.command_line.argv import Command
from oc.command_line.command_names import Entry
from oc.connection.daemon_client import DaemonClient
from oc.mcp import agent_hosts, config_files
from oc.mcp.agent_hosts import HOSTS, AgentHost
from ocd.api.errors import OcdError

_OUTCOME_TEXTS = {
    "created": "Created {path} with {name}.",
    "added": "Added {name} to {path}.",
    "updated": "Updated {name} in {path} ({changed}).",
    "unchanged": "{path} is already up to date.",
}


# Capabilities without a verb in the catalog.
_RESERVED = {"pilot", "upstream"}


def config(_daemon: DaemonClient, command: Command, index: dict[str, Entry]) -> int:
    """Carry out `oc mcp config HOST`."""
    params = command.params
    _check_filters(params, {entry["capability"] for entry in index.values()} - {"client"})
    host = HOSTS[params["host"]]
    note = _choose_tier(host, params, index)
    scope = params.get("scope", "user")
    path = agent_hosts.file_of(host, scope)
    program = [params["command"]] if "command" in params else agent_hosts.program()
    entry = agent_hosts.entry(host, program, bridge_arguments(command))
    if params.get("write"):
        merged = config_files.merge(host, path, entry, private=scope != "project")
        _report(command, host, merged, entry)
    else:
        _print(command, host, path, entry)
    if note and not (command.as_json or command.quiet):
        terminal.say(note)
    return 0


# The daemon's default.
_DEFAULT_TIER = 2


def _choose_tier(host: AgentHost, params: dict[str, Any], index: dict[str, Entry]) -> str:
    """Set the tier that leaves the host a third of its tools for other servers; return a note.

    A requested tier, or requested groups, are left unchanged.
    """
    if host.max_tools is None or params.keys() & {"tier", "tools_only", "disable_tools"}:
        return ""
    named = {entry["name"]: entry["tier"] for entry in index.values() if "tier" in entry}
    tiers = list(named.values())
    tier = _DEFAULT_TIER
    while tier > 1 and 3 * _count(tiers, tier) > 2 * host.max_tools:
        tier -= 1
    if tier != _DEFAULT_TIER:
        params["tier"] = tier
    return (
        f"{host.title} takes {host.max_tools} tools of all servers: tier {tier} lists "
        f"{_count(tiers, tier)} of {len(tiers)}, expand_tools shows the others. "
        "--tier N chooses another."
    )


def _count(tiers: list[int], tier: int) -> int:
    return sum(tool_tier <= tier for tool_tier in tiers)


def bridge_arguments(command: Command) -> list[str]:
    """Return the options of oc-mcp that the command line asks for."""
    params, found = command.params, list[str]()
    for name in ("tier", "tools_only", "disable_tools"):
        if name in params:
            found += [f"--{name.replace('_', '-')}", str(params[name])]
    if params.get("page_tools"):
        found.append("--page-tools")
    if "session" in command.options:
        found += ["--session", command.session]
    if command.options.get("start") is False:
        found.append("--no-start")
    return found


def _check_filters(params: dict[str, Any], capabilities: set[str]) -> None:
    """Refuse options here that the bridge would refuse at each launch."""
    if "tools_only" in params and "disable_tools" in params:
        raise OcdError("invalid_argument", "--tools-only and --disable-tools cannot be combined")
    groups = params.get("tools_only") or params.get("disable_tools") or ""
    names = {name.strip() for name in groups.split(",")} - {""}
    unknown = ", ".join(sorted(names - capabilities - _RESERVED))
    if unknown:
        hint = f"Capabilities: {', '.join(sorted(capabilities))}"
        raise OcdError("invalid_argument", f"Unknown capability: {unknown}", hint=hint)


def _print(command: Command, host: AgentHost, path: str, entry: dict[str, Any]) -> None:
    text = config_files.snippet(host, entry)
    if command.as_json:
        result = {"host": command.params["host"], "path": path, "entry": entry, "text": text}
        terminal.write_line(config_files.as_json(result))
        return
    terminal.write(text)
    if not command.quiet:
        terminal.say(f"Add this to {path}, or let --write do it.")


def _report(
    command: Command, host: AgentHost, merged: config_files.MergeResult, entry: dict[str, Any]
) -> None:
    if command.as_json:
        found = {"host": command.params["host"], **merged._asdict(), "entry": entry}
        terminal.write_line(config_files.as_json(found))
        return
    if command.quiet:
        return
    changed = ", ".join(merged.changed)
    terminal.say(
        _OUTCOME_TEXTS[merged.action].format(
            path=merged.path, name=agent_hosts.NAME, changed=changed
        )
    )
    if merged.backup:
        terminal.say(f"The previous file is saved as {merged.backup}.")
    terminal.say(host.next_step)
