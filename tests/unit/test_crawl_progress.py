"""The figures of a crawl: rates over the last seconds, time left, failures by code, hosts."""

import asyncio

import msgspec
import pytest
from msgspec import UNSET

from oc_mcp.server.progress import ProgressReporter
from ocd.api import progress_text
from ocd.api.wire import Progress
from ocd.crawl.crawl_result import PageRecord
from ocd.crawl.progress_meter import MAX_HOSTS, WINDOW_S, ProgressMeter
from ocd.crawl.spec import CrawlSpec
from ocd.crawl.stats import CrawlStats
from ocd.ledger.states import TaskProgress


class Crawl:
    """A crawl whose clock and pages the test moves."""

    def __init__(self, queued: int = 0, **spec: int) -> None:
        self.now = 100.0
        self.stats = CrawlStats()
        self.queue = range(queued)
        given = {"max_pages": 1000, "max_depth": 3, **spec}
        self.meter = ProgressMeter(
            CrawlSpec(url="http://a.test/", **given),  # type: ignore[arg-type]
            self.stats, self, lambda: self.now,
        )  # fmt: skip

    def __len__(self) -> int:
        return len(self.queue)

    def pages(self, count: int, host: str = "a.test", error: str = "") -> None:
        for number in range(count):
            url = f"http://{host}/{number}"
            self.stats.count(
                PageRecord(
                    url=url, final_url=url, status=200, title="", depth=0, content="", links=[],
                    engine="static", content_type="", fetched_at="", duration_ms=1,
                    error={"code": error} if error else None,
                )
            )  # fmt: skip


def test_the_rate_is_that_of_the_last_seconds() -> None:
    """It follows the crawl, falls to zero while no page arrives, and then starts again."""
    crawl = Crawl()
    assert crawl.meter.measure().pages_per_s == 0
    for _ in range(60):
        crawl.now += 0.5
        crawl.pages(5)
        fast = crawl.meter.measure()
    assert fast.pages_per_s == pytest.approx(10, abs=0.01)
    crawl.now += WINDOW_S / 2
    assert 4 < crawl.meter.measure().pages_per_s < 8
    crawl.now += WINDOW_S
    assert crawl.meter.measure().pages_per_s == 0
    resumed = ProgressMeter(CrawlSpec(url="http://a.test/"), crawl.stats, [], lambda: crawl.now)
    crawl.now += 1
    crawl.pages(3)
    assert resumed.measure().pages_per_s == 3


@pytest.mark.parametrize(
    ("queued", "spec", "left_s"),
    [
        (500, {"max_pages": 110}, 10),  # more is known than is wanted
        (50, {"max_pages": 110}, UNSET),  # links may lead to more
        (50, {"max_pages": 110, "max_depth": 0}, 5),  # no link is followed
        (0, {"max_depth": 0}, UNSET),  # only what is in flight
    ],
)
def test_time_left_is_shown_where_it_can_be_estimated(
    queued: int, spec: dict[str, int], left_s: object
) -> None:
    crawl = Crawl(queued, **spec)
    crawl.now += 1
    assert crawl.meter.measure().left_s is UNSET  # nothing has come yet
    crawl.pages(10)
    figures = crawl.meter.measure()
    assert (figures.left_s, figures.queued) == (left_s, queued)
    assert TaskProgress(figures=figures).at_end().figures == msgspec.structs.replace(
        figures, left_s=UNSET
    )


def test_failures_by_code_and_the_busiest_hosts() -> None:
    """Failed pages count for the rate, not for max_pages; hosts being asked now come first."""
    crawl = Crawl(500, max_pages=20)
    crawl.pages(50, "early.test")
    crawl.now += 3 * WINDOW_S
    crawl.meter.measure()
    crawl.now += WINDOW_S
    crawl.meter.measure()
    crawl.now += 2
    for number in range(MAX_HOSTS - 1):
        crawl.pages(number + 1, f"{number}.test", "timeout")
    crawl.pages(1, "0.test", "http_error")
    figures = crawl.meter.measure()
    assert figures.failures == {"timeout": 10, "http_error": 1}
    assert figures.left_s is UNSET  # nothing that counts has come for a while
    hosts = [(one.host, one.pages, one.failed) for one in figures.hosts]
    assert hosts == [
        ("3.test", 4, 4), ("2.test", 3, 3), ("0.test", 2, 2), ("1.test", 2, 2),
        ("early.test", 50, 0),
    ]  # fmt: skip
    assert figures.pages_per_s == pytest.approx(11 / 12, abs=0.01)
    crawl.pages(9, "more.test")
    assert len(crawl.meter.measure().hosts) == MAX_HOSTS


def test_progress_text_shows_rate_queue_and_failures() -> None:
    crawl = Crawl(500, max_pages=4000)
    crawl.now += 1
    crawl.pages(2)
    one = msgspec.to_builtins(crawl.meter.measure())
    assert progress_text.line(one) == "2.0/s, 500 queued"
    crawl.queue = range(5000)
    crawl.pages(1, "b.test", "timeout")
    crawl.pages(1, "b.test", "http_error")
    crawl.pages(1, "b.test", "timeout")
    several = msgspec.to_builtins(crawl.meter.measure())
    assert progress_text.line(several) == (
        "5.0/s, 33:19 left, 5000 queued, 3 failed (timeout 2, http_error 1), "
        "b.test 3 3.0/s, a.test 2 2.0/s"
    )
    assert progress_text.speed({**one, "pages_per_s": 41.6, "left_s": 7384}) == [
        "42/s", "2:03:04 left", "500 queued",
    ]  # fmt: skip


async def test_progress_notifications_have_the_figures() -> None:
    crawl = Crawl(7)
    reported = asyncio.get_running_loop().create_future()

    async def report(_done: float, _total: float | None, message: str | None) -> None:
        reported.set_result(message)

    reporter = ProgressReporter(report)
    reporter.on_progress(Progress(3, message="http://a.test/3", figures=crawl.meter.measure()))
    async with asyncio.TaskGroup() as group:
        running = group.create_task(reporter.run())
        assert await reported == "0.0/s, 7 queued: http://a.test/3"
        running.cancel()
