"""`oc approvals`: lists and answers requests for a person's consent."""

from __future__ import annotations

import json

from oc import terminal
from oc.connection.daemon_client import require_success, result_in
from oc.output import reply_rendering

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from oc.command_line.argv import Command
    from oc.command_line.command_index import Index
    from oc.connection.daemon_client import DaemonClient


def pending(daemon: DaemonClient, command: Command, _index: Index) -> int:
    """List the pending approvals."""
    reply = require_success(daemon.post("/v1/approvals", {"action": "list"}))
    if command.as_json:
        reply_rendering.show_json(reply, command)
        return 0
    waiting = result_in(reply.read())["approvals"]
    for approval in waiting:
        terminal.write_line("\n".join(_describe(approval)))
    if not command.quiet:
        terminal.say(_answer_hint(waiting))
    return 0


def allow(daemon: DaemonClient, command: Command, _index: Index) -> int:
    """Allow a pending approval: once, or for the rest of its session."""
    scope = "session" if command.params.get("for_session") else "once"
    return _answer(daemon, command, "allow", scope)


def deny(daemon: DaemonClient, command: Command, _index: Index) -> int:
    """Deny a pending approval."""
    return _answer(daemon, command, "deny", "once")


def _answer(daemon: DaemonClient, command: Command, action: str, scope: str) -> int:
    approval = command.params["approval"]
    body = {"action": action, "id": approval, "scope": scope}
    reply = require_success(daemon.post("/v1/approvals", body))
    if command.as_json:
        reply_rendering.show_json(reply, command)
    elif not command.quiet:
        done = "allowed" if action == "allow" else "denied"
        terminal.say(f"{approval}: {done}{' for its session' if scope == 'session' else ''}.")
    return 0


def _describe(approval: dict[str, Any]) -> list[str]:
    where = [f"session {approval['session']}"] if approval["session"] else []
    where += [f"tab {approval['tab_id']}"] if approval["tab_id"] else []
    where += [approval["url"]] if approval["url"] else []
    where += ["a call waits"] if approval["waiting"] else []
    head = "  ".join((approval["approval"], approval["verb"] or approval["kind"], ", ".join(where)))
    lines = [head.rstrip(), f"  {approval['asks']}"]
    if approval["params"]:
        lines.append(f"  {json.dumps(approval['params'], ensure_ascii=False)}")
    for change in approval["details"].get("changes", ()):
        lines += [f"  {line}" for line in change["diff"].split("\n")]
    return lines


def _answer_hint(waiting: list[dict[str, Any]]) -> str:
    if not waiting:
        return "Nothing is waiting for an answer."
    first = waiting[0]["approval"]
    return f"Answer: oc approvals allow {first} [--for-session], or: oc approvals deny {first}"
