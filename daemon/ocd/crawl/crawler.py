"""The crawler: the part of the daemon that runs crawls. It loads their code with the first one."""

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ocd.browser.process.chromium import Chromium
from ocd.conversion.worker import ConversionPool
from ocd.crawl.cluster.clusters import Clusters
from ocd.crawl.spec import CrawlSpec
from ocd.crawl.urls import is_route, origin_of, requestable, without_login
from ocd.ledger.task_handle import TaskHandle
from ocd.safety import certificate_errors
from ocd.safety.domain_policy import DomainPolicy
from ocd.safety.sanitize import Sanitizer

if TYPE_CHECKING:
    from ocd.browser.pool.page_pool import PoolOptions
    from ocd.crawl.crawl_run import CrawlRun
    from ocd.crawl.fetch.browser_fetch import OpenPool, PageSource


class Crawler:
    """Crawls with the daemon's browser and policy. All it holds between crawls is a process.

    open_pool: where rendered pages come from; None: the page pool of `chromium`.
    any_certificate: plain HTTP accepts any TLS certificate, as `chromium` then does, too.
    may_ignore_certificates: a crawl may ask for the same.
    """

    def __init__(
        self,
        chromium: Chromium,
        policy: DomainPolicy,
        sanitizer: Sanitizer,
        *,
        open_pool: "OpenPool | None" = None,
        any_certificate: bool = False,
        may_ignore_certificates: bool = False,
    ) -> None:
        self._chromium = chromium
        self.policy = policy
        self.sanitizer = sanitizer
        self._open_pool = open_pool or self._open_own_pool
        self._any_certificate = any_certificate
        self._may_ignore_certificates = any_certificate or may_ignore_certificates
        self._workers = ConversionPool()
        self.clusters = Clusters({})

    async def close(self) -> None:
        """End the process that is kept between crawls."""
        await self._workers.close()

    def _open_own_pool(self, tabs: int, options: "PoolOptions") -> "PageSource":
        from ocd.browser.pool.page_pool import PagePool

        return PagePool(self._chromium, tabs, options)

    async def crawl(self, work: TaskHandle, spec: CrawlSpec) -> dict[str, Any]:
        """Crawl from `spec.starts` on; pages go to `work`, the summary is returned.

        Raises:
            OcdError: for the crawl as a whole: domain_blocked, invalid_url, path_outside_roots or
                robots_denied of the only start page, or domain_blocked of a proxy; browser_* with
                engine "browser"; storage_*; injected_failure; with a cluster invalid_argument,
                disabled and cluster_lost. If every start page failed, so that there are no pages,
                the first one's error.
        """
        spec, logins = _without_userinfo(spec)
        blocked = await asyncio.to_thread(self._check_addresses, spec, spec.starts)
        async with await self._open_run(work, spec, logins) as run:
            run.add_starts([url for url in spec.starts if url not in blocked])
            return await run.finish(blocked)

    async def crawl_sitemap(self, work: TaskHandle, spec: CrawlSpec) -> dict[str, Any]:
        """Crawl the pages of a site's sitemaps; like `crawl`, also raises sitemap_not_found."""
        spec, logins = _without_userinfo(replace(spec, max_depth=0))
        for url in filter(None, (spec.url, spec.sitemap_url)):
            await asyncio.to_thread(self._check_addresses, spec, [url])
        async with await self._open_run(work, spec, logins) as run:
            sitemaps = await run.seed()
            summary = await run.finish()
            return {
                **summary,
                "sitemap_source": next(iter(sitemaps.sources), ""),
                "sitemaps": sitemaps.sources[:100],
                "sitemap_problems": sitemaps.problems,
            }

    def _check_addresses(self, spec: CrawlSpec, starts: Sequence[str]) -> set[str]:
        """Return the start addresses that the policy forbids; raise if it forbids all of them."""
        if spec.requests.any_certificate and not self._may_ignore_certificates:
            raise certificate_errors.crawl_override_error()
        for address in filter(None, (*spec.requests.proxies, spec.webhook)):
            self.policy.check(address)
        blocked = {url for url in starts if not self.policy.allows(url)}
        if len(blocked) == len(set(starts)):
            self.policy.check(starts[0])
        return blocked

    async def _open_run(
        self, work: TaskHandle, spec: CrawlSpec, logins: Mapping[str, str]
    ) -> AbstractAsyncContextManager["CrawlRun"]:
        # The first import takes 50 ms and 2 MB: calls go on meanwhile, and an idle daemon is small.
        await asyncio.to_thread(__import__, "ocd.crawl.crawl_run")
        from ocd.crawl.crawl_run import CrawlResources, open_run

        resources = CrawlResources(
            policy=self.policy,
            sanitizer=self.sanitizer,
            chromium=self._chromium,
            open_pool=self._open_pool,
            conversions=self._workers,
            clusters=self.clusters,
            any_certificate=self._any_certificate,
        )
        return open_run(resources, work, spec, logins)


def _without_userinfo(spec: CrawlSpec) -> tuple[CrawlSpec, dict[str, str]]:
    """Return the spec with the userinfo, which records must not contain, split from its URLs."""
    sitemap, its_login = without_login(spec.sitemap_url)
    logins = {origin_of(sitemap): its_login}
    starts = []
    for start in reversed(spec.starts):  # the first of two logins for an origin counts
        url, login = without_login(start)
        # Without a browser, a route is the same page as its document.
        route = url[url.index("#") :] if is_route(url) and spec.engine != "static" else ""
        starts.append(requestable(url) + route)
        if login:
            logins[origin_of(url)] = login
    first, *more = reversed(starts)
    plain = replace(spec, url=first, more_urls=tuple(more), sitemap_url=sitemap)
    return plain, {origin: login for origin, login in logins.items() if login}
