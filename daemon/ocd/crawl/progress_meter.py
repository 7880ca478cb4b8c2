"""How fast a crawl is now, and how long it will take, for its progress."""

import math
import time
from collections import Counter, deque
from collections.abc import Callable, Sized
from typing import NamedTuple

from msgspec import UNSET, UnsetType

from ocd.api.wire import CrawlFigures, HostFigures
from ocd.crawl.spec import CrawlSpec
from ocd.crawl.stats import CrawlStats
from ocd.safety.redact import redact_text

WINDOW_S = 10.0
MAX_HOSTS = 5
MAX_CODES = 10


class _Slice(NamedTuple):
    """The time between two measurements: its end, the pages read in it, and records by host."""

    until: float
    succeeded: int
    by_host: Counter[str]


class ProgressMeter:
    """Measures a crawl's speed at each call; what was counted before it began does not count."""

    def __init__(
        self,
        spec: CrawlSpec,
        stats: CrawlStats,
        queue: Sized,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._spec = spec
        self._stats = stats
        self._queue = queue
        self._clock = clock
        self._slices: deque[_Slice] = deque()
        self._since = clock()
        self._succeeded = stats.succeeded
        stats.drain_new_by_host()

    def measure(self) -> CrawlFigures:
        """Return the figures of this moment."""
        now = self._clock()
        self._slide(now)
        elapsed = now - self._since
        recent: Counter[str] = Counter()
        for part in self._slices:
            recent.update(part.by_host)
        pages = _rate(recent.total(), elapsed)
        succeeded = _rate(sum(part.succeeded for part in self._slices), elapsed)
        return CrawlFigures(
            pages_per_s=round(pages, 2),
            queued=len(self._queue),
            failures=dict(self._stats.errors.most_common(MAX_CODES)),
            hosts=self._busiest(recent, elapsed),
            left_s=self._left_s(pages, succeeded),
        )

    def _slide(self, now: float) -> None:
        """End the current slice, and drop those that are too old."""
        succeeded = self._stats.succeeded
        new = _Slice(now, succeeded - self._succeeded, self._stats.drain_new_by_host())
        self._succeeded = succeeded
        self._slices.append(new)
        while self._slices[0].until <= now - WINDOW_S:
            self._since = self._slices.popleft().until

    def _left_s(self, pages_per_s: float, succeeded_per_s: float) -> int | UnsetType:
        """Return the seconds left if `max_pages` or the queue tells how many pages will come."""
        queued, remaining = len(self._queue), self._spec.max_pages - self._stats.succeeded
        if queued >= remaining and succeeded_per_s:
            return math.ceil(max(0, remaining) / succeeded_per_s)
        if 0 < queued < remaining and not self._spec.max_depth and pages_per_s:
            return math.ceil(queued / pages_per_s)
        return UNSET

    def _busiest(self, recent: Counter[str], elapsed: float) -> tuple[HostFigures, ...]:
        """Return the hosts with the most records now, then those with the most in total."""
        pages = self._stats.pages_by_host
        known = recent.keys() | {host for host, _ in pages.most_common(MAX_HOSTS)}
        hosts = sorted(known, key=lambda host: (-recent[host], -pages[host], host))
        return tuple(
            HostFigures(
                redact_text(host), pages[host], self._stats.failed_by_host[host],
                round(_rate(recent[host], elapsed), 2),
            )
            for host in hosts[:MAX_HOSTS]
        )  # fmt: skip

    def __repr__(self) -> str:
        return f"ProgressMeter(slices={len(self._slices)}, queued={len(self._queue)})"


def _rate(count: int, elapsed_s: float) -> float:
    return count / elapsed_s if elapsed_s > 0 else 0.0
