"""Watching config.toml while the daemon runs."""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import watchfiles

from ocd.storage.machine_limits import WATCH_THREADS, require_threads

logger = logging.getLogger(__name__)


async def follow_changes(
    file: Path, stop: asyncio.Event, act: Callable[[], Awaitable[None]]
) -> None:
    """Call `act` at each change of the file, until `stop` is set; a failure costs that change."""
    async for _ in file_changes(file, stop):
        try:
            await act()
        except Exception:  # the daemon keeps the previous settings
            logger.exception("The changes to %s could not all be applied", file)


async def file_changes(file: Path, stop: asyncio.Event) -> AsyncIterator[object]:
    """Yield something for each change of the file, which need not exist, until `stop` is set."""
    # The folder is watched, not the file: editors replace files, and there may be none yet.
    name = str(file)
    changes = watchfiles.awatch(
        file.parent,
        recursive=False,
        watch_filter=lambda _change, path: path == name,
        stop_event=stop,
    )
    try:
        require_threads(WATCH_THREADS)
        async for change in changes:
            yield change
    except* (OSError, RuntimeError) as errors:  # no watches left, or no thread
        reason = errors.exceptions[0]
        logger.warning("config.toml is not watched, edits need a restart: %s", reason)
