"""Commands that do not exist: what the caller may have meant."""

from __future__ import annotations

from oc.command_line import command_aliases, command_names
from ocd.api.errors import OcdError, did_you_mean

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import NoReturn

    from oc.command_line.command_names import Entry

# Commands that people look for in oc, but that belong to ocd.
_DAEMON_COMMANDS = frozenset(("start", "restart", "run", "logs", "doctor", "service", "config"))


# Names of our commands in other tools, or that people expect.
OTHER_WORDS = {
    "read": "snapshot", "look": "snapshot", "view": "snapshot", "tree": "snapshot",
    "outline": "snapshot", "a11y": "snapshot", "show": "snapshot", "links": "snapshot",
    "buttons": "snapshot", "forms": "snapshot", "source": "html", "content": "text",
    "md": "markdown", "fetch": "markdown", "scrape": "crawl", "search": "find", "visit": "open",
    "tap": "click", "tick": "check", "untick": "uncheck", "input": "fill", "clear": "fill",
    "submit": "fill-form", "enter": "type", "key": "press", "keys": "press", "choose": "select",
    "js": "eval", "evaluate": "eval", "exec": "eval", "refresh": "reload", "sleep": "wait",
    "shot": "screenshot", "url": "get url", "title": "get title", "viewport": "set viewport",
    "alert": "dialog accept", "confirm": "dialog accept", "prompt": "dialog accept",
    "answer": "dialog accept", "window": "tab", "windows": "tab", "switch": "tab",
    "tabs list": "tab", "tasks": "task list", "task show": "task get",
    "task status": "task get", "task stop": "task cancel", "task kill": "task cancel",
    "task log": "task events", "task logs": "task events", "history": "journal",
    "record": "recording start", "quit": "close", "exit": "close", "kill": "stop",
    "version": "--version",
}  # fmt: skip


def refuse_unknown_command(line: str, index: Mapping[str, Entry]) -> NoReturn:
    """Raise unknown_verb for a line that no command begins; the hint names the one meant."""
    if line in _DAEMON_COMMANDS:
        raise OcdError("unknown_verb", f"oc has no command '{line}'", hint=f"ocd {line}")
    lines = {" ".join(command_names.words(entry)) for entry in index.values()}
    lines |= command_aliases.ALIASES.keys()
    if line in OTHER_WORDS:
        meant = f"Did you mean 'oc {OTHER_WORDS[line]}'?"
        raise OcdError("unknown_verb", f"oc has no command '{line}'", hint=meant)
    group, _, action = line.replace("_", "-").partition(" ")
    of_group = [name.removeprefix(f"{group} ") for name in lines if name.startswith(f"{group} ")]
    if action and of_group:
        otherwise = f"oc {group}: {', '.join(sorted(of_group))}"
        hint = did_you_mean(action, of_group, otherwise, template=f"oc {group} {{}}")
    else:
        otherwise = "See all commands: oc --help"
        hint = did_you_mean(group, lines, otherwise, template="oc {}")
    raise OcdError("unknown_verb", f"oc has no command '{line}'", hint=hint)
