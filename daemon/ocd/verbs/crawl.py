"""Verbs that read many pages: crawl, crawl_sitemap."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, NotRequired, TypedDict

from msgspec import Meta

from ocd.api.errors import OcdError
from ocd.crawl.crawl_result import CrawlResult
from ocd.crawl.crawler import Crawler
from ocd.crawl.export.formats import ExportFormat, format_of
from ocd.crawl.request_params import (
    Concurrency,
    Delay,
    PageTimeout,
    RequestParams,
    Retries,
    StartUrl,
    StartUrls,
    check_requests,
    crawl_egress,
    extract_schema,
    page_actions,
    page_engine,
    request_options,
    start_urls,
)
from ocd.crawl.resumption import RESUMPTION
from ocd.crawl.spec import (
    CrawlSpec,
    Engine,
    Formats,
    LinkRelation,
    Strategy,
    content_formats,
)
from ocd.ledger.runner import Runner
from ocd.ledger.states import Status
from ocd.ledger.task_handle import TaskHandle
from ocd.safety.domain_policy import parse_url_argument
from ocd.safety.session_taint import Egress
from ocd.storage.payload import JsonLinesFile, Rows
from ocd.verb_api.declaration import (
    SENDS_TO,
    UNLISTED,
    WRITES_PATH,
    Output,
    Params,
    Sending,
    daemon_verb,
    task_verb,
)

SiteUrl = Annotated[
    str,
    Meta(min_length=1, description="Any URL of the site", extra=SENDS_TO),
]
MaxPages = Annotated[int, Meta(ge=1, le=100_000, description="Pages to fetch")]
Exclude = Annotated[tuple[str, ...], Meta(description="Globs of URLs to skip")]
PageFormat = Annotated[
    Formats, Meta(description="Format of content (of several, the first); tools: also WebMCP tools")
]
OnlyMain = Annotated[
    bool,
    Meta(description="Without navigation, header, footer, sidebars"),
]
RespectRobots = Annotated[
    bool, Meta(description="Obey robots.txt, its Crawl-delay included", extra_json_schema=UNLISTED)
]
PageEngine = Annotated[
    Engine,
    Meta(description="static: plain HTTP. browser: render. auto: render only what needs scripts"),
]
Relations = Annotated[
    tuple[LinkRelation, ...],
    Meta(
        description="Relations of <link> elements to follow like links",
        extra_json_schema=UNLISTED,
    ),
]
IgnoreParams = Annotated[
    tuple[str, ...],
    Meta(
        description="Query parameters to ignore when comparing URLs, besides known session and "
        "campaign parameters; may end in *",
        extra_json_schema=UNLISTED,
    ),
]
IncludeTypes = Annotated[
    tuple[str, ...],
    Meta(
        description="Media types that count as pages (globs); default: HTML and text",
        extra_json_schema=UNLISTED,
    ),
]
FailOnPage = Annotated[
    Annotated[int, Meta(ge=1)] | None,
    Meta(description="Fail deliberately at the Nth page (for tests)", extra_json_schema=UNLISTED),
]


class Crawl(RequestParams):
    """Crawl a site: follow links from a start page

    One page: navigate and read_page; a list of URLs: batch_execute.
    Returns {"summary", "pages": [{url, status, title, depth, content, links, error?}]};
    output_mode handle stores them for oc_output_search. Globs: * stops at "/", ** does not;
    docs/** matches the end of the URL; a glob with "://", all of it.
    """

    url: StartUrl = None
    max_pages: MaxPages = 20
    max_depth: Annotated[
        int, Meta(ge=0, le=1000, description="Max links away from the start page")
    ] = 2
    scope: Annotated[
        str,
        Meta(
            min_length=1,
            description="Links to follow: origin, domain (registrable), path (the start page's and "
            "below), any, or a glob",
        ),
    ] = "origin"
    same_origin: Annotated[
        bool | None,
        Meta(
            description="true: same as scope origin. false: scope any, unless scope is set",
            extra_json_schema=UNLISTED,
        ),
    ] = None
    include: Annotated[
        tuple[str, ...], Meta(description="Globs; if given, only URLs that match one are followed")
    ] = ()
    exclude: Exclude = ()
    format: PageFormat = "markdown"
    only_main_content: OnlyMain = False
    respect_robots: RespectRobots = True
    delay_ms: Delay = 0
    concurrency: Concurrency = "auto"
    engine: PageEngine = "auto"
    strategy: Annotated[
        Strategy,
        Meta(
            description="bfs: level by level. dfs: branch by branch. best_first: most relevant "
            "to query first",
            extra_json_schema=UNLISTED,
        ),
    ] = "bfs"
    query: Annotated[
        Annotated[str, Meta(max_length=1000)] | None,
        Meta(description="best_first: words to look for", extra_json_schema=UNLISTED),
    ] = None
    retries: Retries = 2
    page_timeout_ms: PageTimeout = 30_000
    relations: Relations = ()
    ignore_params: IgnoreParams = ()
    include_types: IncludeTypes = ()
    fail_on_page: FailOnPage = None
    urls: StartUrls = ""

    def __post_init__(self) -> None:
        # Here, so that a task that cannot run is refused before it exists.
        check_requests(self, self.starts, self.engine, self.format)
        if self.strategy == "best_first" and not self.query:
            message = "crawl: strategy best_first needs a query"
            raise OcdError("invalid_argument", message, parameter="query")

    @property
    def starts(self) -> tuple[str, ...]:
        """The start pages."""
        return start_urls("crawl", self.url, self.urls)


class CrawlSitemap(RequestParams):
    """Crawl the pages listed in a site's sitemap

    Found through robots.txt or in the usual places; reads indexes, gzip and plain-text lists.
    Returns what crawl returns, with summary.sitemap_source.
    """

    url: SiteUrl
    sitemap_url: Annotated[
        str | None,
        Meta(
            description="URL of the sitemap or feed, if it is not in a usual place", extra=SENDS_TO
        ),
    ] = None
    filter: Annotated[
        str | None, Meta(description="Glob of page URLs to fetch, as in crawl's include")
    ] = None
    exclude: Exclude = ()
    max_pages: MaxPages = 50
    scope: Annotated[
        str,
        Meta(
            min_length=1,
            description="Listed URLs to fetch, as in crawl",
            extra_json_schema=UNLISTED,
        ),
    ] = "domain"
    format: PageFormat = "markdown"
    only_main_content: OnlyMain = False
    respect_robots: RespectRobots = True
    delay_ms: Delay = 0
    concurrency: Concurrency = "auto"
    engine: PageEngine = "auto"
    retries: Retries = 2
    page_timeout_ms: PageTimeout = 30_000
    fail_on_page: FailOnPage = None

    def __post_init__(self) -> None:
        check_requests(self, self.starts, self.engine, self.format)
        if self.sitemap_url:
            parse_url_argument(self.sitemap_url)

    @property
    def starts(self) -> tuple[str, ...]:
        """The site's page that was given."""
        return (parse_url_argument(self.url),)


def _egress(params: Crawl | CrawlSitemap, _tab_url: str) -> Iterator[Egress]:
    return crawl_egress(params, params.starts)


def recover(meta: Mapping[str, Any], pages: Rows) -> dict[str, Any]:
    """Return the result of a crawl whose process died; `pages` holds what it fetched."""
    from ocd.crawl.stats import result_of_units

    return {"summary": result_of_units(meta, pages)}


@task_verb(
    "crawl", Crawl, needs=Crawler,
    returns=CrawlResult,
    capability="crawl", tier=1, reads=True, resumption=RESUMPTION,
    large=True, items=("pages",), recover=recover, page_keys=("pages",),
    sends=Sending(("urls", "headers", "user_agent", "proxy", "cookies", "webhook"), _egress),
    example={"url": "https://example.com/docs/", "scope": "path", "output_mode": "handle"},
)  # fmt: skip
async def crawl(crawler: Crawler, work: TaskHandle, params: Crawl) -> Output:
    spec = CrawlSpec(
        more_urls=params.starts[1:],
        max_pages=params.max_pages,
        max_depth=params.max_depth,
        scope=_scope(params),
        include=params.include,
        exclude=params.exclude,
        strategy=params.strategy,
        query=params.query or "",
        relations=params.relations,
        ignore_params=params.ignore_params,
        include_types=params.include_types,
        **_shared_options(params),
    )
    return _output(work, spec, await crawler.crawl(work, spec))


@task_verb(
    "crawl_sitemap", CrawlSitemap, needs=Crawler,
    returns=CrawlResult,
    capability="crawl", tier=2, reads=True,
    resumption=RESUMPTION, large=True, items=("pages",), recover=recover, page_keys=("pages",),
    sends=Sending(("headers", "user_agent", "proxy", "cookies", "webhook"), _egress),
    example={"url": "https://example.com", "max_pages": 100, "output_mode": "handle"},
)  # fmt: skip
async def crawl_sitemap(crawler: Crawler, work: TaskHandle, params: CrawlSitemap) -> Output:
    spec = CrawlSpec(
        sitemap_url=parse_url_argument(params.sitemap_url) if params.sitemap_url else "",
        max_pages=params.max_pages,
        scope=params.scope,
        include=(params.filter,) if params.filter else (),
        exclude=params.exclude,
        **_shared_options(params),
    )
    return _output(work, spec, await crawler.crawl_sitemap(work, spec))


def _scope(params: Crawl) -> str:
    if params.same_origin is None:
        return params.scope
    if params.same_origin:
        return "origin"
    return "any" if params.scope == "origin" else params.scope


def _shared_options(params: Crawl | CrawlSitemap) -> dict[str, Any]:
    starts = params.starts
    formats, tools = content_formats(params.format)
    return {
        "url": starts[0],
        "requests": request_options(params, starts),
        "extract": extract_schema(params),
        "format": formats[0],
        "more_formats": formats[1:],
        "tools": tools,
        "only_main_content": params.only_main_content,
        "respect_robots": params.respect_robots,
        "delay_ms": params.delay_ms,
        "concurrency": params.concurrency if isinstance(params.concurrency, int) else 0,
        "adaptive": params.concurrency == "adaptive",
        "engine": page_engine(params, params.engine, params.format),
        "actions": page_actions(params.actions),
        "init_script": params.init_script,
        "webhook": params.webhook,
        "cache": params.cache,
        "keep": params.keep,
        "cluster": params.cluster,
        "retries": params.retries,
        "page_timeout_ms": params.page_timeout_ms,
        "share_login": params.share_login,
        "compare_to": params.compare_to,
        "fail_on_page": params.fail_on_page or 0,
    }


def _output(work: TaskHandle, spec: CrawlSpec, summary: dict[str, Any]) -> Output:
    rows = JsonLinesFile(work.units)
    return Output(data={"summary": summary}, rows=rows)


class TaskExport(Params):
    """Write a crawl's pages to a file or folder

    markdown: a folder with a file for each page, front matter, and links from file to file. sqlite:
    tables pages and links. llms-txt: a list of links. warc: needs a crawl with keep=raw.
    Screenshots and PDFs go into a folder beside the file, or inside the folder. A running task
    exports what it has so far.
    """

    task_id: Annotated[str, Meta(description="The crawl's task")]
    path: Annotated[str, Meta(description="File or new folder to write", extra=WRITES_PATH)]
    format: Annotated[
        ExportFormat | None,
        Meta(description="Default: by the path's extension; without one: markdown"),
    ] = None


class TaskExportResult(TypedDict):
    """What was written."""

    task_id: str
    status: Status
    format: str
    path: str
    pages: int
    failed_pages: int
    size_bytes: NotRequired[int]
    files: NotRequired[int]
    files_bytes: NotRequired[int]
    records: NotRequired[int]


@daemon_verb(
    "oc_task_export",
    TaskExport,
    needs=Runner,
    returns=TaskExportResult,
    capability="crawl",
    tier=3,
    timeout_ms=600_000,
    example={"task_id": "0123456789abcdef", "path": "/home/ada/docs", "format": "markdown"},
)
async def oc_task_export(runner: Runner, params: TaskExport) -> Output:
    from ocd.crawl.export.task_export import export_task

    path = Path(params.path)
    form = params.format or format_of(path)
    meta, written = await export_task(runner, params.task_id, form, path)
    data = {"task_id": meta.task_id, "status": meta.status, "format": form, "path": params.path}
    return Output(data=data | written)
