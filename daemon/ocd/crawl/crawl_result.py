"""What a crawl returns: a record of each page, which is a line of pages.jsonl, and a summary."""

from typing import Annotated, Any, Literal, Required, TypedDict

import msgspec
from msgspec import Meta


class Anchor(msgspec.Struct, omit_defaults=True):
    """A link. kind: "anchor", "frame", "refresh" or "link". external: to another origin."""

    url: str
    text: str = ""
    kind: str = "anchor"
    external: bool = False
    nofollow: bool = False


class PageRecord(msgspec.Struct, omit_defaults=True, kw_only=True):
    """One line of pages.jsonl.

    Attributes:
        status: null for a file, or without an answer.
        duration_ms: of the last attempt.
        truncated: how many characters the content had before it was cut to the limit of one page.
        incomplete: the transfer, or its compressed data, ended early.
        sanitized: what was removed from it and flagged in it; left out if nothing was.
        canonical: the address that the page declares.
        robots: its directives for robots, from meta elements and X-Robots-Tag; with noindex there
            is no content if robots are respected.
        duplicate_of: the URL of an earlier page with the same content, or nearly.
        description, language, open_graph: as the page declares them.
        headers: those of the response that are of interest.
        redirects: url and status of each redirect on the way to final_url.
        parent: the page whose link led here first.
        formats: the content in the other requested formats.
        anchors: the links with details, if requested.
        extracted: the values that the crawl's schema found.
        missing: the fields of the schema that were not found.
        tools: those that the page offers to agents, if requested.
        failed_actions: the crawl's actions that could not be performed.
        screenshot, pdf: the page as a file, by its path in the task's folder.
        not_kept: why there is no such file.
        from_cache: a stored response was reused, as its headers allow.
        change: compared with the earlier crawl.
    """

    url: str
    final_url: str
    status: int | None
    title: str
    depth: int
    content: str
    links: list[str]
    engine: str
    content_type: str
    fetched_at: str
    duration_ms: int
    engine_reason: str = ""
    truncated: int = 0
    incomplete: bool = False
    size: int | None = None
    score: float | None = None
    error: dict[str, Any] | None = None
    sanitized: dict[str, int] | None = None
    canonical: str = ""
    robots: list[str] = []
    content_hash: str = ""
    duplicate_of: str = ""
    description: str = ""
    language: str = ""
    open_graph: dict[str, str] = {}
    headers: dict[str, str] = {}
    etag: str = ""
    last_modified: str = ""
    redirects: list[dict[str, str | int]] = []
    parent: str = ""
    formats: dict[str, str] = {}
    anchors: list[Anchor] = []
    extracted: dict[str, Any] | list[dict[str, Any]] | None = None
    missing: list[str] = []
    tools: list[dict[str, Any]] = []
    failed_actions: list[str] = []
    screenshot: str = ""
    pdf: str = ""
    not_kept: list[str] = []
    from_cache: bool = False
    change: Literal["", "new", "changed", "unchanged", "gone"] = ""


class RobotsDenied(TypedDict):
    """Addresses that robots.txt forbids."""

    count: int
    urls: Annotated[list[str], Meta(description="The first of them")]


class CrawlSummary(TypedDict, total=False):
    """The summary of a crawl; if its daemon was killed, as far as its pages show."""

    url: str
    total_pages: Required[int]
    succeeded: Required[int]
    failed: Required[int]
    files: int
    duplicates: int
    warnings: list[str]
    errors: Required[Annotated[dict[str, int], Meta(description="Failed pages by code")]]
    skipped: Annotated[dict[str, int], Meta(description="URLs not fetched, by reason")]
    robots_denied: RobotsDenied
    max_depth_reached: Required[int]
    duration_ms: int
    scope: str
    strategy: str
    format: str | list[str]
    engines: Required[dict[str, int]]
    attempts: int
    resumed_pages: Annotated[int, Meta(description="Pages taken over from the resumed crawl")]
    compared: Annotated[dict[str, Any], Meta(description="to, new, changed, unchanged, gone")]
    retried: int
    pending: int
    adaptive_limits: Annotated[dict[str, int], Meta(description="Requests at once, by origin")]
    delay_ms: int
    crawl_delay_capped: bool
    stop_reason: Required[str]
    sitemap_source: Annotated[str, Meta(description="Of crawl_sitemap: the first sitemap read")]
    sitemaps: Annotated[list[str], Meta(description="Sitemaps that were read, at most 100")]
    origins: Annotated[
        dict[str, int], Meta(description="Records by origin, where not all are of the start's")
    ]
    sitemap_problems: Annotated[dict[str, str], Meta(description="The problem, by address")]


class CrawlResult(TypedDict):
    """The pages that were crawled."""

    summary: CrawlSummary
    pages: list[PageRecord]
