"""What records of failed pages say, and what a crawl refuses or gives up at once."""

import asyncio
import base64
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest
from aiohttp import web

from ocd.api.errors import OcdError
from ocd.browser.pool.page_pool import PagePool
from ocd.crawl.archive.file_names import ANSWERS
from ocd.crawl.page_extractor import MAX_CONTENT
from ocd.ledger.task_handle import TaskHandle
from ocd.verbs.crawl import Crawl, CrawlSitemap
from support.browsing import browsing
from support.crawl_site import raw_server, site
from support.crawling import FakePool, kept_pages, rendered, run_crawl


@contextmanager
def _dead_port() -> Iterator[int]:
    """A port that nobody listens at, and nobody else can take."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield int(taken.getsockname()[1])


async def _message(tmp_path: Path, url: str) -> str:
    with pytest.raises(OcdError) as caught:
        await run_crawl(
            tmp_path, url=url, engine="static", retries=0, respect_robots=False,
            page_timeout_ms=60_000,
        )  # fmt: skip
    assert caught.value.code == "fetch_failed"
    before, _, message = caught.value.message.partition(f"{url}: ")
    assert before == "No page could be read: "
    return message


async def test_summary_names_the_first_failure_and_counts_all(tmp_path: Path) -> None:
    """With the number of failed pages, so that it is not taken for the only one."""
    with _dead_port() as port:
        url = f"http://127.0.0.1:{port}/"
        with pytest.raises(OcdError) as caught:
            await run_crawl(
                tmp_path, url=url, more_urls=(f"{url}more",), engine="static", retries=0,
                respect_robots=False, concurrency=1,
            )  # fmt: skip
    assert caught.value.message.startswith(f"None of 2 pages could be read; the first: {url}: ")


async def test_each_kind_of_failure_has_its_own_message(tmp_path: Path) -> None:
    """Refusal, name, reset, silence, a broken response and TLS each have their own message."""
    with _dead_port() as port:
        host = f"127.0.0.1:{port}"
        assert await _message(tmp_path / "a", f"http://{host}/") == f"{host} refused the connection"
    named = await _message(tmp_path / "b", "http://nowhere.invalid/")
    assert named.startswith("the name of nowhere.invalid was not found")
    async with raw_server(b"") as host:
        silent = await _message(tmp_path / "c", f"http://{host}/")
        assert silent == f"{host} closed the connection without a response"
    async with raw_server(
        b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 9\r\n\r\n"
    ) as host:
        cut = await _message(tmp_path / "d", f"http://{host}/")
        assert cut == f"the response from {host} was cut off"
    async with raw_server(b"SSH-2.0-x\r\n") as host:
        other = await _message(tmp_path / "e", f"http://{host}/")
        assert other.startswith(f"{host} sent an invalid HTTP response: ")
        assert "SSH" not in other
        secure = await _message(tmp_path / "f", f"https://{host}/")
        assert secure.startswith(f"no TLS connection to {host}: ")
    async with raw_server(b"x" * 10, abort=True) as host:
        assert host in await _message(tmp_path / "g", f"http://{host}/")


async def test_long_headers_and_many_are_read(tmp_path: Path) -> None:
    """A policy of 100 KB and 500 cookies, as a browser takes them."""
    cookies = "".join(f"Set-Cookie: c{number}=1\r\n" for number in range(500))
    sent = f"HTTP/1.0 200 OK\r\nContent-Security-Policy: {'x' * 100_000}\r\n{cookies}\r\n<html>Read"
    async with raw_server(sent.encode()) as host:
        got = await run_crawl(
            tmp_path, url=f"http://{host}/", engine="static", retries=0, respect_robots=False
        )
    assert [record["content"] for record in got.pages] == ["Read\n"]


async def test_a_page_that_breaks_off_keeps_its_redirect_and_what_came(tmp_path: Path) -> None:
    """In the record and among the raw responses, which say that it broke off."""
    work = TaskHandle("0" * 16, "default", tmp_path)
    async with site({}) as served:
        served.answers["/moved"] = lambda _r: web.Response(
            status=302, headers={"Location": "/short"}
        )
        moved = f"{served.url}/moved"
        await run_crawl(
            tmp_path, work=work, url=moved, engine="static", retries=0, max_depth=0, keep=("raw",)
        )
    (record,) = kept_pages(work)
    assert record["incomplete"]
    assert record["redirects"] == [{"url": moved, "status": 302}]
    answers = map(msgspec.json.decode, (tmp_path / ANSWERS).read_bytes().splitlines())
    kept = [(one["status"], one.get("truncated"), "body" in one) for one in answers]
    assert kept == [(302, "unspecified", False), (200, "disconnect", True)]


async def test_a_failed_page_has_its_duration(tmp_path: Path) -> None:
    """duration_ms of a page that timed out is the attempt's, not zero."""
    work = TaskHandle("0" * 16, "default", tmp_path)
    async with site({}) as served:
        with pytest.raises(OcdError):
            await run_crawl(
                tmp_path, work=work, url=f"{served.url}/hang", engine="static", retries=0,
                page_timeout_ms=300,
            )  # fmt: skip
    (record,) = kept_pages(work)
    assert record["error"]["code"] == "timeout"
    assert record["duration_ms"] >= 300


