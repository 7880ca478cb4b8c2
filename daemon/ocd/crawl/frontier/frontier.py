"""The frontier: URLs still to be fetched and all that were accepted; decided without an await."""

import bisect
import heapq
from collections.abc import Callable, Iterable, Iterator
from operator import itemgetter
from typing import Literal

from ocd.crawl.frontier.origin_queue import FrontierEntry, Gate, OriginQueue, QueueKey
from ocd.crawl.frontier.spilled_entries import SpilledEntries, SpilledEntry
from ocd.crawl.frontier.url_set import UrlSet
from ocd.crawl.urls import key_of, origin_of

__all__ = ["Frontier", "FrontierEntry"]

_FIRST = float("-inf")
_NEVER = float("inf")
# The most entries in memory; how many return from disk at once, and of one origin.
MAX_IN_MEMORY = 20_000
_TAKEN_BACK = 500
_MAX_HEAP_ENTRIES = 64


class Frontier:
    """Entries by origin, best first: an origin that must wait never blocks another.

    A URL, by its key, is accepted once in the life of the crawl. `rank` orders entries: smaller
    comes first; equal ranks keep their order of arrival. About the best `max_in_memory` entries are
    in memory, the others in `spilled`, if there is one.
    """

    def __init__(
        self,
        rank: Callable[[FrontierEntry], float],
        key: Callable[[str], str] = key_of,
        spilled: SpilledEntries | None = None,
        max_in_memory: int = MAX_IN_MEMORY,
    ) -> None:
        self._rank = rank
        self._key = key
        self._spilled = spilled
        self._max_in_memory = max_in_memory
        self._origins: dict[str, OriginQueue] = {}
        # The place of the first entry of each open origin, and when each resting one opens.
        # Outdated items are dropped when they come up.
        self._open: list[tuple[float, int, str]] = []
        self._resting: list[tuple[float, str]] = []
        self._late: list[QueueKey] = []
        self._in_memory = 0
        self._spill_beyond = max_in_memory if spilled is not None else _NEVER
        self._refused = UrlSet()
        self._known = UrlSet()
        self._claimed = UrlSet()
        # The entries in memory that have not been visited yet, by key.
        self._waiting: dict[str, FrontierEntry] = {}
        # Entries that come after this place are queued on disk; the origins all of whose entries
        # are.
        self._queued_behind: tuple[float, int] | None = None
        self._absent: set[str] = set()
        self._deepest = 0
        self._shortened = UrlSet()
        self._count = 0

    def __len__(self) -> int:
        on_disk = len(self._spilled) if self._spilled is not None else 0
        return self._in_memory + len(self._late) + on_disk

    def is_known(self, url: str) -> bool:
        """Return whether exactly this URL was offered before (cheap; `add` checks its key, too)."""
        return url in self._known or url in self._refused

    def mark_known(self, url: str) -> None:
        """Remember a URL that need not be examined again, for example one out of scope."""
        self._refused.add(url)

    def shorten(self, url: str, depth: int) -> None:
        """Record a link to a known URL; a waiting entry becomes less deep if it is shorter."""
        if depth >= self._deepest or url in self._refused:
            return
        key = self._key(url)
        if key in self._claimed:
            return
        entry = self._waiting.get(key)
        if entry is None:
            self._shorten_spilled(url, key, depth)
        elif depth < entry.depth:
            entry.depth = depth
            self._push(entry)

    def _shorten_spilled(self, url: str, key: str, depth: int) -> None:
        # Its depth on disk is not known: whichever of the two comes up first counts.
        place = f"{depth} {key}"
        if key in self._known and place not in self._shortened:
            self._shortened.add(place)
            self._take_on(FrontierEntry(url, depth, key=key))

    def add(self, entry: FrontierEntry) -> bool:
        """Accept the entry; False if its URL, in any spelling, was accepted before."""
        entry.key = self._key(entry.url)
        is_new = entry.key not in self._known
        self._known.add(entry.key)
        self._known.add(entry.url)
        if is_new:
            self._take_on(entry)
        else:
            self.shorten(entry.url, entry.depth)
        return is_new

    def _take_on(self, entry: FrontierEntry) -> None:
        entry.origin = origin_of(entry.url)
        self._deepest = max(self._deepest, entry.depth)
        self._waiting[entry.key] = entry
        self._push(entry)

    def claim(self, entry: FrontierEntry, url: str) -> bool:
        """Reserve the target of the entry's redirect; False if another entry has reserved it."""
        key = self._key(url)
        if url not in self._known:
            self._refused.add(url)
        self._known.add(key)
        if key in self._claimed and key != entry.key and key not in entry.claims:
            return False
        self._claimed.add(key)
        self._waiting.pop(key, None)
        entry.claims += (key,)
        return True

    def claims_of(self, entry: FrontierEntry, but: str = "") -> list[str]:
        """Return the keys of the addresses that the entry's redirects led to, except one URL's."""
        return sorted(set(entry.claims) - ({self._key(but)} if but else set()))

    def settle(self, url: str, depth: int, claims: Iterable[str] = ()) -> FrontierEntry:
        """Return the entry of a page that has been fetched already, as if it had been taken.

        claims: the addresses that its redirects led to, which it has reserved.
        """
        key = self._key(url)
        # An entry on disk, or one that is unknown because a sitemap no longer lists it, is new
        # here.
        entry = self._waiting.pop(key, None) or FrontierEntry(url, depth, key=key)
        entry.depth, entry.origin = depth, origin_of(url)
        self._known.add(key)
        self._known.add(url)
        self._claimed.add(key)
        for claim in claims:
            self.claim(entry, claim)
        return entry

    def put_back(self, entry: FrontierEntry, not_before: float = 0.0) -> None:
        """Return a taken entry to the frontier, to be retried from `not_before` on."""
        entry.not_before = not_before
        if not_before:
            self._count += 1
            entry.place = self._count
            heapq.heappush(self._late, (not_before, self._count, entry))
        else:
            self._push(entry, first=True)

    def take(
        self, now: float, ready_at: Callable[[str], float], deepest: float = _NEVER
    ) -> FrontierEntry | float:
        """Return the best entry whose origin is ready, or the time at which there may be one.

        The time is inf if something in flight has to end first, and `now` if other tasks should
        have a turn before the next call. `ready_at` returns inf for an origin that is full, which
        is asked about again after `reopen`. Entries deeper than `deepest` must wait, except those
        that were put back at the front.
        """
        self._wake(now)
        entry = self._take_open(now, ready_at, deepest)
        if entry is None and self._absent:
            self._take_from_queue()
            entry = self._take_open(now, ready_at, deepest)
        if isinstance(entry, FrontierEntry):
            return entry
        if entry is None and self._absent:
            return now
        return min(places[0][0] if places else _NEVER for places in (self._late, self._resting))

    def reopen(self, name: str) -> None:
        """Check again whether an origin that was full is ready."""
        origin = self._origins.get(name)
        if origin is not None and origin.gate is Gate.FULL:
            self._reopen(origin)

    def drain_failed(self) -> Iterator[FrontierEntry]:
        """Remove and return the entries that were waiting to be retried."""
        late, self._late = self._late, []
        heaps = [origin.heap for origin in self._origins.values()]
        for heap in heaps:
            failed = [place for place in heap if place[2].failure is not None]
            self._in_memory -= len(failed)
            heap[:] = [place for place in heap if place[2].failure is None]
            heapq.heapify(heap)
            late += failed
        for _, _, entry in sorted(late, key=lambda place: place[1]):
            yield entry

    def drop_stale(self) -> None:
        """Drop places in memory whose entry was taken by another place; `len` includes them."""
        for origin in self._origins.values():
            fresh = [place for place in origin.heap if not self._is_stale(place)]
            self._in_memory -= len(origin.heap) - len(fresh)
            origin.heap[:] = fresh
            heapq.heapify(origin.heap)

    def _take_open(
        self, now: float, ready_at: Callable[[str], float], deepest: float
    ) -> FrontierEntry | Literal["too deep"] | None:
        """Return the best entry in memory that may be taken; None if there is none."""
        while (origin := self._best_open()) is not None:
            rank, _, entry = origin.heap[0]
            if entry.depth > deepest and rank != _FIRST:
                return "too deep"
            at = ready_at(origin.name)
            if at <= now:
                return self._pop(origin)
            origin.gate = Gate.RESTING if at < _NEVER else Gate.FULL
            if at < _NEVER:
                heapq.heappush(self._resting, (at, origin.name))
        return None

    # --- places -------------------------------------------------------------------------------

    def _push(self, entry: FrontierEntry, *, first: bool = False) -> None:
        self._count += 1
        entry.place = self._count
        place = (_FIRST if first else self._rank(entry), self._count, entry)
        origin = self._origins.get(entry.origin)
        if origin is None:
            origin = self._origins[entry.origin] = OriginQueue(entry.origin)
        if self._queued_behind is not None and place[:2] > self._queued_behind:
            self._queue(origin, place)
            if not origin.heap:
                self._absent.add(origin.name)
            return
        if origin.held is not None and place[:2] > origin.held:
            self._hold([self._spilled_entry(place)])
            return
        heapq.heappush(origin.heap, place)
        self._in_memory += 1
        self._absent.discard(origin.name)
        if origin.gate is Gate.OPEN and origin.heap[0] is place:
            self._announce(origin)
        if self._in_memory > self._spill_beyond:
            self._spill_worst()

    def _pop(self, origin: OriginQueue) -> FrontierEntry:
        entry = heapq.heappop(origin.heap)[2]
        self._in_memory -= 1
        self._claimed.add(entry.key)
        self._waiting.pop(entry.key, None)
        self._settle(origin)
        return entry

    def _settle(self, origin: OriginQueue) -> None:
        """Announce the best entry of an origin, wherever it is; forget an origin without any."""
        if not origin.heap and origin.held is not None:
            self._take_held(origin)
        if origin.heap:
            if origin.gate is Gate.OPEN:
                self._announce(origin)
        elif origin.queued:
            self._absent.add(origin.name)
        else:
            self._absent.discard(origin.name)
            del self._origins[origin.name]

    def _is_stale(self, place: QueueKey) -> bool:
        # A redirect has claimed its URL meanwhile, or the entry is waiting in another place.
        entry = place[2]
        was_taken = entry.tries or entry.render or entry.failure is not None
        return place[1] != entry.place or (not was_taken and entry.key in self._claimed)

    # --- origins ------------------------------------------------------------------------------

    def _best_open(self) -> OriginQueue | None:
        """Return the open origin with the best entry."""
        while self._open:
            *place, name = self._open[0]
            origin = self._origins.get(name)
            if origin is None or not origin.is_open_with(tuple(place)):
                heapq.heappop(self._open)
            elif self._is_stale(origin.heap[0]):
                heapq.heappop(self._open)
                heapq.heappop(origin.heap)
                self._in_memory -= 1
                self._settle(origin)
            else:
                return origin
        return None

    def _reopen(self, origin: OriginQueue) -> None:
        origin.gate = Gate.OPEN
        if origin.heap:
            self._announce(origin)

    def _announce(self, origin: OriginQueue) -> None:
        heapq.heappush(self._open, (*origin.heap[0][:2], origin.name))

    def _wake(self, now: float) -> None:
        while self._late and self._late[0][0] <= now:
            self._push(heapq.heappop(self._late)[2], first=True)
        while self._resting and self._resting[0][0] <= now:
            origin = self._origins.get(heapq.heappop(self._resting)[1])
            if origin is not None and origin.gate is Gate.RESTING:
                self._reopen(origin)

    # --- on disk ------------------------------------------------------------------------------

    def _spill_worst(self) -> None:
        """Keep the better half of the limit in memory, and queue the rest on disk."""
        places = sorted(place[:2] for queue in self._origins.values() for place in queue.heap)
        self._queued_behind = behind = places[self._max_in_memory // 2]
        for origin in list(self._origins.values()):
            origin.heap.sort()
            # Entries that were taken before have more state than a line on disk holds.
            last = max(behind, (_FIRST, self._count))
            keep_count = bisect.bisect(origin.heap, last, key=itemgetter(slice(2)))
            rest = origin.heap[keep_count:]
            del origin.heap[keep_count:]
            self._in_memory -= len(rest)
            if rest and origin.held is not None:
                self._hold([self._spilled_entry(place) for place in rest])
                origin.held = rest[0][:2]
            else:
                for place in rest:
                    self._queue(origin, place)
            if rest:
                self._settle(origin)
        # Only the current places: those from before the spill are outdated.
        self._open.clear()
        for origin in self._origins.values():
            if origin.heap and origin.gate is Gate.OPEN:
                self._announce(origin)
        self._spill_beyond = max(self._max_in_memory, 2 * self._in_memory)

    def _queue(self, origin: OriginQueue, place: QueueKey) -> None:
        if not self._is_stale(place) and self._spilled is not None:
            self._spilled.add(self._spilled_entry(place))
            origin.queued += 1

    def _spilled_entry(self, place: QueueKey) -> SpilledEntry:
        rank, number, entry = place
        self._waiting.pop(entry.key, None)
        return SpilledEntry(
            rank, number, entry.origin, entry.url, entry.depth, entry.score, entry.dates,
            entry.parent,
        )  # fmt: skip

    def _hold(self, entries: list[SpilledEntry]) -> None:
        if entries and self._spilled is not None:
            self._spilled.hold(entries)

    def _take_from_queue(self) -> None:
        """Fetch the next entries of the queue, but none of an origin with many in memory."""
        rows = self._spilled.take(_TAKEN_BACK) if self._spilled is not None else []
        self._queued_behind = rows[-1][:2] if len(rows) == _TAKEN_BACK else None
        entries: list[SpilledEntry] = []
        touched: dict[str, OriginQueue] = {}
        for row in rows:
            origin = touched[row.origin] = self._origins[row.origin]
            origin.queued -= 1
            if origin.held is not None or len(origin.heap) >= _MAX_HEAP_ENTRIES:
                origin.held = origin.held or row[:2]
                entries.append(row)
            else:
                self._restore(origin, row)
        self._hold(entries)
        for origin in touched.values():
            self._settle(origin)

    def _take_held(self, origin: OriginQueue) -> None:
        while not origin.heap and origin.held is not None and self._spilled is not None:
            rows = self._spilled.take_held(origin.name, _MAX_HEAP_ENTRIES)
            origin.held = rows[-1][:2] if len(rows) == _MAX_HEAP_ENTRIES else None
            for row in rows:
                self._restore(origin, row)

    def _restore(self, origin: OriginQueue, row: SpilledEntry) -> None:
        key = self._key(row.url)
        if key in self._claimed:
            return
        entry = FrontierEntry(
            row.url, row.depth, row.score, row.origin, dates=row.dates, parent=row.parent,
            key=key, place=row.number,
        )  # fmt: skip
        self._waiting[key] = entry
        heapq.heappush(origin.heap, (row.rank, row.number, entry))
        self._in_memory += 1

    def __repr__(self) -> str:
        return f"Frontier(waiting={len(self)}, known={len(self._known)})"
