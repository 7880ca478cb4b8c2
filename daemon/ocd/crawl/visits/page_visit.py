"""One visit: from a frontier entry to a record, with every check that a redirect calls for."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field

import msgspec

from ocd.api.errors import OcdError
from ocd.api.timestamps import now
from ocd.browser.pool.loaded_page import LoadedPage
from ocd.browser.tabs.page_tools import PageTool, tool_to_dict
from ocd.content.page_signals import refresh_target, robots_tags
from ocd.crawl.archive.kept_files import KeptFiles
from ocd.crawl.archive.raw_answers import RawAnswerLog, raw_answers, rendered_answers
from ocd.crawl.earlier_runs.comparison import EarlierCrawl
from ocd.crawl.extraction import ExtractionClient
from ocd.crawl.fetch.browser_fetch import BrowserFetcher
from ocd.crawl.fetch.fetch_errors import (
    as_fetch_error,
    fetch_error,
    raise_for_status,
    too_large,
)
from ocd.crawl.fetch.http_cache import HttpCache
from ocd.crawl.fetch.http_fetch import (
    MAX_PAGE_BYTES,
    HttpAnswer,
    HttpFetcher,
    TruncatedError,
    headers_of_interest,
    is_html,
)
from ocd.crawl.fetch.local_files import read_file
from ocd.crawl.fetch.validators import Validators
from ocd.crawl.frontier import Frontier, FrontierEntry
from ocd.crawl.page_extractor import ExtractionJob, ExtractionResult
from ocd.crawl.rate_limits import RateLimits
from ocd.crawl.robots import PRODUCT, Robots, RobotsRules, is_robots_path
from ocd.crawl.scope import CrawlScope, is_same_site
from ocd.crawl.spec import CrawlSpec
from ocd.crawl.stats import PageRecord
from ocd.crawl.urls import is_route, join, origin_of
from ocd.crawl.visits.hash_routes import HashRoutes
from ocd.crawl.visits.outcome import NeedsBrowser, SkipPage, VisitResult
from ocd.safety.domain_policy import DomainPolicy
from ocd.safety.sanitize import Sanitizer

# The browser's answers that mean "this is no page": plain HTTP then says what it is.
_NO_PAGE = ("download_started", "not_html")
# What a server may do only to those who run no scripts, or look like no browser.
_NOT_FOR_BROWSERS = ("too_many_redirects",)
_NOT_MODIFIED = 304
# What a record says of the page itself, not of how this crawl came by it.
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
    converter: ExtractionClient
    robots: Robots
    sanitize: bool
    answers: RawAnswerLog
    files: KeptFiles
    cache: HttpCache | None = None
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
        """Return the page; raises Skip, NeedsBrowser, or OcdError for a page that failed.

        answered: called once the origin has said all.
        """
        started = time.monotonic()
        entry.fetched_at = now()
        by_browser = self._spec.engine == "browser" or entry.render or is_route(entry.url)
        load = self._visit_in_browser if by_browser else self._visit_static
        try:
            if self._spec.engine == "static" and is_route(entry.url):
                raise SkipPage("duplicate", entry.url)  # an earlier run had a browser
            if self._tools.routes.is_fruitless(entry.url):
                raise SkipPage("duplicate", entry.url)
            await self.check_robots(entry.url)
            visited = await load(entry, answered)
        except OcdError as error:
            if error.code in _NOT_FOR_BROWSERS and self._spec.engine == "auto" and not by_browser:
                raise NeedsBrowser(error.message, error) from error
            raise
        finally:
            entry.duration_ms = round((time.monotonic() - started) * 1000)
        visited.record.fetched_at = entry.fetched_at
        visited.record.duration_ms = entry.duration_ms
        if by_browser and isinstance(entry.fallback, VisitResult):
            visited.raw = visited.raw or entry.fallback.raw
        if entry.render or self._spec.engine != "auto" or not visited.record.engine_reason:
            return visited
        raise NeedsBrowser(visited.record.engine_reason, visited)

    # --- checks -------------------------------------------------------------------------------

    async def check_robots(self, url: str) -> None:
        """Return if robots.txt allows the URL; raises Skip, or why the host cannot be reached."""
        if not self._spec.respect_robots or url.startswith("file:"):
            return
        rules = self._tools.robots.rules_for(url) or await self._meet(url)
        if rules.unreachable is not None:
            raise rules.unreachable
        if not rules.allows(url.partition("#")[0]) and not is_robots_path(url):
            raise SkipPage("robots_denied", url, rules.denied)

    async def _meet(self, url: str) -> RobotsRules:
        rules = await self._tools.robots.rules(url)
        now = asyncio.get_running_loop().time()
        self._tools.politeness.set_crawl_delay(origin_of(url), rules.crawl_delay_s, now)
        return rules

    async def _admit(self, entry: FrontierEntry, target: str) -> None:
        """Let a redirect's target pass, or raise why not."""
        self._tools.policy.check(target)
        self.follow_move(entry, target)
        reason = self.scope.reject(target)
        if reason is not None:
            raise OcdError("out_of_scope", f"redirects to {target}, {reason}", final_url=target)
        await self.check_robots(target)
        if not self._tools.frontier.claim(entry, target):
            raise SkipPage("duplicate", target)

    def follow_move(self, entry: FrontierEntry, target: str) -> None:
        """Move the scope along if a start page's redirect says that its site has moved."""
        if entry.depth == 0 and is_same_site(entry.url, target):
            starts = [target, *(url for url in self.scope.starts if url != entry.url)]
            self.scope = CrawlScope(
                self._spec.scope, starts, self._spec.include, self._spec.exclude
            )

    # --- plain HTTP and files -----------------------------------------------------------------

    async def _visit_static(
        self, entry: FrontierEntry, answered: Callable[[FrontierEntry], None]
    ) -> VisitResult:
        fetched = await self._fetch_whole(entry)
        answered(entry)
        visited = await self._read(entry, fetched)
        if self._spec.keeps_raw:
            visited.raw = await raw_answers(fetched, entry.fetched_at)
        return visited

    async def _read(self, entry: FrontierEntry, fetched: HttpAnswer) -> VisitResult:
        if fetched.status == _NOT_MODIFIED and self._validators(entry) is not None:
            return await self._carry_over(entry, fetched)
        record = self._record(entry, fetched.url, fetched.status, fetched.content_type, "static")
        record.size, record.incomplete = fetched.size, fetched.incomplete
        record.from_cache = fetched.from_cache
        _fill_answer(record, fetched.headers, fetched.redirects)
        if fetched.body is None or (
            b"\0" in fetched.body[:1024] and not is_html(fetched.content_type)
        ):
            return VisitResult(record, [], is_file=True)
        job = self._job(fetched.url, fetched.body, fetched.charset, is_html(fetched.content_type))
        if fetched.cut:
            job.format, job.more_formats, job.probe = "links", (), False
        found = await self._tools.converter.convert(job)
        record.engine_reason = found.scripted
        found.robots += fetched.robots
        if fetched.refresh and (target := join(fetched.url, fetched.refresh)):
            found.links.append((target, ""))
        visited = self._fill_record(record, found)
        if fetched.cut:
            record.content = ""
            record.error = too_large(MAX_PAGE_BYTES, fetched.size).body()
        return visited

    async def _fetch_whole(self, entry: FrontierEntry) -> HttpAnswer:
        """Return the answer; one that breaks off each time counts as far as it came at last."""
        try:
            return await self._with_timeout(self._fetch(entry), self._spec.page_timeout_s)
        except TruncatedError as error:
            if entry.tries < self._spec.retries:
                raise
            return error.partial

    async def _fetch(self, entry: FrontierEntry) -> HttpAnswer:
        if entry.url.startswith("file:"):
            return await read_file(entry.url)
        if self._spec.share_login:
            return await self._fetch_as_user(entry)
        http = self._tools.http

        def admit(target: str) -> Awaitable[None]:
            return self._admit(entry, target)

        if self._tools.cache is not None:
            return await self._tools.cache.get(http, entry.url, admit)
        return await http.get(entry.url, admit, unless=self._validators(entry))

    def _validators(self, entry: FrontierEntry) -> Validators | None:
        earlier = self._tools.earlier
        if earlier is None or self._spec.keeps_raw:  # "not modified" is nothing to keep
            return None
        return earlier.validators(entry.url)

    async def _carry_over(self, entry: FrontierEntry, fetched: HttpAnswer) -> VisitResult:
        """Return the page as the earlier crawl had it: its server says that it has not changed."""
        assert self._tools.earlier is not None
        carried = await asyncio.to_thread(self._tools.earlier.carry_over, entry.url)
        record = self._record(entry, fetched.url, carried.record.status, "", "static")
        kept = {name: getattr(carried.record, name) for name in _CARRIED}
        record = msgspec.structs.replace(record, **kept)
        record.redirects = [{"url": url, "status": status} for url, status in fetched.redirects]
        links = [(url, "") for url in record.links]
        return VisitResult(
            record, links, carried.unfollowed, carried.signature, is_file=carried.is_file
        )

    async def _fetch_as_user(self, entry: FrontierEntry) -> HttpAnswer:
        answer = await self._tools.renderer.fetch(entry.url, self._spec.page_timeout_s)
        if answer.url != entry.url:
            await self._admit(entry, answer.url)
        raise_for_status(answer.status)
        headers = {name.lower(): value for name, value in answer.headers.items()}
        kind, _, rest = headers.get("content-type", "text/html").partition(";")
        charset = rest.partition("charset=")[2].strip(' "')
        body = answer.body
        return HttpAnswer(
            answer.url, answer.status, kind.strip().lower(), body, len(body), charset,
            headers=headers_of_interest(headers),
        )  # fmt: skip

    async def _with_timeout(self, load: Awaitable[HttpAnswer], seconds: float) -> HttpAnswer:
        try:
            async with asyncio.timeout(seconds):
                return await load
        except TimeoutError as error:
            raise fetch_error("timeout", f"no whole answer within {seconds:g} s") from error

    # --- the browser --------------------------------------------------------------------------

    async def _visit_in_browser(
        self, entry: FrontierEntry, answered: Callable[[FrontierEntry], None]
    ) -> VisitResult:
        seconds = self._spec.page_timeout_s
        try:
            page = await self._tools.renderer.load(entry.url, seconds)
        except OcdError as error:
            if error.code in _NO_PAGE and entry.url.startswith("http"):
                return await self._not_a_page(entry, answered, error)
            if "cut_off" in error.details and entry.tries >= self._spec.retries:
                return await self._visit_cut_off(entry, answered)
            raise as_fetch_error(error) from error
        answered(entry)
        final = join(page.url, page.url, routes=True) or page.url
        if final != entry.url:
            await self._admit(entry, final)
        raise_for_status(page.status)
        record = self._record(entry, final, page.status, page.content_type, "browser")
        record.engine_reason = entry.render or ("hash route" if is_route(entry.url) else "")
        _fill_answer(record, headers_of_interest(page.headers), page.redirects)
        record.failed_actions, record.not_kept = list(page.failed_actions), list(page.not_kept)
        job = self._job(final, page.html.encode(), "utf-8", html=is_html(page.content_type))
        job.frames, job.routes = page.frames, True
        found = await self._tools.converter.convert(job)
        known = {url for url, _ in found.links}
        # Those of elements without a slot in their host's shadow tree are in this list alone.
        shown = (join(final, link, routes=True) for link in page.links)
        more = [url for url in shown if url and url not in known]
        if target := join(final, refresh_target(page.headers.get("refresh", ""))):
            more.append(target)
        found.add_links(list(dict.fromkeys(more)), final)
        found.robots += robots_tags([page.headers.get("x-robots-tag", "")], PRODUCT)
        found.title = found.title or page.title
        visited = self._fill_record(record, found)
        await self._keep_files(visited, page, entry.fetched_at)
        if page.tools:
            await asyncio.to_thread(
                _fill_tools, record, page.tools, Sanitizer(self._tools.sanitize)
            )
        return visited

    async def _keep_files(self, visited: VisitResult, page: LoadedPage, fetched_at: str) -> None:
        visited.raw = await rendered_answers(page.raw, fetched_at)
        if page.files and not (self._spec.respect_robots and visited.is_noindex):
            await asyncio.to_thread(self._tools.files.store, visited.record, page.files)

    async def _not_a_page(
        self, entry: FrontierEntry, answered: Callable[[FrontierEntry], None], error: OcdError
    ) -> VisitResult:
        visited = await self._visit_static(entry, answered)
        if is_html(visited.record.content_type):
            raise error  # a page that is sent as a download
        visited.record.engine_reason = f"not a page: {visited.record.content_type}"
        return visited

    async def _visit_cut_off(
        self, entry: FrontierEntry, answered: Callable[[FrontierEntry], None]
    ) -> VisitResult:
        # A browser shows nothing of a document that breaks off each time.
        visited = await self._visit_static(entry, answered)
        visited.record.engine_reason = "the answer broke off in the browser"
        return visited

    # --- parts of a record --------------------------------------------------------------------

    def _job(self, url: str, body: bytes, charset: str, html: bool) -> ExtractionJob:
        spec = self._spec
        return ExtractionJob(
            url=url, body=body, charset=charset, html=html, format=spec.format,
            more_formats=spec.more_formats, schema=spec.extract,
            only_main=spec.only_main_content, sanitize=self._tools.sanitize,
            probe=spec.engine == "auto", relations=spec.relations,
        )  # fmt: skip

    def _record(
        self, entry: FrontierEntry, final: str, status: int | None, content_type: str, engine: str
    ) -> PageRecord:
        return PageRecord(
            url=entry.url, final_url=final, status=status, title="", depth=entry.depth, content="",
            links=[], engine=engine, content_type=content_type, fetched_at="", duration_ms=0,
            parent=entry.parent,
            score=round(entry.score, 3) if self._spec.strategy == "best_first" else None,
        )  # fmt: skip

    def _fill_record(self, record: PageRecord, found: ExtractionResult) -> VisitResult:
        record.title, record.content, record.truncated = found.title, found.content, found.cut
        record.links = [url for url, _ in found.links]
        record.sanitized = found.sanitized
        record.canonical = found.canonical
        record.robots = list(dict.fromkeys(found.robots))
        record.content_hash = found.digest
        record.description, record.language = found.description, found.language
        record.open_graph, record.formats = found.open_graph, found.formats
        record.anchors = found.anchors
        record.extracted, record.missing = found.extracted, found.missing
        return VisitResult(record, found.links, frozenset(found.unfollowed), found.signature)


def _fill_tools(record: PageRecord, tools: Sequence[PageTool], sanitizer: Sanitizer) -> None:
    """Record what the page offers, without what nobody sees in it."""
    offered = msgspec.json.encode([tool_to_dict(tool) for tool in tools]).decode()
    offered, findings = sanitizer.clean(offered)
    record.tools = msgspec.json.decode(offered)
    before = record.sanitized or {}
    for added in findings.field().values():
        record.sanitized = {name: before.get(name, 0) + count for name, count in added.items()}


def _fill_answer(
    record: PageRecord, headers: dict[str, str], redirects: Sequence[tuple[str, int]]
) -> None:
    record.etag, record.last_modified = headers.pop("etag", ""), headers.pop("last-modified", "")
    record.headers = headers
    record.redirects = [{"url": url, "status": status} for url, status in redirects]
