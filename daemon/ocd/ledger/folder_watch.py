"""Waiting for changes to a task's folder by other processes: watchfiles and a bounded poll."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from pathlib import Path

from ocd.storage.machine_limits import WATCH_THREADS, require_threads

logger = logging.getLogger(__name__)

POLL_S = 0.25


class ChangeSignal:
    """Wakes everybody who waits for the next change.

    Take `next` before looking at the state, then wait on it, so that no change in between is
    missed.

    Args:
        on_fire: called at each change.
    """

    def __init__(self, on_fire: Callable[[], None] = lambda: None) -> None:
        self.next = asyncio.Event()
        self.on_fire = on_fire

    def fire(self) -> None:
        """Wake all waiters, and begin the next round."""
        self.next.set()
        self.next = asyncio.Event()
        self.on_fire()


async def changes(directory: Path) -> AsyncGenerator[None, None]:
    """Yield at once, then after every change in the folder, and at least four times a second."""
    yield
    import watchfiles  # 20 ms, only needed for tasks of other processes

    try:
        watcher = watchfiles.awatch(
            directory,
            watch_filter=None,
            debounce=10,
            step=5,
            rust_timeout=round(POLL_S * 1000),
            yield_on_timeout=True,
            recursive=False,
        )
        require_threads(WATCH_THREADS)
        async with aclosing(watcher) as rounds:
            async for _ in rounds:
                yield
    except* (OSError, RuntimeError):
        logger.info("%s is polled: it cannot be watched", directory)
    # The system has no watches or threads left, or the folder is gone: polling still works.
    while True:
        await asyncio.sleep(POLL_S)
        yield
