"""One crawl: what it is assembled from, and how it runs."""

import asyncio
from collections.abc import AsyncIterator, Callable, Collection, Iterable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, closing
from dataclasses import dataclass
from typing import Any

from ocd.api.errors import OcdError
from ocd.browser.process.chromium import Chromium
from ocd.conversion.worker import ConversionPool
from ocd.crawl.archive.kept_files import KeptFiles
from ocd.crawl.archive.raw_answers import RawAnswerLog
from ocd.crawl.cluster.clusters import Clusters
from ocd.crawl.cluster.worker_settings import encode_settings, with_cookies_of
from ocd.crawl.earlier_runs.comparison import EarlierCrawl
from ocd.crawl.earlier_runs.frontier_log import FrontierLog
from ocd.crawl.extraction import ExtractionClient
from ocd.crawl.fetch.browser_fetch import BrowserFetcher, OpenPool, automatic_tabs, pool_options
from ocd.crawl.fetch.fetch_errors import fetch_error
from ocd.crawl.fetch.http_cache import CACHE, HttpCache
from ocd.crawl.fetch.http_fetch import HttpAnswer, HttpFetcher
from ocd.crawl.frontier.frontier import Frontier, FrontierEntry
from ocd.crawl.frontier.spilled_entries import SpilledEntries
from ocd.crawl.ignored_parameters import IgnoredParameters
from ocd.crawl.progress_meter import ProgressMeter
from ocd.crawl.rate_limits import RateLimits
from ocd.crawl.resumed_pages import take_over
from ocd.crawl.robots import Robots, RobotsReply
from ocd.crawl.scheduler import CrawlScheduler
from ocd.crawl.scope import CrawlScope
from ocd.crawl.sitemap import MAX_SITEMAP_BYTES, Sitemaps
from ocd.crawl.spec import MAX_CONCURRENCY, CrawlSpec
from ocd.crawl.visits.page_reader import LocalReader, PageReader
from ocd.crawl.visits.page_visit import CrawlServices, PageVisitor
from ocd.ledger.cancellation import run_until
from ocd.ledger.task_handle import TaskHandle
from ocd.safety.domain_policy import DomainPolicy
from ocd.safety.sanitize import Sanitizer

_STATIC_WORKERS = 12
_PER_ORIGIN = 6
# Pages taken from the frontier for a cluster, to form batches, however many slots it has.
_CLUSTER_PAGES = 256
_CONVERTING = 2
_ROBOTS_S = 10.0
_SITEMAP_S = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class CrawlResources:
    """What the daemon lends to a crawl; see Crawler."""

    policy: DomainPolicy
    sanitizer: Sanitizer
    chromium: Chromium
    open_pool: OpenPool
    conversions: ConversionPool
    clusters: Clusters
    any_certificate: bool


@asynccontextmanager
async def open_run(
    resources: CrawlResources, work: TaskHandle, spec: CrawlSpec, logins: Mapping[str, str]
) -> AsyncIterator["CrawlRun"]:
    """Open what one crawl works with; all of it is closed at the end of the block."""
    async with AsyncExitStack() as stack:
        http = await stack.enter_async_context(
            HttpFetcher.open(
                _workers(spec),
                logins,
                spec.requests,
                any_certificate=resources.any_certificate or spec.requests.any_certificate,
            )
        )
        renderer = BrowserFetcher(
            resources.open_pool, _tabs(spec), pool_options(spec), logins=logins
        )
        stack.push_async_callback(renderer.close)
        spilled = stack.enter_context(closing(SpilledEntries(work.directory / "frontier.db")))
        log = stack.enter_context(closing(FrontierLog(work.directory)))
        answers = stack.enter_context(closing(RawAnswerLog(work.directory)))
        reader: PageReader = await _open_local_reader(resources, stack, work, spec, http, renderer)
        if spec.cluster:
            cluster = _open_cluster(resources, work, spec, logins, reader)
            reader = await stack.enter_async_context(cluster)
        key = IgnoredParameters(spec.ignore_params).key_of
        tools = CrawlServices(
            policy=resources.policy,
            frontier=Frontier(_rank(spec), key, spilled),
            politeness=_rate_limits(spec),
            http=http,
            renderer=renderer,
            reader=reader,
            robots=Robots(lambda url: _robots(http, resources.policy, url)),
            answers=answers,
            files=KeptFiles(work.directory),
            earlier=await _earlier_crawl(work, spec, key),
        )
        yield CrawlRun(work, spec, tools, log)


async def _open_local_reader(
    resources: CrawlResources,
    stack: AsyncExitStack,
    work: TaskHandle,
    spec: CrawlSpec,
    http: HttpFetcher,
    renderer: BrowserFetcher,
) -> LocalReader:
    converter = stack.enter_context(closing(ExtractionClient(resources.conversions)))
    if not spec.cluster:
        await converter.prepare()
    cache = None
    if spec.cache:
        folder = work.directory.parent.parent / CACHE
        cache = stack.enter_context(closing(HttpCache(folder)))
    return LocalReader(
        spec, http, renderer, converter, sanitize=resources.sanitizer.enabled, cache=cache
    )


