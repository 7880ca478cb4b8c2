"""The threads for DNS lookups, started before they are needed.

libuv starts them with the first lookup, and aborts the process if it cannot start any.
"""

import asyncio
from contextlib import suppress

from ocd.storage.machine_limits import limit_error, require_threads

# As many as libuv starts by default.
_THREADS = 4


async def start() -> None:
    """Start the threads; `limit_reached` if the machine refuses any."""
    try:
        require_threads(_THREADS)
    except RuntimeError as error:
        raise limit_error(error) or error from error
    with suppress(OSError):
        await asyncio.get_running_loop().getaddrinfo("localhost", None)
