"""The sweeper: deletes expired handles and what crashes left, every interval."""

import asyncio
from collections.abc import Callable

from ocd.outputs.store import OutputStore


async def run(store: OutputStore, interval: Callable[[], float], changed: asyncio.Event) -> None:
    """Sweep at once, then every `interval()` seconds; `changed` is set when that has changed."""
    raise NotImplementedError
