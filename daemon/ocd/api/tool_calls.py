"""Calls proposed in texts: written once, shown to agent hosts as tools and by `oc` as commands.

Texts contain calls in backticks, written as tool calls: `navigate {"url": "URL"}`. MCP and HTTP
callers read them like that; `oc` replaces them with commands (`oc open URL`).
"""

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

_CALL = re.compile(r"`([a-z_]+)(?: ([^`]*))?`")


def tool_call(name: str, /, **arguments: str | float | bool) -> str:
    """Return a call of a verb as it is written in texts, in backticks."""
    suffix = f" {json.dumps(arguments, ensure_ascii=False)}" if arguments else ""
    plain = suffix.replace("`", "'")  # it would end the call
    return f"`{name}{plain}`"


# What texts propose while a dialog is open.
ANSWER_DIALOG = " or ".join(
    tool_call("interact", action=action) for action in ("accept_dialog", "dismiss_dialog")
)


def respell(text: str, spell: Callable[[str, Mapping[str, Any]], str | None]) -> str:
    """Return a text with each call replaced by what `spell` returns for its name and arguments.

    Calls for which `spell` returns None, and everything that is not a call, are left unchanged.
    """

    def replace(match: re.Match[str]) -> str:
        given = match[2] or "{}"
        if not given.startswith("{"):
            return match[0]
        try:
            arguments: dict[str, Any] = json.loads(given)
        except ValueError:
            return match[0]
        spelt = spell(match[1], arguments)
        return match[0] if spelt is None else f"`{spelt}`"

    return _CALL.sub(replace, text)
