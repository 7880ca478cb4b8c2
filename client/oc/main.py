"""From argv to an exit status. Every `oc` call pays for what is imported here."""

from __future__ import annotations

import gc

from oc import terminal, verb_call
from oc.command_line import argv, command_index
from oc.command_line.argv import HelpRequested
from ocd.api.errors import OcdError

# `from typing import TYPE_CHECKING` costs 5 ms, a third of a call; checkers know the name.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from oc.command_line.argv import Command
    from oc.command_line.command_index import Index


def run(words: Sequence[str]) -> int:
    """Carry out a command line and return the exit status of oc."""
    as_json = "--json" in words
    try:
        catalog = command_index.load_catalog()
        index = command_index.of_catalog(catalog)
        command = argv.parse(words, index)
        as_json = command.as_json
        # Objects that exist now stay alive; a command may run for hours.
        gc.freeze()
        gc.enable()
        try:
            return _execute(command, index, catalog["hash"])
        except OcdError as error:
            if error.code == "no_daemon":
                _add_next_step(error, command)
            raise
    except HelpRequested as request:
        return _help(request.words)
    except OcdError as error:
        return terminal.failure(error, as_json=as_json)


def _execute(command: Command, index: Index, catalog_hash: str) -> int:
    from oc.connection.daemon_client import DaemonClient

    daemon = DaemonClient(command, catalog_hash)
    if "run" in command.entry:
        return verb_call.run_own(daemon, command, index)
    return verb_call.run(daemon, command, command.entry["name"], command.params, index)


def _add_next_step(error: OcdError, command: Command) -> None:
    """Add how to resume a task whose daemon exited while the command waited for it."""
    from oc.connection.transport import ConnectionLost

    params = command.params
    waits = "task_id" in params or command.entry.get("long") or params.get("wait")
    if not (waits and isinstance(error, ConnectionLost)):
        return
    task_id, found = params.get("task_id", "ID"), "" if "task_id" in params else "oc task list, "
    hint = f"A task keeps what it has finished: {found}oc task get {task_id}"
    error.hint = f"{hint}; to resume a crawl: oc task resume {task_id}"


def _help(words: tuple[str, ...]) -> int:
    from oc.help import pages

    index = command_index.of_catalog(command_index.load_catalog())
    return pages.show_for(words, index)
