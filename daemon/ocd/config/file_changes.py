"""config.toml, watched while the daemon runs."""

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

logger = logging.getLogger(__name__)

# To look costs 10 µs. A library that is told by the kernel costs two threads and 4 MB for good.
LOOK_S = 1.0


async def follow_changes(
    file: Path, stop: asyncio.Event, act: Callable[[], Awaitable[None]]
) -> None:
    """Call `act` at each change of the file, until `stop` is set; a failure costs that change."""
    async for _ in file_changes(file, stop):
        try:
            await act()
        except Exception:  # the daemon goes on with what was in force
            logger.exception("The change of %s is not in force as a whole", file)


async def file_changes(file: Path, stop: asyncio.Event) -> AsyncIterator[object]:
    """Yield something for each change of the file, which need not exist, until `stop` is set."""
    last = _state(file)
    while True:
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(stop.wait(), LOOK_S)
        if stop.is_set():
            return
        state, last = last, _state(file)
        if state != last:
            yield last


def _state(file: Path) -> tuple[int, int, int] | None:
    """Return what differs once the file was written to, or another put in its place."""
    try:
        found = file.stat()
    except OSError:
        return None
    return found.st_ino, found.st_mtime_ns, found.st_size
