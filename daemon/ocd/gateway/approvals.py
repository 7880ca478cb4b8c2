"""Withheld tools of other MCP servers, as questions in the approvals queue."""

from dataclasses import dataclass, field
from typing import Any

from ocd.gateway.gateway import Gateway
from ocd.gateway.tool_pins import digest


@dataclass(frozen=True, slots=True)
class UpstreamApprovals:
    """One question for each server that has withheld tools.

    Its id tells what was shown: tools that change again are another question. Denied ones are not
    listed again before that, or a restart; they stay withheld.
    """

    gateway: Gateway
    _denied: set[str] = field(default_factory=set[str])

    async def pending(self) -> list[dict[str, Any]]:
        """Return what waits for an answer."""
        found = [await server.compare() for server in self.gateway.withheld()]
        questions = [_question(change) for change in found]
        return [question for question in questions if question["approval"] not in self._denied]

    async def answer(self, approval_id: str, *, allowed: bool) -> bool:
        """Approve the tools that were shown, or leave them withheld; False for an unknown id.

        Raises upstream_withheld if they have changed since.
        """
        for server in self.gateway.withheld():
            found = await server.compare()
            if _id(found) == approval_id:
                if allowed:
                    await server.approve(found["mark"])
                else:
                    self._denied.add(approval_id)
                return True
        return False


def _id(found: dict[str, Any]) -> str:
    return f"ap_{digest({'upstream': found['upstream'], 'mark': found['mark']})[:6]}"


def _question(found: dict[str, Any]) -> dict[str, Any]:
    name, changes = found["upstream"], found["changes"]
    tools = ", ".join(f"{change['tool']} ({change['state']})" for change in changes)
    asks = f"Tools of the MCP server '{name}' are not as they were approved: {tools}. Allow them?"
    return {
        "approval": _id(found), "kind": "tools", "asks": asks, "session": None, "verb": None,
        "tab_id": None, "url": "", "params": None,
        "details": {"upstream": name, "changes": changes}, "asked_at": None, "waiting": False,
        "waits_until": None,
    }  # fmt: skip
