"""What is still to be fetched, and what was ever taken on: decided without an await."""

import heapq
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from ocd.crawl.urls import key_of, origin_of

_FIRST = float("-inf")


@dataclass(slots=True)
class FrontierEntry:
    """One URL on its way. `tries` counts failed attempts; `render` says why it needs the browser.

    refused_after: how many answers its origin had given when it last said that it is asked too
    much; -1: it never did. refused_alone: it said so of this URL after it had answered others.
    dates: how many pages of dates in a row led to it. parent: the page that led to it first.

    fallback: the static answer, kept for the case that no browser can be started. asking: its
    origin counts it as a request. fetched_at and duration_ms: the last attempt.
    """

    url: str
    depth: int
    score: float = 0.0
    origin: str = ""
    tries: int = 0
    refused_after: int = -1
    refused_alone: bool = False
    dates: int = 0
    not_before: float = 0.0
    render: str = ""
    asking: bool = False
    fallback: Any = None
    failure: Any = None
    fetched_at: str = ""
    duration_ms: int = 0
    parent: str = ""
    key: str = field(default="", repr=False)
    claims: set[str] = field(default_factory=set, repr=False)


class Frontier:
    """Entries by origin, best first: an origin that must wait never blocks another one.

    An URL is taken on once in the life of the crawl, under its key. `rank` orders entries: smaller
    comes first; equal ranks keep the order in which they came.
    """

    def __init__(
        self, rank: Callable[[FrontierEntry], float], key: Callable[[str], str] = key_of
    ) -> None:
        self._rank = rank
        self._key = key
        self._heaps: dict[str, list[tuple[float, int, FrontierEntry]]] = {}
        self._late: list[tuple[float, int, FrontierEntry]] = []
        # Every spelling seen, with its key; "" for what is not to be looked at again.
        self._urls: dict[str, str] = {}
        # Every key taken on, with its entry while that waits for its first visit.
        self._keys: dict[str, FrontierEntry | None] = {}
        self._claimed: set[str] = set()
        self._count = 0

    def __len__(self) -> int:
        return sum(map(len, self._heaps.values())) + len(self._late)

    def is_known(self, url: str) -> bool:
        """Return whether exactly this URL was offered before (cheap; `add` knows the rest)."""
        return url in self._urls

    def mark_known(self, url: str) -> None:
        """Remember an URL that is not to be looked at again, for example one out of scope."""
        self._urls[url] = ""

    def shorten(self, url: str, depth: int) -> None:
        """Note a way to a known URL; if it is a shorter one to an entry that waits, it counts."""
        entry = self._keys.get(self._urls.get(url, ""))
        if entry is not None and depth < entry.depth and entry.key not in self._claimed:
            entry.depth = depth
            self._push(entry)  # what stands in the heap already is stale once this was taken

    def add(self, entry: FrontierEntry) -> bool:
        """Take on the entry; False if its URL, in any spelling, was taken on before."""
        entry.key = self._key(entry.url)
        self._urls[entry.url] = entry.key
        if entry.key in self._keys:
            self.shorten(entry.url, entry.depth)
            return False
        self._keys[entry.key] = entry
        entry.origin = origin_of(entry.url)
        self._push(entry)
        return True

    def claim(self, entry: FrontierEntry, url: str) -> bool:
        """Reserve the target of the entry's redirect; False if another entry has it, or had."""
        key = self._key(url)
        self._urls.setdefault(url, "")
        self._keys.setdefault(key, None)
        if key in self._claimed and key != entry.key and key not in entry.claims:
            return False
        self._claimed.add(key)
        entry.claims.add(key)
        return True

    def put_back(self, entry: FrontierEntry, not_before: float = 0.0) -> None:
        """Return an entry that was taken, to be tried again from `not_before` on."""
        entry.not_before = not_before
        if not_before:
            self._count += 1
            heapq.heappush(self._late, (not_before, self._count, entry))
        else:
            self._push(entry, first=True)

    def take(
        self, now: float, ready_at: Callable[[str], float], deepest: float = float("inf")
    ) -> FrontierEntry | float:
        """Return the best entry whose origin is ready, or the time at which there may be one.

        inf: only when something in flight ends. `ready_at(origin)` is a time, inf for "full".
        Entries below `deepest` must wait, but for those that were taken before.
        """
        self._wake(now)
        soonest, best = self._late[0][0] if self._late else float("inf"), ""
        for origin in self._live_origins():
            at = ready_at(origin)
            rank, _, entry = self._heaps[origin][0]
            if entry.depth > deepest and rank != _FIRST:
                continue
            if at > now:
                soonest = min(soonest, at)
            elif not best or self._heaps[origin][0] < self._heaps[best][0]:
                best = origin
        return self._pop(best) if best else soonest

    def drain_failed(self) -> Iterator[FrontierEntry]:
        """Take out the entries that were to be tried again after a failure."""
        waiting = [self._late, *self._heaps.values()]
        for heap in waiting:
            failed = [item for item in heap if item[2].failure is not None]
            heap[:] = [item for item in heap if item[2].failure is None]
            heapq.heapify(heap)
            yield from (entry for _, _, entry in failed)

    def _push(self, entry: FrontierEntry, *, first: bool = False) -> None:
        self._count += 1
        rank = _FIRST if first else self._rank(entry)
        heapq.heappush(self._heaps.setdefault(entry.origin, []), (rank, self._count, entry))

    def _wake(self, now: float) -> None:
        while self._late and self._late[0][0] <= now:
            self._push(heapq.heappop(self._late)[2], first=True)

    def _live_origins(self) -> list[str]:
        # An entry whose URL was claimed by a redirect meanwhile is dropped when it comes up.
        for origin in list(self._heaps):
            heap = self._heaps[origin]
            while heap and self._is_stale(heap[0][2]):
                heapq.heappop(heap)
            if not heap:
                del self._heaps[origin]
        return list(self._heaps)

    def _is_stale(self, entry: FrontierEntry) -> bool:
        was_taken = entry.tries or entry.render or entry.failure is not None
        return not was_taken and entry.key in self._claimed

    def _pop(self, origin: str) -> FrontierEntry:
        entry = heapq.heappop(self._heaps[origin])[2]
        self._claimed.add(entry.key)
        self._keys[entry.key] = None
        return entry

    def __repr__(self) -> str:
        return f"Frontier(waiting={len(self)}, known={len(self._keys)})"
