"""Reading a stored payload with verified checksums.

Every read is verified by the checksums of the blocks that it touches, at the cost of at most two
more blocks. Payloads of releases without checksums are read unverified; JSON from one of them has
to be decoded to be sure that it is valid (`StoredItems`, `ocd.outputs.paging`).
"""

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import BinaryIO
from zlib import crc32

from ocd.api.errors import OcdError
from ocd.outputs.item_index import BLOCK, Index, not_an_index
from ocd.storage.files import reading, unreadable_error

# The most items that are read at a time, and the most bytes if they are small.
_ITEMS_AT_ONCE = 4096
_BYTES_AT_ONCE = 1 << 20


class PayloadReader:
    """One payload, open for reading. index: None if it has neither items nor checksums."""

    def __init__(self, file: BinaryIO, path: Path, size: int, index: Index | None) -> None:
        self.path = path
        self.size = size
        self.index = index
        self._file = file
        if index is not None and index.payload_size not in (None, size):
            raise not_an_index(index.path)

    @property
    def has_checksums(self) -> bool:
        """Whether what is read is compared with checksums."""
        return self.index is not None and self.index.payload_size is not None

    def starts(self, first: int, count: int) -> list[int]:
        """Return the starts of `count` items from item `first` on, and one number more.

        They rise and lie within the payload; else the index is unreadable.
        """
        if self.index is None:
            raise not_an_index(self.path.with_suffix(".idx"))
        starts = self.index.starts(first, count).tolist()
        rising = all(start < end for start, end in pairwise(starts))
        if not rising or starts[-1] > self.size:
            raise not_an_index(self.index.path)
        return starts

    def read(self, offset: int, size: int) -> bytes:
        """Return `size` bytes from `offset`, fewer at the payload's end; `unreadable_file`."""
        end = min(offset + size, self.size)
        if offset >= end:
            return b""
        if self.index is None or not self.has_checksums:
            return self._bytes(offset, end)
        first, last = offset // BLOCK, (end - 1) // BLOCK
        base = first * BLOCK
        data = self._bytes(base, min((last + 1) * BLOCK, self.size))
        view = memoryview(data)
        for number, expected in enumerate(self.index.sums(first, last - first + 1)):
            if crc32(view[number * BLOCK : (number + 1) * BLOCK]) != expected:
                raise self._changed(base + number * BLOCK)
        return (
            data
            if (base, len(data)) == (offset, end - offset)
            else data[offset - base : end - base]
        )

    def _bytes(self, start: int, end: int) -> bytes:
        with reading(self.path):
            self._file.seek(start)
            data = self._file.read(end - start)
        if len(data) != end - start:
            raise self._changed(start + len(data))
        return data

    def _changed(self, at: int) -> OcdError:
        why = f"it differs from what was stored, from byte {at} on"
        hint = "It was left unchanged; the disk or another program has altered it."
        return unreadable_error(self.path, why, hint=hint, offset=at)

    def __repr__(self) -> str:
        return f"PayloadReader({str(self.path)!r}, {self.size} bytes)"


class StoredItems:
    """The items of a stored payload with checksums, one by one; may be iterated more than once.

    Raises `unreadable_file` where the file is not what was stored.
    """

    def __init__(self, path: Path, index: Index) -> None:
        self.path = path
        self._index = index

    def __iter__(self) -> Iterator[bytes]:
        with reading(self.path), self.path.open("rb") as file:
            reader = PayloadReader(file, self.path, self._index.payload_size or 0, self._index)
            for first in range(0, self._index.count, _ITEMS_AT_ONCE):
                count = min(_ITEMS_AT_ONCE, self._index.count - first)
                yield from _items(reader, reader.starts(first, count))

    def at(self, number: int) -> bytes:
        """Return one item, by its place from 0 on."""
        with reading(self.path), self.path.open("rb") as file:
            reader = PayloadReader(file, self.path, self._index.payload_size or 0, self._index)
            start, following = reader.starts(number, 1)
            return reader.read(start, following - 1 - start)

    def __repr__(self) -> str:
        return f"StoredItems({str(self.path)!r}, {self._index.count})"


def _items(reader: PayloadReader, starts: list[int]) -> Iterator[bytes]:
    low = 0
    while low < len(starts) - 1:
        high = low + 1
        while high < len(starts) - 1 and starts[high + 1] - starts[low] <= _BYTES_AT_ONCE:
            high += 1
        data = reader.read(starts[low], starts[high] - 1 - starts[low])
        for start, end in pairwise(starts[low : high + 1]):
            yield data[start - starts[low] : end - 1 - starts[low]]
        low = high
