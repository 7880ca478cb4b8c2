"""Pages per second of each worker in a cluster."""

import time
from collections import deque

_WINDOW_S = 30.0


class WorkerRates:
    """Pages per worker in the last half minute."""

    def __init__(self) -> None:
        self._begun = time.monotonic()
        self._read: deque[tuple[float, str, int]] = deque()

    def count(self, worker: str, pages: int) -> None:
        """Count pages that a worker has read."""
        self._read.append((time.monotonic(), worker, pages))
        self._forget()

    def measure(self) -> dict[str, float]:
        """Return the pages a second of each worker that has read any."""
        self._forget()
        seconds = max(1.0, min(_WINDOW_S, time.monotonic() - self._begun))
        found: dict[str, int] = {}
        for _, worker, pages in self._read:
            found[worker] = found.get(worker, 0) + pages
        return {worker: round(pages / seconds, 1) for worker, pages in found.items()}

    def _forget(self) -> None:
        oldest = time.monotonic() - _WINDOW_S
        while self._read and self._read[0][0] < oldest:
            self._read.popleft()
