"""The pages of `oc help`: everyday commands, a group, all; typer prints a command's own."""

from __future__ import annotations

import os
import sys

from oc import terminal
from oc.command_line import command_aliases, command_names
from ocd.api import terminal_text
from ocd.api.errors import OcdError, did_you_mean

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from oc.command_line.argv import Command
    from oc.command_line.command_names import Entry

_EVERYDAY = (
    ("oc open URL", "Open a page"),
    ("oc snapshot", "Read it, with refs (e12); or: oc text, oc markdown"),
    ("oc find WORDS", "Find elements by words"),
    ("oc click E", "Click; E is a ref, or words: oc click 'Sign in'"),
    ("oc fill E TEXT", "Set a form field; several at once: oc fill-form"),
    ("oc press KEY", "Press a key, for example Enter"),
    ("oc wait text W", "Wait; also for load, idle, download, url GLOB"),
    ("oc screenshot FILE", "Take a screenshot; or: oc pdf FILE"),
    ("oc downloads", "List what pages have downloaded, and the folder"),
    ("oc crawl URL", "Read a whole site; --output-mode handle stores it"),
    ("oc output search H W", "Search what is stored (its handle is H) for words"),
    ("oc task start crawl", "Crawl in the background; oc task list shows it"),
)

# By group: its subject, and its commands unless their capability selects them. `tab|new` stands
# for `tab` and `tab new`.
_GROUPS: dict[str, tuple[str, str]] = {
    "browse": (
        "Pages and tabs",
        """open goto back forward reload tab|new|close close navigate page-reload
        tabs|context|create|close wait|load|idle|download|text|url|--selector wait-for
        validate-page""",
    ),
    "act": (
        "Acting on pages",
        """click dblclick rightclick hover focus check uncheck press select type fill upload drag
        scroll scrollintoview dialog|accept|dismiss eval interact form-input fill-form file-upload
        drag-drop lightweight-scroll javascript-tool computer act page-tools page-tool-call""",
    ),
    "read": (
        "Reading pages",
        """snapshot text markdown html get|text|value|attr|count|url|title
        is|visible|enabled|checked screenshot pdf console requests read-page find inspect query-dom
        observe vision-find extract-data page-content page-screenshot page-pdf
        console-capture""",
    ),
    "tasks": ("Crawls, batches and plans", "execute-plan"),
    "outputs": ("Stored results", "output|fetch|search|save"),
    "records": (
        "Records of actions and pages",
        """journal evidence-bundle assert diff checkpoint memory session|list|resume|snapshot""",
    ),
    "network": (
        "Network, state and identity",
        """network network-capture-full network-capture-lite request-intercept http-auth
        resize set|viewport|device|offline|online state|save|load emulate-device user-agent
        geolocation init-script""",
    ),
    "daemon": (
        "The daemon and agent hosts",
        """dashboard attach run status stop catalog call call-verb expand-tools connection-health
        doctor-report devtools-url reap-orphans batch guide""",
    ),
}
_BY_CAPABILITY = {
    "client": "daemon", "core": "read", "crawl": "tasks", "perf": "read", "profile": "network",
    "recording": "records", "skills": "records", "storage": "network", "tasks": "tasks",
    "totp": "network", "upload": "act", "workflow": "tasks",
}  # fmt: skip
_OF_CLIENT = {"task": "tasks", "totp": "network", "mcp": "daemon"}


def start_page(program: str) -> str:
    """Return the output of `oc --help`: at most 24 lines of 80 columns."""
    rows = [(usage.replace("oc ", f"{program} ", 1), text) for usage, text in _EVERYDAY]
    return "\n".join(
        (
            f"Usage: {program} COMMAND [ARGUMENTS] [OPTIONS]",
            "",
            *_fill("Drive a browser, its tasks and their outputs from the shell"),
            "",
            *_rows(rows),
            "",
            *_fill(f"Groups: {', '.join(_GROUPS)}"),
            *_fill(f"More: {program} help GROUP, {program} help all, {program} COMMAND --help"),
            *_fill(f"Agents: {program} guide"),
            *_fill("Options: --json --session NAME --quiet --out FILE --timeout-ms N --no-start"),
        )
    )


def group_page(group: str, index: Mapping[str, Entry]) -> str:
    """Return the commands of a group."""
    lines = [f"{_GROUPS[group][0]} ({group}):", *_rows(_members(index)[group])]
    return "\n".join(lines)


