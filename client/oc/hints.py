"""Hints for a shell's user: tool calls become commands to paste."""

from __future__ import annotations

from oc.command_line import command_aliases, command_index
from ocd.api import errors

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


def in_commands(text: str) -> str:
    """Return a text in which calls, as `ocd.api.tool_calls` writes them, are commands of oc."""
    if "`" not in text:
        return text
    from ocd.api import (
        tool_calls,
    )  # `re` costs half as much as a whole call, and few texts contain calls

    index = command_index.of_catalog(command_index.load_catalog())

    def spell(name: str, arguments: Mapping[str, Any]) -> str | None:
        entry = index.get(name)
        if entry is None or entry["name"] != name:
            return None
        return command_aliases.command_line(entry, arguments, index)

    return tool_calls.respell(text, spell)


def spell_in_commands(reply: dict[str, Any]) -> None:
    """Put commands into the hints of a reply or an event, and of the errors that it contains.

    Those are errors such as a task's or a page's, and the daemon's findings about its host. The
    line that says how to answer an open dialog names commands, too. Text of pages is left
    unchanged.
    """
    result = reply.get("result")
    own = (result, result.get("data")) if isinstance(result, dict) else ()
    for part in own:
        _spell(part)
    if isinstance(result, dict) and "dialog" in (result.get("changed") or ()):
        result["content"] = _spell_dialog_line(result.get("content") or "")
    waiting: list[Any] = [reply]
    while waiting:
        part = waiting.pop()
        if isinstance(part, dict):
            if part.get("code") in errors.CODES or {"level", "seen"} <= part.keys():
                _spell(part)
            waiting.extend(part.values())
        elif isinstance(part, list):
            waiting.extend(part)


def _spell_dialog_line(content: str) -> str:
    from ocd.api.tool_calls import ANSWER_DIALOG

    lines = content.split("\n")
    for number, line in enumerate(lines):
        if line.endswith(ANSWER_DIALOG):
            lines[number] = line.removesuffix(ANSWER_DIALOG) + in_commands(ANSWER_DIALOG)
            break
    return "\n".join(lines)


def _spell(part: object) -> None:
    if isinstance(part, dict) and isinstance(part.get("hint"), str):
        part["hint"] = in_commands(part["hint"])
