"""The sweeper: deletes expired handles and leftovers of crashes, at start and every interval."""

import asyncio
import logging
import stat
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple, Protocol

from ocd.api.errors import OcdError
from ocd.api.waiting import wait_for_event
from ocd.outputs.file_layout import META, FoundFiles, day_folders, find_handles
from ocd.outputs.meta import read_meta
from ocd.outputs.quota import StoredHandle, StoreUsage
from ocd.storage import crash_points

logger = logging.getLogger(__name__)


class Sweepable(Protocol):
    """What the sweeper works on; the output store is one."""

    async def sweep(self) -> int:
        """Delete what has expired and return how many handles that were."""
        ...


async def run(store: Sweepable, interval: Callable[[], float], changed: asyncio.Event) -> None:
    """Sweep at once, then every `interval()` seconds, forever.

    changed: to be set when the interval or the time to live has changed; that sweeps at once.
    """
    while True:
        changed.clear()
        try:
            await store.sweep()
        except Exception:  # the machine may have had no thread for it
            logger.exception("The output sweep failed; the next one tries again")
        await wait_for_event(changed, interval())


@dataclass(slots=True)
class SweepResult:
    """The result of one sweep: deleted handles and leftovers, failures, and what stays."""

    handles: int = 0
    orphans: int = 0
    failed: list[str] = field(default_factory=list)
    unreadable: list[str] = field(default_factory=list)
    remaining: dict[str, StoredHandle] = field(default_factory=dict)
    shared: dict["_Bytes", list[str]] = field(default_factory=dict)


class _Bytes(NamedTuple):
    """The bytes of a file with several names, whichever name it was found by."""

    device: int
    inode: int
    names: int
    size: int


def sweep_roots(roots: Iterable[tuple[Path, float]], usage: StoreUsage, now: float) -> SweepResult:
    """Delete the expired handles and the left-overs below the roots. Blocks; raises nothing.

    With each root goes the time up to which files without a meta are left-overs: younger ones may
    be somebody's handle in the making. Times are seconds since the epoch. Files that cannot be
    deleted or read are listed and stay.
    """
    swept = SweepResult()
    for root, left_over in roots:
        for folder in _day_folders(root, swept):
            _sweep_folder(folder, usage, swept, now, left_over)
    _count_shared(swept)
    return swept


def _count_shared(swept: SweepResult) -> None:
    """Count bytes with several names once, and not at all while a task has them, too.

    Deleting the handle would free nothing then.
    """
    for held, handles in swept.shared.items():
        if held.names <= len(handles):
            first = swept.remaining[handles[0]]
            swept.remaining[handles[0]] = first._replace(size=first.size + held.size)


def _day_folders(root: Path, swept: SweepResult) -> list[Path]:
    try:
        return day_folders(root)
    except OSError:
        swept.failed.append(str(root))
        return []


def _sweep_folder(
    folder: Path, usage: StoreUsage, swept: SweepResult, now: float, left_over: float
) -> None:
    try:
        for found in list(find_handles(folder)):
            if not usage.is_writing(found.place.handle):
                _sweep_handle(found, usage, swept, now, left_over)
        if not any(folder.iterdir()):
            usage.remove_folder(folder)
    except OSError:
        swept.failed.append(str(folder))


def _sweep_handle(
    found: FoundFiles, usage: StoreUsage, swept: SweepResult, now: float, left_over: float
) -> None:
    try:
        stats = [entry.stat(follow_symlinks=False) for entry in found.files.values()]
        stats = [status for status in stats if stat.S_ISREG(status.st_mode)]
        expires, ended = _expiry(found, usage, swept, now, left_over)
    except OSError:
        return  # deleted by somebody else meanwhile
    if ended and _delete(found, swept):
        swept.handles += found.committed
        swept.orphans += not found.committed
    else:
        handle = found.place.handle
        size = sum(status.st_size for status in stats if status.st_nlink <= 1)
        swept.remaining[handle] = StoredHandle(found.place.folder, size, expires)
        for status in stats:
            if status.st_nlink > 1:
                blocks = _Bytes(status.st_dev, status.st_ino, status.st_nlink, status.st_size)
                swept.shared.setdefault(blocks, []).append(handle)


def _expiry(
    found: FoundFiles, usage: StoreUsage, swept: SweepResult, now: float, left_over: float
) -> tuple[float | None, bool]:
    """Return when the handle expires (None: it is not one), and whether to delete its files."""
    if not found.committed:
        newest = max(e.stat(follow_symlinks=False).st_mtime for e in found.files.values())
        return None, newest <= left_over
    known = usage.usage_of(found.place.handle)
    if known is not None and known.expires is not None:
        return known.expires, known.expires <= now
    try:
        meta = read_meta(found.place)
    except OcdError:
        swept.unreadable.append(str(found.place.meta))
        return None, False
    return (meta.expires(), meta.expires() <= now) if meta else (None, False)


def _delete(found: FoundFiles, swept: SweepResult) -> bool:
    """Delete the meta, then the rest; return whether all of it is gone."""
    gone = True
    for name in sorted(found.files, key=lambda name: name != META):
        path = Path(found.files[name].path)
        try:
            path.unlink(missing_ok=True)
        except OSError:
            swept.failed.append(str(path))
            gone = False
        if name == META:
            crash_points.point("handle.sweep.meta_deleted")
    return gone
