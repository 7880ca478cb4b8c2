"""Crawler traps: one page under many URLs, and endless URL spaces."""

from pathlib import Path

from aiohttp import web

from support.crawl_site import page, site
from support.crawling import run_crawl

STATIC = {"engine": "static"}
PROSE = "".join(
    f"<p>Paragraph {n} tells of ships and of sealing wax, number {n}.</p>" for n in range(40)
)


async def test_session_and_campaign_parameters_do_not_make_another_page(tmp_path: Path) -> None:
    """Known parameters by default, others by name; further parameters make another page."""
    links = [
        "/a?utm_source=x", "/a?gclid=1", "/a?PHPSESSID=0a1b", "/a;jsessionid=77", "/a?ref=1", "/a",
        "/a?sid=0123456789abcdef0123456789abcdef", "/b?id=1&fbclid=2", "/b?id=1", "/b?id=2",
    ]  # fmt: skip
    async with site({"/": page("Home", *links)}) as served:
        for path in links:
            served.answers[path] = lambda request: web.Response(
                text=page(request.path_qs), content_type="text/html"
            )
        got = await run_crawl(tmp_path, url=served.url, ignore_params=("re*",), **STATIC)
    assert sorted(served.pages_seen) == ["/", "/a?utm_source=x", "/b?id=1&fbclid=2", "/b?id=2"]
    assert got.summary["succeeded"] == 4


async def test_duplicate_pages_are_marked(tmp_path: Path) -> None:
    """Byte for byte, or but for a word; another text is another page."""
    pages = {"/": page("Home", "/one", "/two", "/three", "/other")}
    pages |= {path: page("Ships", body=PROSE) for path in ("/one", "/two")}
    pages["/three"] = page("Ships", body=f"{PROSE}<p>Visitor 17.</p>")
    pages["/other"] = page("Ships", body=PROSE.replace("ships", "shoes").replace("wax", "kings"))
    async with site(pages) as served:
        got = await run_crawl(tmp_path, url=served.url, concurrency=1, **STATIC)
    marks = {one["url"].removeprefix(served.url): one.get("duplicate_of") for one in got.pages}
    first = f"{served.url}/one"
    assert marks == {"/": None, "/one": None, "/two": first, "/three": first, "/other": None}
    hashes = [
        got.page(f"{served.url}{path}")["content_hash"] for path in ("/one", "/two", "/three")
    ]
    assert hashes[0] == hashes[1] != hashes[2]
    assert got.summary["duplicates"] == 2


async def test_endless_paths_and_calendars_are_abandoned(tmp_path: Path) -> None:
    """A relative link that adds a folder each time; a link to the next month. With a warning."""
    async with site({"/": page("Home", "/x/", "/cal/2020-1")}) as served:
        real = served._answer

        async def endless(request: web.Request, path: str) -> web.StreamResponse:
            if path.startswith("/x/"):
                return web.Response(text=page(path, "sub/"), content_type="text/html")
            if path.startswith("/cal/"):
                year, _, month = path.removeprefix("/cal/").partition("-")
                after = f"{int(year) + int(month) // 12}-{int(month) % 12 + 1}"
                return web.Response(text=page(path, after), content_type="text/html")
            return await real(request, path)

        served._answer = endless  # type: ignore[method-assign]
        got = await run_crawl(tmp_path, url=served.url, max_pages=500, max_depth=1000, **STATIC)
    assert got.summary["stop_reason"] == "completed"
    assert got.summary["skipped"] == {"repeating_path": 1, "calendar": 1}
    repeated, dated = got.summary["warnings"]
    assert "paths repeat themselves" in repeated
    assert "date URLs" in dated
    assert got.summary["succeeded"] < 120


async def test_files_do_not_count_as_pages(tmp_path: Path) -> None:
    """What is neither page nor text is recorded beside max_pages; include_types says otherwise."""
    links = ["/f/1", "/f/2", "/f/3", "/a", "/b"]
    async with site({"/": page("Home", *links), "/a": page("A"), "/b": page("B")}) as served:
        for path in links[:3]:
            served.answers[path] = lambda _r: web.Response(
                body=b"%PDF-1.7 \0", content_type="application/pdf"
            )
        args = {"url": served.url, "max_pages": 3, "concurrency": 1, **STATIC}
        got = await run_crawl(tmp_path / "a", **args)
        assert (got.summary["succeeded"], got.summary["files"]) == (3, 3)
        more = await run_crawl(tmp_path / "b", include_types=("text/*", "application/pdf"), **args)
        # The start page is none of those that are wanted.
        files = await run_crawl(tmp_path / "c", include_types=("application/pdf",), **args)
    assert (more.summary["succeeded"], more.summary["files"]) == (3, 0)
    assert (files.summary["succeeded"], files.summary["stop_reason"]) == (3, "max_pages")
