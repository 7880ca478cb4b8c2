r"""Task files: one folder per task below `tasks/`.

    <task_id>/meta.json     the task; replaced whole, only under `lock`
              arguments.json  its arguments, without secrets (`resumption`); never changed
              frontier.jsonl  of crawls: what pages.jsonl does not say (`frontier_log.py`)
              answers.jsonl  of crawls with keep=raw: their answers (`raw_answers.py`)
              files/        of crawls with keep=screenshot or pdf: pages (`kept_files.py`)
              webhook.json  who is notified of its end (`webhooks.py`); gone after that
              events.jsonl  what happened, one line each, only appended to
              pages.jsonl   the finished units, one line each, only appended to; gone once
                            result.json holds them
              result.json   the result, written once, whole
              result.idx    where its items begin, and the checksums of its blocks
              lock          held (portalocker) while meta.json changes and no longer

Write order. Each step names its crash point (`ocd.storage.crash_points`); "commit" is what makes
it count.

 1. task start
    1.1 `task.folder`   folder `.new-<id>` is made
    1.2 `task.filled`   arguments.json is in it, where the kind can be resumed; in a task that
    resumes another, also the units and logs of that one 1.3 `task.meta`     meta.json (PENDING) is
    in it, synced 1.4 `task.event`    event `created` is in it 1.5 `task.named`    commit: renamed
    to `<id>`, `tasks/` synced; only now the id is answered. A crash before 1.5 leaves `.new-<id>`,
    which the next start removes: there was no task. A crash after it leaves a PENDING task of a
    dead process, which the next start reaps.
 2. run
    2.1 `run.meta`      commit: meta.json says RUNNING
    2.2 `run.event`     event `started`
 3. unit (a crawled page)
    3.0 `answer.line`   of crawls with keep=raw: the answers that the page came from, each a line in
                        answers.jsonl
        `frontier.line` of crawls, where there is something to say of the page: its line in
                        frontier.jsonl, which without the page's own line says nothing
    3.1 `unit.line`     commit: its line is in pages.jsonl (survives kill -9, not a power cut)
    3.2 `unit.event`    event `unit`; `progress.meta` follows at most twice a second
    A crash before 3.1 loses the units in flight. A torn last line is skipped by readers.
 4. cancel
    4.1 `cancel.event`  event `cancel_requested`
    4.2 `cancel.meta`   commit: cancel_requested_at is set
 5. end
    5.1 `result.chunk`  each chunk of result.json in its temporary file
    5.2 `result.index`  result.idx is whole, synced, in place
        `result.file`   result.json is, too, and the folder is synced
    5.3 `end.meta`      commit: meta.json says COMPLETED, FAILED or CANCELLED and names the result
    5.4 `units.removed` pages.jsonl is gone, if the list of result.json is its lines, all of them
    5.5 `end.event`     event `completed`, `failed` or `cancelled`
    A crash before 5.3 leaves a RUNNING task of a dead process: step 6 rebuilds its result from
    pages.jsonl, over what 5.2 left. After 5.3 readers go by meta.json and read the list in
    result.json; a crash before 5.4 leaves pages.jsonl beside it, which retention removes, at the
    next start and then every hour. One before 5.5 leaves a task without its last event.
 6. reaping, at the next start, before any task is accepted
    6.1 `reap.result`   result.json and result.idx are rebuilt from pages.jsonl, as in 5.1 and 5.2
    6.2 `reap.meta`     commit: FAILED, error.code `orphaned`
    6.3 `units.removed` pages.jsonl is gone, as in 5.4; it stays if a line of it cannot be read
    6.4 `reap.event`    event `orphaned`
    A crash before 6.2 is followed by the same steps again, with the same outcome.
 7. retention
    7.1 `prune.named`   commit: renamed to `.trash-<id>`
    7.2 `prune.removed` the folder is gone
    A crash between leaves `.trash-<id>`, which the next start removes.

Every step of meta.json is `write_whole`: a crash inside leaves the old file and perhaps a
`.meta.json.<pid>.part`, which reaping removes with the other temporary files of the task.

Tasks of earlier releases have no result.idx, and pages.jsonl stays beside their result.json.
"""

