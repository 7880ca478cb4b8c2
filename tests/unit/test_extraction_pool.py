"""The process that extracts pages: borrowed, returned, kept, ended."""

import asyncio
import errno
import io
from collections.abc import AsyncIterator, Callable
from contextlib import closing

import msgspec
import psutil
import pytest

from ocd.content.conversion_cost import memory_to_convert
from ocd.conversion import process
from ocd.conversion.worker import Bounds, ConversionPool, ConversionWorker
from ocd.crawl.extraction import ExtractionClient
from ocd.crawl.fetch.fetch_errors import FetchError
from ocd.crawl.page_extractor import ExtractionJob, extract
from support.processes import words_of


@pytest.fixture
async def workers() -> AsyncIterator[ConversionPool]:
    workers = ConversionPool()
    yield workers
    await workers.close()


def job(text: str, size: int = 1) -> ExtractionJob:
    html = f"<title>{text}</title><p>" + f"{text} " * size
    return ExtractionJob(
        url="http://h/", body=html.encode(), charset="utf-8", html=True, format="markdown",
        only_main=False, sanitize=True, probe=False,
    )  # fmt: skip


async def test_results_go_to_their_callers(workers):
    worker = await workers.lend()
    asked = [worker.run(extract, job(f"page {n}", n * 500)) for n in range(20)]
    assert [(await one).title for one in asked] == [f"page {n}" for n in range(20)]
    assert not worker.busy
    workers.give_back(worker)


async def test_an_idle_process_goes_to_the_next_crawl(workers):
    worker = await workers.lend()
    assert not workers.warm
    await worker.run(extract, job("x"))
    workers.give_back(worker)
    assert workers.warm
    assert await workers.lend() is worker
    workers.give_back(worker)


async def test_a_busy_process_is_not_kept(workers):
    worker = await workers.lend()
    answer = worker.run(extract, job("x", 200_000))
    workers.give_back(worker)
    assert worker.ended
    with pytest.raises(ConnectionResetError):
        await answer
    await worker.wait_ended()
    other = await workers.lend()
    assert (await other.run(extract, job("y"))).title == "y"
    workers.give_back(other)


async def test_an_abandoned_request_delays_nobody(workers):
    worker = await workers.lend()
    dropped, wanted = worker.run(extract, job("a", 50_000)), worker.run(extract, job("b"))
    dropped.cancel()
    assert (await wanted).title == "b"
    workers.give_back(worker)
    assert workers.warm


async def test_a_page_that_takes_too_long_ends_the_process(workers, monkeypatch):
    monkeypatch.setattr("ocd.conversion.worker.MAX_CONVERSION_S", 0.05)
    worker = await ConversionWorker.start()
    with pytest.raises(ConnectionResetError):
        await worker.run(extract, job("x", 2_000_000))
    await worker.wait_ended()
    with pytest.raises(ConnectionResetError):
        await worker.run(extract, job("x"))


async def test_a_process_for_each_processor_is_kept_for_a_while(workers, monkeypatch):
    monkeypatch.setattr("ocd.conversion.worker.usable_processors", lambda: 2)
    monkeypatch.setattr("ocd.conversion.worker.KEPT_S", 0.0)
    lent = [await workers.lend() for _ in range(3)]
    for worker in lent:
        workers.give_back(worker)
    assert [worker.ended for worker in lent] == [False, False, True]
    for worker in lent:
        await worker.wait_ended()
    assert not workers.warm


async def convert_many(converter: ExtractionClient, pages: int) -> None:
    """Convert that many pages at once and check that each is its own."""
    async with asyncio.TaskGroup() as group:
        found = [group.create_task(converter.convert(job(f"page {n}", 200))) for n in range(pages)]
    assert [task.result().title for task in found] == [f"page {n}" for n in range(pages)]


