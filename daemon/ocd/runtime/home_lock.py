"""The daemon's home folder: created, private, and locked by one daemon at a time."""

import asyncio
import contextlib
import logging
import os
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO

import msgspec
import portalocker

from ocd.api import paths
from ocd.api.errors import OcdError
from ocd.config.loader import environment
from ocd.storage.files import Identity, make_dir, open_private, storage
from ocd.storage.process_identity import ProcessIdentity, own_identity

_log = logging.getLogger(__name__)

# How often to check that the home still exists.
POLL_S = 3.0
# How long the lock of a daemon that is dead may be held, and how often to look.
_RELEASE_S = 2.0
_RETRY_S = 0.02


def prepare_home(home: Path) -> str:
    """Create the folders the daemon needs, private to the user; return the socket's address."""
    make_dir(home)
    _refuse_foreign(home)
    for name in ("run", "tasks", "output", "journal", "log", "files"):
        make_dir(home / name)
    for folder, target in open_links(home):
        _log.warning("%s is a link to %s, which other users can enter", folder, target)
    address = paths.daemon_socket(str(home), environment())
    if os.name != "nt":
        _refuse_foreign(make_dir(Path(address).parent))
    return address


def open_links(home: Path) -> list[tuple[Path, Path]]:
    """Return the home's folders that are links to folders which others may enter, with the targets.

    The home itself is private, so nothing inside it needs to be.
    """
    if os.name == "nt":
        return []
    with storage("reading", home):
        links = [path for path in sorted(home.iterdir()) if path.is_symlink() and path.is_dir()]
        targets = [(path, path.resolve()) for path in links]
        return [(path, to) for path, to in targets if not _is_private(to)]


def _is_private(folder: Path) -> bool:
    """Return whether the folder, or one above it, keeps everybody else out."""
    chain = (parent.stat() for parent in (folder, *folder.parents))
    return any(each.st_uid in (0, os.getuid()) and not each.st_mode & 0o077 for each in chain)


def _refuse_foreign(folder: Path) -> None:
    with storage("checking", folder):
        status = folder.stat()
        if os.name == "nt":
            return
        if status.st_uid != os.getuid():
            raise OcdError(
                "forbidden",
                f"{folder} belongs to another user (uid {status.st_uid})",
                hint="Set OPENCHROME_HOME to a directory that belongs to you.",
                path=str(folder),
            )
        if status.st_mode & 0o077:
            folder.chmod(0o700)


class HomeLock:
    """The lock on the home. Its file may be deleted while we hold it, with the whole home."""

    def __init__(self, lock: Path) -> None:
        self._lock = lock
        self._identity = Identity.of(lock)

    @property
    def is_lost(self) -> bool:
        """Whether the lock file at its path is no longer ours: another daemon may hold that one."""
        return Identity.of(self._lock) != self._identity

    async def wait_lost(self, sockets: Iterable[str]) -> str:
        """Wait until the lock file or a socket's file is gone or replaced; return its path."""
        ours = {Path(address): Identity.of(Path(address)) for address in sockets}
        while True:
            if self.is_lost:
                return str(self._lock)
            for path, identity in ours.items():
                if Identity.of(path) != identity:
                    return str(path)
            await asyncio.sleep(POLL_S)


def _lock(file: BinaryIO, path: Path) -> None:
    """Lock the file; raises busy.

    The lock outlives a daemon that was killed as it started a program, for some milliseconds: the
    new process has the file open until the program is loaded.
    """
    deadline = time.monotonic() + _RELEASE_S
    while True:
        try:
            portalocker.lock(file, portalocker.LOCK_EX | portalocker.LOCK_NB)
        except portalocker.LockException as error:
            if _is_held_by_daemon(path) or time.monotonic() > deadline:
                raise OcdError(
                    "busy", f"Another daemon holds {path}", hint="See its status: ocd status"
                ) from error
            time.sleep(_RETRY_S)
        else:
            return


def _is_held_by_daemon(path: Path) -> bool:
    """Return whether the process that the lock names lives; it names none at its very end."""
    try:
        owner = msgspec.json.decode(path.read_bytes(), type=ProcessIdentity)
    except msgspec.DecodeError:
        return False
    except OSError:  # where a locked file cannot be read
        return True
    return owner.find() is not None


@contextlib.contextmanager
def hold_lock(path: Path, version: str) -> Iterator[HomeLock]:
    """Hold the daemon's lock; the pid in it is for humans and for `ocd stop`."""
    with storage("opening", path):
        file = open_private(path, append=True)
    with file:
        _lock(file, path)
        identity = {**msgspec.to_builtins(own_identity()), "version": version}
        with storage("writing", path):
            file.truncate(0)
            file.write(msgspec.json.encode(identity) + b"\n")
            file.flush()
        yield HomeLock(path)
        with storage("writing", path):
            file.truncate(0)
