"""A task's result.json, written and read without holding its list in memory."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from ocd import faults
from ocd.files import storage
from ocd.ledger.errors import unreadable
from ocd.ledger.states import ListPlace, TaskMeta
from ocd.payload import Lines, Payload

RESULT = "result.json"


class Tally:
    """The bytes of a payload on their way to result.json, counted as they pass."""

    def __init__(self, payload: Payload) -> None:
        self._payload = payload
        self._first = self._last = self._total = self._lines = 0

    def __iter__(self) -> Iterator[bytes]:
        for data, is_item in self._payload:
            self._first = self._first or len(data)
            self._last = len(data)
            self._total += len(data)
            # An item and its newline: equal sums mean that the list is the units, one by one.
            self._lines += len(data) + 1 if is_item else 0
            yield data
            faults.point("result.chunk")

    def place(self, units_size: int) -> ListPlace | None:
        """Return where the list stands, if there is one; to be asked once all bytes passed."""
        keys = self._payload.items_at
        if keys is None:
            return None
        # The first chunk ends with the list's bracket, the last one begins with it.
        end = self._total - self._last + 1
        # A list of its own may have the units in another order.
        is_units = self._payload.of_rows and 0 < self._lines == units_size
        return ListPlace(keys, self._first - 1, end, in_units=is_units)


@dataclass(frozen=True, slots=True)
class Result:
    """A task's result. With `rows`, `data` has everything but the list at the keys `items`."""

    data: Any
    rows: Lines | None = None
    items: tuple[str, ...] | None = None


def read_result(path: Path, units: Lines, meta: TaskMeta) -> Result | None:
    """Return the result of a task that stands at `path`, or None if it has none. Blocks.

    A list that stands in the units file is not read: it comes as `rows`.
    """
    if meta.result_path is None:
        return None
    place = meta.result_list
    with storage("reading", path):
        if place is not None and _stands_in(units, place):
            data = _without_list(path, place)
            return Result(_decoded(path, data), units, place.keys)
        data = path.read_bytes()
    return Result(_decoded(path, data), items=place.keys if place else None)


def _stands_in(units: Lines, place: ListPlace) -> bool:
    # As many newlines there as commas and a bracket here; else somebody changed the units file.
    return place.in_units and file_size(units.path) == place.end - place.start - 1


def file_size(path: Path) -> int:
    """Return the file's size in bytes, 0 if there is none."""
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


def _without_list(path: Path, place: ListPlace) -> bytes:
    with path.open("rb") as file:
        head = file.read(place.start)
        file.seek(place.end)
        return head + b"[]" + file.read()


def _decoded(path: Path, data: bytes) -> Any:  # noqa: ANN401 - any JSON value
    try:
        return msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise unreadable(path, str(error)) from error