def _guarded(request: web.Request) -> web.Response:
    wanted = "Basic " + base64.b64encode(b"me:pass@w").decode()
    if request.headers.get("Authorization") != wanted:
        return web.Response(status=401, headers={"WWW-Authenticate": 'Basic realm="x"'}, text="?")
    links = '<a href="/in">in</a><a href="http://a:b@other.invalid/x">out</a>'
    return web.Response(text=f"<title>In</title>{links}", content_type="text/html")


async def test_credentials_of_the_start_url_are_sent_but_never_recorded(tmp_path: Path) -> None:
    """user:password@ of the start URL is sent to its origin; no record and no summary has it."""
    async with site({}) as served, browsing(tmp_path) as here:
        served.answers = {"/": _guarded, "/in": _guarded}
        url = served.url.replace("//", "//me:pass%40w@")
        for engine in ("static", "browser"):
            got = await run_crawl(
                tmp_path / engine,
                pool=lambda tabs, options: PagePool(here.chromium, tabs, options),
                url=url,
                engine=engine,
            )
            assert [one["url"] for one in got.good] == [f"{served.url}/", f"{served.url}/in"]
            text = msgspec.json.encode([got.summary, got.pages]).decode()
            assert "pass" not in text
            assert "a:b@" not in text
            assert "http://other.invalid/x" in got.pages[0]["links"]


@pytest.mark.parametrize(
    ("params", "args", "code"),
    [
        (Crawl, {"url": "https://e.com", "strategy": "best_first"}, "invalid_argument"),
        (Crawl, {"url": "http://"}, "invalid_url"),
        (CrawlSitemap, {"url": "http://"}, "invalid_url"),
        (CrawlSitemap, {"url": "e.com", "sitemap_url": "http://"}, "invalid_url"),
    ],
)
def test_invalid_arguments_are_refused_before_a_task_exists(
    params: type[Crawl | CrawlSitemap], args: dict[str, str], code: str
) -> None:
    """Decoding the arguments is enough, and that comes before a task exists."""
    with pytest.raises(OcdError) as refused:
        msgspec.convert(args, params)
    assert refused.value.code == code


@pytest.mark.parametrize("where", ["/robots.txt", "/sitemap.xml"])
async def test_stop_interrupts_reading_a_sitemap(tmp_path: Path, where: str) -> None:
    """A server that hangs does not delay the stop of a crawl."""
    work = TaskHandle("0" * 16, "default", tmp_path)
    async with site({}) as served, asyncio.timeout(300), asyncio.TaskGroup() as group:
        if where == "/robots.txt":
            served.robots = "Sitemap: /hang"
            served.answers[where] = lambda _r: web.Response(text=f"Sitemap: {served.url}/hang")
        else:
            served.answers[where] = lambda _r: web.Response(
                status=302, headers={"Location": "/hang"}
            )
        crawl = group.create_task(run_crawl(tmp_path, work=work, url=served.url, sitemap=True))
        await served.reached.wait()
        work.stop.set()
        got = await crawl
    assert got.summary["stop_reason"] == "cancelled"
    assert got.summary["sitemap_source"] == ""


async def test_markdown_of_one_page_is_bounded(tmp_path: Path) -> None:
    """Nested lists that make 80 MB of Markdown are cut, and the record says so."""
    pages = {"/": "<ul><li>a" * 200_000}
    async with site(pages) as served:
        got = await run_crawl(tmp_path, url=served.url, engine="static")
    (record,) = got.pages
    assert len(record["content"]) <= MAX_CONTENT + 200
    assert record["truncated"] > 40_000_000


async def test_storage_failure_ends_the_crawl_and_blames_no_page(tmp_path: Path) -> None:
    """A screenshot or cached response that cannot be stored is no failure of its page."""
    url = "http://127.0.0.1/"
    folder = tmp_path / "home" / "tasks" / "one"
    folder.mkdir(parents=True)
    (folder / "files").touch()
    (tmp_path / "home" / "cache").touch()
    work = TaskHandle("0" * 16, "default", folder)
    shot = replace(rendered(url, "<p>Shown"), files={"screenshot": b"WEBP"})
    keeping = {"engine": "browser", "keep": ("screenshot",), "pool": FakePool({url: shot})}
    for asked in (keeping, {"engine": "static", "cache": True}):
        with pytest.raises(OcdError) as raised:
            await run_crawl(folder, url=url, work=work, respect_robots=False, **asked)  # type: ignore[arg-type]
        assert raised.value.code == "storage_failed"
        assert "No page" not in raised.value.message
        assert kept_pages(work) == []
