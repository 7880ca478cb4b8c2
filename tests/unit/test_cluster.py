"""Pages for a cluster's workers: batches, redirects, workers that end, and what may travel."""

import asyncio
import logging
import sys
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import msgspec
import pytest

from ocd.api.errors import OcdError
from ocd.config.tables import Cluster
from ocd.crawl.cluster import connection
from ocd.crawl.cluster.cluster_reader import ClusterReader
from ocd.crawl.cluster.clusters import Clusters
from ocd.crawl.cluster.connection import ClusterConnection, WorkerGoneError
from ocd.crawl.cluster.messages import (
    BatchAnswer,
    PageAnswer,
    PageFailure,
    decode_pages,
    encode,
)
from ocd.crawl.cluster.worker_settings import with_cookies_of
from ocd.crawl.crawl_result import PageRecord
from ocd.crawl.fetch.fetch_errors import FetchError, fetch_error
from ocd.crawl.fetch.http_fetch import RedirectChain
from ocd.crawl.rate_limits import RateLimits
from ocd.crawl.request_options import RequestOptions, read_cookies
from ocd.crawl.spec import CrawlSpec
from ocd.crawl.visits.outcome import VisitResult
from ocd.crawl.visits.page_reader import PageRequest
from ocd.ledger.cancellation import job_group

LAB = Cluster(address="tls://lab:8786")
PLAIN = Cluster(address="tcp://lab:8786")
Answer = Callable[[PageRequest], PageAnswer]


def page(url: str, final: str = "") -> PageAnswer:
    record = PageRecord(
        url=url, final_url=final or url, status=200, title="", depth=0, content="", links=[],
        engine="static", content_type="text/html", fetched_at="", duration_ms=1,
    )  # fmt: skip
    return PageAnswer(visited=VisitResult(record, []))


class FakeConnection(ClusterConnection):
    """Answers batches by a function; workers die of the pages in `deadly`."""

    def __init__(self, slots: int, answer: Answer) -> None:
        super().__init__("lab", "crawl", LAB, None)  # no Dask here
        self.set_workers({"w1": slots})
        self.answer = answer
        self.batches: list[tuple[list[str], str]] = []
        self.in_flight = self.most_in_flight = 0
        self.deadly: set[str] = set()

    async def run(self, settings: bytes, pages: bytes, worker: str) -> BatchAnswer:
        requests = decode_pages(pages)
        self.batches.append(([one.url for one in requests], worker))
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        try:
            await asyncio.sleep(0)
        finally:
            self.in_flight -= 1
        if self.deadly & {one.url for one in requests}:
            raise WorkerGoneError(died=True)
        answer = BatchAnswer(worker, [self.answer(one) for one in requests])
        return msgspec.msgpack.decode(encode(answer), type=BatchAnswer)


@asynccontextmanager
async def reading(
    fake: FakeConnection, run: Callable[..., Any] | None = None
) -> AsyncIterator[Callable[..., Any]]:
    """Yield what reads URLs side by side, and returns results and errors."""
    if run is not None:
        fake.run = run  # type: ignore[method-assign]
    async with job_group() as start:
        reader = ClusterReader(fake, lambda: b"", start, None)  # no files
        fake.on_change = reader.send
        _running = start(reader.run())
        admitted: list[str] = []

        async def admit(target: str) -> None:
            admitted.append(target)

        async def read(url: str, *, by_browser: bool = False) -> Any:  # noqa: ANN401
            request = PageRequest(url=url, by_browser=by_browser, fetched_at="")
            try:
                visited = await reader.read(request, admit, lambda: None)
            except OcdError as error:
                return error
            return visited.record.final_url

        async def read_all(*urls: str, by_browser: bool = False) -> tuple[list[Any], list[str]]:
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(read(url, by_browser=by_browser)) for url in urls]
            return [task.result() for task in tasks], admitted

        yield read_all


async def test_batches_are_few_and_evenly_filled() -> None:
    """At most two for a worker and 32 pages in one; every page is in one of them."""
    urls = [f"http://x/{number}" for number in range(400)]
    fake = FakeConnection(2, lambda one: page(one.url))
    async with reading(fake) as read_all:
        found, _ = await read_all(*urls[:10])
        assert [len(batch) for batch, _ in fake.batches] == [5, 5]
        assert found + (await read_all(*urls[10:]))[0] == urls
    assert fake.most_in_flight == 2
    sizes = [len(batch) for batch, _ in fake.batches]
    assert (max(sizes), sum(sizes)) == (32, len(urls))
    assert len(sizes) < 20


async def test_pages_are_spread_evenly_over_workers() -> None:
    """Workers have the same number of pages each, however these are batched."""
    fake = FakeConnection(4, lambda one: page(one.url))
    fake.set_workers({"w1": 4, "w2": 4})
    async with reading(fake) as read_all:
        await read_all(*(f"http://x/{number}" for number in range(16)))
    assert [(len(batch), worker) for batch, worker in fake.batches] == [
        (4, "w1"), (4, "w2"), (4, "w1"), (4, "w2"),
    ]  # fmt: skip


