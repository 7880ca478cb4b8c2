"""How hard one origin may be asked: starts a minimal interval apart, few at once, back-off."""

import email.utils
import random
import time
from dataclasses import dataclass
from datetime import UTC

from ocd.crawl.spec import MAX_CRAWL_DELAY_S

_FIRST_BACKOFF_S = 0.5
_MAX_BACKOFF_S = 15.0


@dataclass(slots=True)
class _OriginLimit:
    interval: float
    limit: int
    in_flight: int = 0
    next_at: float = 0.0


class RateLimits:
    """The gates of all origins of one crawl. Times are seconds of the loop's clock.

    With `awaits_robots` an origin lets one request through until its robots.txt is known
    (`set_crawl_delay`).
    """

    def __init__(self, interval_s: float, limit: int, *, awaits_robots: bool = True) -> None:
        self._interval = interval_s
        self._limit = limit
        self._first_limit = 1 if awaits_robots else limit
        self._origins: dict[str, _OriginLimit] = {}
        self.longest_delay_s = interval_s
        self.delay_was_capped = False

    def ready_at(self, origin: str) -> float:
        """Return when the next request may start; inf while as many as allowed are in flight."""
        gate = self._origins.get(origin)
        if gate is None:
            return 0.0
        return gate.next_at if gate.in_flight < gate.limit else float("inf")

    def begin(self, origin: str, now: float) -> None:
        """Count a request that starts now."""
        gate = self._gate(origin)
        gate.in_flight += 1
        gate.next_at = max(gate.next_at, now + gate.interval)

    def end(self, origin: str) -> None:
        """Count a request that has ended, one way or the other."""
        self._gate(origin).in_flight -= 1

    def set_crawl_delay(self, origin: str, crawl_delay_s: float | None, now: float) -> None:
        """Open the gate fully, with the delay that the origin's robots.txt asks for."""
        gate = self._gate(origin)
        asked = crawl_delay_s or 0.0
        self.delay_was_capped = self.delay_was_capped or asked > MAX_CRAWL_DELAY_S
        gate.limit = self._limit
        gate.interval = max(self._interval, min(asked, MAX_CRAWL_DELAY_S))
        gate.next_at = max(gate.next_at, now + gate.interval)
        self.longest_delay_s = max(self.longest_delay_s, gate.interval)

    def hold(self, origin: str, until: float) -> None:
        """Start nothing before `until`: the origin said that it is asked too much."""
        gate = self._gate(origin)
        gate.next_at = max(gate.next_at, until)

    def _gate(self, origin: str) -> _OriginLimit:
        gate = self._origins.get(origin)
        if gate is None:
            gate = self._origins[origin] = _OriginLimit(self._interval, self._first_limit)
        return gate


def backoff_s(tries: int) -> float:
    """Return how long to wait after the given number of failed attempts, with jitter."""
    longest = min(_FIRST_BACKOFF_S * 2.0**tries, _MAX_BACKOFF_S)
    return longest * random.uniform(0.5, 1.0)  # noqa: S311 - jitter, no secret


def retry_after_s(value: str | None) -> float | None:
    """Return the seconds that a Retry-After header asks for, a number or a date; else None."""
    if not value:
        return None
    if value.strip().isdigit():
        return float(value)
    try:
        then = email.utils.parsedate_to_datetime(value)
    except ValueError:
        return None
    return max(0.0, then.replace(tzinfo=then.tzinfo or UTC).timestamp() - time.time())
