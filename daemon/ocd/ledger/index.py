"""The ledger's index: a few fields per task in memory, rebuilt from the files at any time."""

import logging
import os
import threading
import time
from collections.abc import Collection, Iterator
from pathlib import Path
from sys import intern
from typing import NamedTuple

import msgspec

from ocd.api.errors import OcdError
from ocd.ledger.states import FORMAT, TERMINAL, TaskMeta, milliseconds
from ocd.ledger.store import META, TaskStore, is_task_id
from ocd.storage.files import unreadable_error

# A folder that changed this recently may change again without a change of its timestamp.
_SETTLED_NS = 100_000_000
_BIG_ENOUGH = 16384

logger = logging.getLogger(__name__)


class IndexRow(NamedTuple):
    """The index entry of a task; created in epoch milliseconds."""

    created: int
    kind: str
    status: str
    direct: bool = False

    @property
    def was_delivered(self) -> bool:
        """Whether it was a direct call whose caller has received the result."""
        return self.direct and self.status == "COMPLETED"


class _IndexedMeta(msgspec.Struct):
    """The part of meta.json that the index keeps."""

    kind: str
    status: str
    created_at: str
    direct: bool = False
    version: int = FORMAT


class TaskIndex:
    """Every task of a store by id. Its methods may be called from any thread."""

    def __init__(self, store: TaskStore) -> None:
        self._store = store
        self._rows: dict[str, IndexRow] = {}
        self.unreadable: set[str] = set()
        self._seen = 0
        self._decode = msgspec.json.Decoder(_IndexedMeta).decode
        self._lock = threading.Lock()  # rows are iterated in threads while the loop adds some

    def put(self, meta: TaskMeta) -> None:
        """Store the current state of a task."""
        created = milliseconds(meta.created_at)
        row = IndexRow(created, intern(meta.kind), meta.status, meta.direct)
        with self._lock:
            self._rows[meta.task_id] = row

    def drop(self, task_id: str) -> None:
        """Forget a task."""
        with self._lock:
            self._rows.pop(task_id, None)
            self.unreadable.discard(task_id)

    def mark_unreadable(self, task_id: str) -> None:
        """Leave a task out from now on, because its meta.json cannot be read."""
        with self._lock:
            self._rows.pop(task_id, None)
            self.unreadable.add(task_id)

    def created_ms(self, task_id: str) -> int:
        """Return when the task was created, in epoch milliseconds; 0 if it is not known."""
        row = self._rows.get(task_id)
        return row.created if row else 0

    def newest(
        self,
        statuses: Collection[str] = (),
        kinds: Collection[str] = (),
        since: int = 0,
        before: int | None = None,
        *,
        answered: bool = True,
    ) -> list[str]:
        """Return the ids of matching tasks, newest first.

        Args:
            statuses: their statuses; empty: any.
            kinds: their kinds; empty: any.
            since: only tasks created at this epoch millisecond or later.
            before: only tasks created earlier than this epoch millisecond.
            answered: include direct calls whose callers have received the result.
        """
        with self._lock:
            rows = list(self._rows.items())
        matching = [
            (row.created, task_id)
            for task_id, row in rows
            if row.created >= since
            and (before is None or row.created < before)
            and (not statuses or row.status in statuses)
            and (not kinds or row.kind in kinds)
            and (answered or not row.was_delivered)
        ]
        matching.sort(reverse=True)
        return [task_id for _, task_id in matching]

    def refresh(self, own: Collection[str] = ()) -> None:
        """Pick up what other processes did: new, changed and removed tasks.

        Reads the folder only if it has changed, and each unfinished task that is not in `own`.

        Args:
            own: the running tasks of this process.
        """
        self._take_in_folders()
        with self._lock:
            moving = [i for i, row in self._rows.items() if row.status not in TERMINAL]
        for task_id in moving:
            if task_id not in own:
                self._take_in(task_id)

    def _take_in_folders(self) -> None:
        changed = self._store.root.stat().st_mtime_ns
        if changed == self._seen:
            return
        with self._lock:
            known = self._rows.keys() | self.unreadable
        found = set(_folders(self._store.root))
        for task_id in known - found:
            self.drop(task_id)
        for task_id in found - known:
            self._take_in(task_id)
        self._seen = changed if time.time_ns() - changed > _SETTLED_NS else 0

    def _take_in(self, task_id: str) -> None:
        try:
            row = self._read(task_id)
        except (OSError, ValueError, msgspec.MsgspecError) as error:
            logger.warning(
                "%s", unreadable_error(self._store.directory(task_id) / META, str(error))
            )
            self.mark_unreadable(task_id)
            return
        with self._lock:
            self._rows[task_id] = row

    def _read(self, task_id: str) -> IndexRow:
        # Called ten thousand times at start: no Path, no file object, few fields decoded.
        descriptor = os.open(f"{self._store.root}/{task_id}/{META}", os.O_RDONLY)
        try:
            data = os.read(descriptor, _BIG_ENOUGH)
            while len(data) % _BIG_ENOUGH == 0 and (more := os.read(descriptor, _BIG_ENOUGH)):
                data += more
        finally:
            os.close(descriptor)
        words = self._decode(data)
        if words.version > FORMAT:
            raise ValueError(f"its format {words.version} is of a newer version")
        created = milliseconds(words.created_at)
        return IndexRow(created, intern(words.kind), intern(words.status), words.direct)

    def __len__(self) -> int:
        return len(self._rows)

    def __repr__(self) -> str:
        return f"TaskIndex({len(self._rows)} tasks, {len(self.unreadable)} unreadable)"


def _folders(root: Path) -> Iterator[str]:
    with os.scandir(root) as entries:
        for entry in entries:
            if is_task_id(entry.name):
                yield entry.name


def read_or_drop(index: TaskIndex, store: TaskStore, task_id: str) -> TaskMeta | None:
    """Return the task, or None if it is gone or unreadable by now; the index is updated."""
    try:
        return store.read(task_id)
    except OcdError as error:
        if error.code == "task_not_found":
            index.drop(task_id)
        else:
            logger.warning("%s", error)
            index.mark_unreadable(task_id)
        return None
