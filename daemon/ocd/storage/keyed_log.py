"""Records by key in one append-only file, for many small records that change often.

    {"format": "memory", "version": 1}     the first line
    {"key": "…", "value": {…}}             a record; a later line of the same key replaces it
    {"key": "…"}                           it is gone

All records are in memory; the file is read once, at the first use. Write order: one line is one
write and is synced (crash point keyed.line). A file of which most lines are out of date is replaced
whole (keyed.compacted): a reader finds the old one or the new one.

Lines that cannot be read are left where they are: such a file is never replaced, and `unreadable`
names it. A file of a newer version is refused, and not written to.
"""

import heapq
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Generic, TypeVar

import msgspec

from ocd.api.errors import OcdError
from ocd.storage import crash_points
from ocd.storage.files import (
    UNDECODABLE,
    JsonLinesLog,
    make_dir,
    newer_format,
    read_lines,
    read_whole,
    unreadable_error,
    write_whole,
)

VERSION = 1
# The file is rewritten when outdated lines exceed the records by this many.
SLACK = 10_000

R = TypeVar("R", bound=msgspec.Struct)


class KeyedLog(Generic[R]):
    """The records of one file, by key. All methods block; any thread may call them.

    Args:
        path: the file.
        record_type: the type of its records.
        listener: called with the key, the old record and the new one at each change, under the
            lock.
        slack: how many outdated lines the file may have before it is rewritten.
    """

    def __init__(
        self,
        path: Path,
        record_type: type[R],
        *,
        listener: Callable[[str, R | None, R | None], None] = lambda _key, _old, _new: None,
        slack: int = SLACK,
    ) -> None:
        self.path = path
        self.unreadable = 0
        self._format = path.stem
        self._record_type = record_type
        self._listener = listener
        self._slack = slack
        self._lock = threading.RLock()
        self._records: dict[str, R] = {}
        self._lines = 0
        self._loaded = False

    @contextmanager
    def hold(self) -> Iterator[dict[str, R]]:
        """Lock the records: what the block reads and writes is one step."""
        with self._lock:
            if not self._loaded:
                self._load()
            yield self._records

    def load(self) -> None:
        """Read the file now rather than at the first use; unreadable_file, storage_failed."""
        with self.hold():
            pass

    def put(self, key: str, record: R) -> None:
        """Set the record of a key; storage_full and storage_failed leave what was."""
        with self.hold() as records:
            self._append({"key": key, "value": record})
            old = records.get(key)
            records[key] = record
            self._listener(key, old, record)

    def drop(self, key: str) -> None:
        """Remove the record of an existing key."""
        with self.hold() as records:
            self._append({"key": key})
            self._listener(key, records.pop(key), None)

    def evict(self, spared: str, most: int, worth: Callable[[R], Any]) -> list[str]:
        """Drop the least valuable records, never `spared`, until at most `most` are left.

        Returns their keys.
        """
        with self.hold() as records:
            others = (key for key in records if key != spared)
            over = max(len(records) - most, 0)
            gone = (
                heapq.nsmallest(over, others, key=lambda key: worth(records[key])) if over else []
            )
            for key in gone:
                self.drop(key)
        return gone

    def _append(self, line: dict[str, Any]) -> None:
        if self._lines > 2 * len(self._records) + self._slack:
            self._compact()
        if not self._lines:
            make_dir(self.path.parent)
            write_whole(self.path, self._header() + b"\n")
            self._lines = 1
        log = JsonLinesLog(self.path)
        try:
            log.append(msgspec.json.encode(line), durably=True)
        finally:
            log.close()
        self._lines += 1
        crash_points.point("keyed.line")

    def _header(self) -> bytes:
        return msgspec.json.encode({"format": self._format, "version": VERSION})

    def _compact(self) -> None:
        if self.unreadable:
            return
        lines = (
            msgspec.json.encode({"key": key, "value": record}) + b"\n"
            for key, record in self._records.items()
        )
        write_whole(self.path, (self._header() + b"\n", *lines))
        crash_points.point("keyed.compacted")
        self._lines = len(self._records) + 1

    def _load(self) -> None:
        decode = msgspec.json.Decoder(_RecordLine).decode
        value = msgspec.json.Decoder(self._record_type).decode
        self._lines = 0
        for number, line in enumerate(read_lines(self.path)):
            self._lines += 1
            if number == 0:
                self._check(line)
                continue
            try:
                self._take(decode(line), value)
            except UNDECODABLE:
                self.unreadable += 1
        if not self._lines and read_whole(self.path):
            raise self._unreadable_error("it has no complete line")
        for key, record in self._records.items():
            self._listener(key, None, record)
        self._loaded = True

    def _take(self, line: "_RecordLine", decode: Callable[[msgspec.Raw], R]) -> None:
        if len(line.value):
            self._records[line.key] = decode(line.value)
        else:
            self._records.pop(line.key, None)

    def _check(self, line: bytes) -> None:
        try:
            header = msgspec.json.decode(line, type=_Header)
        except UNDECODABLE as error:
            raise self._unreadable_error(str(error)) from error
        if header.format != self._format:
            raise self._unreadable_error(f"it is {header.format}, expected {self._format}")
        if header.version > VERSION:
            raise self._unreadable_error(newer_format(header.version))

    def _unreadable_error(self, why: str) -> OcdError:
        hint = "It was left unchanged: move it away to start afresh."
        return unreadable_error(self.path, why, hint=hint)

    def unreadable_note(self) -> dict[str, Any]:
        """Return the reply's note about unreadable lines; empty if there are none."""
        if not self.unreadable:
            return {}
        return {"unreadable": {"path": str(self.path), "lines": self.unreadable}}

    def __repr__(self) -> str:
        return f"KeyedLog({str(self.path)!r}, {len(self._records)} records)"


class _Header(msgspec.Struct):
    format: str
    version: int


class _RecordLine(msgspec.Struct):
    key: str
    value: msgspec.Raw = msgspec.Raw()
