"""How much memory a process tree takes."""

import contextlib

import psutil


def tree_bytes(pid: int) -> int:
    """Return the bytes that the process and its children hold, shared pages counted once.

    Where the system does not tell proportional sizes, the resident sizes are added up.
    """
    total = 0
    with contextlib.suppress(psutil.Error):
        root = psutil.Process(pid)
        for process in [root, *root.children(recursive=True)]:
            total += process_bytes(process)
    return total


def process_bytes(process: psutil.Process) -> int:
    """Return the bytes of one process; 0 if it has ended."""
    with contextlib.suppress(psutil.Error):
        try:
            info = process.memory_full_info()
            return int(getattr(info, "pss", 0) or info.rss)
        except psutil.AccessDenied:
            return int(process.memory_info().rss)
    return 0
