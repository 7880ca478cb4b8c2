"""files/: screenshots and PDFs of a crawl's pages (keep=screenshot, pdf).

A file is written before its page's record, which names it by its path in the task's folder.
"""

import re
import threading
from collections.abc import Mapping
from hashlib import blake2b
from pathlib import Path

from ocd.crawl.archive.file_names import FILES
from ocd.crawl.crawl_result import PageRecord
from ocd.storage.files import make_dir, write_unsynced

MAX_BYTES = 4 << 30
_SUFFIXES = {"screenshot": ".webp", "pdf": ".pdf"}
FILE_KINDS = _SUFFIXES.keys()
_DIGEST_SIZE = 10
_NAME = re.compile(rf"[0-9a-f]{{{2 * _DIGEST_SIZE}}}\.(?:webp|pdf)")


class KeptFiles:
    """The files of one crawl; the folder is created with the first one."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._lock = threading.Lock()
        self._size: int | None = None

    def store(self, record: PageRecord, files: Mapping[str, bytes]) -> None:
        """Write a page's files, and name them in its record. Blocks. Raises storage_*."""
        for kind, data in files.items():
            name = f"{FILES}/{_digest(record.url)}{_SUFFIXES[kind]}"
            if not self._reserve(len(data)):
                record.not_kept.append(f"{kind}: the crawl's files have {MAX_BYTES >> 30} GB")
                continue
            write_unsynced(self._directory / name, data)
            setattr(record, kind, name)

    def _reserve(self, size: int) -> bool:
        with self._lock:
            if self._size is None:
                folder = make_dir(self._directory / FILES)
                self._size = sum(path.stat().st_size for path in folder.iterdir())
            if self._size + size > MAX_BYTES:
                return False
            self._size += size
            return True

    def __repr__(self) -> str:
        return f"KeptFiles({str(self._directory)!r})"


def is_kept_name(name: str) -> bool:
    """Return whether a file name has the form of those that pages' files get."""
    return _NAME.fullmatch(name) is not None


def _digest(url: str) -> str:
    return blake2b(url.encode("utf-8", "surrogatepass"), digest_size=_DIGEST_SIZE).hexdigest()
