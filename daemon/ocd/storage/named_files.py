"""Named records, one file each, for few records that people read.

    <folder>/<safe name>.json    {"format", "version", "name", …}

Write order: the file is written whole (crash point named.written, the commit); then the oldest
beyond the maximum are removed, one by one (named.removed). A file that cannot be read is left alone
and named in `unreadable`; its name cannot be written under.
"""

import threading
from pathlib import Path
from typing import Generic, TypeVar

import msgspec

from ocd.api.errors import OcdError
from ocd.safety.path_policy import safe_name
from ocd.storage import crash_points
from ocd.storage.files import (
    UNDECODABLE,
    make_dir,
    newer_format,
    read_whole,
    reading,
    storage,
    unreadable_error,
    write_whole,
)

VERSION = 1


class NamedRecord(msgspec.Struct, frozen=True, kw_only=True):
    """Base of what has a name; `saved_at` is RFC 3339 UTC with milliseconds."""

    name: str
    saved_at: str
    session: str
    version: int = VERSION


R = TypeVar("R", bound=NamedRecord)


class NamedFileStore(Generic[R]):
    """The records of one folder. All methods block; any thread may call them.

    of: the type of the records; its field `format` names the format of the files. what: what errors
    call a record.
    """

    def __init__(self, folder: Path, of: type[R], what: str, *, most: int) -> None:
        self.folder = folder
        self._of = of
        self._what = what
        self._max_count = most
        self._lock = threading.RLock()

    def path(self, name: str) -> Path:
        """Return the file of a name; no two names have the same."""
        return self.folder / f"{safe_name(name)}.json"

    def put(self, record: R) -> tuple[R | None, list[str]]:
        """Write a record; return the one that it replaces, and the names of those removed for it.

        Raises unreadable_file, storage_full, storage_failed.
        """
        with self._lock:
            make_dir(self.folder)
            old = self._read(self.path(record.name))
            write_whole(self.path(record.name), msgspec.json.encode(record))
            crash_points.point("named.written")
            return old, self._prune()

    def _prune(self) -> list[str]:
        if len(self._paths()) <= self._max_count:
            return []
        records, _ = self._all()
        gone = records[self._max_count :]
        for record in gone:
            path = self.path(record.name)
            with storage("removing", path):
                path.unlink(missing_ok=True)
            crash_points.point("named.removed")
        return [record.name for record in gone]

    def get(self, name: str) -> R:
        """Return the record of a name: not_found, unreadable_file."""
        record = self._read(self.path(name))
        if record is None:
            raise self._absent(name)
        return record

    def delete(self, name: str) -> R:
        """Remove a record and return it: not_found, unreadable_file, storage_failed."""
        with self._lock:
            record = self.get(name)
            with storage("removing", self.path(name)):
                self.path(name).unlink()
        return record

    def all(self) -> tuple[list[R], list[str]]:
        """Return all records, newest first, and the paths of files that cannot be read."""
        with self._lock:
            return self._all()

    def _all(self) -> tuple[list[R], list[str]]:
        found: list[R] = []
        unreadable: list[str] = []
        for path in self._paths():
            try:
                record = self._read(path)
            except OcdError:
                unreadable.append(str(path))
                continue
            if record is not None:
                found.append(record)
        found.sort(key=lambda one: (one.saved_at, one.name), reverse=True)
        return found, sorted(unreadable)

    def _paths(self) -> list[Path]:
        with storage("listing", self.folder):
            try:
                return [
                    p for p in self.folder.iterdir() if p.suffix == ".json" and p.name[0] != "."
                ]
            except FileNotFoundError:
                return []

    def latest(self, session: str) -> R:
        """Return the newest record of a session, or else of any.

        Raises not_found if there is none, and unreadable_file if it may be in a file that cannot
        be read: an older one in its place would be taken for the newest.
        """
        with self._lock:
            records, unreadable = self._all()
            of_session = (record for record in records if record.session == session)
            found = next(of_session, records[0] if records else None)
            since = 0.0 if found is None else self._written_at(self.path(found.name))
            for path in map(Path, unreadable):
                if self._written_at(path) >= since:
                    self._read(path)
            if found is None:
                raise self._absent("")
            return found

    @staticmethod
    def _written_at(path: Path) -> float:
        with reading(path):
            return path.stat().st_mtime

    def _read(self, path: Path) -> R | None:
        data = read_whole(path)
        if data is None:
            return None
        try:
            record = msgspec.json.decode(data, type=self._of)
        except UNDECODABLE as error:
            raise self._unreadable_error(path, str(error)) from error
        if record.version > VERSION:
            raise self._unreadable_error(path, newer_format(record.version))
        return record

    def _unreadable_error(self, path: Path, why: str) -> OcdError:
        hint = "It was left unchanged: use another name, or move it away."
        return unreadable_error(path, why, hint=hint)

    def _absent(self, name: str) -> OcdError:
        which = f" {name[:200]!r}" if name else ""
        known = [record.name[:200] for record in self.all()[0][:20]]
        return OcdError("not_found", f"There is no {self._what}{which}", known=known)

    def __repr__(self) -> str:
        return f"NamedFileStore({str(self.folder)!r})"
