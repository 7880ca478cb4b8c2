"""Waiting and background work on the event loop, for the daemon and the bridge."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

# Starts background work as a child of the daemon's TaskGroup.
Spawn = Callable[[Coroutine[Any, Any, None]], object]
# The same, for callers who cancel or await the work.
SpawnTask = Callable[[Coroutine[Any, Any, None]], asyncio.Task[None]]


async def wait_for_event(event: asyncio.Event, timeout_s: float | None) -> bool:
    """Wait until the event is set; return whether it is.

    timeout_s: at most so many seconds; None: as long as it takes.
    """
    try:
        async with asyncio.timeout(timeout_s):
            await event.wait()
    except TimeoutError:
        return False
    return True