async def test_slow_pages_delay_no_others() -> None:
    """A worker is asked again for pages in progress; pages that got no slot go to any worker."""
    slow, late = "http://x/slow", "http://x/late"
    left = {slow: [True, True], late: [False]}

    def answer(one: PageRequest) -> PageAnswer:
        if left.get(one.url):
            return PageAnswer(begun=left[one.url].pop())
        return page(one.url)

    fake = FakeConnection(1, answer)
    async with reading(fake) as read_all:
        found, _ = await read_all(slow, late, "http://x/1", "http://x/2")
    assert found == [slow, late, "http://x/1", "http://x/2"]
    assert [near for batch, near in fake.batches if slow in batch] == ["w1", "w1", "w1"]
    assert fake.rates.measure() == {"w1": 4.0}


async def test_redirects_are_checked_here_and_followed_on_the_worker() -> None:
    """By the worker that began, from where it is; those of a browser are checked at the end."""

    def answer(one: PageRequest) -> PageAnswer:
        if one.by_browser:
            return page(one.url, "http://x/there")
        if one.chain is None:
            return PageAnswer(redirect=RedirectChain("http://x/b", redirects=[(one.url, 302)]))
        assert one.chain.redirects == [("http://x/a", 302)]
        return page(one.url, one.chain.url)

    fake = FakeConnection(1, answer)
    async with reading(fake) as read_all:
        assert await read_all("http://x/a") == (["http://x/b"], ["http://x/b"])
        assert fake.batches == [(["http://x/a"], "w1"), (["http://x/a"], "w1")]
    async with reading(fake) as read_all:
        assert await read_all("http://x/a", by_browser=True) == (
            ["http://x/there"], ["http://x/there"],
        )  # fmt: skip


async def test_a_page_that_kills_workers_fails_alone() -> None:
    urls = [f"http://x/{number}" for number in range(12)]
    fake = FakeConnection(1, lambda one: page(one.url))
    fake.deadly = {urls[7]}
    async with reading(fake) as read_all:
        found, _ = await read_all(*urls)
    (error,) = [one for one in found if isinstance(one, OcdError)]
    assert (error.code, "died" in error.message) == ("fetch_failed", True)
    # Twice with others, then by itself, and no page that is suspected with it beside it.
    deadly = [batch for batch, _ in fake.batches if urls[7] in batch]
    assert [len(batch) > 1 for batch in deadly] == [True, True, False, False, False]
    assert [one for one in found if isinstance(one, str)] == [one for one in urls if one != urls[7]]


async def test_pages_wait_while_the_scheduler_is_unreachable() -> None:
    """While the scheduler is unreachable nothing is sent, and no page is blamed for it."""
    urls = [f"http://x/{number}" for number in range(4)]
    fake = FakeConnection(1, lambda one: page(one.url))
    lost = 20

    async def run(settings: bytes, pages: bytes, worker: str) -> BatchAnswer:
        nonlocal lost
        if lost:
            lost -= 1
            fake.set_workers({})
            asyncio.get_running_loop().call_soon(come_back)
            raise WorkerGoneError(died=False)
        return await FakeConnection.run(fake, settings, pages, worker)

    def come_back() -> None:
        fake.set_workers({"w2": 1})
        fake.on_change()

    async with reading(fake, run) as read_all:
        found, _ = await read_all(*urls)
    assert found == urls
    assert {worker for _, worker in fake.batches} == {"w2"}


async def test_pages_of_a_worker_that_ends_are_read_by_another() -> None:
    ending = deque(["http://x/1", "http://x/2"])

    def answer(one: PageRequest) -> PageAnswer:
        if ending and ending[0] == one.url:
            ending.popleft()
            return PageAnswer(failure=PageFailure("cancelled", "The crawl has ended"))
        return page(one.url)

    async with reading(FakeConnection(1, answer)) as read_all:
        found, _ = await read_all("http://x/1", "http://x/2", "http://x/3")
    assert found == ["http://x/1", "http://x/2", "http://x/3"]


def test_errors_come_back_as_they_were_raised() -> None:
    error = fetch_error("http_error", "HTTP 503", transient=True, status=503)
    error.retry_after, error.status = 2.0, 503
    answer = msgspec.msgpack.decode(encode(PageFailure.of(error)), type=PageFailure).error()
    assert isinstance(answer, FetchError)
    assert (answer.transient, answer.retry_after, answer.status) == (True, 2.0, 503)
    assert answer.body() == error.body()
    plain = OcdError("domain_blocked", "Not opened", hint="Why", url="http://x")
    same = PageFailure.of(plain).error()
    assert (type(same), same.body()) == (OcdError, plain.body())


