"""Which sockets a process tree holds, as Linux tells it."""

import contextlib
from pathlib import Path

import psutil


def holds_socket(pid: int, inode: str) -> bool:
    """Return whether the process or one that descends from it has the socket open.

    A process that shows its files to nobody is a sandboxed one, which has no sockets.
    """
    wanted = f"socket:[{inode}]"
    with contextlib.suppress(psutil.Error):
        root = psutil.Process(pid)
        return any(_has_open(process.pid, wanted) for process in _tree(root))
    return False


def _tree(root: psutil.Process) -> list[psutil.Process]:
    return [root, *root.children(recursive=True)]


def _has_open(pid: int, wanted: str) -> bool:
    with contextlib.suppress(OSError):
        for descriptor in Path(f"/proc/{pid}/fd").iterdir():
            with contextlib.suppress(OSError):
                if str(descriptor.readlink()) == wanted:
                    return True
    return False