async def test_a_process_that_is_crowded_gets_another_beside_it(workers, monkeypatch):
    """Until there are as many as may work; they are all given back."""
    started: list[ConversionWorker] = []
    start = ConversionWorker.start

    async def recorded() -> ConversionWorker:
        started.append(await start())
        return started[-1]

    monkeypatch.setattr("ocd.conversion.worker.ConversionWorker.start", recorded)
    monkeypatch.setattr("ocd.conversion.worker.usable_processors", lambda: 2)
    monkeypatch.setattr("ocd.content.converter.is_loaded", lambda: False)
    with closing(ExtractionClient(workers, processes=2, max_waiting=4)) as converter:
        await converter.prepare()
        await convert_many(converter, 4)
        assert len(started) == 1
        await convert_many(converter, 40)
    assert len(started) == 2
    assert not any(worker.ended for worker in started)


async def test_another_process_that_cannot_be_started_is_not_needed(workers, monkeypatch):
    """It is asked for once; every page is converted all the same."""
    converter = ExtractionClient(workers, processes=2, max_waiting=4)
    monkeypatch.setattr("ocd.content.converter.is_loaded", lambda: False)
    refused: list[int] = []

    async def refuse(*_: object) -> None:
        refused.append(1)
        raise BlockingIOError(errno.EAGAIN, "Resource temporarily unavailable")

    with closing(converter):
        await converter.prepare()
        monkeypatch.setattr("ocd.conversion.worker.ConversionWorker.start", refuse)
        await convert_many(converter, 40)
    assert len(refused) == 1


async def test_a_short_crawl_uses_the_daemons_own_parsers_only_if_they_are_loaded(
    workers, monkeypatch
):
    """They would take 10 MB of it for good."""
    for is_loaded in (True, False):
        monkeypatch.setattr("ocd.content.converter.is_loaded", lambda loaded=is_loaded: loaded)
        with closing(ExtractionClient(workers)) as converter:
            await converter.prepare()
            await convert_many(converter, 3)
        assert workers.warm is not is_loaded


def named(url: str, text: str = "x") -> ExtractionJob:
    """Return a job that is large enough for the process."""
    return msgspec.structs.replace(job(text, 80_000), url=url)


@pytest.fixture
def faulty(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Arm a fault for the processes that are started from now on."""
    return lambda fault: monkeypatch.setattr("ocd.storage.crash_points._fault", fault)


@pytest.mark.parametrize(
    ("fault", "cpu_s", "said"),
    [
        ("convert=spin@bad", 0.5, "more than 0.5 s of computing"),
        ("convert=eat@bad", 30.0, "MemoryError"),
    ],
)
async def test_a_page_that_cannot_be_converted_fails_alone(
    workers, faulty, monkeypatch, fault, cpu_s, said
):
    monkeypatch.setattr("ocd.conversion.worker.DEFAULT_BOUNDS", Bounds(cpu_s=cpu_s))
    faulty(fault)
    with closing(ExtractionClient(workers)) as converter:
        async with asyncio.TaskGroup() as group:
            good = [
                group.create_task(converter.convert(named(f"http://h/{n}", str(n)))) for n in "12"
            ]
            with pytest.raises(FetchError, match=said) as caught:
                await converter.convert(named("http://h/bad"))
            assert caught.value.code == "conversion_failed"
            more = [
                group.create_task(converter.convert(named(f"http://h/{n}", str(n)))) for n in "34"
            ]
    assert [task.result().title for task in (*good, *more)] == ["1", "2", "3", "4"]


async def test_a_page_within_the_bound_is_converted_despite_its_estimate(
    workers: ConversionPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The estimate is for the worst of documents; this one takes a quarter of it."""
    body = b"<i>x</i>" * 120_000
    bounds = Bounds(memory_bytes=256 << 20)
    assert memory_to_convert("http://h/", body) > bounds.memory_bytes
    monkeypatch.setattr("ocd.conversion.worker.DEFAULT_BOUNDS", bounds)
    with closing(ExtractionClient(workers)) as converter:
        page = await converter.convert(msgspec.structs.replace(job("x"), body=body))
    assert page.content.count("x") == 120_000


GROWING = {
    "quotes": b"<blockquote>" * 100 + b"<pre>" + b"x\n" * 5000,
    "lists": b"<Ul><li>" * 200 + b"<pre>" + b"x&#10;" * 20_000,
    "base": b"<base href='http://h/" + b"a/" * 20_000 + b"'>" + b"<a href=x>x</a>" * 600,
    "hidden base": b"<base id=a' href='>" + b"a/" * 20_000 + b"'>" + b"<a href=x>x</a>" * 600,
    "UTF-16": ("<blockquote>" * 100 + "<pre>" + "x\n" * 5000).encode("utf-16"),
}


@pytest.mark.parametrize("body", GROWING.values(), ids=GROWING)
async def test_a_small_page_that_grows_goes_to_the_process(workers, body):
    """A few kilobytes that could take seconds or gigabytes, even at the start of a crawl."""
    with closing(ExtractionClient(workers)) as converter:
        await converter.convert(msgspec.structs.replace(job("x"), body=body))
    assert workers.warm


async def test_an_ordinary_page_starts_no_process(workers, monkeypatch):
    monkeypatch.setattr("ocd.content.converter.is_loaded", lambda: True)
    body = b"<base href='/'>" + b"<ul><li><a href=x>x</a>\n</ul><blockquote>x</blockquote>" * 20
    with closing(ExtractionClient(workers)) as converter:
        await converter.convert(msgspec.structs.replace(job("x"), body=body))
    assert not workers.warm


async def outcome(converter: ExtractionClient, url: str) -> str:
    """Return the title that came out, or the code of the error."""
    try:
        return (await converter.convert(named(url, url))).title
    except FetchError as error:
        return error.code


async def test_pages_queued_behind_a_killed_process_are_done_by_another(
    workers, faulty, monkeypatch
):
    monkeypatch.setattr("ocd.conversion.worker.DEFAULT_BOUNDS", Bounds(cpu_s=0.5))
    faulty("convert=spin@bad")
    with closing(ExtractionClient(workers)) as converter:
        urls = ("http://h/1", "http://h/bad", "http://h/2", "http://h/also-bad", "http://h/3")
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(outcome(converter, url)) for url in urls]
    failed = "conversion_failed"
    assert [task.result() for task in tasks] == [
        "http://h/1", failed, "http://h/2", failed, "http://h/3",
    ]  # fmt: skip


