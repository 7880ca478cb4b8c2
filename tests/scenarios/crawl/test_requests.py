"""A crawl's request options: several start pages, headers, cookies, proxies."""

import json
from collections import Counter
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from aiohttp import web

from ocd.api.errors import OcdError
from ocd.browser.pool.page_pool import PagePool
from ocd.crawl.fetch.browser_fetch import OpenPool
from ocd.crawl.request_options import (
    RequestOptions,
    origins_of,
    read_cookies,
    read_headers,
    read_proxies,
)
from ocd.safety.domain_policy import DomainPolicy
from support.browsing import browsing
from support.crawl_site import Site, page, site
from support.crawling import run_crawl
from support.daemon import Daemon
from support.site import Site as FixtureSite

STATIC = {"engine": "static"}


def _told(served: Site, path: str) -> list[str | None]:
    """Return the header, the agent and the cookies that came with the first request for a path."""
    headers = {
        name.lower(): value for name, value in served.headers[served.order.index(path)].items()
    }
    return [headers.get(name) for name in ("x-team", "user-agent", "cookie")]


async def test_several_start_pages_are_one_crawl(tmp_path: Path) -> None:
    """Two origins, each page once; what belongs to either start is in scope, and dfs goes deep."""
    first = {
        "/docs/": page("Docs", "/docs/a", "/docs/b", "/blog/"),
        "/docs/a": page("A", "/docs/c"),
    }
    first |= {"/docs/b": page("B"), "/docs/c": page("C"), "/blog/": page("Blog")}
    async with site(first) as one, site({"/": page("Other", "/x"), "/x": page("X")}) as two:
        got = await run_crawl(
            tmp_path, url=f"{one.url}/docs/", more_urls=(f"{two.url}/", f"{one.url}/docs/b"),
            scope="path", strategy="dfs", concurrency=1, max_depth=5, **STATIC,
        )  # fmt: skip
    assert sorted(p["title"] for p in got.good) == ["A", "B", "C", "Docs", "Other", "X"]
    assert {*one.pages_seen.values(), *two.pages_seen.values()} == {1}
    order = [path for path in one.order if path != "/robots.txt"]
    assert order.index("/docs/c") == order.index("/docs/a") + 1
    assert got.page(f"{one.url}/docs/b")["depth"] == 0


async def test_headers_and_cookies_are_sent_only_to_their_origins(tmp_path: Path) -> None:
    """Headers to the origins of the start pages alone; cookies to their hosts; the agent to all."""
    async with site({"/there": page("There")}) as away, site({}) as served:
        served.pages["/"] = page(
            "Home", "/in", away.url_of("/there").replace("127.0.0.1", "localhost")
        )
        served.answers["/in"] = lambda _r: web.Response(
            text=page("In"), content_type="text/html", headers={"Set-Cookie": "late=2"}
        )
        start = f"{served.url}/"
        options = RequestOptions(
            headers=read_headers({"X-Team": "docs"}), origins=origins_of([start]),
            user_agent="Reader/1.0", cookies=read_cookies({"session": "a b"}, [start]),
        )  # fmt: skip
        got = await run_crawl(tmp_path, url=start, scope="any", requests=options, **STATIC)
        assert len(got.good) == 3
        assert _told(served, "/in") == ["docs", "Reader/1.0", "session=a b"]
        assert _told(away, "/there") == [None, "Reader/1.0", None]


async def test_proxies_are_used_in_turn(tmp_path: Path) -> None:
    """Each request goes through one of them, robots.txt too; the policy is asked about them."""
    pages = {"/": page("Home", *[f"/p{number}" for number in range(9)])}
    pages |= {f"/p{number}": page(f"P{number}") for number in range(9)}
    async with site(pages) as one, site(pages) as two:
        options = RequestOptions(proxies=read_proxies([one.url, f"ada:s3cret@{two.url[7:]}"]))
        start = "http://docs.invalid/"
        got = await run_crawl(tmp_path / "a", url=start, requests=options, **STATIC)
        assert len(got.good) == 10
        assert one.seen + two.seen == Counter([*pages, "/robots.txt"])
        assert min(one.seen.total(), two.seen.total()) >= 5
        assert {one.get("Proxy-Authorization") for one in two.headers} == {"Basic YWRhOnMzY3JldA=="}
        policy = DomainPolicy(block=("127.0.0.1",))
        with pytest.raises(OcdError, match="blocked") as caught:
            await run_crawl(tmp_path / "b", url=start, requests=options, policy=policy, **STATIC)
    assert caught.value.code == "domain_blocked"


@pytest.fixture
async def open_pool(tmp_path: Path) -> AsyncIterator[OpenPool]:
    async with browsing(tmp_path / "b") as here:
        yield lambda tabs, options: PagePool(here.chromium, tabs, options)


