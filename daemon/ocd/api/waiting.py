"""Waiting for an event with a timeout, for the daemon and the bridge."""

import asyncio


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
