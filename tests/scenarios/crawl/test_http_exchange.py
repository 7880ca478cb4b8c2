"""HTTP beside page content: cookies, compression, charsets, parallel requests."""

# ruff: noqa: RUF001 - words of other scripts

import asyncio
import gzip
import re
from pathlib import Path

import brotli
import pytest
from aiohttp import web
from backports import zstd

from ocd.ledger.task_handle import TaskHandle
from support.crawl_site import HTML, page, site, tree
from support.crawling import run_crawl

STATIC = {"engine": "static"}
# What somebody wrote before UTF-8: (charset, title, paragraph).
OLD = [
    ("shift_jis", "吾輩は猫である", "名前はまだ無い。どこで生れたかとんと見当がつかぬ。"),
    ("euc_jp", "吾輩は猫である", "名前はまだ無い。どこで生れたかとんと見当がつかぬ。"),
    ("koi8_r", "Анна Каренина", "Все счастливые семьи похожи друг на друга."),
    ("cp1251", "Анна Каренина", "Все счастливые семьи похожи друг на друга."),
    (
        "euc_kr",
        "세계 인권 선언",
        "모든 인간은 태어날 때부터 자유로우며 그 존엄과 권리에 있어 동등하다.",
    ),
    ("cp1252", "Café", "Crème brûlée – “naïve” résumé."),
]


async def test_cookies_set_during_a_crawl_are_sent_back(tmp_path: Path) -> None:
    """Set-Cookie on the way of a redirect comes back; the next crawl begins without."""
    accepted = "accepted=yes"

    def guarded(request: web.Request) -> web.Response:
        if accepted in request.headers.get("Cookie", ""):
            text = page("Inside", "/", "/in", "/self")
            return web.Response(text=text, content_type="text/html")
        return web.Response(status=302, headers={"Location": f"/accept?to={request.path}"})

    def accept(request: web.Request) -> web.Response:
        headers = {"Location": request.query["to"], "Set-Cookie": f"{accepted}; Path=/"}
        return web.Response(status=302, headers=headers)

    def itself(request: web.Request) -> web.Response:
        if "seen=1" in request.headers.get("Cookie", ""):
            return web.Response(text=page("Self"), content_type="text/html")
        return web.Response(status=302, headers={"Location": "/self", "Set-Cookie": "seen=1"})

    async with site({}) as served:
        served.answers = {"/": guarded, "/in": guarded, "/self": itself, "/accept?to=/": accept}
        served.answers["/accept?to=/in"] = accept
        for number in range(2):
            got = await run_crawl(tmp_path / str(number), url=served.url, **STATIC)
            assert sorted(one["title"] for one in got.good) == ["Inside", "Inside", "Self"]
        assert served.seen["/accept?to=/"] == 2


@pytest.mark.parametrize("coding", ["br", "zstd", "gzip, br"])
async def test_compressed_pages_are_read(tmp_path: Path, coding: str) -> None:
    """br and zstd are requested; truncated bodies are marked, invalid ones are failures."""
    text = (page("Packed", "/torn", "/none") + "<p>word" * 9999).encode()
    pack = zstd.compress if coding == "zstd" else brotli.compress
    packed = pack(gzip.compress(text) if "," in coding else text)
    async with site({}) as served:
        for path, body in (("/", packed), ("/torn", packed[:-9]), ("/none", b"<p>plain words")):
            headers = {**HTML, "Content-Encoding": coding}
            served.answers[path] = lambda _r, body=body, headers=headers: web.Response(
                body=body, headers=headers
            )
        got = await run_crawl(tmp_path, url=served.url, retries=0, **STATIC)
        assert "br, zstd" in served.headers[-1]["Accept-Encoding"]
    assert got.page(f"{served.url}/")["title"] == "Packed"
    assert got.page(f"{served.url}/torn")["incomplete"]
    assert got.page(f"{served.url}/none").get("incomplete") or got.summary["failed"] == 1


async def test_undeclared_charsets_are_detected(tmp_path: Path) -> None:
    """As a browser reads them; a page of UTF-8 with one broken character stays UTF-8."""
    async with site({"/": page("Home", *[f"/{name}" for name, *_ in OLD], "/broken")}) as served:
        for name, title, text in OLD:
            body = page(title, body=f"<p>{text}</p>").encode(name)
            served.answers[f"/{name}"] = lambda _r, body=body: web.Response(
                body=body, headers={"Content-Type": "text/html"}
            )
        broken = page("Kaputt", body="<p>Größe, Übung, naïve Straßen: žluťoučký kůň</p>" * 3)
        served.answers["/broken"] = lambda _r: web.Response(
            body=broken.encode() + b"\xff", headers={"Content-Type": "text/html"}
        )
        got = await run_crawl(tmp_path, url=served.url, **STATIC)
    for name, title, text in OLD:
        record = got.page(f"{served.url}/{name}")
        assert (record["title"], text in record["content"]) == (title, True), record
    assert "žluťoučký" in got.page(f"{served.url}/broken")["content"]


@pytest.mark.parametrize("respect_robots", [True, False])
async def test_concurrency_is_reached_with_and_without_robots(
    tmp_path: Path, respect_robots: bool
) -> None:
    """The server sees as many requests at once as were asked for."""
    async with site(tree(31, fanout=10)) as served:
        real, together = served._answer, asyncio.Event()

        async def slow(request: web.Request, path: str) -> web.StreamResponse:
            if path.startswith("/p/") and not together.is_set():
                if served.in_flight == 8:
                    together.set()
                await together.wait()
            return await real(request, path)

        served._answer = slow  # type: ignore[method-assign]
        got = await run_crawl(
            tmp_path, url=served.url, max_pages=31, max_depth=9, concurrency=8,
            respect_robots=respect_robots, **STATIC,
        )  # fmt: skip
    assert (served.most_in_flight, got.summary["succeeded"]) == (8, 31)


async def test_a_burst_of_503_loses_no_page(tmp_path: Path) -> None:
    """503 to everything for a while, whatever the retries; then to one page for ever."""
    refusals = 8
    work, told = TaskHandle("0" * 16, "default", tmp_path), set[str]()
    async with site(tree(31, fanout=10)) as served:
        real, refused, last = served._answer, 0, 0
        answered, others = set[str](), {f"/p/{n}" for n in range(1, 31) if n != 9}

        async def overloaded(request: web.Request, path: str) -> web.StreamResponse:
            nonlocal refused, last
            told.add(work.now.message)
            if path.startswith("/p/") and refused < refusals:
                refused += 1
                return web.Response(status=503)
            last += path == "/p/9" and len(answered) == 29
            answered.update({path} & others)
            return await real(request, path)

        served._answer = overloaded  # type: ignore[method-assign]
        served.answers["/p/9"] = lambda _r: web.Response(status=503)
        got = await run_crawl(
            tmp_path, work=work, url=served.url, max_pages=31, max_depth=9, retries=1, **STATIC
        )
    held = re.escape(served.url) + r" answered 503: retrying at [0-9:]+, giving up at [0-9:]+ UTC"
    assert any(re.fullmatch(held, message) for message in told)
    assert [one["url"] for one in got.pages if "error" in one] == [f"{served.url}/p/9"]
    assert got.summary["succeeded"] == 30
    # Its first attempt and its retry are counted. Those while nothing else is there to ask are not:
    # nothing tells the page from the burst then. Once all others have answered, that is over.
    assert got.summary["attempts"] == 30 + 2
    assert last <= 3