@asynccontextmanager
async def _open_cluster(
    resources: CrawlResources,
    work: TaskHandle,
    spec: CrawlSpec,
    logins: Mapping[str, str],
    local: PageReader,
) -> AsyncIterator[PageReader]:
    resources.clusters.check(spec, logins)
    if spec.share_login:
        connection = await resources.chromium.ensure()
        reply = await connection.send("Storage.getCookies", {})
        spec = with_cookies_of(spec, reply["cookies"])

    def settings() -> bytes:
        return encode_settings(
            work, spec, logins, resources.policy, sanitize=resources.sanitizer.enabled,
            any_certificate=resources.any_certificate,
        )  # fmt: skip

    async with resources.clusters.open_reader(work, spec, settings, local) as reader:
        yield reader


def _rate_limits(spec: CrawlSpec) -> RateLimits:
    per_origin = spec.concurrency or _PER_ORIGIN
    if spec.adaptive or (spec.engine == "browser" and not spec.cluster):
        per_origin = _workers(spec)
    return RateLimits(
        spec.delay_ms / 1000,
        per_origin,
        awaits_robots=spec.respect_robots,
        adaptive=spec.adaptive,
        starts_unknown=bool(spec.cluster),
    )


async def _earlier_crawl(
    work: TaskHandle, spec: CrawlSpec, key: Callable[[str], str]
) -> EarlierCrawl | None:
    if not spec.compare_to:
        return None
    return await asyncio.to_thread(EarlierCrawl.read, work.directory.parent, spec, key)


class CrawlRun:
    """One crawl with its services; the two verbs differ only in how the frontier is filled."""

    def __init__(
        self, work: TaskHandle, spec: CrawlSpec, tools: CrawlServices, log: FrontierLog
    ) -> None:
        self._work = work
        self._spec = spec
        self._tools = tools
        self._frontier = tools.frontier
        self._scope = CrawlScope(spec.scope, spec.starts, spec.include, spec.exclude)
        self._visitor = PageVisitor(spec, self._scope, tools)
        self._log = log
        self._crew = CrawlScheduler(spec, work, self._visitor, tools, log)

    def add_starts(self, urls: Iterable[str]) -> None:
        """Fill the frontier with the start pages."""
        for url in urls:
            self._frontier.add(FrontierEntry(url, 0))

    async def seed(self) -> Sitemaps:
        """Fill the frontier from the site's sitemaps, with as many URLs as may be tried."""
        sitemaps = Sitemaps(self._fetch_sitemap)
        await run_until(self._work.stop, self._read(sitemaps))
        return sitemaps

    async def _read(self, sitemaps: Sitemaps) -> None:
        listed = await self._robots_sitemaps()
        async for url in sitemaps.urls(self._spec.url, self._spec.sitemap_url, listed):
            if await self._crew.offer_sitemap_url(url) >= self._spec.max_attempts:
                break

    async def _robots_sitemaps(self) -> list[str]:
        try:
            return (await self._tools.robots.rules(self._spec.url)).sitemaps
        except OcdError:
            return []  # unreachable: reading the sitemaps will report it, too

    async def _fetch_sitemap(self, url: str) -> HttpAnswer:
        async def admit(target: str) -> None:
            self._tools.policy.check(target)

        await admit(url)
        try:
            async with asyncio.timeout(_SITEMAP_S):
                return await self._tools.http.get(
                    url, admit, max_bytes=MAX_SITEMAP_BYTES, any_type=True
                )
        except TimeoutError as error:
            raise fetch_error("timeout", f"no sitemap within {_SITEMAP_S:g} s") from error

    async def finish(self, blocked: Collection[str] = ()) -> dict[str, Any]:
        """Run the scheduler and return the summary; raise the page's error if there are no pages.

        What an earlier run has finished is taken over first.

        Args:
            blocked: the start pages that the policy forbids.
        """
        for url in blocked:
            self._crew.stats.skip("domain_blocked", url)
        await take_over(self._work, self._crew, self._log)
        self._work.measure = ProgressMeter(self._spec, self._crew.stats, self._frontier).measure
        await self._crew.run(_workers(self._spec))
        if not self._work.stopping:
            self._crew.stats.check()
        return self._crew.stats.summary(self._spec, self._tools.politeness, len(self._frontier))


def _rank(spec: CrawlSpec) -> Callable[[FrontierEntry], float]:
    if spec.strategy == "best_first":
        return lambda entry: -entry.score
    if spec.strategy == "dfs":
        return lambda entry: -entry.depth
    return lambda entry: entry.depth


def _tabs(spec: CrawlSpec) -> int:
    return min(spec.concurrency or 4, automatic_tabs())


def _workers(spec: CrawlSpec) -> int:
    if spec.cluster:
        return spec.concurrency or _CLUSTER_PAGES
    if spec.engine == "browser":
        # The renderer bounds the loads: a tab continues while its last page is converted.
        return _tabs(spec) + (_CONVERTING if _tabs(spec) > 1 else 0)
    return spec.concurrency or (MAX_CONCURRENCY if spec.adaptive else _STATIC_WORKERS)


async def _robots(http: HttpFetcher, policy: DomainPolicy, url: str) -> RobotsReply:
    policy.check(url)
    try:
        async with asyncio.timeout(_ROBOTS_S):
            return await http.robots(url)
    except TimeoutError as error:
        message = f"{url} does not answer within {_ROBOTS_S:g} s"
        raise fetch_error("timeout", message, transient=True) from error
