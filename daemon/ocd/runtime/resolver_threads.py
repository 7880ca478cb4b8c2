"""The threads that look names up, there before anybody needs them.

libuv starts them with the first name, and aborts the process if there can be none then.
"""

import asyncio
import threading
from contextlib import suppress

from ocd.storage.machine_limits import limit_error

# As many as libuv starts by default.
_THREADS = 4


async def start() -> None:
    """Have them started; `limit_reached` where the machine refuses so many."""
    try:
        _try_threads(_THREADS)
    except RuntimeError as error:
        raise limit_error(error) or error from error
    with suppress(OSError):
        await asyncio.get_running_loop().getaddrinfo("localhost", None)


def _try_threads(count: int) -> None:
    """Have so many threads at once for a moment; RuntimeError if there cannot be so many."""
    over = threading.Event()
    started: list[threading.Thread] = []
    try:
        for _ in range(count):
            thread = threading.Thread(target=over.wait)
            thread.start()
            started.append(thread)
    finally:
        over.set()
        for thread in started:
            thread.join()
