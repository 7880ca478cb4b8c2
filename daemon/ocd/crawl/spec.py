"""The specification of one crawl."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from ocd.crawl.request_options import PLAIN_REQUESTS, RequestOptions

Format = Literal["markdown", "main", "text", "html", "links"]
# A list of formats may also contain this: the tools that pages offer to agents.
Formats = Format | list[Format | Literal["tools"]]
Engine = Literal["auto", "static", "browser"]
Strategy = Literal["bfs", "dfs", "best_first"]
Keep = Literal["raw", "screenshot", "pdf"]
LinkRelation = Literal["next", "prev", "index", "alternate"]

# Longer waits end the page, so that a deliberately slow site cannot hold up a crawl forever.
MAX_RETRY_AFTER_S = 60.0
MAX_CONCURRENCY = 64
MAX_CRAWL_DELAY_S = 30.0


@dataclass(frozen=True, slots=True, kw_only=True)
class CrawlSpec:
    """The parameters of one crawl; names and meanings are those of the verb.

    Attributes:
        compare_to: the task of an earlier crawl; "": none.
        keep: what is stored of pages besides their records.
        scope: "origin", "domain", "path", "any" or a glob.
        concurrency: 0: chosen by the engine.
        adaptive: concurrency follows each origin's response times.
        sitemap_url: where a sitemap crawl starts reading; "": find it.
        more_urls: start pages besides `url`.
        more_formats: formats of the content besides `format`.
        tools: record the tools that pages offer.
        requests: the options of all requests.
        actions, init_script: what the browser does on each page, and before it (see PoolOptions).
        extract: the JSON schema of the values to extract from each page, as JSON; "": none.
        webhook: the address that is notified of the end; "": none.
        cache: reuse stored responses as far as their headers allow.
        cluster: the cluster whose workers read the pages; "": this process does.
    """

    url: str
    more_urls: tuple[str, ...] = ()
    max_pages: int = 20
    max_depth: int = 2
    scope: str = "origin"
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    format: Format = "markdown"
    more_formats: tuple[Format, ...] = ()
    tools: bool = False
    only_main_content: bool = False
    respect_robots: bool = True
    delay_ms: int = 0
    concurrency: int = 0
    adaptive: bool = False
    engine: Engine = "auto"
    strategy: Strategy = "bfs"
    query: str = ""
    retries: int = 2
    page_timeout_ms: int = 30_000
    share_login: bool = False
    fail_on_page: int = 0
    relations: tuple[LinkRelation, ...] = ()
    ignore_params: tuple[str, ...] = ()
    include_types: tuple[str, ...] = ()
    compare_to: str = ""
    keep: tuple[Keep, ...] = ()
    sitemap_url: str = ""
    extract: str = ""
    actions: tuple[Mapping[str, Any], ...] = ()
    init_script: str = ""
    webhook: str = ""
    cache: bool = False
    cluster: str = ""
    requests: RequestOptions = PLAIN_REQUESTS

    @property
    def starts(self) -> tuple[str, ...]:
        """Return the start pages."""
        return (self.url, *self.more_urls)

    @property
    def formats(self) -> tuple[str, ...]:
        """Return the formats that each page is recorded in, the main one first."""
        return (self.format, *self.more_formats, *(("tools",) if self.tools else ()))

    @property
    def keeps_raw(self) -> bool:
        """Whether responses are stored as their servers sent them."""
        return "raw" in self.keep

    @property
    def max_attempts(self) -> int:
        """Return how many page loads may be started, failed ones and retries included."""
        return 3 * self.max_pages + 20

    @property
    def page_timeout_s(self) -> float:
        """Return the time limit of one attempt in seconds."""
        return self.page_timeout_ms / 1000


def content_formats(requested: Formats) -> tuple[tuple[Format, ...], bool]:
    """Return the formats of the content (by default Markdown), and whether tools are wanted."""
    named: Sequence[Format | Literal["tools"]] = (
        requested if isinstance(requested, list) else [requested]
    )
    formats: list[Format] = [form for form in named if form != "tools"]
    return tuple(dict.fromkeys(formats or ["markdown"])), "tools" in named
