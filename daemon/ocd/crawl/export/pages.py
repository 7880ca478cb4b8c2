"""A crawl's records on their way to another format."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import msgspec

from ocd.crawl.raw_answers import RawAnswer
from ocd.storage.payload import Rows


class Stopped(Exception):
    """Whoever asked for the export has gone."""


@dataclass
class Pages:
    """A crawl's records, to be gone through once or more; `count` and `failed` are of the last.

    raw: its answers as their servers sent them, if it kept them.
    """

    rows: Rows
    is_stopped: Callable[[], bool] = lambda: False
    raw: Rows = ()
    count: int = field(default=0, init=False)
    failed: int = field(default=0, init=False)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """Yield the records. Raises `unreadable_file`, and Stopped."""
        self.count = self.failed = 0
        for line in self.rows:
            if self.is_stopped():
                raise Stopped
            record: dict[str, Any] = msgspec.json.decode(line)
            self.count += 1
            self.failed += record.get("error") is not None
            yield record

    def read(self) -> Iterator[dict[str, Any]]:
        """Yield the records of pages that could be read."""
        return (record for record in self if record.get("error") is None)

    def read_raw(self) -> Iterator[RawAnswer]:
        """Yield the raw answers. Raises `unreadable_file`, and Stopped."""
        for line in self.raw:
            if self.is_stopped():
                raise Stopped
            yield msgspec.json.decode(line, type=RawAnswer)
