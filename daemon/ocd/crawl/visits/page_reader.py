"""Reading one page over HTTP or in the browser, and converting it.

It depends only on the crawl's settings and the request. Whether the page is read at all, and what
happens to the result, is decided elsewhere.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import msgspec

from ocd.api.errors import OcdError
from ocd.browser.pool.loaded_page import LoadedPage
from ocd.browser.tabs.page_tools import PageTool, tool_to_dict
from ocd.content.page_signals import refresh_target, robots_tags
from ocd.crawl.archive.raw_answers import heads_of, raw_answers, rendered_answers
from ocd.crawl.crawl_result import PageRecord
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
    Admit,
    HttpAnswer,
    HttpFetcher,
    RedirectChain,
    TruncatedError,
    headers_of_interest,
    is_html,
)
from ocd.crawl.fetch.local_files import read_file
from ocd.crawl.fetch.validators import Validators
from ocd.crawl.page_extractor import ExtractionJob, ExtractionResult
from ocd.crawl.request_options import PRODUCT
from ocd.crawl.spec import CrawlSpec
from ocd.crawl.urls import is_route, join
from ocd.crawl.visits.outcome import VisitResult
from ocd.safety.sanitize import Sanitizer

# Errors of the browser that mean "not a page": plain HTTP then tells what it is.
_NO_PAGE = ("download_started", "not_html")
_NOT_MODIFIED = 304


@dataclass(frozen=True, slots=True, kw_only=True)
class PageRequest:
    """A request to read one page.

    Attributes:
        render: why it needs the browser.
        last_try: a response that breaks off counts as far as it came.
        unless: validators; the page is not wanted if it has not changed since.
        chain: the progress of an earlier attempt, which this one continues.
    """

    url: str
    by_browser: bool
    fetched_at: str
    render: str = ""
    last_try: bool = False
    unless: Validators | None = None
    chain: RedirectChain | None = None


class PageReader(Protocol):
    """Reads the pages of one crawl."""

    async def read(
        self, request: PageRequest, admit: Admit, answered: Callable[[], None]
    ) -> VisitResult:
        """Return the page; raises OcdError, and what `admit` raises.

        Args:
            request: the page.
            admit: called before a redirect is followed; for the browser's pages, with where they
                ended.
            answered: called once the origin has answered completely.
        """
        ...


class LocalReader:
    """Reads pages in this process, with the HTTP client and the browser of one crawl.

    cache: where answers are looked up first, and stored.
    """

    def __init__(
        self,
        spec: CrawlSpec,
        http: HttpFetcher,
        renderer: BrowserFetcher,
        converter: ExtractionClient,
        *,
        sanitize: bool,
        cache: HttpCache | None = None,
    ) -> None:
        self._spec = spec
        self._cache = cache
        self._http = http
        self._renderer = renderer
        self._converter = converter
        self._sanitize = sanitize

    async def read(
        self, request: PageRequest, admit: Admit, answered: Callable[[], None]
    ) -> VisitResult:
        """Return the page; see PageReader."""
        read = self._read_rendered if request.by_browser else self._read_static
        return await read(request, admit, answered)

    # --- plain HTTP and files -----------------------------------------------------------------

    async def _read_static(
        self, request: PageRequest, admit: Admit, answered: Callable[[], None]
    ) -> VisitResult:
        fetched = await self._fetch_whole(request, admit)
        answered()
        visited = await self._convert(request, fetched)
        if self._spec.keeps_raw:
            visited.raw = await raw_answers(fetched, request.fetched_at)
        return visited

    async def _convert(self, request: PageRequest, fetched: HttpAnswer) -> VisitResult:
        record = _record(request, fetched.url, fetched.status, fetched.content_type, "static")
        if fetched.status == _NOT_MODIFIED and request.unless is not None:
            record.redirects = _redirects(fetched.redirects)
            return VisitResult(record, [], not_modified=True)
        record.size, record.incomplete = fetched.size, fetched.incomplete
        record.from_cache = fetched.from_cache
        _fill_answer(record, fetched.headers, fetched.redirects)
        if fetched.body is None or (
            b"\0" in fetched.body[:1024] and not is_html(fetched.content_type)
        ):
            return VisitResult(record, [], is_file=True)
        job = self._job(fetched.url, fetched.body, fetched.charset, is_html(fetched.content_type))
        if fetched.cut:
            _take_links_only(job)
        found = await self._converter.convert(job)
        record.engine_reason = found.needs_browser_reason
        found.robots += fetched.robots
        if fetched.refresh and (target := join(fetched.url, fetched.refresh)):
            found.links.append((target, ""))
        visited = _fill_record(record, found)
        if fetched.cut:
            _refuse_content(record, fetched.size)
        return visited

    async def _fetch_whole(self, request: PageRequest, admit: Admit) -> HttpAnswer:
        """Return the response; one that breaks off at each attempt counts as far as it came."""
        try:
            return await self._with_timeout(self._fetch(request, admit))
        except TruncatedError as error:
            if not request.last_try:
                raise
            return error.partial

    async def _fetch(self, request: PageRequest, admit: Admit) -> HttpAnswer:
        if request.url.startswith("file:"):
            return await read_file(request.url)
        if self._spec.share_login:
            return await self._fetch_as_user(request.url, admit)
        if self._cache is not None:
            return await self._cache.get(self._http, request.url, admit)
        return await self._http.get(request.url, admit, unless=request.unless, chain=request.chain)

    async def _fetch_as_user(self, url: str, admit: Admit) -> HttpAnswer:
        answer = await self._renderer.fetch(url, self._spec.page_timeout_s)
        if answer.url != url:
            await admit(answer.url)
        raise_for_status(answer.status)
        headers = {name.lower(): value for name, value in answer.headers.items()}
        kind, _, rest = headers.get("content-type", "text/html").partition(";")
        charset = rest.partition("charset=")[2].strip(' "')
        body = answer.body
        return HttpAnswer(
            answer.url, answer.status, kind.strip().lower(), body, len(body), charset,
            headers=headers_of_interest(headers),
        )  # fmt: skip

    async def _with_timeout(self, load: Awaitable[HttpAnswer]) -> HttpAnswer:
        seconds = self._spec.page_timeout_s
        try:
            async with asyncio.timeout(seconds):
                return await load
        except TimeoutError as error:
            raise fetch_error("timeout", f"no complete response within {seconds:g} s") from error

    # --- the browser --------------------------------------------------------------------------

    async def _read_rendered(
        self, request: PageRequest, admit: Admit, answered: Callable[[], None]
    ) -> VisitResult:
        try:
            page = await self._renderer.load(request.url, self._spec.page_timeout_s)
        except OcdError as error:
            if error.code in _NO_PAGE and request.url.startswith("http"):
                return await self._read_no_page(request, admit, answered, error)
            if "cut_off" in error.details and request.last_try:
                return await self._read_cut_off(request, admit, answered)
            raise as_fetch_error(error) from error
        answered()
        if request.chain is not None:
            request.chain.heads += heads_of(page.raw)
        final = join(page.url, page.url, routes=True) or page.url
        if final != request.url:
            await admit(final)
        raise_for_status(page.status)
        return await self._convert_rendered(request, page, final)

    async def _convert_rendered(
        self, request: PageRequest, page: LoadedPage, final: str
    ) -> VisitResult:
        record = _record(request, final, page.status, page.content_type, "browser")
        record.engine_reason = request.render or ("hash route" if is_route(request.url) else "")
        _fill_answer(record, headers_of_interest(page.headers), page.redirects)
        record.failed_actions, record.not_kept = list(page.failed_actions), list(page.not_kept)
        body = page.html.encode()
        job = self._job(final, body[:MAX_PAGE_BYTES], "utf-8", html=is_html(page.content_type))
        job.frames, job.routes = page.frames, True
        cut = len(body) > MAX_PAGE_BYTES
        if cut:
            _take_links_only(job)
        found = await self._converter.convert(job)
        known = {url for url, _ in found.links}
        # Only this list has the links of elements that no slot of a shadow tree shows.
        links = (join(final, link, routes=True) for link in page.links)
        more = [url for url in links if url and url not in known]
        if target := join(final, refresh_target(page.headers.get("refresh", ""))):
            more.append(target)
        found.add_links(list(dict.fromkeys(more)), final)
        found.robots += robots_tags([page.headers.get("x-robots-tag", "")], PRODUCT)
        found.title = found.title or page.title
        visited = _fill_record(record, found)
        if cut:
            _refuse_content(record, len(body))
        visited.raw = await rendered_answers(page.raw, request.fetched_at)
        visited.files = dict(page.files)
        if page.tools:
            await asyncio.to_thread(_fill_tools, record, page.tools, Sanitizer(self._sanitize))
        return visited

    async def _read_no_page(
        self, request: PageRequest, admit: Admit, answered: Callable[[], None], error: OcdError
    ) -> VisitResult:
        visited = await self._read_static(request, admit, answered)
        if is_html(visited.record.content_type):
            raise error  # the page is sent as a download
        visited.record.engine_reason = f"not a page: {visited.record.content_type}"
        return visited

    async def _read_cut_off(
        self, request: PageRequest, admit: Admit, answered: Callable[[], None]
    ) -> VisitResult:
        # A browser shows nothing of a document whose transfer breaks off each time.
        visited = await self._read_static(request, admit, answered)
        visited.record.engine_reason = "the response was cut off in the browser"
        return visited

    def _job(self, url: str, body: bytes, charset: str, html: bool) -> ExtractionJob:
        spec = self._spec
        return ExtractionJob(
            url=url, body=body, charset=charset, html=html, format=spec.format,
            more_formats=spec.more_formats, schema=spec.extract,
            only_main=spec.only_main_content, sanitize=self._sanitize,
            probe=spec.engine == "auto", relations=spec.relations,
        )  # fmt: skip


def _record(
    request: PageRequest, final: str, status: int | None, content_type: str, engine: str
) -> PageRecord:
    return PageRecord(
        url=request.url, final_url=final, status=status, title="", depth=0, content="", links=[],
        engine=engine, content_type=content_type, fetched_at=request.fetched_at, duration_ms=0,
    )  # fmt: skip


def _fill_record(record: PageRecord, found: ExtractionResult) -> VisitResult:
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


def _take_links_only(job: ExtractionJob) -> None:
    """Convert nothing of the beginning of a page that is too large; its links are followed."""
    job.format, job.more_formats, job.probe, job.frames = "links", (), False, []


def _refuse_content(record: PageRecord, size: int | None) -> None:
    record.content = ""
    record.error = too_large(MAX_PAGE_BYTES, size).body()


def _fill_tools(record: PageRecord, tools: Sequence[PageTool], sanitizer: Sanitizer) -> None:
    """Record the tools that the page offers, without text that nobody sees."""
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
    record.redirects = _redirects(redirects)


def _redirects(found: Sequence[tuple[str, int]]) -> list[dict[str, str | int]]:
    return [{"url": url, "status": status} for url, status in found]
