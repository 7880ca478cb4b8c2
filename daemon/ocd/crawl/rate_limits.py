"""Rate limits per origin: a minimum interval, limited concurrency, and back-off."""

import random
import time
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import NamedTuple

from ocd.crawl.adaptive_limit import AdaptiveLimit
from ocd.crawl.spec import MAX_CRAWL_DELAY_S, MAX_RETRY_AFTER_S

_FIRST_BACKOFF_S = 0.5
_MAX_BACKOFF_S = 15.0
# An origin that refuses everything for longer than this is not temporarily overloaded.
MAX_OVERLOAD_S = 30.0
_LAST_BACKOFF = 4
# A header may have more digits than a clock has.
_MAX_SECONDS = 1e9
MAX_LIMITS_SHOWN = 20


@dataclass(slots=True)
class _OriginLimit:
    interval: float
    limit: int
    in_flight: int = 0
    next_at: float = 0.0
    answers: int = 0
    overload: "_Overload | None" = None
    adaptive: AdaptiveLimit | None = None


@dataclass(slots=True)
class _Overload:
    """A period in which an origin answers every request with overload."""

    since: float
    limit: int
    refusals: int = 0


class Overload(NamedTuple):
    """Until when an origin is left alone, and whether its overload may be temporary.

    After `given_up_at` it is no longer considered temporary.
    """

    until: float
    may_pass: bool
    given_up_at: float


class RateLimits:
    """The gates of all origins of one crawl. Times are seconds of the loop's clock.

    With `awaits_robots` an origin lets one request through until its robots.txt is known
    (`set_crawl_delay`). adaptive: an origin's limit follows its response times, up to `limit`.
    starts_unknown: a request may start at any time between `begin` and `end`, so an interval is
    kept from the end of one to the beginning of the next.
    """

    def __init__(
        self,
        interval_s: float,
        limit: int,
        *,
        awaits_robots: bool = True,
        adaptive: bool = False,
        starts_unknown: bool = False,
    ) -> None:
        self._interval = interval_s
        self._limit = limit
        self._awaits_robots = awaits_robots
        self._is_adaptive = adaptive
        self._starts_unknown = starts_unknown
        self._origins: dict[str, _OriginLimit] = {}
        self.longest_delay_s = interval_s
        self.delay_was_capped = False
        self._reopened: set[str] = set()

    def ready_at(self, origin: str) -> float:
        """Return when the next request may start; inf while the limit of requests is in flight."""
        gate = self._origins.get(origin)
        if gate is None:
            return 0.0
        limit = 1 if self._starts_unknown and gate.interval else gate.limit
        return gate.next_at if gate.in_flight < limit else float("inf")

    def begin(self, origin: str, now: float) -> None:
        """Count a request that starts now."""
        gate = self._gate(origin)
        gate.in_flight += 1
        gate.next_at = max(gate.next_at, now + gate.interval)

    def end(self, origin: str, took_s: float | None = None, *, now: float = 0.0) -> None:
        """Count a request that has ended, in whatever way. took_s: its response time, if any."""
        gate = self._gate(origin)
        if gate.adaptive is not None and took_s is not None:
            gate.adaptive.note_answer(took_s, gate.in_flight)
            self._set_limit(gate, gate.adaptive.limit)
        gate.in_flight -= 1
        if self._starts_unknown:
            gate.next_at = max(gate.next_at, now + gate.interval)
        self._reopened.add(origin)

    def note_failure(self, origin: str) -> None:
        """Count a request without an answer, or one that was answered with overload."""
        gate = self._gate(origin)
        if gate.adaptive is not None:
            gate.adaptive.note_failure()
            self._set_limit(gate, gate.adaptive.limit)

    def busiest_limits(self) -> dict[str, int]:
        """Return the concurrency limits that the busiest origins reached, if adaptive."""
        gates = self._origins.items()
        found = {origin: gate.adaptive.limit for origin, gate in gates if gate.adaptive is not None}
        return dict(sorted(found.items(), key=lambda one: -one[1])[:MAX_LIMITS_SHOWN])

    def _set_limit(self, gate: _OriginLimit, limit: int) -> None:
        if gate.overload is None:
            gate.limit = limit
        else:
            gate.overload.limit = limit

    def _open_fully(self, gate: _OriginLimit) -> None:
        if self._is_adaptive:
            gate.adaptive = gate.adaptive or AdaptiveLimit(self._limit)
        self._set_limit(gate, gate.adaptive.limit if gate.adaptive is not None else self._limit)

    def drain_reopened(self) -> set[str]:
        """Return the origins that accept more requests than at the last call."""
        reopened, self._reopened = self._reopened, set()
        return reopened

    def set_crawl_delay(self, origin: str, crawl_delay_s: float | None, now: float) -> None:
        """Open the gate fully, with the delay that the origin's robots.txt asks for."""
        gate = self._gate(origin)
        delay_s = crawl_delay_s or 0.0
        self.delay_was_capped = self.delay_was_capped or delay_s > MAX_CRAWL_DELAY_S
        self._open_fully(gate)
        self._reopened.add(origin)
        gate.interval = max(self._interval, min(delay_s, MAX_CRAWL_DELAY_S))
        gate.next_at = max(gate.next_at, now + gate.interval)
        self.longest_delay_s = max(self.longest_delay_s, gate.interval)

    def answers(self, origin: str) -> int:
        """Return how often the origin has answered without reporting overload."""
        return self._gate(origin).answers

    def note_refusal(self, origin: str, retry_after_s: float, now: float) -> Overload:
        """Count an answer that reports overload; start nothing for a while.

        From then on, only one request at a time is let through until another kind of answer comes.
        """
        gate = self._gate(origin)
        if gate.overload is None:
            gate.overload = _Overload(now, gate.limit)
            gate.limit = 1
        if now >= gate.next_at:  # requests that were in flight together count as one refusal
            gate.overload.refusals += 1
        wait = max(backoff_s(min(gate.overload.refusals, _LAST_BACKOFF) - 1), retry_after_s)
        gate.next_at = max(gate.next_at, now + wait)
        patience = max(MAX_OVERLOAD_S, MAX_RETRY_AFTER_S if retry_after_s else 0.0)
        given_up_at = gate.overload.since + patience
        return Overload(gate.next_at, now < given_up_at, given_up_at)

    def note_answer(self, origin: str) -> None:
        """Count any other answer: the origin accepts requests again."""
        gate = self._gate(origin)
        gate.answers += 1
        if gate.overload is not None:
            gate.limit, gate.overload = gate.overload.limit, None
            self._reopened.add(origin)

    def _gate(self, origin: str) -> _OriginLimit:
        gate = self._origins.get(origin)
        if gate is None:
            gate = self._origins[origin] = _OriginLimit(self._interval, 1)
            if not self._awaits_robots:
                self._open_fully(gate)
        return gate


