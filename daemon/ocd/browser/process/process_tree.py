"""Resources of a process and its descendants: memory, sockets."""

import contextlib
from pathlib import Path

import psutil


def tree_bytes(pid: int) -> int:
    """Return the bytes that the process and its descendants hold, shared pages counted once.

    Where the system does not report proportional sizes, resident sizes are added up.
    """
    total = 0
    with contextlib.suppress(psutil.Error):
        root = psutil.Process(pid)
        for process in _tree(root):
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


def holds_socket(pid: int, inode: str) -> bool:
    """Return whether the process or a descendant of it has the socket open (Linux).

    A process whose files cannot be read is sandboxed, and has no sockets.
    """
    link = f"socket:[{inode}]"
    with contextlib.suppress(psutil.Error):
        root = psutil.Process(pid)
        return any(_has_open(process.pid, link) for process in _tree(root))
    return False


def _tree(root: psutil.Process) -> list[psutil.Process]:
    return [root, *root.children(recursive=True)]


def _has_open(pid: int, link: str) -> bool:
    with contextlib.suppress(OSError):
        for descriptor in Path(f"/proc/{pid}/fd").iterdir():
            with contextlib.suppress(OSError):
                if str(descriptor.readlink()) == link:
                    return True
    return False
