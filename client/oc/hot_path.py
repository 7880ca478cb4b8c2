"""From argv to an exit status. What is imported here is paid for by every `oc` call."""

from __future__ import annotations

import os
import sys

from oc import argv, client_commands, command_names, render
from oc.argv import HelpRequested
from ocd import api
from ocd.api.errors import OcdError

# `from typing import TYPE_CHECKING` would cost 5 ms, a third of a call; checkers know the name.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, TypeAlias

    from oc.argv import Command
    from oc.command_names import Entry
    from oc.daemon_calls import DaemonClient

Index: TypeAlias = "dict[str, Entry]"


def run(words: Sequence[str]) -> int:
    """Carry out a command line and return the exit status of oc."""
    if "--version" in words[:1]:
        return _version()
    as_json = "--json" in words
    try:
        catalog = load_catalog()
        index = command_names.index(client_commands.OWN, catalog["verbs"], catalog["kinds"])
        command = argv.parse(words, index)
        as_json = command.as_json
        return _carry_out(command, index, catalog["hash"])
    except HelpRequested as wanted:
        from oc import app

        return app.show_help(wanted.words)
    except OcdError as error:
        return render.failure(error, as_json=as_json)


def load_catalog() -> dict[str, Any]:
    """Return the catalog that is packaged with this version."""
    import json

    path = os.path.join(os.path.dirname(api.__file__ or ""), "catalog.json")
    with open(path, "rb") as file:
        catalog: dict[str, Any] = json.loads(file.read())
    return catalog


def _carry_out(command: Command, index: Index, catalog_hash: str) -> int:
    from oc.daemon_calls import DaemonClient

    line = DaemonClient(command, catalog_hash)
    where = command.entry.get("run")
    if where is None:
        return call(line, command, command.entry["name"], command.params, index)
    module, _, function = where.partition(":")
    # What importlib does, without its import.
    status: int = getattr(__import__(module, fromlist=[function]), function)(line, command, index)
    return status


def call(
    line: DaemonClient, command: Command, verb: str, params: dict[str, Any], index: Index
) -> int:
    """Call a verb, show its result or error, and return the exit status."""
    from oc import daemon_calls, reply_output

    silent = command.as_json or command.quiet
    if command.entry.get("long") and not silent and sys.stderr.isatty():
        from oc import progress_bars

        reply_output.show(progress_bars.call(line, verb, params), command, index)
        return 0
    reply = line.call(verb, params)
    if reply.status >= 400:
        body = reply.read()
        return render.failure(daemon_calls.error_in(body), as_json=command.as_json, body=body)
    if command.as_json:
        reply_output.show_json(reply, command)
    else:
        reply_output.show(daemon_calls.result_in(reply.read()), command, index)
    return 0


def _version() -> int:
    from importlib import metadata

    render.write_line(f"oc {metadata.version('openchrome')}")
    return 0
