"""cache/http.db: responses that crawls reuse (cache=true), as their headers allow.

A file of another version, or a broken one, is replaced: it is only a cache. Only responses without
a redirect, a login, cookies or the caller's headers are stored.
"""

import asyncio
import logging
import threading
import time
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from ocd.crawl.fetch.cache_rules import CachePolicy, Fields, HttpExchange, policy_of, update_headers
from ocd.crawl.fetch.http_fetch import Admit, AnswerHead, HttpAnswer, HttpFetcher
from ocd.crawl.fetch.validators import Validators
from ocd.safety import secrets
from ocd.storage.files import FILE_MODE, database_error, make_dir

if TYPE_CHECKING:
    import sqlite3

# Below the daemon's home.
CACHE = Path("cache", "http.db")
MAX_BYTES = 512 << 20
_VERSION = 1
_NOT_MODIFIED = 304
# Another crawl may be writing.
_BUSY_S = 30.0
# How many answers are stored between two checks of the total size.
_PRUNE_EVERY = 200
_SETUP = f"""
    PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA user_version = {_VERSION};
    CREATE TABLE IF NOT EXISTS answers (
        url TEXT PRIMARY KEY, used_at REAL, size INTEGER, stored BLOB
    ) WITHOUT ROWID;
    CREATE INDEX IF NOT EXISTS answers_used ON answers (used_at);
"""
_PUT = "INSERT OR REPLACE INTO answers VALUES (?, ?, ?, ?)"
_LARGEST = "SELECT url, size FROM answers ORDER BY used_at DESC"
logger = logging.getLogger(__name__)


class StoredAnswer(msgspec.Struct):
    """A stored response, its headers, and the policy that they define."""

    answer: HttpAnswer
    headers: Fields
    policy: CachePolicy


class HttpCache:
    """The stored answers, for one crawl. Several crawls may have the file open."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._database: sqlite3.Connection | None = None
        self._stored = 0

    async def get(self, http: HttpFetcher, url: str, admit: Admit) -> HttpAnswer:
        """Return the stored answer if it may be used, else the server's, which is then stored.

        Raises:
            FetchError: as HttpFetcher.get.
            OcdError: storage_*.
        """
        if not http.is_anonymous(url):
            return await http.get(url, admit)
        stored = await asyncio.to_thread(self.find, url)
        if stored is not None and not stored.policy.fits(http.common_headers):
            stored = None
        if stored is not None and stored.policy.is_fresh(time.time()):
            return replace(stored.answer, from_cache=True)
        unless = None
        if stored is not None and (stored.policy.etag or stored.policy.last_modified):
            unless = Validators(url, stored.policy.etag, stored.policy.last_modified)
        sent_at = time.time()
        answer = await http.get(url, admit, unless=unless)
        if answer.status == _NOT_MODIFIED and stored is not None and answer.url == url:
            await asyncio.to_thread(self._confirm, url, stored, answer.heads[-1], sent_at)
            return replace(stored.answer, from_cache=True)
        if answer.url == url and not answer.redirects:
            await asyncio.to_thread(self._keep, url, answer, sent_at)
        return answer

    def find(self, url: str) -> StoredAnswer | None:
        """Return the stored answer for an address. Blocks."""
        with self._lock, _translated(self._path), self._open() as database:
            row = database.execute("SELECT stored FROM answers WHERE url = ?", (url,)).fetchone()
            if row is None:
                return None
            database.execute("UPDATE answers SET used_at = ? WHERE url = ?", (time.time(), url))
        return msgspec.msgpack.decode(zlib.decompress(row[0]), type=StoredAnswer)

    def _confirm(self, url: str, stored: StoredAnswer, head: AnswerHead, sent_at: float) -> None:
        headers = update_headers(stored.headers, _fields(head))
        exchange = HttpExchange(200, headers, head.request_headers, sent_at, time.time())
        policy = policy_of(exchange)
        if policy is not None:
            self._put(url, StoredAnswer(stored.answer, headers, policy))

    def _keep(self, url: str, answer: HttpAnswer, sent_at: float) -> None:
        head = answer.heads[-1]
        exchange = HttpExchange(
            head.status, _fields(head), head.request_headers, sent_at, time.time()
        )
        policy = policy_of(exchange)
        if policy is None or answer.incomplete or answer.cut or answer.body is None:
            self._remove(url)
            return
        plain = replace(answer, heads=(), body=secrets.current().mask(answer.body))
        self._put(url, StoredAnswer(plain, exchange.headers, policy))

    def _put(self, url: str, stored: StoredAnswer) -> None:
        data = zlib.compress(msgspec.msgpack.encode(stored), 1)
        with self._lock, _translated(self._path), self._open() as database:
            database.execute(_PUT, (url, time.time(), len(data), data))
            self._stored += 1
            if self._stored % _PRUNE_EVERY == 0:
                self._prune(database)

    def _remove(self, url: str) -> None:
        with self._lock, _translated(self._path), self._open() as database:
            database.execute("DELETE FROM answers WHERE url = ?", (url,))

    def _prune(self, database: "sqlite3.Connection") -> None:
        """Remove the least recently used answers beyond the total limit."""
        total, gone = 0, list[tuple[str]]()
        for url, size in database.execute(_LARGEST):
            total += size
            if total > MAX_BYTES:
                gone.append((url,))
        database.executemany("DELETE FROM answers WHERE url = ?", gone)

    def _open(self) -> "sqlite3.Connection":
        import sqlite3  # 1 MB, only for crawls that use it

        if self._database is not None:
            return self._database
        make_dir(self._path.parent)
        try:
            self._database = _connect(self._path)
        except sqlite3.OperationalError:
            raise  # a full disk, or another crawl that is writing: the file itself is intact
        except sqlite3.DatabaseError as error:
            logger.info("the cache %s is recreated: %s", self._path, error)
            for path in self._path.parent.glob(f"{self._path.name}*"):
                path.unlink(missing_ok=True)
            self._database = _connect(self._path)
        return self._database

    def close(self) -> None:
        """Close the file."""
        if self._database is not None:
            self._database.close()

    def __repr__(self) -> str:
        return f"HttpCache({str(self._path)!r})"


def _connect(path: Path) -> "sqlite3.Connection":
    """Return the database; sqlite3.DatabaseError for a broken file, or another version."""
    import sqlite3

    path.touch(FILE_MODE)
    database = sqlite3.connect(path, check_same_thread=False, timeout=_BUSY_S)
    try:
        _check_version(database)
        database.executescript(_SETUP)
    except sqlite3.DatabaseError:
        database.close()
        raise
    return database


def _check_version(database: "sqlite3.Connection") -> None:
    import sqlite3

    (version,) = database.execute("PRAGMA user_version").fetchone()
    if version not in (0, _VERSION):
        raise sqlite3.DatabaseError(f"it has version {version}")


@contextmanager
def _translated(path: Path) -> Iterator[None]:
    import sqlite3

    try:
        yield
    except sqlite3.OperationalError as error:
        raise database_error(path, error) from error


def _fields(head: AnswerHead) -> Fields:
    return tuple((name.decode("latin-1"), value.decode("latin-1")) for name, value in head.headers)
