"""The folders that contain handles: the store's own, and each that was ever configured.

Those besides the store's own are listed in `<root>/roots.json`, so that their handles are found,
counted and swept after a restart, and after the setting has changed:

    {"format": "output_roots", "version": 1, "folders": ["/srv/outputs"]}

A folder is listed before its first handle is written (one whole file, see files.write_whole). It
stays in the list: an empty one costs little, and may be a disk that is not mounted at the moment.
"""

import logging
import threading
from pathlib import Path
from typing import Literal

import msgspec

from ocd.api.errors import OcdError
from ocd.storage.files import make_dir, read_document, write_whole

logger = logging.getLogger(__name__)

FILE = "roots.json"
# Beyond this number the oldest is dropped.
MAX_FOLDERS = 100


class _Roots(msgspec.Struct, frozen=True, kw_only=True):
    """The file as it is on disk, the latest folder last."""

    format: Literal["output_roots"] = "output_roots"
    version: Literal[1] = 1
    folders: list[str] = []


class Roots:
    """The folders; any thread may ask. `load` and `add` block."""

    def __init__(self, own: Path) -> None:
        self.own = own
        self._file = own / FILE
        self._others: list[Path] = []
        self._lock = threading.Lock()
        self._loaded = False

    def all(self) -> list[Path]:
        """Return all folders, the store's own first. The file is read at the first time."""
        with self._lock:
            self._load()
            return [self.own, *self._others]

    def _load(self) -> None:
        if self._loaded:
            return
        self._loaded = True
        try:
            known = read_document(self._file, _Roots) or _Roots()
        except OcdError as error:
            # It is not overwritten either: until somebody repairs it, folders are known only by
            # use.
            logger.warning("%s; handles in folders that it names are not found", error)
            return
        self._others += [
            Path(folder) for folder in known.folders if Path(folder) not in self._others
        ]

    def add(self, folder: Path) -> None:
        """Add a folder permanently; if it cannot be stored, it is known until the daemon ends."""
        with self._lock:
            self._load()
            if folder == self.own or folder in self._others:
                return
            self._others.append(folder)
            del self._others[:-MAX_FOLDERS]
            try:
                read_document(self._file, _Roots)  # what cannot be read is not replaced
                make_dir(self.own)
                document = _Roots(folders=[str(folder) for folder in self._others])
                write_whole(self._file, msgspec.json.encode(document))
            except OcdError as error:
                logger.warning("The output folder %s is not written down: %s", folder, error)

    def __repr__(self) -> str:
        return f"Roots({self.own}, {len(self._others)} more)"
