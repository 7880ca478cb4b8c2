"""Durable files: the only way to write a whole file, and the only way to append to a log.

A whole file is written to a temporary file in the same folder, synced, moved into place, and the
folder is synced: after a crash a reader finds the old file or the new one. What POSIX does not
promise (a disk that lies about fsync) is not promised here either. All functions block; the loop
calls them through `asyncio.to_thread` where they may take long.
"""

import errno
import io
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeVar

import msgspec

from ocd.api.errors import OcdError

if TYPE_CHECKING:
    import sqlite3

T = TypeVar("T")
# What a decoder raises for bytes that are not what they should be: no JSON, no UTF-8, too deep.
UNDECODABLE = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
_FULL_HINT = "Free disk space, or set max_store_mb and sweep."
# Why a file that another one names cannot be read.
MISSING = "it is missing"
UNTOUCHED_HINT = "It was left unchanged: repair it, or move it away."
# A file's bytes and its size, not its times: half the work on some file systems.
sync_data = getattr(os, "fdatasync", os.fsync)
FILE_MODE = 0o600
DIR_MODE = 0o700
_FULL = {errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC)}
# The second: no room for the file through which its users share a log of changes.
_FULL_IN_SQLITE = {"SQLITE_FULL", "SQLITE_IOERR_SHMSIZE"}
# Not a file, or one that cannot be read; anything else is the system's state.
_UNREADABLE = {
    errno.EISDIR, errno.ENOTDIR, errno.ELOOP, errno.EACCES, errno.EPERM, errno.EIO, errno.ENXIO,
}  # fmt: skip


def storage_error(doing: str, path: Path, error: OSError) -> OcdError:
    """Return the error of a failed write or read: storage_full or storage_failed, with the path."""
    full = error.errno in _FULL
    return OcdError(
        "storage_full" if full else "storage_failed",
        f"{doing} {path}: {error.strerror or error}",
        hint=_FULL_HINT if full else "Check that its folder exists and can be written.",
        path=str(path),
        errno=error.errno,
    )


def database_error(path: Path, error: "sqlite3.OperationalError") -> OcdError:
    """Return the error of a database that could not be written: see storage_error."""
    full = error.sqlite_errorname in _FULL_IN_SQLITE
    failure = OSError(errno.ENOSPC if full else errno.EIO, str(error))
    return storage_error("writing", path, failure)


@contextmanager
def storage(doing: str, path: Path) -> Iterator[None]:
    """Translate an OSError of the block into a storage error; `doing` is an -ing phrase."""
    try:
        yield
    except OSError as error:
        raise storage_error(doing, path, error) from error


def unreadable_error(
    path: Path, why: str, *, hint: str = UNTOUCHED_HINT, **details: object
) -> OcdError:
    """Return the error of a file that cannot be read or decoded; such a file is left alone."""
    message = f"Cannot read {path}: {why}"
    return OcdError("unreadable_file", message, hint=hint, path=str(path), **details)


def newer_format(found: int) -> str:
    """Say why a file of a later format version cannot be read."""
    return f"its format version {found} is of a newer OpenChrome"


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """Translate an OSError of reading `path`: unreadable_file, or storage_failed.

    A missing file is left to the caller: it may mean anything.
    """
    try:
        yield
    except FileNotFoundError:
        raise
    except OSError as error:
        if error.errno not in _UNREADABLE:
            raise storage_error("reading", path, error) from error
        raise unreadable_error(path, error.strerror or str(error), errno=error.errno) from error


def make_dir(path: Path) -> Path:
    """Create the folder (and its parents) with mode 0700 and return it."""
    with storage("creating", path):
        path.mkdir(mode=DIR_MODE, parents=True, exist_ok=True)
    return path


def write_whole(path: Path, chunks: bytes | Iterable[bytes]) -> int:
    """Replace `path` atomically and durably with `chunks`; return its size in bytes.

    Nothing of a failed write stays behind, and the old file is untouched by it.
    """
    pieces = (chunks,) if isinstance(chunks, bytes) else chunks
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    with storage("writing", path):
        try:
            size = _write_synced(part, pieces)
            os.replace(part, path)  # noqa: PTH105 - os.replace is the term every reader knows
        except BaseException:  # no failure leaves the part behind
            part.unlink(missing_ok=True)
            raise
        sync_dir(path.parent)
    return size


def _write_synced(path: Path, pieces: Iterable[bytes]) -> int:
    size = 0
    with open_private(path) as file:
        for piece in pieces:
            size += file.write(piece)
        file.flush()
        os.fsync(file.fileno())
    return size


