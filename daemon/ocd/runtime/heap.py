"""Returning freed memory to the system.

glibc keeps freed memory for later, so a daemon that once held a large answer would keep its size
for good. After such an answer it is asked to release it. Other C libraries do so by themselves.
"""

import ctypes
from collections.abc import Callable
from functools import cache

# Answers from this size on are worth the milliseconds it takes.
MIN_ANSWER_BYTES = 4 << 20


@cache
def _trim() -> Callable[[int], int] | None:
    try:
        found: Callable[[int], int] = ctypes.CDLL(None).malloc_trim
    except (OSError, AttributeError, TypeError):  # no glibc
        return None
    return found


def release_memory() -> None:
    """Give freed memory back to the system. Blocks for some milliseconds, without the GIL."""
    trim = _trim()
    if trim is not None:
        trim(0)