def all_page(index: Mapping[str, Entry]) -> str:
    """Return every command, by group."""
    return "\n\n".join(group_page(group, index) for group in _GROUPS)


def noun_page(noun: str, index: Mapping[str, Entry]) -> str | None:
    """Return the commands that begin with a word; None if no alias does."""
    if noun not in command_aliases.NOUNS:
        return None
    rows = [
        (command_names.usage(entry).removesuffix(" [--option …]"), entry["summary"])
        for entry in command_aliases.entries(index)
        if entry["words"][0] == noun
    ]
    return "\n".join(("Usage:", *_rows(rows)))


def find_group(word: str) -> str | None:
    """Return the group that a word names, in any letter case."""
    return word.lower() if word.lower() in _GROUPS else None


def commands(index: Mapping[str, Entry]) -> dict[str, Entry]:
    """Return every command by its words, aliases first."""
    found = {" ".join(entry["words"]): entry for entry in command_aliases.entries(index)}
    for entry in index.values():
        found.setdefault(" ".join(command_names.words(entry)), entry)
    return found


def unknown_topic_error(words: Iterable[str], index: Mapping[str, Entry]) -> OcdError:
    """Return the error of `oc help` for an unknown topic."""
    line = " ".join(words)
    hint = did_you_mean(line, [*_GROUPS, *commands(index)], "oc help all", template="oc help {}")
    return OcdError("invalid_argument", f"There is no command or group '{line}'", hint=hint)


def _members(index: Mapping[str, Entry]) -> dict[str, list[tuple[str, str]]]:
    placed = {line: group for group, (_, text) in _GROUPS.items() for line in _expanded(text)}
    found: dict[str, list[tuple[str, str]]] = {group: [] for group in _GROUPS}
    for line, entry in commands(index).items():
        group = placed.get(line) or _group_of(line, entry)
        found[group].append((f"oc {line}", entry["summary"]))
    order = {line: place for place, line in enumerate(placed)}
    for rows in found.values():
        rows.sort(key=lambda row: order.get(row[0].removeprefix("oc "), len(order)))
    return found


def _group_of(line: str, entry: Entry) -> str:
    by_noun = _OF_CLIENT.get(line.partition(" ")[0])
    return by_noun or _BY_CAPABILITY.get(entry.get("capability", "client"), "daemon")


def _expanded(text: str) -> Iterable[str]:
    """Yield the command lines that a text stands for: `tab|new` is "tab" and "tab new"."""
    for word in text.split():
        noun, *more = word.split("|")
        yield noun
        yield from (f"{noun} {word}" for word in more)


def _fill(text: str) -> list[str]:
    return terminal_text.fill(text, terminal_text.columns_of_help(sys.stdout))


def _rows(rows: Iterable[tuple[str, str]]) -> list[str]:
    return terminal_text.two_columns(rows, terminal_text.columns_of_help(sys.stdout))


def show_for(words: tuple[str, ...], index: Mapping[str, Entry]) -> int:
    """Print the help about a command, a group, or oc itself; return the exit status."""
    page = _page(words, index)
    if page is None:
        from oc.help import typer_app

        return typer_app.show_help(words)
    terminal.write_line(page)
    return 0


def _page(words: tuple[str, ...], index: Mapping[str, Entry]) -> str | None:
    if not words:
        program = os.path.basename(sys.argv[0])
        return start_page(program if program in ("oc", "openchrome") else "oc")
    return noun_page(words[0], index) if len(words) == 1 else None


def topic(_daemon: object, command: Command, index: Mapping[str, Entry]) -> int:
    """Carry out `oc help [TOPIC…]`."""
    words = tuple(command.params.get("topic", ()))
    if words == ("all",):
        terminal.write_line(all_page(index))
        return 0
    group = find_group(words[0]) if len(words) == 1 else None
    if group:
        terminal.write_line(group_page(group, index))
        return 0
    if words and not _is_known(words, index):
        raise unknown_topic_error(words, index)
    return show_for(words, index)


def _is_known(words: tuple[str, ...], index: Mapping[str, Entry]) -> bool:
    nouns = {line.partition(" ")[0] for line in commands(index) if " " in line}
    return " ".join(words[:2]) in commands(index) or (len(words) == 1 and words[0] in nouns)
