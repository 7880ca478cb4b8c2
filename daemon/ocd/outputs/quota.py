"""The total size of stored outputs, known without looking at the disk; shared by threads."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import NamedTuple

from ocd.outputs.file_layout import HandleFiles


class StoredHandle(NamedTuple):
    """A handle on disk: its folder, bytes of all its files, when it expires.

    Bytes that a task's result has, too, are not counted: see ocd.outputs.sweeper.

    expires: seconds since the epoch; None if it has no readable meta (it is no handle then).
    """

    folder: Path
    size: int
    expires: float | None


class StoreUsage:
    """The handles on disk and those being written. The disk is authoritative; a sweep corrects
    this."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._handles: dict[str, StoredHandle] = {}
        self._writing: dict[str, int] = {}
        self._folders: dict[str, Path] = {}
        self._total = 0

    @property
    def total(self) -> int:
        """Bytes on disk, those of unfinished handles included."""
        return self._total

    def count(self) -> int:
        """Return how many handles there are."""
        return sum(1 for handle in list(self._handles.values()) if handle.expires is not None)

    def usage_of(self, handle: str) -> StoredHandle | None:
        """Return what is known of a handle; None if it is unknown."""
        return self._handles.get(handle)

    def names(self) -> frozenset[str]:
        """Return the handles known now."""
        return frozenset(self._handles)

    def newest(self) -> list[str]:
        """Return the handles, those that expire last first."""
        by_expiry = [
            (one.expires, handle) for handle, one in list(self._handles.items()) if one.expires
        ]
        return [handle for _, handle in sorted(by_expiry, reverse=True)]

    def is_writing(self, handle: str) -> bool:
        """Return whether the handle is being written in this process."""
        return handle in self._writing

    @contextmanager
    def writing(self, place: HandleFiles) -> Iterator[None]:
        """Count a handle as being written; the space reserved for it is released at the end."""
        with self._lock:
            self._writing[place.handle] = 0
            self._folders[place.handle] = place.folder
        try:
            yield
        finally:
            with self._lock:
                self._total -= self._writing.pop(place.handle)
                del self._folders[place.handle]

    def try_grow(self, handle: str, size: int, cap: int) -> bool:
        """Count a handle being written with `size` bytes; False if the total would pass `cap`."""
        with self._lock:
            more = size - self._writing[handle]
            if more > 0 and self._total + more > cap:
                return False
            self._writing[handle] = size
            self._total += more
            return True

    def keep(self, handle: str, stored: StoredHandle) -> None:
        """Count a handle as stored."""
        with self._lock:
            self._keep(handle, stored)

    def _keep(self, handle: str, stored: StoredHandle) -> None:
        before = self._handles.get(handle)
        self._total += stored.size - (before.size if before else 0)
        self._handles[handle] = stored

    def reconcile(self, before: frozenset[str], found: Mapping[str, StoredHandle]) -> None:
        """Adopt the result of a sweep; `before`: the names known when it began.

        Handles stored while the sweep was looking stay as they were stored: it may have seen their
        payload without its description.
        """
        with self._lock:
            for handle in before - found.keys():
                gone = self._handles.pop(handle, None)
                self._total -= gone.size if gone else 0
            for handle, stored in found.items():
                if handle in before or handle not in self._handles:
                    self._keep(handle, stored)

    def remove_folder(self, folder: Path) -> bool:
        """Remove an empty folder, unless a handle is being written to it; raises OSError.

        Returns whether it was removed.
        """
        with self._lock:
            if folder in self._folders.values():
                return False
            folder.rmdir()
            return True

    def __repr__(self) -> str:
        return f"StoreUsage({len(self._handles)} handles, {self._total} bytes)"