async def test_browser_engine_uses_the_same_request_options(
    tmp_path: Path, open_pool: OpenPool
) -> None:
    """Headers only for the start page's origin, the user agent, cookies; no images."""
    async with site({"/there": page("There")}) as away, site({}) as served:
        other = away.url_of("/there").replace("127.0.0.1", "localhost")
        picture = (
            '<img src="/p.png"><link rel=stylesheet href="/s.css"><script src="/s.js"></script>'
        )
        served.pages |= {"/": page("Home", "/in", "/go", other, body=picture), "/in": page("In")}
        served.answers["/go"] = lambda _r: web.Response(
            status=302, headers={"Location": other + "?gone"}
        )
        away.pages["/there?gone"] = page("Gone")
        start = f"{served.url}/"
        options = RequestOptions(
            headers=read_headers({"X-Team": "docs", "Accept-Language": "eo"}),
            origins=origins_of([start]), user_agent="Reader/1.0", resources="text",
            cookies=read_cookies([{"name": "session", "value": "a b", "url": start}], []),
        )  # fmt: skip
        told = {"url": start, "scope": "any", "engine": "browser", "pool": open_pool}
        got = await run_crawl(tmp_path / "a", requests=options, **told)
        assert len(got.good) == 4, got.pages
        for path in ("/", "/in", "/s.js"):
            assert _told(served, path) == ["docs", "Reader/1.0", "session=a b"]
        assert "/s.css" in served.seen
        assert "/p.png" not in served.seen
        for path in ("/there", "/there?gone"):
            assert _told(away, path) == [None, "Reader/1.0", None]
        by_path = dict(zip(served.order, served.headers, strict=True))
        assert by_path["/in"]["Accept-Language"] == "eo"


async def test_browser_engine_uses_proxies_in_turn(tmp_path: Path, open_pool: OpenPool) -> None:
    """One requires a login, and gets it; with a domain policy no other proxy is used."""
    pages = {"/": page("Home", *[f"/p{number}" for number in range(5)])}
    pages |= {f"/p{number}": page(f"P{number}") for number in range(5)}
    async with site(pages) as one, site(pages) as two:

        def ask(request: web.Request) -> web.Response:
            if request.headers.get("Proxy-Authorization") != "Basic YWRhOnMzY3JldA==":
                return web.Response(status=407, headers={"Proxy-Authenticate": 'Basic realm="p"'})
            return web.Response(text=pages[request.path], content_type="text/html")

        two.answers |= dict.fromkeys(pages, ask)
        options = RequestOptions(proxies=read_proxies([one.url, f"ada:s3cret@{two.url[7:]}"]))
        told = {"url": "http://docs.invalid/", "engine": "browser", "respect_robots": False}
        got = await run_crawl(tmp_path, requests=options, pool=open_pool, **told)
        assert len(got.good) == 6, got.pages
        assert min(len(one.pages_seen.keys() & pages), len(two.pages_seen.keys() & pages)) == 3


@pytest.mark.parametrize(
    ("read", "given"),
    [
        (read_headers, {"X-A": "1\r\nX-B: 2"}), (read_headers, {"Cookie": "a=b"}),
        (read_headers, {"bad name": "1"}), (read_headers, {"Host": "x"}),
        (read_proxies, "socks5://127.0.0.1:1"), (read_proxies, "http://x:y:z"),
        (read_proxies, "http://127.0.0.1:1/path"),
    ],
)  # fmt: skip
def test_invalid_request_options_are_refused(read: object, given: object) -> None:
    with pytest.raises(OcdError, match="crawl: ") as caught:
        read(given)  # type: ignore[operator]
    assert caught.value.code == "invalid_argument"


