"""The crawler with a real Chromium: content made by scripts, and pages that misbehave."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from ocd.api.errors import OcdError
from ocd.browser.pool.page_pool import PagePool
from ocd.browser.process.chromium import Chromium, ChromiumOptions
from ocd.safety.domain_policy import DomainPolicy
from support.crawl_site import HTML, page, site, tree
from support.crawling import run_crawl

APP = """<!doctype html><title>Before</title><div id="app"></div><script>
document.title = "After"; document.getElementById("app").innerHTML =
  "<h1>Made by script</h1><a href='/late'>late</a>";</script>"""


# Much around a part that a script replaces.
LIST = f"""<!doctype html><title>Prices</title><nav>{"Other words. " * 200}</nav>
<main><h1>Prices</h1><p id=p>Loading prices…</p></main>
<script>document.getElementById("p").textContent = "Twelve apples"</script>"""


REPORT = f"""<!doctype html><title>Report</title>
<main id=report>{"Words of yesterday. " * 20}</main>
<script>document.getElementById("report").textContent = "Figures of today. ".repeat(20)</script>"""


ROUTED = """<!doctype html><title>App</title><div id="app"></div><script>
const link = (to) => `<a href="${to}">${to}</a>`;
const links = ["#/about", "#/news/1", "#place"].map(link);
const show = () => {
  const route = location.hash || "#/";
  document.getElementById("app").innerHTML = `<h1>This is ${route}</h1>${links.join(" ")}` +
    (route.includes("news") ? "<a href='#/news/2'>next</a>" : "") + "<p id=place>Place</p>";
};
onhashchange = show; show();</script>"""


BOOKS = """<?xml version="1.0"?><?xml-stylesheet type="text/xsl" href="/books.xsl"?>
<books><title>One</title></books>"""
BOOKS_STYLE = """<?xml version="1.0"?>
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output method="html"/><xsl:template match="/"><html><head><title>Books</title></head>
<body><h1>Sold</h1><p><xsl:value-of select="books/title"/><xsl:text> </xsl:text>
<a href="/late">Late</a></p></body></html></xsl:template></xsl:stylesheet>"""


@asynccontextmanager
async def _chromium(tmp_path: Path) -> AsyncIterator[Chromium]:
    for name in ("run", "profile"):
        (tmp_path / name).mkdir()
    options = ChromiumOptions(
        profile=tmp_path / "profile", run_dir=tmp_path / "run", policy=DomainPolicy()
    )
    async with asyncio.TaskGroup() as group:
        chromium = Chromium(options, group.create_task)
        try:
            yield chromium
        finally:
            await chromium.close()


@pytest.fixture
async def pool(tmp_path: Path) -> AsyncIterator[object]:
    async with _chromium(tmp_path) as chromium:
        yield lambda tabs, options: PagePool(chromium, tabs, options)


async def test_auto_renders_pages_filled_by_scripts(tmp_path: Path, pool: object) -> None:
    """The rendered text and a link that only scripts make are found; plain pages stay plain."""
    pages = {
        "/": page("Home", "/app", "/list", "/report"), "/app": APP, "/list": LIST,
        "/late": page("Late"), "/report": REPORT,
    }  # fmt: skip
    async with site(pages) as served:
        got = await run_crawl(tmp_path / "a", pool=pool, url=served.url, max_depth=3)
    app = got.page(f"{served.url}/app")
    assert (app["engine"], app["title"], app["status"]) == ("browser", "After", 200)
    assert "# Made by script" in app["content"]
    assert got.page(f"{served.url}/late")["engine"] == "static"
    listed = got.page(f"{served.url}/list")
    assert "placeholder 'Loading prices…'" in listed["engine_reason"]
    assert "Twelve apples" in listed["content"]
    report = got.page(f"{served.url}/report")
    assert report["engine_reason"] == "a script replaces #report"
    assert "Figures of today" in report["content"]
    assert "yesterday" not in report["content"]


@pytest.mark.parametrize("engine", ["auto", "browser"])
async def test_pages_that_xslt_makes_are_read_as_shown(
    tmp_path: Path, pool: object, engine: str
) -> None:
    """Chromium puts another document in the place of the data; its own banner is none of it."""
    headers = {"Content-Type": "application/xml"}
    async with site({"/late": page("Late")}) as served:
        served.answers |= {
            "/": lambda _: web.Response(text=BOOKS, headers=headers),
            "/books.xsl": lambda _: web.Response(text=BOOKS_STYLE, headers=headers),
        }
        got = await run_crawl(tmp_path / "a", pool=pool, url=served.url, engine=engine)
    books = got.page(served.url + "/")
    assert (books["engine"], books["title"]) == ("browser", "Books")
    assert books["content"].strip() == f"# Sold\n\nOne [Late]({served.url}/late)"
    assert got.page(f"{served.url}/late")["title"] == "Late"


async def test_browser_engine_visits_each_page_once(tmp_path: Path, pool: object) -> None:
    """21 rendered pages, each asked for once."""
    async with site(tree(21)) as served:
        got = await run_crawl(
            tmp_path / "a", pool=pool, url=served.url, engine="browser", max_pages=30, max_depth=9
        )
    assert got.summary["engines"] == {"browser": 21}
    assert {path: n for path, n in served.pages_seen.items() if path != "/favicon.ico"} == (
        dict.fromkeys(served.pages, 1)
    )


async def test_routes_of_an_application_are_pages(tmp_path: Path, pool: object) -> None:
    """Each `#/…` that its script shows, once, by link or as the start page; places are no pages."""
    pages = {"/": page("Home", "/app", "/plain#/x"), "/app": ROUTED, "/plain": page("Plain")}
    async with site(pages) as served:
        got = await run_crawl(tmp_path / "a", pool=pool, url=served.url, max_depth=4, max_pages=50)
        one = await run_crawl(
            tmp_path / "b", pool=pool, url=f"{served.url}/app#/about", max_depth=0, max_pages=50
        )
    shown = {p["url"].removeprefix(served.url): p["content"] for p in got.good}
    routes = {f"#/{name}" for name in ("about", "news/1", "news/2")}
    assert set(shown) == {"/", "/plain", "/app", *(f"/app{route}" for route in routes)}
    for route in routes:
        assert f"This is {route}" in shown[f"/app{route}"]
    assert got.page(f"{served.url}/app#/about")["engine_reason"] == "hash route"
    assert "This is #/about" in one.pages[0]["content"]


async def test_a_document_without_routes_is_not_read_for_every_fragment(
    tmp_path: Path, pool: object
) -> None:
    """Where `#/…` shows what was there already, a few are tried and the others left out."""
    links = [f"#/{number}" for number in range(30)]
    async with site({"/": page("Same", *links)}) as served:
        got = await run_crawl(
            tmp_path / "a", pool=pool, url=served.url, engine="browser", concurrency=1,
            max_pages=50,
        )  # fmt: skip
    assert got.summary["succeeded"] < 15
    assert got.summary["skipped"]["duplicate"] > 15


@pytest.mark.parametrize("engine", ["static", "browser"])
async def test_truncated_responses_are_kept_and_marked(
    tmp_path: Path, pool: object, engine: str
) -> None:
    """They are retried, then stored with their links and marked, unless one is complete."""
    pages = {"/": page("Home", "/short/a", "/unended/b", "/once"), "/late": page("Late")}
    async with site(pages) as served:
        short = served._short

        async def once(request: web.Request) -> web.StreamResponse:
            if served.seen["/once"] == 1:
                return await short(request)
            return web.Response(text=page("Whole", "/late"), headers=HTML)

        served._once = once  # type: ignore[attr-defined]
        got = await run_crawl(
            tmp_path / "a", pool=pool, url=served.url, engine=engine, retries=1, max_depth=3
        )
    found = {one["url"].removeprefix(served.url): one for one in got.good}
    for path, title in (("/short/a", "Short"), ("/unended/b", "Unended")):
        assert (found[path]["title"], found[path]["incomplete"]) == (title, True)
        assert found[path]["links"] == [served.url + "/late"]
    assert "incomplete" not in found["/once"]
    assert (found["/once"]["title"], found["/late"]["engine"]) == ("Whole", engine)
    assert served.seen["/short/a"] == (2 if engine == "static" else 3)


async def test_misbehaving_pages_become_records(tmp_path: Path, pool: object) -> None:
    """Dialogs, hangs, loops, downloads and dead links end in time, and the other pages are read."""
    pages = {
        "/": page("Home", "/alert", "/loop", "/pdf", "/dead", "/ok"),
        "/alert": "<title>Alert</title><script>alert(1); confirm(2)</script><p>Went on",
        "/ok": page("Ok"),
    }
    async with site(pages) as served, asyncio.timeout(300):
        told: dict[str, Any] = {"pool": pool, "engine": "browser"}
        got = await run_crawl(tmp_path / "a", url=served.url, page_timeout_ms=60_000, **told)
        with pytest.raises(OcdError) as caught:
            await run_crawl(
                tmp_path / "b", url=f"{served.url}/hang", page_timeout_ms=1000, retries=0, **told
            )
    assert caught.value.code == "timeout"
    code = {one["url"].rpartition("/")[2]: one.get("error", {}).get("code") for one in got.pages}
    assert code == {
        "": None, "alert": None, "loop": "too_many_redirects", "pdf": None,
        "dead": "http_error", "ok": None,
    }  # fmt: skip
    assert got.page(f"{served.url}/pdf")["content_type"] == "application/pdf"
