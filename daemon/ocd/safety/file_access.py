"""The files that a verb's caller may name."""

import errno
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ocd.api.errors import OcdError
from ocd.safety.path_policy import Roots, denied_error
from ocd.safety.protected_files import NOTHING, ProtectedFiles


@dataclass(frozen=True, slots=True)
class FileAccess:
    """The files that a caller may name: below `roots` (None: everything that its shell can).

    cwd: the folder that relative paths start from, or empty: then they are refused. own: what is
    the daemon's own, which nobody writes; `roots` knows it, too.
    """

    roots: Roots | None = None
    cwd: str = ""
    own: ProtectedFiles = NOTHING

    def resolve_readable(self, path: str) -> str:
        """Return the real path of a file to read: path_not_absolute, file_not_found, path_*."""
        absolute = self._absolute(path)
        if self.roots is not None:
            return str(self.roots.resolve(absolute))
        if not absolute.exists():
            raise missing_file(absolute, FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT)))
        return self._not_own(absolute, reads_records=True)

    def resolve_writable(self, path: str) -> str:
        """Return the real path of a file to write; its folder exists."""
        absolute = self._absolute(path)
        if self.roots is not None:
            return str(self.roots.resolve(absolute, for_write=True))
        if not absolute.parent.is_dir():
            raise missing_file(
                absolute.parent, FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
            )
        return self._not_own(absolute, reads_records=False)

    def _not_own(self, path: Path, *, reads_records: bool) -> str:
        real = Path(os.path.realpath(path))
        if why := self.own.refusal(real, reads_records=reads_records):
            raise denied_error(real, why)
        return str(real)

    def _absolute(self, path: str) -> Path:
        absolute = Path(self.cwd, path) if self.roots is None else Path(path)
        if absolute.is_absolute():
            return absolute
        raise OcdError(
            "path_not_absolute", f"Not an absolute path: {path}",
            hint="Pass an absolute path.", path=path,
        )  # fmt: skip


def missing_file(path: Path | str, error: OSError) -> OcdError:
    """Return the error for a file that a caller named and that cannot be opened."""
    message = f"{path}: {error.strerror or error}"
    return OcdError("file_not_found", message, errno=error.errno, path=str(path))


def project_folders(cwd: str) -> Iterator[Path]:
    """Return the host's project folders as roots, except those that are too wide, such as /."""
    folder = Path(cwd) if cwd else None
    if folder and folder.is_absolute() and folder != Path.home() and len(folder.parts) > 2:
        yield folder