import logging
import os
import re
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
import portalocker

from ocd.api.errors import OcdError
from ocd.ledger.events import EVENTS, Events
from ocd.ledger.results import RESULT, file_size, write_result
from ocd.ledger.states import FORMAT, ResultListSpan, TaskMeta, not_found, timestamp
from ocd.ledger.task_handle import UNITS
from ocd.storage import crash_points
from ocd.storage.files import (
    MISSING,
    UNDECODABLE,
    make_dir,
    newer_format,
    open_private,
    storage,
    unreadable_error,
    write_whole,
)
from ocd.storage.folders import hide_folder, new_folder, sweep_folders
from ocd.storage.payload import JsonLinesFile, OpenedJsonLines, Payload

META, LOCK = "meta.json", "lock"
_LOCK_WAIT_S = 10.0
_LOCK_RETRY_S = 0.002

is_task_id = re.compile(r"[0-9a-f]{16}").fullmatch
_decode_meta = msgspec.json.Decoder(TaskMeta).decode
_encode = msgspec.json.Encoder().encode
logger = logging.getLogger(__name__)


class TaskStore:
    """The tasks below one folder. Its methods block; several processes may use one folder."""

    def __init__(
        self, root: Path, clock: Callable[[], int] = lambda: time.time_ns() // 1_000_000
    ) -> None:
        self.root = make_dir(root)
        self.clock = clock

    def now(self) -> str:
        """Return the present time as the files keep it."""
        return timestamp(self.clock())

    def directory(self, task_id: str) -> Path:
        """Return the task's folder, which may be missing; `task_not_found` for a malformed id."""
        if not is_task_id(task_id):
            raise not_found(task_id)
        return self.root / task_id

    def units(self, task_id: str, *, readable_only: bool = False) -> JsonLinesFile:
        """Return the task's finished units; none if it has no such file."""
        return JsonLinesFile(self.directory(task_id) / UNITS, readable_only)

    def opened_units(self, task_id: str) -> OpenedJsonLines:
        """Return the units that the task has finished by now; FileNotFoundError without a file."""
        return OpenedJsonLines(self.directory(task_id) / UNITS)

    # --- meta.json ---------------------------------------------------------------------------

    def create(self, meta: TaskMeta, fill: Callable[[Path], None] = lambda _folder: None) -> None:
        """Put a new task on disk (step 1); nothing of a failed creation stays.

        fill: puts into the folder what the task begins with.
        """
        with new_folder(self.directory(meta.task_id)) as fresh:
            crash_points.point("task.folder")
            fill(fresh)
            crash_points.point("task.filled")
            write_whole(fresh / META, _encode(meta))
            crash_points.point("task.meta")
            self._first_event(fresh, meta)
            crash_points.point("task.event")
        crash_points.point("task.named")

    def _first_event(self, folder: Path, meta: TaskMeta) -> None:
        events = Events(folder / EVENTS, self.now)
        try:
            events.append("created", kind=meta.kind, session=meta.session)
        finally:
            events.close()

    def read(self, task_id: str) -> TaskMeta:
        """Return the task from disk; `task_not_found`, `unreadable_file` with the path."""
        path = self.directory(task_id) / META
        try:
            meta = _decode_meta(path.read_bytes())
        except FileNotFoundError:
            if not path.parent.exists():
                raise not_found(task_id) from None
            raise unreadable_error(path, MISSING) from None
        except OSError as error:
            raise unreadable_error(path, error.strerror or str(error)) from error
        except UNDECODABLE as error:
            raise unreadable_error(path, str(error)) from error
        _check_meta(meta, task_id, path)
        return meta

    def update(
        self, task_id: str, change: Callable[[TaskMeta], TaskMeta], point: str = ""
    ) -> TaskMeta:
        """Change meta.json under its lock and return the new task; `change` must be pure.

        `change` gets the task as it is on disk now, so what another process wrote is kept. `point`
        is the crash point after the write. Raises task_not_found, unreadable_file, storage_*, and
        busy if another process holds the lock for too long.
        """
        with self._lock(task_id) as folder:
            before = self.read(task_id)
            after = change(before)
            if after != before:
                write_whole(folder / META, _encode(after))
                crash_points.point(point)
        return after

    @contextmanager
    def _lock(self, task_id: str) -> Iterator[Path]:
        folder = self.directory(task_id)
        path = folder / LOCK
        with storage("locking", path):
            try:
                file = open_private(path, append=True)
            except FileNotFoundError:
                raise not_found(task_id) from None
        with file:  # closing it lets go of the lock, whatever the block did
            deadline = time.monotonic() + _LOCK_WAIT_S
            while not _try_lock(file):
                if time.monotonic() > deadline:
                    raise OcdError("busy", f"Another process holds {path}", path=str(path))
                time.sleep(_LOCK_RETRY_S)
            yield folder

    def change_stamp(self, task_id: str) -> tuple[int, int]:
        """Return what changes whenever meta.json is replaced: its inode and modification time."""
        path = self.directory(task_id) / META
        with storage("reading", path):
            status = path.stat()
        return status.st_ino, status.st_mtime_ns

    # --- events, result, removal -------------------------------------------------------------

    def events(self, task_id: str) -> Events:
        """Open the task's events for appending."""
        return Events(self.directory(task_id) / EVENTS, self.now)

    def write_result(self, task_id: str, payload: Payload) -> tuple[str, ResultListSpan | None]:
        """Write result.json (steps 5.1 and 5.2); return its path and where its list stands."""
        path = self.directory(task_id) / RESULT
        return str(path), write_result(path, payload, file_size(path.with_name(UNITS)))

    def remove_held_units(self, meta: TaskMeta) -> None:
        """Remove pages.jsonl (step 5.4) if the ended task's result holds all of it."""
        if not meta.units_in_result:
            return
        try:
            (self.directory(meta.task_id) / UNITS).unlink(missing_ok=True)
        except OSError as error:
            logger.warning("the units of task %s stay: %s", meta.task_id, error)
        crash_points.point("units.removed")

    def has_units(self, task_id: str) -> bool:
        """Return whether the task has a units file."""
        return os.path.exists(f"{self.root}/{task_id}/{UNITS}")  # noqa: PTH110 - asked of thousands

    def result_file(self, task_id: str) -> Path:
        """Return the path of result.json, which may be missing."""
        return self.directory(task_id) / RESULT

    def remove(self, task_id: str) -> None:
        """Remove a task (step 7)."""
        gone = hide_folder(self.directory(task_id))
        crash_points.point("prune.named")
        shutil.rmtree(gone, ignore_errors=True)
        crash_points.point("prune.removed")

    def sweep(self) -> None:
        """Remove what crashes in the middle of a creation or a removal left."""
        for path in sweep_folders(self.root):
            logger.info("removed the leftover %s", path)

    def sweep_parts(self, task_id: str) -> None:
        """Remove the temporary files of interrupted writes; for tasks whose process is gone."""
        for part in self.directory(task_id).glob(".*.part"):
            part.unlink(missing_ok=True)

    def __repr__(self) -> str:
        return f"TaskStore({str(self.root)!r})"


def _check_meta(meta: TaskMeta, task_id: str, path: Path) -> None:
    if meta.version > FORMAT:
        raise unreadable_error(path, newer_format(meta.version))
    if meta.task_id != task_id:
        raise unreadable_error(path, f"it describes the task {meta.task_id}")


def _try_lock(file: Any) -> bool:  # noqa: ANN401 - what portalocker calls a file
    try:
        portalocker.lock(file, portalocker.LockFlags.EXCLUSIVE | portalocker.LockFlags.NON_BLOCKING)
    except (portalocker.exceptions.AlreadyLocked, portalocker.exceptions.LockException):
        return False
    return True
