"""CPU and memory of a process and its descendants."""

import resource
import threading
from pathlib import Path
from typing import Self

import psutil

_PACE_S = 0.25


def children_cpu_s() -> float:
    """Return the user and system time of ended children of this process, and of their children."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


class ProcessTree:
    """Watches a process tree while `with tree:` goes on.

    cpu_s: of every process since its own start; of one that ended, as it was seen last. memory_mb:
    the most that all had at one time, each page of memory counted once (PSS).
    """

    def __init__(self, root: psutil.Process) -> None:
        self.root = root
        self.memory_mb = 0.0
        self._used: dict[psutil.Process, float] = {}
        self._over = threading.Event()

    @property
    def cpu_s(self) -> float:
        return sum(self._used.values())

    def __enter__(self) -> Self:
        self._thread = threading.Thread(target=self._watch)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()
        self._look()

    def _watch(self) -> None:
        while not self._over.wait(_PACE_S):
            self._look()

    def _look(self) -> None:
        try:
            processes = [self.root, *self.root.children(recursive=True)]
        except psutil.NoSuchProcess:
            return
        self.memory_mb = max(self.memory_mb, sum(map(self._look_at, processes)))

    def _look_at(self, process: psutil.Process) -> float:
        try:
            times = process.cpu_times()
            self._used[process] = times.user + times.system
            return pss_mb(process.pid)
        except (psutil.NoSuchProcess, psutil.ZombieProcess, OSError):
            return 0.0


def pss_mb(pid: int) -> float:
    """Return the proportional set size of a process; 0 if it has ended."""
    for line in Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii").splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1]) / 1024
    return 0.0
