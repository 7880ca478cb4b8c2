"""The frontier: each URL once, in order, and no origin in another one's way."""

from hypothesis import given
from hypothesis import strategies as st

from ocd.crawl.frontier import Frontier, FrontierEntry

INF = float("inf")


def _always(_origin: str) -> float:
    return 0.0


def _frontier() -> Frontier:
    return Frontier(lambda entry: entry.depth)


def _urls(frontier: Frontier) -> list[str]:
    taken = []
    while isinstance(entry := frontier.take(1.0, _always), FrontierEntry):
        taken.append(entry.url)
    return taken


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 3)), max_size=40))
def test_each_url_comes_once_and_by_depth(offers: list[tuple[int, int]]) -> None:
    frontier = _frontier()
    taken_on = [n for n, depth in offers if frontier.add(FrontierEntry(f"http://x/{n}", depth))]
    assert sorted(taken_on) == sorted({n for n, _ in offers})
    shortest: dict[str, int] = {}
    for n, depth in offers:
        url = f"http://x/{n}"
        shortest[url] = min(depth, shortest.get(url, depth))
    taken = _urls(frontier)
    assert sorted(taken) == sorted(shortest)
    assert [shortest[url] for url in taken] == sorted(shortest.values())


def test_what_is_too_deep_waits_unless_it_was_taken_before() -> None:
    frontier = _frontier()
    frontier.add(FrontierEntry("http://x/deep", 3))
    assert frontier.take(1.0, _always, deepest=2) == float("inf")
    frontier.shorten("http://x/deep", 2)
    taken = frontier.take(1.0, _always, deepest=2)
    assert isinstance(taken, FrontierEntry)
    assert taken.depth == 2
    taken.tries = 1
    frontier.put_back(taken)
    assert frontier.take(1.0, _always, deepest=0) is taken


def test_spellings_are_one() -> None:
    frontier = _frontier()
    assert frontier.add(FrontierEntry("http://x/a?b=1&c=2", 0))
    assert not frontier.add(FrontierEntry("http://X:80/a?c=2&b=1#f", 0))
    assert frontier.is_known("http://x/a?b=1&c=2")


def test_an_origin_that_waits_blocks_no_other() -> None:
    frontier = _frontier()
    frontier.add(FrontierEntry("http://slow/", 0))
    frontier.add(FrontierEntry("http://fast/", 1))
    ready = {"http://slow": 9.0, "http://fast": 0.0}
    taken = frontier.take(1.0, ready.__getitem__)
    assert isinstance(taken, FrontierEntry)
    assert taken.url == "http://fast/"
    assert frontier.take(1.0, ready.__getitem__) == 9.0
    assert isinstance(frontier.take(9.0, ready.__getitem__), FrontierEntry)
    assert frontier.take(9.0, ready.__getitem__) == INF


def test_late_entries_come_at_their_time_and_first() -> None:
    frontier = _frontier()
    frontier.add(FrontierEntry("http://x/a", 0))
    entry = frontier.take(0.0, _always)
    assert isinstance(entry, FrontierEntry)
    entry.tries = 1
    frontier.put_back(entry, 5.0)
    assert frontier.take(1.0, _always) == 5.0
    frontier.add(FrontierEntry("http://x/b", 0))
    assert frontier.take(5.0, _always) is entry


def test_a_redirects_target_is_claimed_once() -> None:
    frontier = _frontier()
    for path in "abc":
        frontier.add(FrontierEntry(f"http://x/{path}", 0))
    first = frontier.take(0.0, _always)
    second = frontier.take(0.0, _always)
    assert isinstance(first, FrontierEntry)
    assert isinstance(second, FrontierEntry)
    assert frontier.claim(first, "http://x/c")
    assert frontier.claim(first, "http://x/c"), "its own claim, on another attempt"
    assert frontier.claim(first, "http://x/a#again"), "itself"
    assert not frontier.claim(second, "http://x/c")
    assert not frontier.claim(second, "http://x/a")
    assert frontier.take(0.0, _always) == INF, "c was fetched by the redirect"
    assert not len(frontier)


def test_failed_ones_are_drained() -> None:
    frontier = _frontier()
    frontier.add(FrontierEntry("http://x/a", 0))
    frontier.add(FrontierEntry("http://x/b", 0))
    entry = frontier.take(0.0, _always)
    assert isinstance(entry, FrontierEntry)
    entry.failure = "why"
    frontier.put_back(entry, 99.0)
    assert list(frontier.drain_failed()) == [entry]
    assert len(frontier) == 1
