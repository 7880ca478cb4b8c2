"""Rate limits per origin, back-off and Retry-After."""

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from ocd.crawl.rate_limits import RateLimits, backoff_s, retry_after_s

X = "http://x"


def test_one_request_until_robots_is_known() -> None:
    gates = RateLimits(0.0, limit=3)
    gates.begin(X, 0.0)
    assert gates.ready_at(X) == float("inf")
    gates.set_crawl_delay(X, None, 1.0)
    assert gates.ready_at(X) <= 1.0
    gates.begin(X, 1.0)
    gates.begin(X, 1.0)
    assert gates.ready_at(X) == float("inf")
    gates.end(X)
    assert gates.ready_at(X) <= 1.0


def test_the_longer_delay_wins() -> None:
    gates = RateLimits(0.5, limit=3)
    gates.begin(X, 0.0)
    gates.set_crawl_delay(X, 2.0, 1.0)
    assert gates.ready_at(X) == 3.0
    assert gates.longest_delay_s == 2.0
    assert gates.ready_at("http://y") == 0.0


def test_a_capped_delay_is_reported() -> None:
    gates = RateLimits(0.0, limit=1)
    gates.set_crawl_delay(X, 3600.0, 0.0)
    assert gates.ready_at(X) == 30.0
    assert gates.delay_was_capped


def test_an_overloaded_origin_recovers_with_one_request_at_a_time() -> None:
    """Until it answers otherwise; after half a minute, refusals no longer mean overload."""
    gates = RateLimits(0.0, limit=3, awaits_robots=False)
    first = gates.note_refusal(X, 7.0, 1.0)
    assert (first.until, first.may_pass, gates.ready_at(X)) == (8.0, True, 8.0)
    gates.begin(X, 8.0)
    assert gates.ready_at(X) == float("inf")
    gates.end(X)
    assert not gates.note_refusal(X, 0.0, 40.0).may_pass
    gates.note_answer(X)
    gates.begin(X, 60.0)
    assert gates.ready_at(X) < float("inf")
    assert gates.answers(X) == 1


@pytest.mark.parametrize("tries", range(12))
def test_backoff_grows_and_ends(tries: int) -> None:
    assert min(0.25 * 2**tries, 7.5) <= backoff_s(tries) <= min(0.5 * 2**tries, 15)


def test_retry_after_is_seconds_or_a_date() -> None:
    assert retry_after_s("120") == 120.0
    assert retry_after_s(None) is None
    assert retry_after_s("soon") is None
    later = datetime.now(UTC) + timedelta(seconds=30)
    assert 27 <= (retry_after_s(format_datetime(later, usegmt=True)) or 0) <= 31
    assert retry_after_s("Wed, 21 Oct 2015 07:28:00 GMT") == 0.0
    assert retry_after_s("Wed, 21 Oct 2015 07:28:00") == 0.0


@pytest.mark.parametrize("value", ["9" * 400, "²", f"Wed, 21 Oct 2015 07:28:00 +{'9' * 20}"])
def test_an_absurd_retry_after_is_ignored(value: str) -> None:
    """A number of seconds that cannot be represented counts as no Retry-After."""
    seconds = retry_after_s(value)
    assert seconds is None or round(seconds) == 10**9


def test_without_robots_an_origin_is_open_from_the_start() -> None:
    """robots.txt is not requested, so nothing else would open it."""
    gates = RateLimits(0.0, limit=2, awaits_robots=False)
    gates.begin("o", 0.0)
    assert gates.ready_at("o") == 0.0
    gates.begin("o", 0.0)
    assert gates.ready_at("o") == float("inf")


def _settle(gates: RateLimits, capacity: int, answers: int = 4000) -> int:
    """Return what the limit comes to at a server that answers `capacity` requests in 0.1 s."""
    for _ in range(answers):
        under_way = 0
        while gates.ready_at(X) <= 1.0:
            gates.begin(X, 1.0)
            under_way += 1
        for _ in range(under_way):
            gates.end(X, 0.1 * max(1.0, under_way / capacity))
    return gates.busiest_limits()[X]


def test_an_adaptive_limit_finds_a_servers_concurrency() -> None:
    """It grows while responses stay fast, shrinks when they slow down, and halves on failure."""
    gates = RateLimits(0.0, limit=64, awaits_robots=False, adaptive=True)
    assert 12 <= _settle(gates, 12) <= 24
    assert 40 <= _settle(gates, 40) <= 64
    assert 4 <= _settle(gates, 4) <= 12
    before = gates.busiest_limits()[X]
    for _ in range(5):  # of one round
        gates.note_failure(X)
    assert gates.busiest_limits()[X] == before // 2
    gates.begin(X, 0.0)
    gates.note_refusal(X, 0.0, 0.0)
    gates.note_failure(X)
    gates.end(X)
    assert gates.ready_at(X) > 0.0
    gates.note_answer(X)
    assert _settle(gates, 1000) == 64


def test_an_adaptive_limit_waits_for_robots_and_grows_only_with_use() -> None:
    gates = RateLimits(0.0, limit=64, adaptive=True)
    gates.begin(X, 0.0)
    assert gates.ready_at(X) == float("inf")
    gates.set_crawl_delay(X, None, 0.0)
    for _ in range(500):
        gates.end(X, 0.1)
        gates.begin(X, 1.0)
    assert gates.busiest_limits() == {X: 4}  # one at a time has shown no more
