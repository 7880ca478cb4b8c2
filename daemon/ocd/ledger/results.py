"""A task's result.json, written and read without its list in memory."""

import os
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import msgspec

from ocd.ledger.states import ResultListSpan, TaskMeta
from ocd.outputs.file_layout import part_of
from ocd.outputs.item_index import IndexWriter, read_index
from ocd.outputs.reader import PayloadReader, StoredItems
from ocd.storage import crash_points
from ocd.storage.files import (
    MISSING,
    UNDECODABLE,
    open_private,
    reading,
    storage,
    sync_dir,
    unreadable_error,
)
from ocd.storage.payload import JsonLinesFile, Payload, PayloadChunk, Rows, at_keys

RESULT = "result.json"


def write_result(path: Path, payload: Payload, units_size: int) -> ResultListSpan | None:
    """Write a result and its index in one pass (steps 5.1 and 5.2).

    Raises storage_*; a write that fails leaves no temporary files.

    Args:
        path: of result.json.
        payload: the result.
        units_size: the size of the task's units file in bytes.

    Returns:
        Where the result's list is in the file; None if it has none.
    """
    index_path = path.with_suffix(".idx")
    parts = part_of(path), part_of(index_path)
    chunks = _CountedChunks(payload)
    with storage("writing", path):
        try:
            with ExitStack() as stack:
                body = stack.enter_context(open_private(parts[0]))
                index = stack.enter_context(IndexWriter.create(parts[1]))
                _fill(body, index, chunks)
                os.fsync(body.fileno())
                os.fsync(index.finish().fileno())
            parts[1].replace(index_path)
            crash_points.point("result.index")
            parts[0].replace(path)
        except BaseException:  # whatever the failure, no parts are left behind
            for part in parts:
                part.unlink(missing_ok=True)
            raise
        sync_dir(path.parent)
    return chunks.place(units_size)


def _fill(body: BinaryIO, index: IndexWriter, chunks: "_CountedChunks") -> None:
    at = 0
    for data, is_item in chunks:
        body.write(data)
        index.add_to_checksums(data)
        if is_item:
            index.add(at, at + len(data))
        at += len(data)
        crash_points.point("result.chunk")
    body.flush()


class _CountedChunks:
    """The chunks of a payload on their way to result.json, counted as they pass."""

    def __init__(self, payload: Payload) -> None:
        self._payload = payload
        self._first = self._last = self._total = self._lines = 0

    def __iter__(self) -> Iterator[PayloadChunk]:
        for chunk in self._payload:
            size = len(chunk.data)
            self._first = self._first or size
            self._last = size
            self._total += size
            # An item and its newline: if the sums are equal, the list is exactly the units.
            self._lines += size + 1 if chunk.is_item else 0
            yield chunk

    def place(self, units_size: int) -> ResultListSpan | None:
        """Return where the list is, if there is one; call it after all bytes have passed."""
        keys = self._payload.items_at
        if keys is None:
            return None
        # The first chunk ends with the list's bracket, the last one begins with it.
        end = self._total - self._last + 1
        # A list that the kind has built itself may have the units in another order.
        is_units = self._payload.of_rows and 0 < self._lines == units_size
        return ResultListSpan(keys, self._first - 1, end, in_units=is_units)


@dataclass(frozen=True, slots=True)
class TaskResult:
    """A task's result. If `rows` is set, `data` lacks the list at the keys `items`.

    Attributes:
        file: contains all of it, with its index beside it.
    """

    data: Any
    rows: Rows | None = None
    items: tuple[str, ...] | None = None
    file: Path | None = None


def read_result(path: Path, units: JsonLinesFile, meta: TaskMeta) -> TaskResult | None:
    """Return the result of a task, or None if it has none. Blocks.

    A list that consists of the task's units is not read: it is returned as `rows`.

    Raises:
        OcdError: unreadable_file.
    """
    if meta.result_path is None:
        return None
    try:
        with reading(path), path.open("rb") as file:
            if meta.result_checked:
                return _read_checked(file, path, meta.result_list)
            return _read_older(file, path, units, meta.result_list)
    except FileNotFoundError:
        raise unreadable_error(path, MISSING) from None


def _read_checked(file: BinaryIO, path: Path, place: ResultListSpan | None) -> TaskResult:
    index = read_index(path.with_suffix(".idx"))
    payload = PayloadReader(file, path, index.payload_size or 0, index)
    keys = place.keys if place else None
    if place is None or not place.in_units:
        return TaskResult(_decode(path, payload.read(0, payload.size)), None, keys, path)
    tail = payload.read(place.end, payload.size)
    data = _without_list(path, payload.read(0, place.start), tail, place)
    return TaskResult(data, StoredItems(path, index), keys, path)


def _read_older(
    file: BinaryIO, path: Path, units: JsonLinesFile, place: ResultListSpan | None
) -> TaskResult:
    """Return a result of an earlier release, which kept the units beside it and no checksums."""
    if place is None or not _is_unchanged(units, place):
        return TaskResult(_decode(path, file.read()), items=place.keys if place else None)
    head = file.read(place.start)
    file.seek(place.end)
    return TaskResult(_without_list(path, head, file.read(), place), units, place.keys)


def _without_list(path: Path, head: bytes, tail: bytes, place: ResultListSpan) -> Any:  # noqa: ANN401
    """Return the result with an empty list in place of its own."""
    data = _decode(path, head + b"[]" + tail)
    try:
        found = at_keys(data, place.keys)
    except (KeyError, TypeError) as error:
        raise unreadable_error(path, f"it has no {'.'.join(place.keys)}") from error
    if found != []:
        raise unreadable_error(path, f"its {'.'.join(place.keys)} are not where they were")
    return data


def _is_unchanged(units: JsonLinesFile, place: ResultListSpan) -> bool:
    # One newline per unit, one comma or bracket per item; otherwise the units file was changed.
    return place.in_units and file_size(units.path) == place.end - place.start - 1


def file_size(path: Path) -> int:
    """Return the file's size in bytes, 0 if there is none."""
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


def _decode(path: Path, data: bytes) -> Any:  # noqa: ANN401 - any JSON value
    try:
        return msgspec.json.decode(data)
    except UNDECODABLE as error:
        raise unreadable_error(path, str(error)) from error
