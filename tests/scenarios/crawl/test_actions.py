"""What a crawl's browser does on each page before it reads it."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from ocd.browser.pool.page_pool import PagePool
from ocd.crawl.fetch.browser_fetch import OpenPool
from support.browsing import browsing
from support.crawl_site import site
from support.crawling import run_crawl
from support.daemon import Daemon
from support.site import Site as FixtureSite

GROWING = """<!doctype html><title>List</title>
<style>html{scroll-behavior:smooth} p{height:900px}</style>
<main id=list><p>Item 0</p></main><script>
addEventListener('scroll', () => {
  const count = list.children.length;
  if (count < 6) fetch('/more?' + count).then((r) => r.text()).then((text) => {
    list.append(Object.assign(document.createElement('p'), {textContent: text}));
  });
});
</script>"""
FOLDED = """<!doctype html><title>Folded</title>
<main><p>Shown at once, and long enough to be a page.</p>
<button id=more onclick="fetch('/text').then((r) => r.text()).then((text) => {
  document.querySelector('main').insertAdjacentHTML('beforeend', '<p class=late>' + text + '</p>');
})">More</button><a id=next href="/list">next</a></main>"""


@pytest.fixture
async def open_pool(tmp_path: Path) -> AsyncIterator[OpenPool]:
    async with browsing(tmp_path / "b") as here:
        yield lambda tabs, options: PagePool(here.chromium, tabs, options)


async def test_actions_run_before_a_page_is_read(tmp_path: Path, open_pool: OpenPool) -> None:
    """Clicks, waits, scrolling to the end of a growing page; actions that failed are listed."""
    async with site({"/list": GROWING, "/folded": FOLDED}) as served:
        for number in range(1, 6):
            served.answers[f"/more?{number}"] = lambda r: web.Response(
                text="Item " + r.query_string
            )
        served.answers["/text"] = lambda _r: web.Response(text="Unfolded words")
        told: dict[str, Any] = {"engine": "browser", "pool": open_pool, "max_depth": 0}

        async def read(name: str, path: str, *actions: dict[str, Any]) -> dict[str, Any]:
            timed = tuple({"timeout_ms": 60_000, **action} for action in actions)
            got = await run_crawl(tmp_path / name, url=served.url_of(path), actions=timed, **told)
            return got.page(served.url_of(path))

        grown = await read("a", "/list", {"scroll": 9})
        assert [f"Item {number}" in grown["content"] for number in range(7)] == [True] * 6 + [False]
        unfolded = await read("b", "/folded", {"click": "#more"}, {"wait_for": ".late"})
        assert "Unfolded words" in unfolded["content"]
        assert "failed_actions" not in unfolded
        moved = await read(
            "c", "/folded", {"click": "#next"}, {"wait_for": "#list"}, {"scroll": 1},
            {"wait_for": "#never", "timeout_ms": 1}, {"click": "a["},
        )  # fmt: skip
        assert (moved["title"], moved["final_url"]) == ("List", served.url_of("/list"))
        assert "Item 1" in moved["content"]
        assert moved["failed_actions"] == [
            "4. wait_for #never: nothing matches it in time",
            "5. click a[: it is not a valid selector",
        ]


def test_actions_use_the_browser_engine(daemon: Daemon, site: FixtureSite) -> None:
    """auto is the browser then; one action is one thing; static has nobody to do it.

    A first script of the crawl's own runs in its pages; one of the session does not.
    """
    url, wait = site.url("article.html"), {"wait_for": "h1"}
    theirs = {"action": "add", "script": "window.name = 'of the session'"}
    daemon.do("init_script", session="crawling", **theirs)
    own = "document.addEventListener('DOMContentLoaded', () => document.body.append(`<${name}>`))"
    params = {"max_depth": 0, "actions": [wait], "init_script": own}
    told = daemon.do("crawl", session="crawling", url=url, **params)
    daemon.do("init_script", session="crawling", action="remove")
    assert told["summary"]["engines"] == {"browser": 1}
    assert told["pages"][0]["content"].rstrip().endswith("<>")
    late = "setTimeout(() => document.body.append('late'), 200)"  # by the only script there is
    told = daemon.do("crawl", url=url, engine="browser", max_depth=0, init_script=late)
    assert told["pages"][0]["content"].rstrip().endswith("late")
    static = daemon.call("crawl", url=url, engine="static", init_script=own).error
    assert (static["code"], static["parameter"]) == ("invalid_argument", "init_script")
    for given in ({"engine": "static", "actions": [wait]}, {"actions": [{**wait, "scroll": 1}]}):
        error = daemon.call("crawl", url=url, **given).error
        assert (error["code"], error["parameter"]) == ("invalid_argument", "actions")
