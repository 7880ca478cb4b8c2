"""Evidence bundles on disk: folders that exist completely or not at all.

    evidence/<bundle_id>/bundle.json     format, version, what the bundle holds
                         dom.html outline.txt screenshot.png network.json console.json facts.json …
    evidence/classes/<name>.json         hashes of the exemplars of one screenshot class

Write order of a bundle:

1. The folder `.<bundle_id>.part` is made, and each part written and synced in it. Fault point
   evidence.part.written.
2. bundle.json is written the same way. evidence.manifest.written.
3. The folder is renamed to `<bundle_id>`, and the folder above it synced. This is the commit point.
   evidence.committed.

A crash before step 3 leaves a folder `.….part`, which the next start removes; nobody has heard of
the bundle. A bundle that is deleted (the oldest, beyond MAX_BUNDLES) is renamed to such a folder
first (evidence.delete.renamed), so that no reader finds half of one. A class is one whole file.
"""

import logging
import re
import secrets
import shutil
import threading
from base64 import b32encode
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from ocd.api.errors import OcdError
from ocd.api.spelling import truncate
from ocd.safety.path_policy import safe_name
from ocd.storage import crash_points
from ocd.storage.files import (
    MISSING,
    UNDECODABLE,
    decode_versioned,
    make_dir,
    read_whole,
    storage,
    unreadable_error,
    write_whole,
)
from ocd.storage.folders import hide_folder, new_folder, sweep_folders

logger = logging.getLogger(__name__)

MAX_BUNDLES = 500
MAX_EXEMPLARS = 50
MANIFEST = "bundle.json"
_VERSION = 1
_ID = re.compile(r"ev_[A-Z2-7]{12}")


@dataclass(frozen=True, slots=True)
class BundlePart:
    """A part of a bundle to write."""

    name: str
    file: str
    mime_type: str
    data: bytes


class ManifestPart(msgspec.Struct, frozen=True):
    """A part as the manifest lists it."""

    name: str
    file: str
    mime_type: str
    size_bytes: int


class Bundle(msgspec.Struct, frozen=True, kw_only=True):
    """A bundle's manifest. source: live or supplied. about: url, title, session, tab_id."""

    bundle_id: str
    created_at: str
    source: str
    about: dict[str, Any]
    parts: list[ManifestPart]
    screenshot_hash: str | None = None
    inconclusive_reason: str | None = None
    format: str = "evidence"
    version: int = _VERSION

    @property
    def size_bytes(self) -> int:
        """The bytes of its parts."""
        return sum(part.size_bytes for part in self.parts)


class ScreenshotClass(msgspec.Struct, frozen=True, kw_only=True):
    """The exemplars of a screenshot class: their hashes, oldest first."""

    class_id: str
    hashes: list[str]
    format: str = "screenshot_class"
    version: int = _VERSION


def new_bundle_id() -> str:
    """Return `ev_` and 60 random bits as 12 base32 characters."""
    return f"ev_{b32encode(secrets.token_bytes(8))[:12].decode()}"


def is_bundle_id(text: str) -> bool:
    """Return whether the text has a bundle id's form; nothing else may become part of a path."""
    return _ID.fullmatch(text) is not None


class EvidenceStore:
    """The bundles and screenshot classes below one folder. All methods block."""

    def __init__(self, root: Path, *, max_bundles: int = MAX_BUNDLES) -> None:
        self.root = root
        self.max_bundles = max_bundles
        self._changing = threading.Lock()

    # --- bundles ---------------------------------------------------------------------------

    def folder(self, bundle_id: str) -> Path:
        """Return a bundle's folder."""
        return self.root / bundle_id

    def write(self, pieces: Sequence[BundlePart], bundle: Bundle) -> tuple[Bundle, list[str]]:
        """Write a bundle with these parts; return it, and the ids of old ones deleted for it.

        Raises storage_full or storage_failed; nothing is left behind then.
        """
        make_dir(self.root)
        listed = [ManifestPart(p.name, p.file, p.mime_type, len(p.data)) for p in pieces]
        bundle = msgspec.structs.replace(bundle, parts=listed)
        with new_folder(self.folder(bundle.bundle_id)) as folder:
            for piece in pieces:
                write_whole(folder / piece.file, piece.data)
                crash_points.point("evidence.part.written")
            write_whole(folder / MANIFEST, msgspec.json.encode(bundle))
            crash_points.point("evidence.manifest.written")
        crash_points.point("evidence.committed")
        return bundle, self._prune()

    def read(self, bundle_id: str) -> Bundle:
        """Return a bundle's manifest; not_found, or unreadable_file naming the path."""
        data = read_whole(self.folder(bundle_id) / MANIFEST) if is_bundle_id(bundle_id) else None
        if data is None:
            short_id = truncate(bundle_id, 40)
            raise OcdError(
                "not_found", f"There is no evidence bundle '{short_id}'",
                hint="Create one: `oc_evidence_bundle`", bundle_id=short_id,
            )  # fmt: skip
        return decode_versioned(self.folder(bundle_id) / MANIFEST, data, Bundle, _VERSION)

    def bundles(self) -> list[Bundle]:
        """Return all that can be read, newest first."""
        found: list[Bundle] = []
        with storage("listing", self.root):
            names = [path.name for path in self.root.iterdir()] if self.root.exists() else []
        for name in filter(is_bundle_id, names):
            try:
                found.append(self.read(name))
            except OcdError as error:  # or deleted since
                logger.warning("evidence is left out of the list: %s", error)
        return sorted(found, key=lambda bundle: bundle.created_at, reverse=True)

    def part(self, bundle: Bundle, name: str) -> bytes | None:
        """Return the bytes of a part; None if there is none, unreadable_file for a lost file."""
        part = next((part for part in bundle.parts if part.name == name), None)
        if part is None:
            return None
        # The name comes from a file: it must not lead out of the bundle.
        path = self.folder(bundle.bundle_id) / Path(part.file).name
        data = read_whole(path)
        if data is None:
            raise unreadable_error(path, MISSING)
        return data

    def value(self, bundle: Bundle, name: str) -> Any:  # noqa: ANN401 - any JSON value
        """Return the JSON value of a part; None if there is none. Raises unreadable_file."""
        data = self.part(bundle, name)
        if data is None:
            return None
        try:
            return msgspec.json.decode(data)
        except UNDECODABLE as error:
            folder = self.folder(bundle.bundle_id)
            raise unreadable_error(folder, f"its {name}: {error}") from None

    def recover(self) -> int:
        """Remove bundles that a crash left half written or half deleted; return how many."""
        return len(sweep_folders(self.root))

    def _prune(self) -> list[str]:
        """Delete the oldest bundles beyond MAX_BUNDLES; return their ids."""
        with self._changing, storage("listing", self.root):
            found = [path for path in self.root.iterdir() if is_bundle_id(path.name)]
            if len(found) <= self.max_bundles:
                return []
            found.sort(key=lambda path: path.stat().st_mtime_ns)
            old = found[: len(found) - self.max_bundles]
            for path in old:
                gone = hide_folder(path)
                crash_points.point("evidence.delete.renamed")
                shutil.rmtree(gone, ignore_errors=True)
        return [path.name for path in old]

    # --- screenshot classes ----------------------------------------------------------------

    def _class_file(self, class_id: str) -> Path:
        return self.root / "classes" / f"{safe_name(class_id)}.json"

    def exemplars(self, class_id: str) -> list[str]:
        """Return the hashes of a class's exemplars, or of the bundle of that id; [] if unknown."""
        if is_bundle_id(class_id) and self.folder(class_id).exists():
            known = self.read(class_id).screenshot_hash
            return [known] if known else []
        path = self._class_file(class_id)
        data = read_whole(path)
        if data is None:
            return []
        return decode_versioned(path, data, ScreenshotClass, _VERSION).hashes

    def add_exemplar(self, class_id: str, picture_hash: str) -> int:
        """Add an exemplar to a class; return how many it has. The oldest make room beyond 50."""
        path = self._class_file(class_id)
        make_dir(path.parent)
        with self._changing:
            known = [exemplar for exemplar in self.exemplars(class_id) if exemplar != picture_hash]
            hashes = [*known, picture_hash][-MAX_EXEMPLARS:]
            write_whole(
                path, msgspec.json.encode(ScreenshotClass(class_id=class_id, hashes=hashes))
            )
        return len(hashes)

    def __repr__(self) -> str:
        return f"EvidenceStore({str(self.root)!r})"
