"""Which engine a page gets, and what the record says about it."""

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest
from aiohttp import web

from ocd.api.errors import OcdError
from ocd.ledger.task_handle import TaskHandle
from support.crawl_site import page, raw_server, site, tree
from support.crawling import FakePool, rendered, run_crawl

APP = (
    '<!doctype html><title>App</title><body><div id="root"></div>'
    '<script src="/app.js"></script></body>'
)


async def test_pages_that_need_scripts_are_rendered(tmp_path: Path) -> None:
    """An empty root goes to the browser, with the reason; the plain pages do not."""
    async with site(
        {"/": page("Home", "/app", "/short"), "/short": "<p>Hi", "/app": APP}
    ) as served:
        url = f"{served.url}/app"
        pool = FakePool({url: rendered(url, page("Shown", "/late"), f"{served.url}/late")})
        served.pages["/late"] = page("Late")
        got = await run_crawl(tmp_path, pool=pool, url=served.url)
    app = got.page(url)
    assert (app["engine"], app["title"]) == ("browser", "Shown")
    assert "empty application root #root" in app["engine_reason"]
    assert pool.loaded == [url]
    assert got.page(f"{served.url}/short")["engine"] == "static"
    assert got.page(f"{served.url}/late")["title"] == "Late"
    assert got.summary["engines"] == {"static": 3, "browser": 1}
    assert got.summary["attempts"] == 4


async def test_without_a_browser_the_static_answer_is_kept(tmp_path: Path) -> None:
    """The reason says that there is none; later pages do not try again."""
    pages = {"/": page("Home", "/a", "/b"), "/a": APP, "/b": APP}
    async with site(pages) as served:
        pool = FakePool()
        pool.refuses = OcdError("browser_not_found", "No browser was found")
        got = await run_crawl(tmp_path, pool=pool, url=served.url)
        with pytest.raises(OcdError, match="No browser"):
            await run_crawl(tmp_path / "b", pool=pool, url=served.url, engine="browser")
    assert got.page(f"{served.url}/a")["engine"] == "static"
    assert "No browser was found" in got.page(f"{served.url}/b")["engine_reason"]
    assert got.summary["succeeded"] == 3
    assert got.summary["stop_reason"] == "completed"


async def test_rendering_failures_become_records(tmp_path: Path) -> None:
    """A crash and a failed navigation: each is tried again, and the crawl goes on."""
    async with site({}) as served:
        home, crash, gone, far = (f"{served.url}/{name}" for name in ("", "crash", "gone", "far"))
        pool = FakePool(
            {
                home: rendered(home, page("Home", "/crash", "/gone", "/far")),
                crash: OcdError("tab_crashed", "The page crashed"),
                gone: OcdError("navigation_failed", "net::ERR_CONNECTION_RESET"),
                far: rendered("http://elsewhere.invalid/", page("Far")),
            }
        )
        got = await run_crawl(tmp_path, pool=pool, url=served.url, engine="browser", retries=1)
    assert got.page(crash)["error"]["code"] == "tab_crashed"
    assert got.page(gone)["error"]["code"] == "navigation_failed"
    assert got.page(far)["error"]["code"] == "out_of_scope"
    assert [pool.loaded.count(url) for url in (crash, gone)] == [2, 2]
    assert set(served.seen) == {"/robots.txt"}


async def test_a_download_is_recorded_over_plain_http(tmp_path: Path) -> None:
    """What the browser would save is recorded with its type, and not as an error."""
    async with site({}) as served:
        url = f"{served.url}/pdf"
        pool = FakePool({url: OcdError("download_started", "It is a download")})
        got = await run_crawl(tmp_path, pool=pool, url=url, engine="browser")
    assert got.pages[0]["content_type"] == "application/pdf"
    assert "error" not in got.pages[0]


async def test_share_login_fetches_as_the_user(tmp_path: Path) -> None:
    """Static pages come through the browser's network stack, robots.txt does not."""
    async with site({"/": page("As nobody")}) as served:
        pool = FakePool()
        got = await run_crawl(
            tmp_path, pool=pool, url=served.url, engine="static", share_login=True
        )
    assert got.pages[0]["title"] == "As user"
    assert pool.loaded == [f"{served.url}/"]
    assert not served.pages_seen


class _HangingPool(FakePool):
    def __init__(self) -> None:
        super().__init__()
        self.began, self.ended = asyncio.Event(), False

    async def load(self, url: str, timeout_s: float) -> None:  # type: ignore[override]
        self.began.set()
        try:
            await asyncio.Event().wait()
        finally:
            self.ended = True


async def test_stop_cancels_rendering_at_once(tmp_path: Path) -> None:
    """The load in flight is cancelled, so that its tab is free."""
    pool, work = _HangingPool(), TaskHandle("0" * 16, "default", tmp_path)
    async with site() as served, asyncio.timeout(300), asyncio.TaskGroup() as group:
        crawl = group.create_task(
            run_crawl(tmp_path, pool=pool, work=work, url=served.url, engine="browser")
        )
        await pool.began.wait()
        work.stop.set()
        got = await crawl
    assert pool.ended
    assert got.summary["stop_reason"] == "cancelled"


