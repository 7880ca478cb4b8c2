"""One visit: from a frontier entry to a record, with every check that a redirect requires."""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, field

import msgspec

from ocd.api.errors import OcdError
from ocd.api.timestamps import now
from ocd.crawl.archive.kept_files import KeptFiles
from ocd.crawl.archive.raw_answers import RawAnswerLog, answers_without_bodies
from ocd.crawl.earlier_runs.comparison import EarlierCrawl
from ocd.crawl.fetch.browser_fetch import BrowserFetcher
from ocd.crawl.fetch.fetch_errors import FetchError
from ocd.crawl.fetch.http_fetch import HttpFetcher, RedirectChain
from ocd.crawl.fetch.validators import Validators
from ocd.crawl.frontier.frontier import Frontier, FrontierEntry
from ocd.crawl.rate_limits import RateLimits
from ocd.crawl.robots import Robots, RobotsRules, is_robots_path
from ocd.crawl.scope import CrawlScope, is_same_site
from ocd.crawl.spec import CrawlSpec
from ocd.crawl.urls import is_route, origin_of
from ocd.crawl.visits.hash_routes import HashRoutes
from ocd.crawl.visits.outcome import NeedsBrowser, SkipPage, VisitResult
from ocd.crawl.visits.page_reader import PageReader, PageRequest
from ocd.safety.domain_policy import DomainPolicy

# The lowest status of redirects and errors.
_NO_PAGE_FROM = 300
# The fields of a record that describe the page, not how this crawl found it.
_CARRIED = (
    "title", "content", "links", "content_type", "truncated", "size", "sanitized", "canonical",
    "robots", "content_hash", "description", "language", "open_graph", "headers", "etag",
    "last_modified", "formats", "anchors", "extracted", "missing",
)  # fmt: skip


@dataclass(slots=True)
class CrawlServices:
    """What the visits of one crawl share. earlier: the crawl that it is compared with."""

    policy: DomainPolicy
    frontier: Frontier
    politeness: RateLimits
    http: HttpFetcher
    renderer: BrowserFetcher
    reader: PageReader
    robots: Robots
    answers: RawAnswerLog
    files: KeptFiles
    earlier: EarlierCrawl | None = None
    routes: HashRoutes = field(default_factory=HashRoutes)


