"""`oc guide`: prints how an agent works with oc, or installs it for a host."""

from __future__ import annotations

import os

from oc import hints, terminal, whole_files
from ocd.api import agent_guide
from ocd.api.errors import OcdError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from oc.command_line.argv import Command
    from oc.command_line.command_names import Entry

_BEGIN, _END = "<!-- openchrome: begin -->", "<!-- openchrome: end -->"
_FRONT_MATTER = """\
---
name: openchrome
description: Drive a Chromium browser from the shell with `oc`: open and read pages, click, fill in
  forms, upload, download, take screenshots, crawl sites. Use it for anything on the web.
---

"""
_RULE_FRONT_MATTER = """\
---
description: Drive a Chromium browser from the shell with `oc`
alwaysApply: false
---

"""

# By host: the file, and the front matter of our own file; None: a section in the user's file.
_PLACES: dict[str, tuple[str, str | None]] = {
    "claude": ("{CLAUDE_CONFIG_DIR:~/.claude}/skills/openchrome/SKILL.md", _FRONT_MATTER),
    "codex": ("{CODEX_HOME:~/.codex}/AGENTS.md", None),
    "cursor": (".cursor/rules/openchrome.mdc", _RULE_FRONT_MATTER),
    "agents": ("AGENTS.md", None),
}


def text() -> str:
    """Return the guide, with shell commands."""
    return hints.in_commands(agent_guide.guide("shell"))


def guide(_daemon: object, command: Command, _index: dict[str, Entry]) -> int:
    """Carry out `oc guide`."""
    host = command.params.get("install") or command.params.get("remove")
    if host is None:
        terminal.write_line(text())
        return 0
    if "install" in command.params and "remove" in command.params:
        raise OcdError("invalid_argument", "--install and --remove cannot be combined")
    pattern, front_matter = _PLACES[host]
    path = _path(pattern)
    try:
        done = _change(path, front_matter, install="install" in command.params)
    except OSError as error:
        raise whole_files.write_error(path, error) from None
    except UnicodeDecodeError as error:
        raise OcdError("unreadable_file", f"Cannot read {path}: {error}", path=path) from None
    if not command.quiet:
        terminal.say(done)
    return 0


def _path(pattern: str) -> str:
    if pattern.startswith("{"):
        variable, _, default = pattern[1:].partition("}")[0].partition(":")
        pattern = (os.environ.get(variable) or default) + pattern.partition("}")[2]
    return os.path.abspath(os.path.expanduser(pattern))


def _change(path: str, front_matter: str | None, *, install: bool) -> str:
    """Add the guide to a file, or remove it; return what was done. Repeating it changes nothing."""
    old = _read(path)
    rest = "" if front_matter is not None else _without_section(old or "")
    if not install:
        if old is None or (front_matter is None and rest == old):
            return f"{path} has no guide of OpenChrome."
        if rest:
            _write(path, rest)
        else:
            os.unlink(path)
        return f"Removed the guide from {path}."
    new = f"{front_matter}{text()}" if front_matter is not None else _with_section(old or "")
    if new == old:
        return f"{path} is already up to date."
    _write(path, new)
    return f"{'Updated' if old is not None else 'Created'} {path}."


def _read(path: str) -> str | None:
    try:
        with open(path, encoding="utf-8", newline="") as file:
            return file.read()
    except FileNotFoundError:
        return None


def _around_section(text: str) -> tuple[str, str] | None:
    """Return the text before and after our section; None without a complete one."""
    before, begin, rest = text.partition(_BEGIN)
    _, end, after = rest.partition(_END)
    return (before, after) if begin and end else None


def _without_section(text: str) -> str:
    around = _around_section(text)
    return text if around is None else around[0].removesuffix("\n") + around[1].removeprefix("\n")


def _with_section(document: str) -> str:
    gap = "\n" if document else ""
    before, after = _around_section(document) or (f"{document}{gap}", "\n")
    return f"{before}{_BEGIN}\n{text().rstrip()}\n{_END}{after}"


def _write(path: str, content: str) -> None:
    os.makedirs(os.path.dirname(os.path.realpath(path)), exist_ok=True)
    whole_files.write_whole(path, (content.encode(),))
