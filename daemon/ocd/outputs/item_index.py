"""A payload's index: where each item begins, and a checksum for every block.

A file of 8 magic bytes (the last is the format version), then, all little-endian:

    n + 1 numbers of 64 bits, if there are n > 0 items: the offset of each item, then the end of
    the last one plus one. Items stand one byte apart in JSON, so an item ends one byte before the
    next number.
    one CRC-32 for each 16 KiB of the payload, the last one for what is left
    the number of items and the payload's size (64 bits each), and a CRC-32 of these two (64 bits)

So a page of any size is found and proven by reading little more than the page. Version 1, of the
releases up to 0.9, ended after the offsets; a payload without items had no index then.
"""

import os
import struct
import sys
from array import array
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self
from zlib import crc32

from ocd.api.errors import OcdError
from ocd.storage.files import open_private, reading, unreadable_error

MAGIC = b"ocd-idx\x02"
_MAGIC_1 = b"ocd-idx\x01"
BLOCK = 16 * 1024
_FOOTER = struct.Struct("<QQQ")
_WIDTH = 8
_SUM_WIDTH = 4
_FLUSH_AT = 8192


class IndexWriter:
    """Collects item positions and block checksums while the payload is written."""

    def __init__(self, file: BinaryIO) -> None:
        self.count = 0
        self.size = file.write(MAGIC)
        self._file = file
        self._starts = array("Q")
        self._end = 0
        # 4 bytes for each 16 KiB: half a megabyte for the largest payload there may be.
        self._sums = array("I")
        self._crc = 0
        self._total = 0

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
        if len(self._starts) >= _FLUSH_AT:
            self._flush()

    def add_to_checksums(self, data: bytes) -> None:
        """Take the payload's next bytes into the checksums."""
        left = memoryview(data)
        while left:
            piece = left[: BLOCK - self._total % BLOCK]
            self._crc = crc32(piece, self._crc)
            self._total += len(piece)
            left = left[len(piece) :]
            if self._total % BLOCK == 0:
                self._sums.append(self._crc)
                self._crc = 0

    def finish(self) -> BinaryIO:
        """Write the rest and return the open file, for syncing."""
        if self.count:
            self._starts.append(self._end + 1)
        self._flush()
        if self._total % BLOCK:
            self._sums.append(self._crc)
        self.size += self._file.write(_little_endian(self._sums).tobytes())
        self.size += self._file.write(_footer(self.count, self._total))
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
        return f"IndexWriter({self.count} items, {self._total} bytes)"


def _footer(count: int, total: int) -> bytes:
    both = struct.pack("<QQ", count, total)
    return both + struct.pack("<Q", crc32(both))


@dataclass(frozen=True, slots=True)
class Index:
    """An index, as stored on disk.

    count: items. payload_size: bytes of the payload, None if it has no checksums (version 1).
    """

    path: Path
    count: int
    payload_size: int | None

    def starts(self, first: int, count: int) -> "array[int]":
        """Return the starts of `count` items from item `first` on, and one number more."""
        return self._numbers("Q", len(MAGIC) + first * _WIDTH, count + 1)

    def sums(self, first: int, count: int) -> "array[int]":
        """Return the checksums of `count` blocks from block `first` on."""
        offsets = (self.count + 1) * _WIDTH if self.count else 0
        return self._numbers("I", len(MAGIC) + offsets + first * _SUM_WIDTH, count)

    def _numbers(self, kind: str, offset: int, count: int) -> "array[int]":
        numbers = array(kind)
        with reading(self.path), self.path.open("rb") as file:
            file.seek(offset)
            raw = file.read(count * numbers.itemsize)
        if len(raw) != count * numbers.itemsize:
            raise not_an_index(self.path)
        numbers.frombytes(raw)
        return _little_endian(numbers)


def _head_and_footer(path: Path) -> tuple[bytes, bytes, int]:
    """Return what a file begins with and ends with, and its size."""
    try:
        with reading(path), path.open("rb") as file:
            magic = file.read(len(MAGIC))
            size = os.fstat(file.fileno()).st_size
            file.seek(max(0, size - _FOOTER.size))
            return magic, file.read(_FOOTER.size), size
    except FileNotFoundError:
        raise not_an_index(path) from None


def read_index(path: Path) -> Index:
    """Return the index in a file; `unreadable_file` if it is missing or not an index."""
    magic, footer, size = _head_and_footer(path)
    if magic == _MAGIC_1:
        return Index(path, max(0, (size - len(MAGIC)) // _WIDTH - 1), None)
    if magic != MAGIC or len(footer) != _FOOTER.size:
        raise not_an_index(path)
    count, total, _ = _FOOTER.unpack(footer)
    if footer != _footer(count, total) or size != _size(count, total):
        raise not_an_index(path)
    return Index(path, count, total)


def _size(count: int, total: int) -> int:
    offsets = (count + 1) * _WIDTH if count else 0
    return len(MAGIC) + offsets + -(-total // BLOCK) * _SUM_WIDTH + _FOOTER.size


def not_an_index(path: Path) -> OcdError:
    """Return the error for a file that is not a valid index."""
    return unreadable_error(path, "it is not a valid index")


def _little_endian(numbers: "array[int]") -> "array[int]":
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers
