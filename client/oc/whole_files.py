"""Files of the user's, written as a whole: a failed write leaves the old content."""

from __future__ import annotations

import os
import shutil
import stat
import tempfile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

_NEW_FILE_MODE = 0o666  # less what the user's umask takes


def write_whole(path: str, pieces: Iterable[bytes]) -> int:
    """Write the file that a path leads to, and return its size in bytes; raises OSError.

    An existing file keeps its mode, and a symbolic link leads to the new content. What is no
    regular file, such as a pipe or a device, is written to and not replaced.
    """
    real = os.path.realpath(path)
    if is_special(path):
        with open(path, "wb") as file:
            return sum(map(file.write, pieces))
    part = write_part(real, pieces)
    try:
        size = os.stat(part).st_size
        os.replace(part, real)
    except BaseException:  # leaves no partial file behind, even after Ctrl-C
        os.unlink(part)
        raise
    return size


def is_special(path: str) -> bool:
    """Return whether the path leads to something that is neither a regular file nor a folder."""
    try:
        mode = os.stat(path).st_mode
    except OSError:
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def write_part(real: str, pieces: Iterable[bytes], *, private: bool = False) -> str:
    """Write what shall replace the file beside it, with its mode; return the new file's path.

    Args:
        real: the file, or where it shall be; not a symbolic link.
        pieces: the content.
        private: only the user may read it, if it is a new file.
    """
    folder, name = os.path.split(real)
    descriptor, part = tempfile.mkstemp(prefix=f".{name}.", dir=folder)
    try:
        with os.fdopen(descriptor, "wb") as file:
            for piece in pieces:
                file.write(piece)
            file.flush()
            os.fsync(file.fileno())
        _take_over_mode(real, part, private=private)
    except BaseException:  # leaves no partial file behind, even after Ctrl-C
        os.unlink(part)
        raise
    return part


def _take_over_mode(real: str, part: str, *, private: bool) -> None:
    try:
        shutil.copymode(real, part)
    except FileNotFoundError:
        if not private:
            umask = os.umask(0o077)
            os.umask(umask)
            os.chmod(part, _NEW_FILE_MODE & ~umask)
