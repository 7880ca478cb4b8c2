"""Links other than anchors, and robots directives in pages."""

from dataclasses import replace
from pathlib import Path

from aiohttp import web

from support.crawl_site import HTML, page, site
from support.crawling import Crawled, FakePool, rendered, run_crawl

STATIC = {"engine": "static"}


def _titles(got: Crawled) -> set[str]:
    return {one["title"] for one in got.good}


async def test_frames_and_refreshes_are_followed(tmp_path: Path) -> None:
    """frameset, iframe, meta refresh and the Refresh header; `link` elements where asked for."""
    frameset = (
        '<title>Set</title><frameset cols="1,9"><frame src="/nav"><frame src="main"></frameset>'
    )
    pages = {
        "/": frameset,
        "/nav": page("Nav", body='<iframe src="/inner"></iframe>'),
        "/main": page("Main", body="<p>text</p>").replace(
            "<head>",
            '<head><meta http-equiv=Refresh content="60; URL=\'/soon\'">'
            '<link rel="next" href="/two">'
            '<link rel="stylesheet" href="/a.css"><link rel="canonical" href="/main?x">',
        ),
        "/inner": page("Inner"), "/soon": page("Soon"), "/two": page("Two"), "/late": page("Late"),
    }  # fmt: skip
    async with site(pages) as served:
        headers = {**HTML, "Refresh": "3; url=/late"}
        served.answers["/soon"] = lambda _r: web.Response(text=page("Soon"), headers=headers)
        got = await run_crawl(tmp_path / "a", url=served.url, max_depth=5, **STATIC)
        assert _titles(got) == {"Set", "Nav", "Main", "Inner", "Soon", "Late"}
        assert got.page(f"{served.url}/main")["canonical"] == f"{served.url}/main?x"
        more = await run_crawl(
            tmp_path / "b", url=served.url, max_depth=5, relations=("next",), **STATIC
        )
        assert _titles(more) == {*_titles(got), "Two"}


async def test_nofollow_and_noindex_are_obeyed(tmp_path: Path) -> None:
    """nofollow and noindex are obeyed where robots are respected, and reported in any case."""
    meta = '<head><meta name="robots" content="NoIndex, nofollow">'
    marked = '<a rel="nofollow" href="/marked">m</a> <a rel=nofollow href="/both">b</a>'
    pages = {
        "/": page("Home", "/closed", "/header", "/other", "/both", body=marked),
        "/closed": page("Closed", "/behind").replace("<head>", meta),
        "/behind": page("Behind"), "/marked": page("Marked"), "/both": page("Both"),
    }  # fmt: skip
    tags = {"/header": ["openchrome: noindex"], "/other": ["otherbot: noindex, nofollow"]}
    async with site(pages) as served:
        for path, values in tags.items():
            served.answers[path] = lambda _r, path=path, values=values: web.Response(
                text=page(path), headers={**HTML, "X-Robots-Tag": values[0]}
            )
        got = await run_crawl(tmp_path / "a", url=served.url, max_depth=5, **STATIC)
        assert _titles(got) == {"Home", "Closed", "/header", "/other", "Both"}
        closed, header = got.page(f"{served.url}/closed"), got.page(f"{served.url}/header")
        assert (closed["robots"], closed["content"]) == (["noindex", "nofollow"], "")
        assert (header["robots"], header["content"]) == (["noindex"], "")
        assert got.page(f"{served.url}/other")["content"]
        assert got.summary["skipped"] == {"noindex": 2, "nofollow": 2}
        free = await run_crawl(
            tmp_path / "b", url=served.url, max_depth=5, respect_robots=False, **STATIC
        )
    assert {"Behind", "Marked"} < _titles(free)
    assert free.page(f"{served.url}/closed")["robots"] == ["noindex", "nofollow"]
    assert "Closed" in free.page(f"{served.url}/closed")["content"]


async def test_a_page_that_is_too_large_keeps_its_links(tmp_path: Path) -> None:
    """Those of the 10 MB that were read; the record is a failure that says why."""
    long = page("Long", body='<p><a href="/early">e</a></p>') + "<p>word word</p>" * 700_000
    async with site({"/": page("Home", "/long"), "/long": long, "/early": page("Early")}) as served:
        got = await run_crawl(tmp_path, url=served.url, **STATIC)
    record = got.page(f"{served.url}/long")
    assert (record["error"]["code"], record["title"]) == ("too_large", "Long")
    assert (record["content"], record["links"]) == ("", [f"{served.url}/early"])
    assert _titles(got) == {"Home", "Early"}


async def test_a_rendered_page_that_is_too_large_keeps_its_links(tmp_path: Path) -> None:
    """As one that was read without a browser does."""
    async with site({"/early": page("Early")}) as served:
        home, early = f"{served.url}/", f"{served.url}/early"
        long = page("Long", body=f'<p><a href="{early}">e</a></p>') + "<p>word word</p>" * 700_000
        pool = FakePool({home: rendered(home, long), early: rendered(early, page("Early"))})
        got = await run_crawl(tmp_path, pool=pool, url=home, engine="browser")
    record = got.page(home)
    assert (record["error"]["code"], record["title"]) == ("too_large", "Long")
    assert (record["content"], record["links"]) == ("", [early])
    assert _titles(got) == {"Early"}


async def test_no_screenshot_is_kept_of_a_noindex_page(tmp_path: Path) -> None:
    """For a noindex page, whether or not robots are respected."""
    async with site({}) as served:
        html = '<meta name="robots" content="noindex"><p>Hush'
        shot = replace(rendered(served.url + "/", html), files={"screenshot": b"WEBP"})
        asked = {"url": served.url + "/", "engine": "browser", "keep": ("screenshot",)}
        for respects in (True, False):
            pool, folder = FakePool({served.url + "/": shot}), tmp_path / str(respects)
            got = await run_crawl(folder, pool=pool, respect_robots=respects, **asked)
            assert len(list(folder.rglob("*.webp"))) == (0 if respects else 1)
            assert ("screenshot" in got.pages[0]) is not respects