def backoff_s(tries: int) -> float:
    """Return how long to wait after the given number of failed attempts, with jitter."""
    longest = min(_FIRST_BACKOFF_S * 2.0**tries, _MAX_BACKOFF_S)
    return longest * random.uniform(0.5, 1.0)  # noqa: S311 - jitter, no secret


def retry_after_s(value: str | None) -> float | None:
    """Return the seconds of a Retry-After header, a number or a date; None for anything else."""
    text = (value or "").strip()
    if text.isascii() and text.isdecimal():
        return min(float(text), _MAX_SECONDS)
    moment = http_time(text)
    return None if moment is None else max(0.0, moment - time.time())


def http_time(text: str | None) -> float | None:
    """Return an HTTP date in seconds of Unix time; None for anything else. No zone means UTC."""
    if not text:
        return None
    try:
        moment = parsedate_to_datetime(text)
        return moment.replace(tzinfo=moment.tzinfo or UTC).timestamp()
    except (ValueError, OverflowError):  # a zone may be a number of any length
        return None


def overload_text(origin: str, status: int | None, overload: Overload, now: float) -> str:
    """Return until when an origin is left alone, as text, with times of day in UTC."""
    again, given_up = (
        f"{datetime.now(UTC) + timedelta(seconds=at - now):%H:%M:%S}"
        for at in (overload.until, overload.given_up_at)
    )
    return f"{origin} answered {status}: retrying at {again}, giving up at {given_up} UTC"