@pytest.mark.parametrize(
    ("spec", "logins", "words"),
    [
        ({"share_login": True}, {}, "browser's cookies"),
        ({"requests": RequestOptions(headers=(("X-Key", "1"),))}, {}, "headers"),
        ({"requests": RequestOptions(proxies=("http://a:b@proxy:1",))}, {}, "proxy"),
        ({}, {"http://x": "ada:pw"}, "URL"),
    ],
)
def test_logins_travel_over_tls_only(
    spec: dict[str, Any], logins: dict[str, str], words: str
) -> None:
    clusters = Clusters({"lab": LAB, "plain": PLAIN})
    given = CrawlSpec(url="http://x/", cluster="lab", **spec)
    assert clusters.check(given, logins) is LAB
    with pytest.raises(OcdError, match=words) as refused:
        clusters.check(CrawlSpec(url="http://x/", cluster="plain", **spec), logins)
    assert refused.value.code == "invalid_argument"
    assert clusters.check(CrawlSpec(url="http://x/", cluster="plain"), {}) is PLAIN


def test_the_browsers_cookies_that_travel_are_those_of_the_start_pages() -> None:
    cookies = [
        {"name": name, "value": "1", "domain": domain, "path": "/", "secure": False}
        for name, domain in (
            ("own", "docs.x.org"),
            ("above", ".x.org"),
            ("other", "mail.x.org"),
            ("far", ".y.org"),
        )
    ]
    spec = CrawlSpec(url="https://docs.x.org/", cluster="lab", share_login=True)
    changed = with_cookies_of(spec, cookies)
    assert not changed.share_login
    assert [cookie.name for cookie in changed.requests.cookies] == ["own", "above"]
    assert changed.requests.cookies == read_cookies(cookies[:2], spec.starts)


async def test_without_the_extra_the_error_says_how_to_install_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(OcdError) as raised:
        async with ClusterConnection.open("lab", "crawl", LAB):
            raise AssertionError
    assert raised.value.code == "disabled"
    assert 'pip install "openchrome[cluster]"' in raised.value.hint


async def test_errors_on_closing_the_client_are_not_the_crawls_error(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Dask's client raises, when it is closed, what its reconnecting failed with."""

    class Client:
        async def close(self, timeout: float) -> None:  # noqa: ASYNC109 - Dask's parameter
            raise ValueError("IOStream is not idle")

    async def connect(*_: object) -> Client:
        return Client()

    monkeypatch.setattr(connection, "_connect", connect)
    with pytest.raises(OcdError) as lost:
        async with ClusterConnection.open("lab", "crawl", LAB) as opened:
            raise opened.lost_error()
    assert (lost.value.code, "IOStream is not idle" in caplog.text) == ("cluster_lost", True)


def test_dasks_log_messages_are_one_line_each(caplog: pytest.LogCaptureFixture) -> None:
    """Its tracebacks are about connections; the crawl reports what their end means."""
    connection._import_dask()
    closed = OSError("Stream is closed")
    logging.getLogger("distributed.client").error("Failed to\nreconnect", exc_info=closed)
    (record,) = caplog.records
    assert record.name.startswith("ocd.")
    line = "distributed.client: Failed to: OSError('Stream is closed')"
    assert (record.getMessage(), record.exc_info) == (line, None)


async def test_an_unreachable_scheduler_is_cluster_lost(
    monkeypatch: pytest.MonkeyPatch, unused_tcp_port: int
) -> None:
    monkeypatch.setattr(connection, "_CONNECT_S", 0.2)
    nobody = Cluster(address=f"tcp://127.0.0.1:{unused_tcp_port}")
    with pytest.raises(OcdError) as raised:
        async with ClusterConnection.open("lab", "crawl", nobody):
            raise AssertionError
    assert raised.value.code == "cluster_lost"
    assert "oc_task_resume" in raised.value.hint


@pytest.mark.parametrize("address", ["lab:8786", "http://lab:8786", "tls://lab", "tls://lab:x"])
def test_scheduler_addresses_are_validated(address: str) -> None:
    with pytest.raises(msgspec.ValidationError, match="tls://HOST:PORT"):
        msgspec.convert({"address": address}, Cluster)


def test_delays_count_from_the_end_where_starts_are_unknown() -> None:
    """A request may wait at a worker, so only its end says when the next may begin."""
    gates = RateLimits(2.0, limit=3, awaits_robots=False, starts_unknown=True)
    gates.begin("http://x", 0.0)
    assert gates.ready_at("http://x") == float("inf")
    gates.end("http://x", now=9.0)
    assert gates.ready_at("http://x") == 11.0
    free = RateLimits(0.0, limit=3, awaits_robots=False, starts_unknown=True)
    free.begin("http://x", 0.0)
    assert free.ready_at("http://x") == 0.0
