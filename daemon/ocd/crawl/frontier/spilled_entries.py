"""Frontier entries on disk, for sites that are too large for memory."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ocd.storage.files import database_error

if TYPE_CHECKING:
    import sqlite3

# Entries that are written together, in a tenth of the time.
_BATCH = 500
_CACHE_KIB = 8192
# The file does not outlive the crawl: no journal, no sync.
_SETUP = f"""
    PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE;
    PRAGMA cache_size = -{_CACHE_KIB};
    CREATE TABLE queue (
        rank REAL, number INTEGER, origin TEXT, url TEXT, depth INTEGER, score REAL, dates INTEGER,
        parent TEXT,
        PRIMARY KEY (rank, number)
    ) WITHOUT ROWID;
    CREATE TABLE held (
        rank REAL, number INTEGER, origin TEXT, url TEXT, depth INTEGER, score REAL, dates INTEGER,
        parent TEXT,
        PRIMARY KEY (origin, rank, number)
    ) WITHOUT ROWID;
"""
_QUEUE = "INSERT INTO queue VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
_HOLD = "INSERT INTO held VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
_NEXT = "SELECT * FROM queue ORDER BY rank, number LIMIT ?"
_NEXT_TAKEN = "DELETE FROM queue WHERE (rank, number) <= (?, ?)"
_HELD = "SELECT * FROM held WHERE origin = ? ORDER BY rank, number LIMIT ?"
_HELD_TAKEN = "DELETE FROM held WHERE origin = ? AND (rank, number) <= (?, ?)"


class SpilledEntry(NamedTuple):
    """An entry that has not been visited, with its place in the order of all."""

    rank: float
    number: int
    origin: str
    url: str
    depth: int
    score: float
    dates: int
    parent: str


class SpilledEntries:
    """The entries on disk, in a file at `path` that exists while this is open.

    They wait in one queue, best first. Entries that came up while enough others of their origin
    were in memory are held, apart from the queue, separately for each origin.

    Raises:
        OcdError: storage_full, storage_failed.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._count = 0
        self._unwritten: list[SpilledEntry] = []
        self._database: sqlite3.Connection | None = None

    def __len__(self) -> int:
        return self._count

    def add(self, entry: SpilledEntry) -> None:
        """Queue an entry."""
        self._unwritten.append(entry)
        self._count += 1
        if len(self._unwritten) >= _BATCH:
            with self._open() as database:
                self._write(database)

    def take(self, limit: int) -> list[SpilledEntry]:
        """Remove and return the best entries of the queue, at most `limit`."""
        with self._open() as database:
            self._write(database)
            found = [SpilledEntry(*row) for row in database.execute(_NEXT, (limit,))]
            if found:
                database.execute(_NEXT_TAKEN, found[-1][:2])
        self._count -= len(found)
        return found

    def hold(self, entries: list[SpilledEntry]) -> None:
        """Hold entries until their origin's turn comes."""
        with self._open() as database:
            database.executemany(_HOLD, sorted(entries, key=itemgetter(2)))
        self._count += len(entries)

    def take_held(self, origin: str, limit: int) -> list[SpilledEntry]:
        """Remove and return the best entries that are held for an origin, at most `limit`."""
        with self._open() as database:
            found = [SpilledEntry(*row) for row in database.execute(_HELD, (origin, limit))]
            if found:
                database.execute(_HELD_TAKEN, (origin, *found[-1][:2]))
        self._count -= len(found)
        return found

    def _write(self, database: "sqlite3.Connection") -> None:
        unwritten, self._unwritten = self._unwritten, []
        database.executemany(_QUEUE, unwritten)

    @contextmanager
    def _open(self) -> "Iterator[sqlite3.Connection]":
        import sqlite3  # 1 MB, only for crawls with very many URLs

        try:
            if self._database is None:
                self._database = sqlite3.connect(self._path)
                self._database.executescript(_SETUP)
                if os.name == "posix":
                    self._path.unlink()  # so that it disappears with the process, however that ends
            with self._database:
                yield self._database
        except sqlite3.OperationalError as error:
            raise database_error(self._path, error) from error

    def close(self) -> None:
        """Forget the entries."""
        if self._database is not None:
            self._database.close()
            self._path.unlink(missing_ok=True)

    def __repr__(self) -> str:
        return f"SpilledEntries({self._count})"
