"""A crawl's records, as the exports read them."""

import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

import msgspec

from ocd.crawl.archive.file_names import FILES
from ocd.crawl.archive.kept_files import FILE_KINDS
from ocd.crawl.archive.raw_answers import RawAnswer
from ocd.storage.files import storage
from ocd.storage.payload import Rows


class ExportStoppedError(Exception):
    """The caller that requested the export has gone."""


@dataclass
class Pages:
    """A crawl's records, which may be iterated again; `count` and `failed` are of the last time.

    Attributes:
        raw: the responses as the servers sent them, if the crawl kept them.
        folder: the folder of its pictures and PDFs.
        file_prefix: the path by which the records name those.
    """

    rows: Rows
    is_stopped: Callable[[], bool] = lambda: False
    raw: Rows = ()
    folder: Path | None = None
    file_prefix: str = FILES
    count: int = field(default=0, init=False)
    failed: int = field(default=0, init=False)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """Yield the records. Raises `unreadable_file`, and ExportStoppedError."""
        self.count = self.failed = 0
        for line in self.rows:
            if self.is_stopped():
                raise ExportStoppedError
            record: dict[str, Any] = msgspec.json.decode(line)
            self.count += 1
            self.failed += record.get("error") is not None
            for kind in FILE_KINDS & record.keys():
                record[kind] = f"{self.file_prefix}/{PurePosixPath(record[kind]).name}"
            yield record

    def read(self) -> Iterator[dict[str, Any]]:
        """Yield the records of the pages that could be read."""
        return (record for record in self if record.get("error") is None)

    @property
    def files(self) -> list[Path]:
        """The pictures and PDFs of its pages. Blocks."""
        if self.folder is None or not self.folder.is_dir():
            return []
        return sorted(self.folder.iterdir())

    def copy_files(self, target: Path) -> int:
        """Copy the pictures and PDFs into a new folder; return their bytes. Blocks. storage_*."""
        size = 0
        with storage("writing", target):
            target.mkdir()
            for path in self.files:
                if self.is_stopped():
                    raise ExportStoppedError
                shutil.copyfile(path, target / path.name)
                size += path.stat().st_size
        return size

    def read_raw(self) -> Iterator[RawAnswer]:
        """Yield the raw answers. Raises `unreadable_file`, and ExportStoppedError."""
        for line in self.raw:
            if self.is_stopped():
                raise ExportStoppedError
            yield msgspec.json.decode(line, type=RawAnswer)
