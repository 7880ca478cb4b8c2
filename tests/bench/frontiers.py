"""A crawl of very many hosts whose pages are made up: what it remembers, and what the next costs.

Each crawl runs in a process of its own, with the crawler and all its parts; only the answers do
not come over a network.
"""

import argparse
import asyncio
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

import psutil

from bench.figures import Section
from ocd.crawl.crawler import Crawler
from ocd.crawl.fetch.http_fetch import HttpAnswer, HttpFetcher
from ocd.crawl.frontier.frontier import Frontier, FrontierEntry
from ocd.crawl.frontier.spilled_entries import SpilledEntries
from ocd.crawl.rate_limits import RateLimits
from ocd.crawl.robots import RobotsReply
from ocd.crawl.spec import CrawlSpec
from ocd.ledger.task_handle import TaskHandle
from ocd.safety.domain_policy import DomainPolicy
from ocd.safety.sanitize import Sanitizer

LINKS = 250
TAKEN = 5_000


class MadeUpWeb(HttpFetcher):
    """A made-up web in which each page links to 250 new pages on as many hosts."""

    def __init__(self, hosts: int, urls: int) -> None:
        self._hosts = hosts
        self._urls = urls
        self._answers = 0

    @asynccontextmanager
    async def open_here(self, *_: object, **__: object) -> AsyncIterator["MadeUpWeb"]:
        yield self

    def url(self, number: int) -> str:
        return f"http://host{number % self._hosts}.example/articles/of/the/day/page-{number}.html"

    async def get(self, url: str, *_: object, **__: object) -> HttpAnswer:
        number = int(url.rpartition("-")[2].removesuffix(".html"))
        first = self._answers * LINKS + 1
        self._answers += 1
        links = "".join(
            f"<li><a href='{self.url(one)}'>Page {one}</a>"
            for one in range(first, min(first + LINKS, self._urls))
        )
        body = f"<title>Page {number}</title><h1>Page {number}</h1><ul>{links}</ul>".encode()
        return HttpAnswer(url, 200, "text/html", body, len(body), "utf-8")

    async def robots(self, url: str) -> RobotsReply:
        return RobotsReply(200, "", b"User-agent: *\nDisallow: /private/\n")


async def crawl(hosts: int, urls: int) -> dict[str, Any]:
    """Crawl until `urls` are known, in this process; return what it says, and its memory."""
    web = MadeUpWeb(hosts, urls)
    chromium: Any = None  # no page needs it
    crawler = Crawler(chromium, DomainPolicy(), Sanitizer())
    with tempfile.TemporaryDirectory() as folder, patch.object(HttpFetcher, "open", web.open_here):
        work = TaskHandle("0" * 16, "default", Path(folder))
        spec = CrawlSpec(
            url=web.url(0), max_pages=urls // LINKS, max_depth=99, scope="any", engine="static",
            concurrency=16,
        )  # fmt: skip
        summary = await crawler.crawl(work, spec)
        work.close()
        await crawler.close()
    memory = psutil.Process().memory_info().rss / 2**20
    return {"known": summary["pending"] + summary["succeeded"], "rss_mb": memory}


def take_us(hosts: int, urls: int) -> float:
    """Return the CPU microseconds of one entry: taking it, beginning and ending its request."""
    web = MadeUpWeb(hosts, urls)
    limits = RateLimits(0.0, 6, awaits_robots=False)
    with tempfile.TemporaryDirectory() as folder:
        spilled = SpilledEntries(Path(folder, "frontier.db"))
        frontier = Frontier(lambda entry: entry.depth, spilled=spilled)
        for number in range(urls):
            frontier.add(FrontierEntry(web.url(number), 1))
        started = time.process_time()
        for _ in range(TAKEN):
            entry = frontier.take(1.0, limits.ready_at)
            assert isinstance(entry, FrontierEntry)
            limits.begin(entry.origin, 1.0)
            limits.end(entry.origin)
            for origin in limits.drain_reopened():
                frontier.reopen(origin)
        used = time.process_time() - started
        spilled.close()
    return used / TAKEN * 1e6


def scale(options: argparse.Namespace) -> Section:
    """Compare crawls with growing numbers of URLs and hosts."""
    section = Section("A crawl's frontier (answers made up, processes of their own)")
    runs = {urls: _apart("crawl", 10_000, urls) for urls in (10_000, 100_000, 1_000_000)}
    for urls, run in runs.items():
        assert run["known"] >= urls * 0.99
        section.add(f"{urls:,} URLs known on 10,000 hosts: memory", run["rss_mb"], "MB")
    section.at_most("1,000,000 URLs known: memory", runs[1_000_000]["rss_mb"], 200, "MB")
    few, many = (
        min(_apart("take_us", hosts, 100 * hosts) for _ in range(options.rounds))
        for hosts in (1_000, 10_000)
    )
    section.add("taking the next URL, 1,000 hosts of 100 URLs", few, "µs")
    section.at_most("10,000 hosts against 1,000", many / few, 1.5)
    return section


def _apart(what: str, hosts: int, urls: int) -> Any:  # noqa: ANN401 - as JSON has it
    command = [sys.executable, "-m", "bench.frontiers", what, str(hosts), str(urls)]
    folder = Path(__file__).parents[1]
    return json.loads(subprocess.run(command, cwd=folder, check=True, capture_output=True).stdout)


if __name__ == "__main__":
    wanted, *numbers = sys.argv[1:]
    sizes = [int(one) for one in numbers]
    print(json.dumps(take_us(*sizes) if wanted == "take_us" else asyncio.run(crawl(*sizes))))
