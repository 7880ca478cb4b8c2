"""The index of a payload's items: where each one begins, so that a page costs what it returns.

A file of 8 magic bytes (the last is the format version) and, for n > 0 items, n + 1 unsigned
64-bit little-endian numbers: the offset of each item, then the end of the last one plus one.
Items stand one byte apart in JSON, so an item ends one byte before the next number.
"""

import sys
from array import array
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self

from ocd.api.errors import OcdError
from ocd.files import open_private

MAGIC = b"ocd-idx\x01"
_WIDTH = 8
_BLOCK = 8192


class IndexWriter:
    """Collects the places of items while the payload is written; writes in blocks of 64 KiB."""

    def __init__(self, file: BinaryIO) -> None:
        self.count = 0
        self.size = file.write(MAGIC)
        self._file = file
        self._starts = array("Q")
        self._end = 0

    @classmethod
    def create(cls, path: Path) -> "IndexWriter":
        """Start an index in a new file."""
        return cls(open_private(path))

    def add(self, start: int, end: int) -> None:
        """Note the next item: bytes from `start` to `end`."""
        assert self.count == 0 or start == self._end + 1
        self._end = end
        self.count += 1
        self._starts.append(start)
        if len(self._starts) >= _BLOCK:
            self._flush()

    def finish(self) -> BinaryIO:
        """Write the rest and return the open file, for syncing."""
        if self.count:
            self._starts.append(self._end + 1)
        self._flush()
        self._file.flush()
        return self._file

    def _flush(self) -> None:
        self.size += self._file.write(_little_endian(self._starts).tobytes())
        self._starts = array("Q")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _e: BaseException | None, _t: TracebackType | None
    ) -> None:
        self._file.close()

    def __repr__(self) -> str:
        return f"IndexWriter({self.count} items)"


def read_starts(path: Path, first: int, count: int) -> "array[int]":
    """Return the starts of `count` items from item `first` on, and one number more.

    The caller knows how many items there are; a file that does not hold them is unreadable. An
    OSError is the caller's to translate.
    """
    starts = array("Q")
    with path.open("rb") as file:
        magic = file.read(len(MAGIC))
        file.seek(len(MAGIC) + first * _WIDTH)
        raw = file.read((count + 1) * _WIDTH)
    if magic != MAGIC or len(raw) != (count + 1) * _WIDTH:
        raise OcdError("unreadable_file", f"{path} is not the index it should be", path=str(path))
    starts.frombytes(raw)
    return _little_endian(starts)


def _little_endian(numbers: "array[int]") -> "array[int]":
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers
