"""File names: which files belong to a handle, and which handle a file belongs to.

    <root>/<YYYY-MM-DD>/<handle>.{json|md|txt|bin}   the payload
                        <handle>.idx                 the places of its items, if it has any
                        <handle>.meta.json           the descriptor and more: the commit point

Files are ours only if their names match exactly; links are never followed below the root.
"""

import os
import re
import secrets
from base64 import b32encode
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Literal

from ocd.storage.payload import JSON

Extension = Literal["json", "md", "txt", "bin"]

META = "meta.json"
INDEX = "idx"
_HANDLE = re.compile(r"oh_[A-Z2-7]{12}")
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_SUFFIXES = r"(json|md|txt|bin|idx|meta\.json)"
_FILE = re.compile(rf"({_HANDLE.pattern})\.{_SUFFIXES}")
_PART = re.compile(rf"\.({_HANDLE.pattern})\.{_SUFFIXES}\.[0-9]+\.part")


def new_handle() -> str:
    """Return `oh_` and 60 random bits as 12 base32 characters."""
    return f"oh_{b32encode(secrets.token_bytes(8))[:12].decode()}"


def is_handle(text: str) -> bool:
    """Return whether the text has a handle's form; nothing else may become part of a path."""
    return _HANDLE.fullmatch(text) is not None


def extension_of(mime_type: str) -> Extension:
    """Return the extension of a payload of this media type."""
    if mime_type == JSON:
        return "json"
    if mime_type == "text/markdown":
        return "md"
    return "txt" if mime_type.startswith("text/") else "bin"


@dataclass(frozen=True, slots=True)
class HandleFiles:
    """The location of one handle: its day's folder."""

    folder: Path
    handle: str

    @property
    def meta(self) -> Path:
        """The file whose presence makes the handle exist."""
        return self.folder / f"{self.handle}.{META}"

    @property
    def index(self) -> Path:
        """The places of the items."""
        return self.folder / f"{self.handle}.{INDEX}"

    def payload(self, extension: Extension) -> Path:
        """Return the payload's file."""
        return self.folder / f"{self.handle}.{extension}"


def part_of(path: Path) -> Path:
    """Return the temporary file in which `path` is prepared (as files.write_whole names it)."""
    return path.with_name(f".{path.name}.{os.getpid()}.part")


def open_payload(path: Path) -> BinaryIO:
    """Open a stored payload for reading, never through a symbolic link."""
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    return os.fdopen(os.open(path, flags), "rb")


@dataclass(frozen=True, slots=True)
class FoundFiles:
    """The files of one handle in one folder: suffix ("meta.json", …) or part name → file."""

    place: HandleFiles
    files: dict[str, os.DirEntry[str]]

    @property
    def committed(self) -> bool:
        """Whether the handle exists; without its meta the files are left-overs."""
        return META in self.files


def day_folders(root: Path) -> list[Path]:
    """Return the day folders below the root, newest first; raises OSError."""
    try:
        entries = list(os.scandir(root))
    except FileNotFoundError:
        return []
    days = [e for e in entries if _DAY.fullmatch(e.name) and e.is_dir(follow_symlinks=False)]
    return [Path(entry.path) for entry in sorted(days, key=lambda e: e.name, reverse=True)]


def find_handles(folder: Path) -> Iterator[FoundFiles]:
    """Yield the handles with files in a day folder, left-overs included; raises OSError."""
    found: dict[str, FoundFiles] = {}
    for entry in os.scandir(folder):
        match = _FILE.fullmatch(entry.name) or _PART.fullmatch(entry.name)
        if match is None:
            continue
        # A meta that is not a file is unreadable, not missing: its payload is not a leftover.
        if not (entry.is_file(follow_symlinks=False) or entry.name == f"{match[1]}.{META}"):
            continue
        handle = match[1]
        group = found.setdefault(handle, FoundFiles(HandleFiles(folder, handle), {}))
        group.files[entry.name if entry.name.startswith(".") else match[2]] = entry
    yield from found.values()
