"""Resuming an ended task: a new task that starts with the finished work of the old one.

arguments.json has a task's complete arguments, in addition to the redacted args_summary in
meta.json. It contains no secrets: a parameter with a secret is left out and must be passed again.
"""

import os
import shutil
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import msgspec

from ocd.api.errors import OcdError
from ocd.api.tool_calls import tool_call
from ocd.ledger.results import read_result
from ocd.ledger.states import TaskMeta
from ocd.ledger.store import TaskStore
from ocd.ledger.task_handle import UNITS
from ocd.safety.redact import MASK, redact
from ocd.storage.files import (
    decode_versioned,
    make_dir,
    open_private,
    read_lines,
    read_whole,
    storage,
    write_unsynced,
)
from ocd.storage.payload import JsonLinesFile

ARGUMENTS = "arguments.json"
_FORMAT = 1


@dataclass(frozen=True, slots=True)
class Resumption:
    """How tasks of a kind are resumed: what is carried over, and which parameters may change.

    Attributes:
        is_passing: returns whether a finished unit failed for a temporary reason; such a unit is
            done again.
        files: the kind's own logs in the task's folder, which are copied.
        folder: a folder of files that never change, which are linked.
        limits: the parameters that may change.
        once: the parameters that are not repeated.
    """

    is_passing: Callable[[bytes], bool]
    files: tuple[str, ...] = ()
    folder: str = ""
    limits: tuple[str, ...] = ()
    once: tuple[str, ...] = ()


class Arguments(msgspec.Struct, frozen=True, kw_only=True):
    """arguments.json. left_out: the parameters that are secret or contain secrets, redacted."""

    version: int = _FORMAT
    args: dict[str, Any]
    left_out: dict[str, Any] = {}

    @classmethod
    def of(cls, args: Mapping[str, Any], secret: Collection[str]) -> "Arguments":
        """Return what may be stored of a task's arguments; `secret` names those never stored."""
        redacted = redact(args) | {name: MASK for name in secret if args.get(name)}
        unredacted = {name: value for name, value in args.items() if redacted[name] == value}
        return cls(
            args=unredacted,
            left_out={name: redacted[name] for name in args if name not in unredacted},
        )

    def changed(self, changes: Mapping[str, Any], how: Resumption) -> dict[str, Any]:
        """Return the resumed task's arguments.

        Raises invalid_argument for those that cannot change, and if secret ones are missing.
        """
        for name, value in changes.items():
            is_limit = name in how.limits + how.once
            if not is_limit and self.left_out.get(name) not in (MASK, redact(value)):
                raise OcdError(
                    "invalid_argument", f"'{name}' cannot change when the task is resumed",
                    hint=f"These can change: {', '.join(how.limits)}.", parameter="args",
                )  # fmt: skip
        missing = [name for name in self.left_out if name not in changes]
        if missing:
            raise OcdError(
                "invalid_argument",
                f"The task's secrets are not stored: {', '.join(missing)}",
                hint="Pass them again in args.",
                parameter="args",
                missing=missing,
            )
        repeated = {name: value for name, value in self.args.items() if name not in how.once}
        return {**repeated, **changes}


def write_arguments(folder: Path, arguments: Arguments) -> None:
    """Write the arguments into the folder of a task that is being created."""
    write_unsynced(folder / ARGUMENTS, msgspec.json.encode(arguments))


def read_arguments(store: TaskStore, task_id: str) -> Arguments:
    """Return the arguments of a task.

    Raises not_resumable if an earlier release wrote the task, unreadable_file.
    """
    path = store.directory(task_id) / ARGUMENTS
    data = read_whole(path)
    if data is None:
        raise not_resumable(task_id, "it was created by a version without resuming")
    return decode_versioned(path, data, Arguments, _FORMAT)


def not_resumable(task_id: str, why: str, hint: str = "") -> OcdError:
    """Return the error for a task that cannot be resumed."""
    message = f"Task {task_id} cannot be resumed: {why}"
    hint = hint or f"What it has: {tool_call('oc_task_get', task_id=task_id, include_result=True)}"
    return OcdError("not_resumable", message, hint=hint, task_id=task_id)


class FinishedWork:
    """The finished work of an ended task, for the task that resumes it. Methods block."""

    def __init__(self, store: TaskStore, meta: TaskMeta, resumption: Resumption) -> None:
        self._store = store
        self._meta = meta
        self._resumption = resumption

    @property
    def task_id(self) -> str:
        """The ended task."""
        return self._meta.task_id

    def has_passing(self) -> bool:
        """Return whether any units failed for a temporary reason."""
        return any(map(self._resumption.is_passing, self._units()))

    def copy_to(self, folder: Path) -> None:
        """Copy the finished units and the kind's logs into the folder of the new task."""
        final_lines = (line for line in self._units() if not self._resumption.is_passing(line))
        _write_lines(folder / UNITS, final_lines)
        own = self._store.directory(self.task_id)
        for name in self._resumption.files:
            _write_lines(folder / name, read_lines(own / name))
        if self._resumption.folder:
            _link_files(own / self._resumption.folder, folder / self._resumption.folder)

    def _units(self) -> Iterator[bytes]:
        """Yield the finished units in order: from the log, or from the result that contains them.

        An unreadable line loses only that unit, which is then done again.
        """
        task_id = self.task_id
        if self._store.has_units(task_id):
            return iter(self._store.units(task_id, readable_only=True))
        nothing = JsonLinesFile(self._store.directory(task_id) / UNITS)
        found = read_result(self._store.result_file(task_id), nothing, self._meta)
        return iter(() if found is None or found.rows is None else found.rows)


def _write_lines(path: Path, lines: Iterator[bytes]) -> None:
    first = next(lines, None)
    if first is None:
        return
    with storage("writing", path), open_private(path) as file:
        file.writelines(line + b"\n" for line in chain((first,), lines))


def _link_files(old: Path, new: Path) -> None:
    """Hard-link the files of a folder, if it exists, into another; copy where that fails."""
    if not old.is_dir():
        return
    make_dir(new)
    with storage("copying", old):
        for path in old.iterdir():
            try:
                os.link(path, new / path.name)
            except OSError:  # another file system, or too many links
                shutil.copyfile(path, new / path.name)