class PageVisitor:
    """Visits entries, for one crawl. `scope` moves with a start page that moves its site."""

    def __init__(self, spec: CrawlSpec, scope: CrawlScope, tools: CrawlServices) -> None:
        self._spec = spec
        self.scope = scope
        self._tools = tools

    async def visit(
        self, entry: FrontierEntry, answered: Callable[[FrontierEntry], None]
    ) -> VisitResult:
        """Return the page; raises SkipPage, NeedsBrowser, or OcdError for a page that failed.

        answered: called once the origin has answered completely.
        """
        started = time.monotonic()
        entry.fetched_at = now()
        by_browser = self._spec.engine == "browser" or bool(entry.render) or is_route(entry.url)
        try:
            if self._spec.engine == "static" and is_route(entry.url):
                raise SkipPage(
                    "duplicate", entry.url
                )  # known to an earlier run, which had a browser
            if self._tools.routes.is_fruitless(entry.url):
                raise SkipPage("duplicate", entry.url)
            await self.check_robots(entry.url)
            visited = await self._read(entry, by_browser, answered)
        except OcdError as error:
            if self._spec.engine == "auto" and not by_browser and _may_spare_browsers(error):
                raise NeedsBrowser(error.message, error) from error
            raise
        finally:
            entry.duration_ms = round((time.monotonic() - started) * 1000)
        self._fill_in_place(visited, entry)
        if by_browser and isinstance(entry.fallback, VisitResult):
            visited.raw = visited.raw or entry.fallback.raw
        if entry.render or self._spec.engine != "auto" or not visited.record.engine_reason:
            return visited
        raise NeedsBrowser(visited.record.engine_reason, visited)

    async def _read(
        self, entry: FrontierEntry, by_browser: bool, answered: Callable[[FrontierEntry], None]
    ) -> VisitResult:
        request = PageRequest(
            url=entry.url, by_browser=by_browser, fetched_at=entry.fetched_at,
            render=entry.render, last_try=entry.tries >= self._spec.retries,
            unless=self._validators(entry), chain=self._kept_chain(entry.url),
        )  # fmt: skip
        try:
            visited = await self._tools.reader.read(
                request, lambda target: self._admit(entry, target), lambda: answered(entry)
            )
        except (SkipPage, OcdError) as end:
            self._keep_heads(request, end)
            raise
        if visited.not_modified:
            return await self._carry_over(visited)
        if visited.files and not (self._spec.respect_robots and visited.is_noindex):
            await asyncio.to_thread(self._tools.files.store, visited.record, visited.files)
        return visited

    def _kept_chain(self, url: str) -> RedirectChain | None:
        """Return the chain that records a load without a page, if the crawl keeps responses."""
        is_kept = self._spec.keeps_raw and url.startswith("http")
        return self._tools.http.begin(url) if is_kept else None

    def _keep_heads(self, request: PageRequest, end: SkipPage | OcdError) -> None:
        """Store the responses on the way to a failure, or to a page that the crawl already has."""
        may_come_again = isinstance(end, FetchError) and end.transient and not request.last_try
        if request.chain is not None and not may_come_again:
            # Without its body, a page's own response would be taken for the page.
            heads = [head for head in request.chain.heads if head.status >= _NO_PAGE_FROM]
            for answer in answers_without_bodies(heads, request.fetched_at):
                self._tools.answers.append(answer)

    def _fill_in_place(self, visited: VisitResult, entry: FrontierEntry) -> None:
        record = visited.record
        record.depth, record.parent = entry.depth, entry.parent
        record.fetched_at = entry.fetched_at
        record.duration_ms = record.duration_ms or entry.duration_ms
        if self._spec.strategy == "best_first":
            record.score = round(entry.score, 3)

    # --- checks -------------------------------------------------------------------------------

    async def check_robots(self, url: str) -> None:
        """Raise SkipPage if robots.txt forbids the URL, or the error if its host is unreachable."""
        if not self._spec.respect_robots or url.startswith("file:"):
            return
        rules = self._tools.robots.rules_for(url) or await self._rules_of(url)
        if rules.unreachable is not None:
            raise rules.unreachable
        if not rules.allows(url.partition("#")[0]) and not is_robots_path(url):
            raise SkipPage("robots_denied", url, rules.denied)

    async def _rules_of(self, url: str) -> RobotsRules:
        rules = await self._tools.robots.rules(url)
        now = asyncio.get_running_loop().time()
        self._tools.politeness.set_crawl_delay(origin_of(url), rules.crawl_delay_s, now)
        return rules

    async def _admit(self, entry: FrontierEntry, target: str) -> None:
        """Raise SkipPage or an OcdError if a redirect's target may not be fetched."""
        self._tools.policy.check(target)
        self.follow_move(entry, target)
        reason = self.scope.reject(target)
        if reason is not None:
            raise OcdError("out_of_scope", f"redirects to {target}, {reason}", final_url=target)
        await self.check_robots(target)
        if not self._tools.frontier.claim(entry, target):
            raise SkipPage("duplicate", target)

    def follow_move(self, entry: FrontierEntry, target: str) -> None:
        """Move the scope if a start page's redirect says that its site has moved."""
        if entry.depth == 0 and is_same_site(entry.url, target):
            starts = [target, *(url for url in self.scope.starts if url != entry.url)]
            self.scope = CrawlScope(
                self._spec.scope, starts, self._spec.include, self._spec.exclude
            )

    # --- what an earlier crawl knows ----------------------------------------------------------

    def _validators(self, entry: FrontierEntry) -> Validators | None:
        earlier = self._tools.earlier
        if earlier is None or self._spec.keeps_raw:  # "not modified" is nothing to keep
            return None
        return earlier.validators(entry.url)

    async def _carry_over(self, unmodified: VisitResult) -> VisitResult:
        """Return the page as in the earlier crawl: its server says that it has not changed."""
        assert self._tools.earlier is not None
        record = unmodified.record
        carried = await asyncio.to_thread(self._tools.earlier.carry_over, record.url)
        fields = {name: getattr(carried.record, name) for name in _CARRIED}
        record = msgspec.structs.replace(record, **fields, status=carried.record.status)
        links = [(url, "") for url in record.links]
        return VisitResult(
            record, links, carried.unfollowed, carried.signature, is_file=carried.is_file
        )


def _may_spare_browsers(error: OcdError) -> bool:
    """Return whether a browser may read what gave this error to another client."""
    malformed = isinstance(error, FetchError) and error.malformed
    return malformed or error.code == "too_many_redirects"
