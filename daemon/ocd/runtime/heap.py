"""Returning freed memory to the system.

glibc keeps freed memory for later, and that of each thread apart: a daemon that has once converted
a large page, or carried a large answer, would keep its size for good. Other C libraries return it
by themselves.
"""

import asyncio
import contextlib
from collections.abc import Callable
from functools import cache

import psutil

# How often the daemon's size is looked at (30 µs), and the growth that is worth giving back, which
# takes about 10 ms for each 100 MB.
CHECK_S = 2.0
GROWTH_BYTES = 8 << 20


@cache
def _trim() -> Callable[[int], int] | None:
    import ctypes  # 200 KB, for a daemon that has grown

    try:
        found: Callable[[int], int] = ctypes.CDLL(None).malloc_trim
    except (OSError, AttributeError, TypeError):  # no glibc
        return None
    return found


async def keep_trimmed() -> None:
    """Give freed memory back whenever the daemon has grown; until cancelled."""
    process = psutil.Process()
    settled = process.memory_info().rss
    while True:
        await asyncio.sleep(CHECK_S)
        if process.memory_info().rss > settled + GROWTH_BYTES:
            trim = _trim()
            if trim is None:
                return
            with contextlib.suppress(RuntimeError, MemoryError):  # no thread to be had just now
                await asyncio.to_thread(trim, 0)  # ctypes holds no interpreter's lock meanwhile
            settled = process.memory_info().rss
        else:
            settled = min(settled, process.memory_info().rss)
