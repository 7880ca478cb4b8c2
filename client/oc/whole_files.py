"""Files of the user's, written as a whole: a failed write leaves the old content."""

from __future__ import annotations

import errno
import os
import shutil
import stat
import tempfile

from ocd.api.errors import OcdError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

_NEW_FILE_MODE = 0o666  # less what the user's umask takes
_FULL = (errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC))


def write_whole(path: str, pieces: Iterable[bytes]) -> int:
    """Write the file that a path leads to, and return its size in bytes; raises OSError.

    An existing file keeps its mode, and a symbolic link leads to the new content. What is no
    regular file, such as a pipe or a device, is written to and not replaced, and so is a file whose
    folder takes no other one, or that is mounted by itself.
    """
    real = os.path.realpath(path)
    if is_special(path) or (os.path.exists(real) and not os.access(os.path.dirname(real), os.W_OK)):
        with open(path, "wb") as file:
            return sum(map(file.write, pieces))
    part = write_part(real, pieces)
    try:
        size = os.stat(part).st_size
        _replace(part, real)
    except BaseException:  # leaves no partial file behind, even after Ctrl-C
        os.unlink(part)
        raise
    return size


def _replace(part: str, real: str) -> None:
    try:
        os.replace(part, real)
    except OSError as error:
        if error.errno != errno.EBUSY:
            raise
        shutil.copyfile(part, real)
        os.unlink(part)


def write_error(path: str, error: OSError, hint: str = "") -> OcdError:
    """Return the error of a file that cannot be written: storage_full or storage_failed."""
    code = "storage_full" if error.errno in _FULL else "storage_failed"
    message = f"Cannot write {path}: {error.strerror or error}"
    return OcdError(code, message, hint=hint, path=path)


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
