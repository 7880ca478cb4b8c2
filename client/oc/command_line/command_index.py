"""The available commands: the verbs of the packaged catalog, and the client's own."""

from __future__ import annotations

import os

from oc.command_line import builtin_commands, command_names
from ocd import api

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any, TypeAlias

    from oc.command_line.command_names import Entry

Index: TypeAlias = "dict[str, Entry]"


def load_catalog() -> dict[str, Any]:
    """Return the catalog that is packaged with this version."""
    import json

    path = os.path.join(os.path.dirname(api.__file__ or ""), "catalog.json")
    with open(path, "rb") as file:
        catalog: dict[str, Any] = json.loads(file.read())
    return catalog


def of_catalog(catalog: Mapping[str, Any]) -> Index:
    """Return every command of a catalog and of the client; see `index`."""
    return index(builtin_commands.BUILTINS, catalog["verbs"], catalog["kinds"])


def index(
    own: Iterable[Entry], verbs: Sequence[Entry], kinds: Iterable[Entry] = ()
) -> dict[str, Entry]:
    """Return every command under each of its keys: its name, also without `oc_`.

    The client's own commands take precedence over verbs with the same words (`task start`), not
    over full names.

    Args:
        own: the client's own commands.
        verbs: the daemon's verbs.
        kinds: the kinds of tasks that are not verbs, for `task start`.
    """
    found = {entry["name"]: entry for entry in own}
    found["task_start"] = {**found["task_start"], "kinds": {kind["name"]: kind for kind in kinds}}
    for entry in verbs:
        found.setdefault(entry["name"], entry)
    if "oc_task_resume" in found:
        found["task_resume"] = _with_parameters_of(found["oc_task_resume"], found["task_resume"])
    for entry in verbs:
        found.setdefault(command_names.short(entry["name"]), entry)
    return found


def _with_parameters_of(verb: Entry, command: Entry) -> Entry:
    """Return a client command with the verb's parameters, and options of its own."""
    own = command["params"]
    properties = {**verb["params"]["properties"], **own["properties"]}
    return {**command, "doc": verb["doc"], "params": {**own, "properties": properties}}


def kind(index: Mapping[str, Entry], word: str) -> Entry | None:
    """Return the kind of task that a word names: a long verb, or a kind without a verb."""
    named = index.get(command_names.key(word))
    if named is not None and named.get("long"):
        return named
    kinds: dict[str, Entry] = index["task_start"]["kinds"]
    return kinds.get(command_names.key(word))


def kinds(index: Mapping[str, Entry]) -> dict[str, Entry]:
    """Return every kind of task, by its word on a command line."""
    long = [entry for entry in index.values() if entry.get("long")]
    found = [*long, *index["task_start"]["kinds"].values()]
    return {command_names.short(entry["name"]).replace("_", "-"): entry for entry in found}