async def test_a_hung_pool_does_not_hang_the_crawl(tmp_path: Path) -> None:
    """page_timeout_ms holds even if the browser keeps no deadline."""
    async with site() as served:
        with pytest.raises(OcdError) as caught:
            await run_crawl(
                tmp_path, pool=_HangingPool(), url=served.url, engine="browser", page_timeout_ms=100
            )
    assert caught.value.code == "timeout"


async def test_a_larger_crawl_shares_its_work_with_a_process(tmp_path: Path) -> None:
    """A conversion process soon helps; every page comes once and complete."""
    async with site(tree(120, fanout=10)) as served:
        got = await run_crawl(tmp_path, url=served.url, max_pages=120, max_depth=9)
    assert len(got.good) == 120
    assert set(served.pages_seen.values()) == {1}


async def test_error_pages_are_not_rendered(tmp_path: Path) -> None:
    """A 404 is final: the browser does not load it again."""
    async with site({"/": page("Home", "/dead")}) as served:
        served.answers["/dead"] = lambda _r: web.Response(status=404, text=APP)
        pool = FakePool()
        got = await run_crawl(tmp_path, pool=pool, url=served.url)
    assert got.page(f"{served.url}/dead")["status"] == 404
    assert not pool.loaded


async def test_a_page_whose_menu_scripts_make_is_rendered(tmp_path: Path) -> None:
    """Not if it leads on without the menu, or has none to fill, however much text it has."""
    text = "<p>Much to read, and nowhere to go.</p>" * 200
    menu = f'<title>Menu</title><div id="main-nav"> </div>{text}<script src=menu.js></script>'
    pages = {
        "/": menu, "/next": page("Next", "/both", "/plain"),
        "/both": f"{menu}<a href=/next>back</a>", "/plain": f"{text}<script>1</script>",
    }  # fmt: skip
    async with site(pages) as served:
        home = f"{served.url}/"
        pool = FakePool({home: rendered(home, page("Menu", "/next"), f"{served.url}/next")})
        got = await run_crawl(tmp_path, pool=pool, url=home)
    assert pool.loaded == [home]
    assert got.page(home)["engine_reason"] == "empty navigation #main-nav"
    assert len(got.good) == 4


def _circle(_request: web.Request) -> web.Response:
    return web.Response(status=302, headers={"Location": "/wall"})


async def test_a_redirect_loop_is_retried_in_the_browser(tmp_path: Path) -> None:
    """A wall of scripts and cookies opens in a browser; without one the loop is the error."""
    async with site({"/": page("Home", "/wall")}) as served:
        served.answers["/wall"] = _circle
        wall = f"{served.url}/wall"
        pool = FakePool({wall: rendered(wall, page("Inside"))})
        got = await run_crawl(tmp_path, pool=pool, url=served.url)
        missing = FakePool()
        missing.refuses = OcdError("browser_not_found", "No browser was found")
        alone = await run_crawl(tmp_path / "b", pool=missing, url=served.url)
    inside = got.page(wall)
    assert (inside["engine"], inside["title"]) == ("browser", "Inside")
    assert "in a loop" in inside["engine_reason"]
    assert alone.page(wall)["error"]["code"] == "too_many_redirects"
    assert alone.summary["succeeded"] == 1


async def test_a_malformed_response_is_retried_in_the_browser(tmp_path: Path) -> None:
    """Browsers read a body that is longer than it says; without one that is the error."""
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 9\r\n\r\n"
    sent = head + b"<p>More</p> than nine"
    async with raw_server(sent) as host:
        url = f"http://{host}/"
        pool = FakePool({url: rendered(url, page("Inside"))})
        got = await run_crawl(tmp_path, pool=pool, url=url, respect_robots=False, max_depth=0)
        with pytest.raises(OcdError, match="sent an invalid HTTP response"):
            await run_crawl(
                tmp_path / "b", url=url, respect_robots=False, engine="static", retries=0
            )
    (inside,) = got.pages
    assert (inside["engine"], inside["title"]) == ("browser", "Inside")
    assert "sent an invalid HTTP response" in inside["engine_reason"]


async def test_robots_headers_apply_to_rendered_pages(tmp_path: Path) -> None:
    """X-Robots-Tag and Refresh headers of a rendered page are obeyed, recorded and followed."""
    async with site({"/next": page("Next")}) as served:
        home, silent = served.url + "/", served.url + "/silent"
        headers = {"x-robots-tag": "noindex, nofollow"}
        hidden = replace(rendered(silent, page("Silent"), f"{served.url}/never"), headers=headers)
        shown = rendered(home, page("Home"), silent)
        pool = FakePool({
            home: replace(shown, headers={"refresh": "5; url=/next"}), silent: hidden,
            f"{served.url}/next": rendered(f"{served.url}/next", page("Next")),
        })  # fmt: skip
        got = await run_crawl(tmp_path, pool=pool, url=home, engine="browser")
    assert got.page(silent)["robots"] == ["noindex", "nofollow"]
    assert got.page(silent)["content"] == ""
    assert got.page(f"{served.url}/next")["title"] == "Next"
    assert got.summary["skipped"] == {"noindex": 1, "nofollow": 1}
