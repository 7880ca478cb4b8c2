"""The process that extracts pages: lent, given back, kept, ended."""

from collections.abc import AsyncIterator

import pytest

from ocd.crawl.extract import Job
from ocd.crawl.workers import Worker, Workers


@pytest.fixture
async def workers() -> AsyncIterator[Workers]:
    workers = Workers()
    yield workers
    await workers.close()


def job(text: str, size: int = 1) -> Job:
    html = f"<title>{text}</title><p>" + f"{text} " * size
    return Job(
        url="http://h/", body=html.encode(), charset="utf-8", html=True, format="markdown",
        only_main=False, sanitize=True, probe=False,
    )  # fmt: skip


async def test_answers_come_to_those_who_asked(workers):
    worker = await workers.lend()
    asked = [worker.extract(job(f"page {n}", n * 500)) for n in range(20)]
    assert [(await one).title for one in asked] == [f"page {n}" for n in range(20)]
    assert not worker.busy
    workers.give_back(worker)


async def test_an_idle_process_goes_to_the_next_crawl(workers):
    worker = await workers.lend()
    assert not workers.warm
    await worker.extract(job("x"))
    workers.give_back(worker)
    assert workers.warm
    assert await workers.lend() is worker
    workers.give_back(worker)


async def test_a_process_at_work_is_not_kept(workers):
    worker = await workers.lend()
    answer = worker.extract(job("x", 200_000))
    workers.give_back(worker)
    assert worker.ended
    with pytest.raises(ConnectionResetError):
        await answer
    await worker.wait_ended()
    other = await workers.lend()
    assert (await other.extract(job("y"))).title == "y"
    workers.give_back(other)


async def test_who_no_longer_waits_holds_nobody_up(workers):
    worker = await workers.lend()
    dropped, wanted = worker.extract(job("a", 50_000)), worker.extract(job("b"))
    dropped.cancel()
    assert (await wanted).title == "b"
    workers.give_back(worker)
    assert workers.warm


async def test_a_page_that_takes_too_long_ends_the_process(workers, monkeypatch):
    monkeypatch.setattr("ocd.crawl.workers.MAX_CONVERSION_S", 0.05)
    worker = await Worker.start()
    with pytest.raises(ConnectionResetError):
        await worker.extract(job("x", 2_000_000))
    await worker.wait_ended()
    with pytest.raises(ConnectionResetError):
        await worker.extract(job("x"))


async def test_of_two_one_is_kept_and_only_for_a_while(workers, monkeypatch):
    monkeypatch.setattr("ocd.crawl.workers.KEPT_S", 0.0)
    one, two = await workers.lend(), await workers.lend()
    workers.give_back(one)
    workers.give_back(two)
    assert two.ended
    await one.wait_ended()
    await two.wait_ended()
    assert not workers.warm
