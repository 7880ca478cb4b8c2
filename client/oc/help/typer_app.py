"""Help and completion: a typer application over the entries that `argv` parses by.

No command runs through it, and typer costs more than a whole call: nothing else imports this.
"""

import os
import sys
from collections.abc import Iterable
from typing import Any

import typer
from typer.core import TyperGroup
from typer.main import get_command

from oc import terminal
from oc.command_line import command_aliases, command_index, command_names
from oc.command_line.command_names import Entry
from oc.help import typer_commands
from ocd.api import shell_completion
from ocd.api.errors import OcdError
from ocd.api.help_format import fit_help

_TITLES = {"client": "Daemon", "group": "Groups"}


class _Sections(TyperGroup):
    """A group whose help lists the commands by capability."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ANN401 - typer's own
        sections: dict[str, list[tuple[str, str]]] = {}
        for name in self.list_commands(ctx):
            command: Any = self.get_command(ctx, name)
            row = (name, command.get_short_help_str(formatter.width - 30))
            sections.setdefault(command.rich_help_panel or "client", []).append(row)
        for panel, rows in sections.items():
            with formatter.section(_TITLES.get(panel, panel.capitalize())):
                formatter.write_dl(sorted(rows))


def show_help(words: tuple[str, ...]) -> int:
    """Print the help of a command, a group or oc itself; a third word is a kind of task."""
    _run(application(words), [*words[:2], "--help"])
    return 0


def complete() -> int:
    """Answer a shell that asks for completions, or print or install the completion script."""
    program = _program()
    if sys.argv[1:2] and sys.argv[1] in shell_completion.OPTIONS:
        shell = sys.argv[2] if len(sys.argv) > 2 else None
        try:
            terminal.write_line(shell_completion.carry_out(program, sys.argv[1], shell))
        except OcdError as error:
            return terminal.failure(error, as_json=False)
        return 0
    shell_completion.prepare(program)
    line = os.environ.get("COMP_WORDS") or os.environ.get("_TYPER_COMPLETE_ARGS", "")
    _run(application(line.split()[1:]), sys.argv[1:])
    return 0


def application(line: Iterable[str]) -> typer.Typer:
    """Return the application; only commands whose words are in `line` have their parameters."""
    line = list(line)
    index = command_index.of_catalog(command_index.load_catalog())
    app, groups = _typer(_Sections), dict[str, list[Entry]]()
    app.callback()(typer_commands.root())
    for entry in _entries(index):
        words = command_names.words(entry)
        if len(words) == 2 or words[0] in command_names.NOUNS | command_aliases.NOUNS:
            groups.setdefault(words[0], []).append(entry)
        else:
            _add(app, words[0], entry, detailed=words[0] in line)
    for noun, entries in groups.items():
        _add_group(app, noun, entries, line, index)
    return app


def _entries(index: dict[str, Entry]) -> list[Entry]:
    # Of two entries with the same words, such as oc_task_start and our own, the first counts.
    unique: dict[tuple[str, ...], Entry] = {}
    for entry in (*index.values(), *command_aliases.entries(index)):
        unique.setdefault(command_names.words(entry), entry)
    return list(unique.values())


def _add_group(
    app: typer.Typer, noun: str, entries: list[Entry], line: list[str], index: dict[str, Entry]
) -> None:
    group = _typer()
    names = []
    for entry in entries:
        for name in _names(entry):
            listed_entry = (
                _with_kind(entry, line, index) if entry["name"] == "task_start" else entry
            )
            _add(group, name, listed_entry, detailed=noun in line and name in line)
            names.append(name)
    summary = ", ".join(sorted(names))
    app.add_typer(group, name=noun, help=summary, rich_help_panel="group")


def _names(entry: Entry) -> list[str]:
    words = command_names.words(entry)
    if len(words) == 2:
        return [] if words[1].startswith("-") else [words[1]]
    # A verb with the name of its group: its choices are the commands.
    leading = command_names.positional(entry)[:1]
    choices = [entry["params"]["properties"][name].get("enum", ()) for name in leading]
    return [str(choice) for choice in (choices[0] if choices else ())]


def _with_kind(entry: Entry, line: list[str], index: dict[str, Entry]) -> Entry:
    """Return `task start` with the parameters of the kind in the line."""
    named = next(filter(None, (command_index.kind(index, word) for word in line)), None)
    own = dict(entry["params"]["properties"])
    own["kind"] = {**own["kind"], "enum": sorted(command_index.kinds(index))}
    more = named["params"]["properties"] if named else {}
    more = {name: schema for name, schema in more.items() if name not in command_names.SHARED}
    params = {**entry["params"], "properties": own | more}
    return {**entry, "params": params, "positional": command_names.positional(entry)}


def _typer(cls: type[TyperGroup] = TyperGroup) -> typer.Typer:
    return typer.Typer(
        cls=cls,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )


def _add(app: typer.Typer, name: str, entry: Entry, *, detailed: bool) -> None:
    panel = entry.get("capability", "client")
    app.command(name, rich_help_panel=panel)(typer_commands.function(entry, detailed=detailed))


def _run(app: typer.Typer, arguments: list[str]) -> None:
    fit_help(get_command(app)).main(arguments, prog_name=_program(), standalone_mode=False)


def _program() -> str:
    name = os.path.basename(sys.argv[0])
    return name if name in ("oc", "openchrome") else "oc"