def open_private(path: Path, *, append: bool = False) -> io.BufferedWriter:
    """Open a file for writing with mode 0600, never through a symbolic link."""
    flags = os.O_WRONLY | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    flags |= os.O_APPEND if append else os.O_TRUNC
    return open(os.open(path, flags, FILE_MODE), "ab" if append else "wb")  # noqa: PTH123


def write_unsynced(path: Path, data: bytes) -> None:
    """Write a file that a crash of the machine may lose; no failure leaves half of it."""
    with storage("writing", path):
        try:
            with open_private(path) as file:
                file.write(data)
        except BaseException:  # no failure leaves half a file behind
            path.unlink(missing_ok=True)
            raise


def sync_dir(path: Path) -> None:
    """Make renames and new names in the folder durable; a no-op where folders cannot be synced."""
    if os.name == "nt":
        return
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_DIRECTORY", 0))
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


class Identity(NamedTuple):
    """The identity of a file, independent of its name."""

    device: int
    inode: int

    @classmethod
    def of(cls, path: Path) -> "Identity | None":
        """Return the identity of the file at the path; None if there is none."""
        try:
            status = path.stat(follow_symlinks=False)
        except OSError:
            return None
        return cls(status.st_dev, status.st_ino)


class JsonLinesLog:
    """A file of JSON lines that only grows: one `append` is one write of one whole line.

    A line survives the death of this process once `append` has returned; one that could not be
    written whole (the disk is full) is taken back. A torn last line (the machine died) is skipped
    by `read_lines`, and closed with a newline before the next append.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        with storage("opening", path):
            # Unbuffered: what failed once must not come out with a later line.
            self._file = open_private(path, append=True).detach()
            self._size = self._file.seek(0, os.SEEK_END)
            if self._size and _last_byte(path) != b"\n":
                self._write(b"\n")

    def append(self, line: bytes, *, durably: bool = False) -> None:
        """Append one line (without its newline); durably: it survives the machine's death, too."""
        assert b"\n" not in line
        try:
            self._write(line + b"\n", durably=durably)
        except OSError as error:
            raise storage_error("appending to", self.path, error) from error

    def _write(self, line: bytes, *, durably: bool = False) -> None:
        written = 0
        try:
            while written < len(line):
                written += self._file.write(line[written:] if written else line)
            if durably:
                sync_data(self._file.fileno())
        except OSError:
            if written:
                self._file.truncate(self._size)
            raise
        self._size += written

    def sync(self) -> None:
        """Make what was appended survive the machine's death, too."""
        with storage("syncing", self.path):
            sync_data(self._file.fileno())

    def close(self) -> None:
        """Close the file; appending afterwards is a bug."""
        self._file.close()

    def __repr__(self) -> str:
        return f"JsonLinesLog({str(self.path)!r})"


def _last_byte(path: Path) -> bytes:
    with path.open("rb") as file:
        file.seek(-1, os.SEEK_END)
        return file.read(1)


def read_lines(path: Path) -> Iterator[bytes]:
    """Yield the whole lines of a log, without newlines; nothing if there is no file."""
    with reading(path):
        try:
            file = path.open("rb")
        except FileNotFoundError:
            return
        with file:
            for line in file:
                if line.endswith(b"\n") and line != b"\n":
                    yield line[:-1]


def read_whole(path: Path) -> bytes | None:
    """Return the file's bytes, or None if there is none."""
    with reading(path):
        try:
            return path.read_bytes()
        except FileNotFoundError:
            return None


def read_document(path: Path, document_type: type[T]) -> T | None:
    """Return the JSON document of a file, None if there is none; unreadable_file if it is not one.

    Nobody may overwrite what could not be read.
    """
    raw = read_whole(path)
    if raw is None:
        return None
    try:
        return msgspec.json.decode(raw, type=document_type)
    except UNDECODABLE as error:
        raise unreadable_error(path, str(error)) from None


class Versioned(Protocol):
    """A document with a format version."""

    @property
    def version(self) -> int:
        """The version, counted from 1."""
        ...


V = TypeVar("V", bound=Versioned)


def decode_versioned(path: Path, data: bytes, document_type: type[V], version: int) -> V:
    """Return the document that a file holds; unreadable_file if it is not one, or a newer one."""
    try:
        found = msgspec.json.decode(data, type=document_type)
    except UNDECODABLE as error:
        raise unreadable_error(path, str(error)) from None
    if found.version > version:
        raise unreadable_error(path, newer_format(found.version))
    return found
