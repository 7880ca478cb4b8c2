"""Returning freed memory to the system.

glibc keeps freed memory, separately for each thread: a daemon that has once converted a large page,
or passed on a large reply, would keep its size. Other C libraries return memory by themselves.
"""

import asyncio
import logging
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import psutil

logger = logging.getLogger(__name__)

# How often the daemon's size is checked (30 µs, and 0.2 µs for each free piece if it has grown),
# and how much is worth giving back, which takes about 10 ms for each 100 MB.
CHECK_S = 5.0
WORTHWHILE_BYTES = 8 << 20
_M_ARENA_MAX = -8
# What the loop and the threads share; glibc allows eight a core.
_ARENAS = 2


class Heap:
    """glibc's heap; where the C library is another, there is nothing to give back."""

    def __init__(self) -> None:
        import ctypes  # 200 KB, for a daemon that has grown

        class Mallinfo2(ctypes.Structure):
            """mallinfo(3): what malloc holds, in bytes and pieces; glibc has it since 2.33."""

            _fields_: ClassVar[Sequence[Any]] = [
                (name, ctypes.c_size_t)
                for name in ("arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks", "fsmblks",
                             "uordblks", "fordblks", "keepcost")
            ]  # fmt: skip

        library = ctypes.CDLL(None)  # its functions are called without the interpreter's lock
        self.trim: Callable[[int], int] | None = getattr(library, "malloc_trim", None)
        # Threads that come from now on keep nothing that the others could use.
        limit = getattr(library, "mallopt", None)
        if limit is not None:
            limit(_M_ARENA_MAX, _ARENAS)
        self._mallinfo = getattr(library, "mallinfo2", None)
        if self._mallinfo is not None:
            self._mallinfo.restype = Mallinfo2

    def free_bytes(self) -> int:
        """Return how much is free within the heap, given back or not."""
        return int(self._mallinfo().fordblks) if self._mallinfo is not None else 0


async def keep_trimmed() -> None:
    """Give freed memory back whenever much has become free, or the daemon has grown."""
    process = psutil.Process()
    start = settled = process.memory_info().rss
    heap: Heap | None = None
    least_free = 0
    while True:
        await asyncio.sleep(CHECK_S)
        try:
            size = process.memory_info().rss
            settled = min(settled, size)
            if size < start + WORTHWHILE_BYTES:
                continue
            heap = heap or Heap()
            if heap.trim is None:
                return
            free = heap.free_bytes()
            least_free = min(least_free, free)
            if max(size - settled, free - least_free) > WORTHWHILE_BYTES:
                await asyncio.to_thread(heap.trim, 0)
                # What is freed while it trims stays for the next time: `free` is from before.
                settled, least_free = process.memory_info().rss, free
        except (ImportError, MemoryError, OSError, RuntimeError) as error:
            # No memory, file or thread is available now; there may be at the next check.
            logger.debug("the heap was not looked at: %s", error)
