"""The frontier: each URL once, in order, and no origin in another one's way."""

from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given
from hypothesis import strategies as st

from ocd.crawl.frontier.frontier import Frontier, FrontierEntry
from ocd.crawl.frontier.spilled_entries import SpilledEntries
from ocd.crawl.frontier.url_set import UrlSet
from ocd.crawl.rate_limits import RateLimits

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


def test_urls_beyond_the_depth_wait_unless_taken_before() -> None:
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


def test_spellings_of_a_url_are_accepted_once() -> None:
    frontier = _frontier()
    assert frontier.add(FrontierEntry("http://x/a?b=1&c=2", 0))
    assert not frontier.add(FrontierEntry("http://X:80/a?c=2&b=1#f", 0))
    assert frontier.is_known("http://x/a?b=1&c=2")


def test_a_waiting_origin_blocks_no_other() -> None:
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


def test_delayed_entries_come_when_due_and_first() -> None:
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


def test_an_entry_taken_by_a_shorter_path_is_not_left() -> None:
    """A crawl that has taken every page is complete, however many paths led to them."""
    frontier = _frontier()
    frontier.add(FrontierEntry("http://x/a", 2))
    frontier.add(FrontierEntry("http://x/b", 2))
    frontier.shorten("http://x/b", 1)
    entry = frontier.take(0.0, _always)
    assert isinstance(entry, FrontierEntry)
    assert entry.url == "http://x/b"
    frontier.drop_stale()
    assert len(frontier) == 1


def test_failed_entries_are_drained() -> None:
    frontier = _frontier()
    frontier.add(FrontierEntry("http://x/a", 0))
    frontier.add(FrontierEntry("http://x/b", 0))
    entry = frontier.take(0.0, _always)
    assert isinstance(entry, FrontierEntry)
    entry.failure = "why"
    frontier.put_back(entry, 99.0)
    assert list(frontier.drain_failed()) == [entry]
    assert len(frontier) == 1


_OFFERS = st.lists(st.tuples(st.sampled_from("xyz"), st.integers(0, 40), st.integers(0, 3)))


@given(_OFFERS, _OFFERS)
def test_entries_on_disk_come_in_the_same_order(
    offers: list[tuple[str, int, int]], later: list[tuple[str, int, int]]
) -> None:
    """With three entries in memory or with all, each offered URL comes once, in the same order."""
    with TemporaryDirectory() as folder:
        spilled = SpilledEntries(Path(folder, "frontier.db"))
        small = Frontier(lambda entry: entry.depth, spilled=spilled, max_in_memory=3)
        large = _frontier()
        taken: list[list[str]] = [[], []]
        for some in (offers, later):
            for frontier, urls in zip((small, large), taken, strict=True):
                for host, number, depth in some:
                    url = f"http://{host}/{number}"
                    if not frontier.is_known(url):
                        assert frontier.add(FrontierEntry(url, depth))
                if isinstance(entry := frontier.take(1.0, _always), FrontierEntry):
                    urls.append(entry.url)
        for frontier, urls in zip((small, large), taken, strict=True):
            urls.extend(_urls(frontier))
        assert taken[0] == taken[1]
        assert (len(small), len(large)) == (0, 0)
        spilled.close()
        assert not any(Path(folder).iterdir())


def test_shorter_paths_reach_entries_on_disk(tmp_path: Path) -> None:
    """Each URL comes once, by its shortest path, whatever was claimed or refused meanwhile."""
    spilled = SpilledEntries(tmp_path / "frontier.db")
    frontier = Frontier(lambda entry: entry.depth, spilled=spilled, max_in_memory=4)
    for number in range(600):
        frontier.add(FrontierEntry(f"http://x/{number}", 3))
    frontier.mark_known("http://x/outside")
    first = frontier.take(1.0, _always)
    assert isinstance(first, FrontierEntry)
    assert frontier.claim(first, "http://x/599")
    for url in ("http://x/400", "http://x/400", "http://x/outside", "http://x/599", first.url):
        frontier.shorten(url, 2)
    entry = frontier.take(1.0, _always)
    assert isinstance(entry, FrontierEntry)
    assert (entry.url, entry.depth) == ("http://x/400", 2)
    rest = _urls(frontier)
    assert sorted([first.url, entry.url, *rest]) == sorted(f"http://x/{n}" for n in range(599))
    spilled.close()


def test_urls_taken_before_stay_in_memory(tmp_path: Path) -> None:
    spilled = SpilledEntries(tmp_path / "frontier.db")
    frontier = Frontier(lambda entry: entry.depth, spilled=spilled, max_in_memory=2)
    for number in range(5):
        frontier.add(FrontierEntry(f"http://x/{number}", 1))
    entries = [frontier.take(1.0, _always) for _ in range(3)]
    for entry in entries:
        assert isinstance(entry, FrontierEntry)
        entry.render = "it is empty"
        frontier.put_back(entry)
    for number in range(5, 20):
        frontier.add(FrontierEntry(f"http://x/{number}", 1))
    assert [frontier.take(1.0, _always) for _ in range(3)] == entries
    assert len(_urls(frontier)) == 17
    spilled.close()


def test_a_busy_origin_is_available_again_after_a_response() -> None:
    frontier, limits = _frontier(), RateLimits(0.0, 2, awaits_robots=False)
    for number in range(3):
        frontier.add(FrontierEntry(f"http://x/{number}", 0))
    for _ in range(2):
        assert isinstance(frontier.take(1.0, limits.ready_at), FrontierEntry)
        limits.begin("http://x", 1.0)
    assert frontier.take(1.0, limits.ready_at) == INF
    assert not limits.drain_reopened()
    limits.end("http://x")
    for origin in limits.drain_reopened():
        frontier.reopen(origin)
    assert isinstance(frontier.take(1.0, limits.ready_at), FrontierEntry)


def test_an_entry_with_a_shorter_path_comes_once_even_after_a_failure() -> None:
    frontier = _frontier()
    frontier.add(FrontierEntry("http://x/a", 3))
    frontier.shorten("http://x/a", 1)
    entry = frontier.take(1.0, _always)
    assert isinstance(entry, FrontierEntry)
    entry.tries, entry.failure = 1, "why"
    frontier.put_back(entry)
    assert frontier.take(1.0, _always) is entry
    assert frontier.take(1.0, _always) == INF


def test_a_set_of_urls_holds_few_and_many_alike():
    urls = UrlSet()
    for number in range(12_000):
        urls.add(f"http://h/{number}")
        urls.add(f"http://h/{number // 2}")
        assert f"http://h/{number}" in urls
        assert f"http://h/{number + 1}" not in urls
    assert len(urls) == 12_000
    assert all(f"http://h/{number}" in urls for number in range(12_000))