@pytest.mark.parametrize(("kills", "expected"), [(1, "http://h/1"), (2, "conversion_failed")])
async def test_a_page_whose_process_is_killed_gets_one_more(
    workers: ConversionPool, monkeypatch: pytest.MonkeyPatch, kills: int, expected: str
) -> None:
    """By the system where memory is short, for example; a page that crashes it fails."""
    run = ConversionWorker.run
    left = [None] * kills

    def run_and_kill(
        worker: ConversionWorker, function: Callable[[object], object], argument: object
    ) -> asyncio.Future[object]:
        answer = run(worker, function, argument)
        if left:
            left.pop()
            for child in psutil.Process().children():
                if "ocd.conversion.process" in words_of(child):
                    child.kill()
        return answer

    monkeypatch.setattr(ConversionWorker, "run", run_and_kill)
    with closing(ExtractionClient(workers)) as converter:
        assert await outcome(converter, "http://h/1") == expected
    assert not left


async def test_without_a_process_only_large_pages_fail(workers, monkeypatch):
    async def refuse(*_: object) -> None:
        raise BlockingIOError(errno.EAGAIN, "Resource temporarily unavailable")

    monkeypatch.setattr("ocd.conversion.worker.ConversionWorker.start", refuse)
    with closing(ExtractionClient(workers)) as converter:
        titles = [(await converter.convert(job(str(n)))).title for n in range(15)]
        assert titles == [str(n) for n in range(15)]
        with pytest.raises(FetchError, match="no process could be started for it"):
            await converter.convert(named("http://h/large"))


def test_freed_memory_is_returned_from_time_to_time():
    """The process trims its heap after each half megabyte, not after each page."""
    call = process.FunctionCall(
        "ocd.crawl.page_extractor:extract", msgspec.Raw(process.encode(job("page", 20_000)))
    )
    message = process.frame(process.encode(call))
    trims: list[int] = []
    sink = io.BytesIO()

    def trim(pad: int) -> int:
        trims.append(pad)
        return 1

    # Twelve documents of 100 KB.
    process.serve(io.BytesIO(message * 12), sink, trim=trim)
    assert len(sink.getvalue()) > 12 * 90_000
    assert trims == [0, 0]
