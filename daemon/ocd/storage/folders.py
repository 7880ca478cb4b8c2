"""Folders that appear and disappear as a whole: a crash leaves a hidden name, swept at start."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ocd.storage.files import make_dir, storage, sync_dir

_NEW, _GONE = ".new", ".gone"
# What earlier builds called a folder that was being made or removed.
_FORMER_NAMES = (".new-*", ".trash-*", ".*.part")


@contextmanager
def new_folder(folder: Path) -> Iterator[Path]:
    """Yield an empty folder to fill; at the end it gets its own name, durably.

    Nothing of a failure stays behind. Raises storage_full or storage_failed.
    """
    fresh = make_dir(folder.with_name(f".{folder.name}{_NEW}"))
    try:
        yield fresh
        with storage("creating", folder):
            fresh.rename(folder)
            sync_dir(folder.parent)
    except BaseException:  # cancelled, too: half a folder is of no use to anybody
        shutil.rmtree(fresh, ignore_errors=True)
        raise


def hide_folder(folder: Path) -> Path:
    """Rename a folder to a hidden name, and return that, for removal."""
    gone = folder.with_name(f".{folder.name}{_GONE}")
    with storage("removing", folder):
        return folder.rename(gone)


def sweep_folders(parent: Path) -> list[Path]:
    """Remove what a crash left of folders that were being made or removed; return which."""
    patterns = (f".*{_NEW}", f".*{_GONE}", *_FORMER_NAMES)
    left = [path for pattern in patterns for path in parent.glob(pattern) if path.is_dir()]
    for path in left:
        shutil.rmtree(path, ignore_errors=True)
    return left
