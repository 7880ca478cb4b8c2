"""Limits of the machine: processors, memory, threads, file descriptors.

msgspec does not check whether its allocation of a string succeeded: if a limit (`ulimit -v`)
refuses it, the process ends with a segmentation fault. So memory for long texts is reserved here
before they are decoded or encoded, with a margin for the daemon's other work; so is what the
Markdown library takes, which ends the process, too. libuv and watchfiles end it if a thread is
refused: they are started only when threads are available.
"""

import errno
import mmap
import os
import threading

from ocd.api.errors import OcdError

# What must remain free afterwards.
SPARE_BYTES = 16 << 20
# Anything shorter is covered by that margin.
LONG_BYTES = 1 << 16
# How many times its size JSON of many small lists and objects takes when it is decoded.
_GROWTH = 24
# watchfiles' own, and the one that waits for it.
WATCH_THREADS = 2
# What the daemon takes at rest, without and with a limit: 450 MB of address space, 110 of data.
_MIN_MB = {
    "RLIMIT_AS": (512, "address space", "ulimit -v"),
    "RLIMIT_DATA": (192, "data", "ulimit -d"),
}
_NO_FILES = (errno.EMFILE, errno.ENFILE)
_NO_THREAD = "can't start new thread"
# What ld.so says of a library that it has no memory for.
_NO_ROOM = ("failed to map segment", "cannot map zero-fill pages", "cannot create shared object")

_is_expendable = False


def usable_processors() -> int:
    """Return how many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def mark_expendable() -> None:
    """Have `require_memory` refuse nothing: this process may end, and its parent reports it."""
    global _is_expendable  # noqa: PLW0603 - what the process is, set as it starts
    _is_expendable = True


def is_expendable() -> bool:
    """Return whether `require_memory` refuses nothing in this process."""
    return _is_expendable


def require_memory(size: int) -> None:
    """Raise MemoryError unless `size` bytes and what is spare can be had now; 10 µs if long."""
    if size < LONG_BYTES or _is_expendable or os.name == "nt":
        return
    try:
        # Address space alone: no page is touched, and malloc is not involved.
        mmap.mmap(-1, size + SPARE_BYTES, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS).close()
    except OSError as error:
        raise MemoryError(f"no memory left for {size >> 10} KB") from error


def require_memory_to_decode(json: bytes) -> None:
    """Raise MemoryError unless there is memory for this JSON once it is decoded."""
    if len(json) >= LONG_BYTES:
        require_memory(_GROWTH * len(json))


def require_threads(count: int) -> None:
    """Start this many threads at once for a moment; RuntimeError if the system refuses one."""
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


def require_room_to_run() -> None:
    """Raise `limit_reached` if this process's own limits leave less memory than a daemon needs."""
    try:
        import resource
    except ImportError:
        return  # Windows
    for name, (needed, what, command) in _MIN_MB.items():
        limit, _ = resource.getrlimit(getattr(resource, name))
        if limit != resource.RLIM_INFINITY and limit < needed << 20:
            raise OcdError(
                "limit_reached",
                f"The daemon needs {needed} MB of {what}, and is limited to {limit >> 20} "
                f"({command})",
                hint=f"Raise the limit for the daemon: {command} unlimited. Chromium inherits it, "
                "and reserves far more than it uses.",
            )


def limit_error(error: Exception) -> OcdError | None:
    """Return `limit_reached` if the error says that the machine has refused something; else None.

    Such an error is no bug of the code that met it.
    """
    what = _exhausted_resource(error)
    return None if what is None else limit_reached(what)


def limit_reached(what: str) -> OcdError:
    """Return the error of a call for which the machine has run out of `what`."""
    return OcdError(
        "limit_reached",
        f"The machine has no {what} left for the daemon",
        hint="Ask for less at once, close tabs or wait for other calls; or raise the limit that "
        "the daemon runs under (ulimit, systemd, container).",
    )


def is_out_of_memory(error: Exception) -> bool:
    """Return whether the error means that memory was refused, in whatever words."""
    if isinstance(error, MemoryError):
        return True
    # A library that is loaded only now, and for which the loader has no address space.
    if isinstance(error, ImportError):
        return any(words in str(error) for words in _NO_ROOM)
    # The HTML parser takes all selectors of ours, if it is given the memory.
    return type(error).__module__.startswith("selectolax.")


def _exhausted_resource(error: Exception) -> str | None:
    if is_out_of_memory(error):
        return "memory"
    if isinstance(error, RuntimeError) and str(error) == _NO_THREAD:
        return "threads"
    if isinstance(error, OSError) and error.errno in _NO_FILES:
        return "file descriptors"
    return None
