"""Memory that was freed goes back to the system.

glibc keeps freed memory for later, so a daemon that once held a large answer would keep its size
for good. After such an answer it is asked to let go. Other C libraries do so by themselves.
"""

import ctypes
from collections.abc import Callable
from functools import cache

# Answers of this many bytes are worth it: letting go takes some milliseconds.
LARGE = 4 << 20


@cache
def _trim() -> Callable[[int], int] | None:
    try:
        found: Callable[[int], int] = ctypes.CDLL(None).malloc_trim
    except (OSError, AttributeError, TypeError):  # no glibc
        return None
    return found


def give_back() -> None:
    """Give freed memory back to the system. Blocks for some milliseconds, without the GIL."""
    trim = _trim()
    if trim is not None:
        trim(0)
