"""The fields of a page's record beside its content, the same from both engines."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from ocd.browser.pool.page_pool import PagePool
from ocd.crawl.fetch.browser_fetch import OpenPool
from support.browsing import browsing
from support.crawl_site import HTML, page, site
from support.crawling import run_crawl

ABOUT = """<!doctype html><html lang="eo"><head><title>Pri ni</title>
<meta name="description" content="  Kio\n ni estas. ">
<meta property="og:title" content="Pri &#8203;ni"><meta property="og:image" content="/p.png">
<meta property="og:title" content="another"><link rel="canonical" href="/about">
<meta name="twitter:card" content="summary"></head><body><nav><a href="/">Home</a></nav><main>
<h1>Pri ni</h1><p>Longa teksto pri ni, kaj pri vi.</p><p><a href="/x" rel="nofollow">x <b>y</b></a>
<a href="https://other.example/">far</a></p></main><iframe src="/frame"></iframe></body></html>"""
WORDS = {
    "ETag": '"v1"', "Last-Modified": "Sun, 01 Nov 2026 10:00:00 GMT", "Cache-Control": "max-age=60",
    "Content-Language": "eo", "Set-Cookie": "a=secret", "Server": "Sample",
}  # fmt: skip


@pytest.fixture
async def open_pool(tmp_path: Path) -> AsyncIterator[OpenPool]:
    async with browsing(tmp_path / "b") as here:
        yield lambda tabs, options: PagePool(here.chromium, tabs, options)


def _comparable(record: dict[str, Any]) -> dict[str, Any]:
    return {k: v for k, v in record.items() if k not in _OWN}


_OWN = ("engine", "fetched_at", "duration_ms", "size", "content_hash", "sanitized")


async def test_both_engines_record_the_same_fields(tmp_path: Path, open_pool: OpenPool) -> None:
    """What it says of itself, what the server said, how it was reached; formats by request."""
    pages = {"/": page("Home", "/old"), "/frame": page("Frame"), "/x": page("X")}
    async with site(pages) as served:
        served.answers["/old"] = lambda _r: web.Response(status=301, headers={"Location": "/older"})
        served.answers["/older"] = lambda _r: web.Response(
            status=302, headers={"Location": "/about-us"}
        )
        served.answers["/about-us"] = lambda _r: web.Response(text=ABOUT, headers={**HTML, **WORDS})
        found = {}
        for engine in ("static", "browser"):
            got = await run_crawl(
                tmp_path / engine, url=f"{served.url}/", engine=engine, pool=open_pool, max_depth=1,
                format="main", more_formats=("html", "text", "links"),
            )  # fmt: skip
            found[engine] = got.page(f"{served.url}/old")
    record, url = found["static"], served.url
    assert (record["parent"], record["final_url"]) == (f"{url}/", f"{url}/about-us")
    assert record["redirects"] == [
        {"url": f"{url}/old", "status": 301}, {"url": f"{url}/older", "status": 302},
    ]  # fmt: skip
    assert (record["language"], record["canonical"]) == ("eo", f"{url}/about")
    assert record["description"] == "Kio ni estas."
    assert record["open_graph"] == {"title": "Pri ni", "image": "/p.png"}
    assert (record["etag"], record["last_modified"]) == (WORDS["ETag"], WORDS["Last-Modified"])
    assert {"cache-control", "content-language", "server"} <= record["headers"].keys()
    assert "secret" not in str(record["headers"])
    assert record["content"].startswith("# Pri ni")
    assert "Home" not in record["content"]
    assert "Home" in record["formats"]["text"]
    assert "<h1>Pri ni</h1>" in record["formats"]["html"]
    assert record["anchors"] == [
        {"url": f"{url}/", "text": "Home"}, {"url": f"{url}/x", "text": "x y", "nofollow": True},
        {"url": "https://other.example/", "text": "far", "external": True},
        {"url": f"{url}/frame", "kind": "frame"},
    ]  # fmt: skip
    for one in found.values():
        one["formats"].pop("html")
        one["formats"].pop("text")
        one.pop("content")
    assert _comparable(found["browser"]) == _comparable(record)
