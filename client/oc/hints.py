"""Hints as a shell's user reads them: calls of tools become commands to paste."""

from __future__ import annotations

from oc.command_line import command_aliases, command_index

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


def in_commands(text: str) -> str:
    """Return a text whose calls, as `ocd.api.tool_calls` writes them, are commands of oc."""
    if "`" not in text:
        return text
    from ocd.api import tool_calls  # `re` costs as much as half a call, and few texts have calls

    index = command_index.of_catalog(command_index.load_catalog())

    def spell(name: str, arguments: Mapping[str, Any]) -> str | None:
        entry = index.get(name)
        if entry is None or entry["name"] != name:
            return None
        return command_aliases.command_line(entry, arguments, index)

    return tool_calls.respell(text, spell)
