"""A result on its way to a file or socket: chunks in one pass, with its items' positions.

A result's list may be in a file of JSON lines (a crawl's pages): then the result is never in memory
as a whole, whatever its size.
"""

import io
import os
import secrets
import weakref
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import msgspec

from ocd.api.errors import OcdError
from ocd.storage.files import UNDECODABLE, read_lines, reading, unreadable_error

JSON = "application/json"
_PIECE = 1 << 16
_encode = msgspec.json.Encoder().encode


class PayloadChunk(NamedTuple):
    """Some bytes of a payload; `is_item` marks the bytes of exactly one item of its list."""

    data: bytes
    is_item: bool = False


class Rows(Protocol):
    """A list in a file: its items as JSON, which can be iterated more than once.

    Raises `unreadable_file` where the file is not what it should be.
    """

    def __iter__(self) -> Iterator[bytes]: ...


@dataclass(frozen=True, slots=True)
class JsonLinesFile:
    """A list in a file as JSON lines, one item per line.

    readable_only: lines that are not JSON are skipped; else they are `unreadable_file`.
    """

    path: Path
    readable_only: bool = False

    def __iter__(self) -> Iterator[bytes]:
        try:
            for number, line in enumerate(read_lines(self.path), 1):
                if self._reads(number, line):
                    yield line
        except OcdError as error:
            if not (self.readable_only and error.code == "unreadable_file"):
                raise

    def _reads(self, number: int, line: bytes) -> bool:
        try:
            msgspec.json.decode(line)
        except UNDECODABLE as error:
            if self.readable_only:
                return False
            raise self._unreadable(number, str(error)) from error
        return True

    def _unreadable(self, number: int, why: str) -> OcdError:
        return unreadable_error(self.path, f"line {number}: {why}", line=number)


class OpenedJsonLines:
    """The lines that a growing file of JSON lines has now, even if the file is removed later.

    Lines that are not JSON are left out. The file stays open for as long as this object exists.
    """

    def __init__(self, path: Path) -> None:
        with reading(path):
            self._descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        weakref.finalize(self, os.close, self._descriptor)
        self.path = path
        self._size = os.fstat(self._descriptor).st_size

    def __iter__(self) -> Iterator[bytes]:
        with reading(self.path):
            for line in io.BufferedReader(_DescriptorPart(self._descriptor, self._size)):
                if line.endswith(b"\n") and _is_json(line):
                    yield line[:-1]

    def __repr__(self) -> str:
        return f"OpenedJsonLines({str(self.path)!r}, {self._size})"


class _DescriptorPart(io.RawIOBase):
    """The first `size` bytes of an open file, with a place of its own in it."""

    def __init__(self, descriptor: int, size: int) -> None:
        self._descriptor = descriptor
        self._size = size
        self._at = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:  # noqa: ANN401 - what io calls a writable buffer
        data = os.pread(self._descriptor, min(len(buffer), self._size - self._at), self._at)
        buffer[: len(data)] = data
        self._at += len(data)
        return len(data)


def _is_json(line: bytes) -> bool:
    try:
        msgspec.json.decode(line)
    except UNDECODABLE:
        return False
    return True


class Payload:
    """A result with its media type, readable once or more as chunks.

    `items_at` is the path of keys to the list that pages by items: () for a result that is itself
    a list, None for one without items. `file` holds these very bytes already, with their index
    beside it, so that a copy may be a link to it.
    """

    def __init__(
        self,
        mime_type: str,
        data: object,
        items_at: tuple[str, ...] | None = None,
        rows: Rows | None = None,
        file: Path | None = None,
    ) -> None:
        self.mime_type = mime_type
        self.data = data
        self.items_at = items_at
        self._rows = rows
        self.file = file

    @property
    def of_rows(self) -> bool:
        """Whether its list comes from a file, as it stands there."""
        return self._rows is not None

    def __iter__(self) -> Iterator[PayloadChunk]:
        """Yield the chunks; their concatenation is the payload."""
        if self.items_at is not None:
            yield from self._item_chunks(self.items_at)
        elif self.mime_type == JSON and not isinstance(self.data, msgspec.Raw):
            yield PayloadChunk(_encode(self.data))
        else:
            yield from _pieces(self.data)

    def _item_chunks(self, items_at: tuple[str, ...]) -> Iterator[PayloadChunk]:
        head, tail = self._around(items_at)
        yield PayloadChunk(head + b"[")
        first = True
        for item in self._items(items_at):
            if not first:
                yield PayloadChunk(b",")
            first = False
            yield PayloadChunk(item, is_item=True)
        yield PayloadChunk(b"]" + tail)

    def _items(self, items_at: tuple[str, ...]) -> Iterable[bytes]:
        if self._rows is not None:
            return self._rows
        return map(_encode, at_keys(self.data, items_at))

    def _around(self, items_at: tuple[str, ...]) -> tuple[bytes, bytes]:
        # The list's place is found by encoding the rest around a random marker.
        if not items_at:
            return b"", b""
        mark = secrets.token_hex(16)
        encoded = _encode(_replace_at(self.data, items_at, mark))
        head, _, tail = encoded.partition(b'"%s"' % mark.encode())
        return head, tail

    def without_file(self) -> "Payload":
        """Return the payload without its file, so that it is copied instead of linked."""
        return Payload(self.mime_type, self.data, self.items_at, self._rows)

    def encode(self) -> bytes:
        """Return the whole payload in memory."""
        return b"".join(chunk.data for chunk in self)


def _pieces(data: Any) -> Iterator[PayloadChunk]:  # noqa: ANN401 - text, bytes or raw JSON
    """Encode a long text in pieces: no second copy, and no long hold of the interpreter."""
    content = data if isinstance(data, str) else memoryview(data)
    for start in range(0, len(content), _PIECE):
        piece = content[start : start + _PIECE]
        yield PayloadChunk(piece.encode() if isinstance(piece, str) else bytes(piece))


def of_text(mime_type: str, text: str) -> Payload:
    """Return the payload of a text; JSON is decoded, so that a list can be paged.

    JSON with the sanitiser's note before it is no JSON any more, and stored as the text it is.
    """
    if mime_type != JSON:
        return Payload(mime_type, text)
    try:
        if text[:1] == "[":
            return Payload(JSON, msgspec.json.decode(text, type=list[msgspec.Raw]), ())
        return Payload(JSON, msgspec.json.decode(text, type=msgspec.Raw))
    except UNDECODABLE:
        return Payload("text/plain", text)


def at_keys(data: Any, keys: Sequence[str]) -> Any:  # noqa: ANN401 - any JSON value
    """Return the value at a path of keys."""
    for key in keys:
        data = data[key]
    return data


def _replace_at(data: Any, keys: Sequence[str], value: str) -> dict[str, Any]:  # noqa: ANN401
    rest = value if len(keys) == 1 else _replace_at(data[keys[0]], keys[1:], value)
    return {**data, keys[0]: rest}