def test_oc_reads_urls_from_standard_input_and_cookies_from_a_file(
    daemon: Daemon, site: FixtureSite
) -> None:
    """One address a line, remarks left out; urls_path and cookies_path name files."""
    lines = f"# to read\n{site.url('article.html')}\n\n{site.url('table.html')}\n"
    options = ("--max-depth", "0", "--engine", "static", "--json")
    done = daemon.oc("crawl", "--urls", "-", "--headers", "X-Team=docs", *options, stdin=lines)
    told = done.ok().json["result"]
    assert {one["url"] for one in told["pages"]} == set(lines.split()[3:])
    assert {one.headers["X-Team"] for one in site.seen("/table.html")} == {"docs"}
    listed = daemon.home.base / "tmp" / "urls.txt"
    listed.write_text(lines)
    saved = daemon.home.base / "tmp" / "login.json"
    saved.write_text(json.dumps({
        "format": "openchrome-context", "version": 1, "origin": site.origin,
        "cookies": [{"name": "sid", "value": "login-of-ada", "domain": "127.0.0.1", "path": "/"}],
    }))  # fmt: skip
    # The words in the place of the one URL, as with other commands that read a file.
    for words, stdin in (("-", lines), (f"@{listed}", "")):
        told = daemon.oc("crawl", words, *options, stdin=stdin).ok().json["result"]
        assert {one["url"] for one in told["pages"]} == set(lines.split()[3:]), words
    site.forget()
    told = daemon.do(
        "crawl", urls_path=str(listed), cookies_path=str(saved), max_depth=0, engine="static",
        user_agent="Reader/1.0",
    )  # fmt: skip
    assert told["summary"]["succeeded"] == 2
    (asked,) = site.seen("/article.html")
    assert (asked.headers["Cookie"], asked.headers["User-Agent"]) == (
        "sid=login-of-ada",
        "Reader/1.0",
    )
    written = daemon.do("oc_journal", action="recent", count=20)
    assert "login-of-ada" not in json.dumps(written)
    refused = daemon.oc("crawl", "--urls", str(listed))
    assert (refused.code, site.seen("/article.html")[1:]) == (2, [])
    assert f"oc crawl --urls-path {listed}" in refused.err, refused.err
    near = daemon.oc("crawl", "--urls", str(listed.relative_to(daemon.home.base)))
    assert (near.code, near.err) == (refused.code, refused.err)
    error = daemon.call("crawl").error
    assert (error["code"], error["parameter"]) == ("invalid_argument", "url")
    error = daemon.call("crawl", url=site.url(), share_login=True, user_agent="x").error
    assert (error["code"], error["parameter"]) == ("invalid_argument", "user_agent")


def _cacheable(served: Site, path: str, **headers: str) -> None:
    """Serve a page with these headers; asked whether it has changed, it has not."""

    def answer(request: web.Request) -> web.Response:
        given = {name.replace("_", "-"): value for name, value in headers.items()}
        if "ETag" in given and request.headers.get("If-None-Match") == given["ETag"]:
            return web.Response(status=304, headers=given)
        return web.Response(text=page(path, body="kept"), content_type="text/html", headers=given)

    served.answers[path] = answer


async def test_cached_responses_are_used_as_their_headers_allow(tmp_path: Path) -> None:
    """Fresh ones unasked, others by their validators, and none of what must not be stored."""
    async with site({}) as served:
        paths = ("/fresh", "/stale", "/never", "/cookie")
        served.pages["/"] = page("Home", *paths)
        _cacheable(served, "/fresh", Cache_Control="max-age=86400")
        _cacheable(served, "/stale", Cache_Control="no-cache", ETag='"1"')
        _cacheable(served, "/never", Cache_Control="no-store, max-age=86400")
        _cacheable(served, "/cookie", Cache_Control="max-age=86400", Set_Cookie="a=1; Path=/cookie")
        asked = {"url": served.url + "/", "cache": True, **STATIC}
        # The cache is the home's: two folders above that of the task.
        first = await run_crawl(_task(tmp_path, "1"), **asked)
        again = await run_crawl(_task(tmp_path, "2"), **asked)
        content = {one["url"]: one["content"] for one in first.good}
        assert {one["url"]: one["content"] for one in again.good} == content
        stored = [one["title"] for one in again.good if one.get("from_cache")]
        assert sorted(stored) == ["/fresh", "/stale"]
        assert [served.seen[path] for path in paths] == [1, 2, 2, 2]
        plain = await run_crawl(_task(tmp_path, "3"), url=served.url + "/", **STATIC)
        known = read_headers({"X-Key": "k"})
        options = RequestOptions(headers=known, origins=origins_of([served.url]))
        own = await run_crawl(_task(tmp_path, "4"), **asked, requests=options)
        assert not [one for one in plain.good + own.good if one.get("from_cache")]
        assert served.seen["/fresh"] == 3
        database = tmp_path / "cache" / "http.db"
        assert database.stat().st_mode & 0o777 == 0o600
        for path in database.parent.iterdir():
            path.unlink()
        database.write_bytes(b"no database" * 1000)
        broken = await run_crawl(_task(tmp_path, "5"), **asked)
        assert len(broken.good) == 5
        assert served.seen["/fresh"] == 4


def _task(home: Path, name: str) -> Path:
    folder = home / "tasks" / name
    folder.mkdir(parents=True)
    return folder


def test_cache_is_refused_with_incompatible_parameters(daemon: Daemon, site: FixtureSite) -> None:
    for others in ({"engine": "browser"}, {"keep": ["raw"]}, {"share_login": True}):
        error = daemon.call("crawl", url=site.url("article.html"), cache=True, **others).error
        assert (error["code"], error["parameter"]) == ("invalid_argument", "cache")
