"""From a response to the parts of a page record: title, content, links. Pure, CPU only."""

from collections import Counter
from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import msgspec

from ocd.crawl.crawl_result import Anchor
from ocd.crawl.duplicates import fingerprint
from ocd.crawl.fetch.charset import decode
from ocd.crawl.fetch.js_detection import (
    ENOUGH_TEXT,
    may_need_browser,
    needs_browser_reason,
    needs_xslt_reason,
)
from ocd.crawl.request_options import PRODUCT
from ocd.crawl.spec import Format
from ocd.crawl.urls import join, origin_of, without_login
from ocd.safety.sanitize import Markup, Sanitizer, SanitizerFindings
from ocd.storage import crash_points

if TYPE_CHECKING:
    from ocd.content.html_text import Document
    from ocd.content.page_signals import PageSignals
    from ocd.extraction.schema import SchemaField

_MAX_TITLE = 1000
_MAX_ITEMS = 1000
_MARKUP: dict[str, Markup] = {
    "markdown": "markdown", "main": "markdown", "links": "markdown", "text": "text",
    "html": "html",
}  # fmt: skip
Clean = Callable[[str, Markup], tuple[str, SanitizerFindings]]
# The longest content of a page, in characters: nested lists can blow up to gigabytes.
MAX_CONTENT = 5_000_000


class ExtractionJob(msgspec.Struct, array_like=True):
    """What to extract. `body` is bytes as received, or a rendered document (UTF-8).

    Attributes:
        html: the body is a page.
        more_formats: further formats of the content; "links": with anchors.
        schema: the JSON schema of the values to extract, as JSON.
        probe: also report whether the page needs its scripts.
        frames: address and HTML of the frames whose text belongs to the page.
        relations: the relations of `link` elements that count as links.
        routes: links to routes of the page are links to pages.
    """

    url: str
    body: bytes
    charset: str
    html: bool
    format: Format
    only_main: bool
    sanitize: bool
    probe: bool
    frames: list[tuple[str, str]] = []
    relations: tuple[str, ...] = ()
    more_formats: tuple[Format, ...] = ()
    schema: str = ""
    routes: bool = False

    @property
    def wants_anchors(self) -> bool:
        """Whether links are wanted with more than their addresses."""
        return self.format == "links" or "links" in self.more_formats


class ExtractionResult(msgspec.Struct, array_like=True):
    """The result. links: (absolute URL, its text), each URL once.

    Attributes:
        needs_browser_reason: why the page shows nothing without its scripts, "" if it does.
        cut: how many characters the content had, if it was longer than MAX_CONTENT; else 0.
        sanitized: what the sanitiser found; None for nothing.
        unfollowed: those of the links that are marked nofollow wherever they occur.
        robots: the page's directives for robots.
        digest, signature: of the content (duplicates.py).
    """

    title: str
    content: str
    links: list[tuple[str, str]]
    needs_browser_reason: str = ""
    cut: int = 0
    sanitized: dict[str, int] | None = None
    canonical: str = ""
    robots: list[str] = []
    unfollowed: list[str] = []
    digest: str = ""
    signature: bytes = b""
    description: str = ""
    language: str = ""
    open_graph: dict[str, str] = {}
    formats: dict[str, str] = {}
    anchors: list[Anchor] = []
    wants_anchors: bool = False
    extracted: dict[str, Any] | list[dict[str, Any]] | None = None
    missing: list[str] = []

    def add_links(self, urls: list[str], page: str) -> None:
        """Add links whose text is not known."""
        self.links += [(url, "") for url in urls]
        if self.wants_anchors:
            self.anchors += [Anchor(url, external=is_external(url, page)) for url in urls]


def extract(job: ExtractionJob) -> ExtractionResult:
    """Return the title, the content in the requested format, and the links of a response."""
    text = decode(job.body, job.charset)
    clean = Sanitizer(job.sanitize).clean
    if job.html:
        found = _page(text, job)
    else:
        found = ExtractionResult("", "" if job.format == "links" else text, [])
        found.needs_browser_reason = needs_xslt_reason(job.body) if job.probe else ""
    for url, html in job.frames:
        _append(found, _page(html, msgspec.structs.replace(job, url=url, probe=False)), job)
    if len(found.content) > MAX_CONTENT:
        found.cut = len(found.content)
        found.content = found.content[:MAX_CONTENT]
    found.content, in_content = clean(found.content, _MARKUP[job.format] if job.html else "text")
    for name, content in found.formats.items():
        found.formats[name] = clean(content[:MAX_CONTENT], _MARKUP[name])[0]
    findings = in_content + _clean_lines(found, clean)
    if job.schema and job.html:
        findings += _extract_values(found, text, job)
    found.digest, found.signature = fingerprint(found.content) if found.content else ("", b"")
    found.sanitized = findings.field().get("sanitized")
    return found


def _extract_values(found: ExtractionResult, html: str, job: ExtractionJob) -> SanitizerFindings:
    """Fill the schema from the page and its frames."""
    from ocd.content.page_capture import capture_html
    from ocd.extraction import pipeline

    schema = _schema(job.schema)
    capture = capture_html(html, job.url)
    for url, inner in job.frames:
        capture.scopes += capture_html(inner, url).scopes
    values: dict[str, Any] | list[dict[str, Any]]
    if schema.kind == "array" and schema.item is not None:
        values = pipeline.many(capture, schema.item, page=True).items[:_MAX_ITEMS]
    else:
        filled = pipeline.one(capture, schema, page=True)
        values, found.missing = filled.data, filled.missing
    cleaned, findings = Sanitizer(job.sanitize).clean_values({"values": values}, ("values",))
    found.extracted = cleaned["values"]
    return findings


@lru_cache(8)
def _schema(text: str) -> "SchemaField":
    from ocd.extraction.schema import read_schema

    return read_schema(msgspec.json.decode(text))


def _clean_lines(found: ExtractionResult, clean: Clean) -> SanitizerFindings:
    """Clean the texts of one line in one call: title, description and others."""
    found.title = " ".join(found.title.split())
    lines = [found.title, found.description, found.language, *found.open_graph.values()]
    lines += [anchor.text for anchor in found.anchors]
    text, findings = clean("\n".join(lines), "text")
    cleaned = iter(text.split("\n"))
    found.title, found.description = next(cleaned)[:_MAX_TITLE], next(cleaned)
    found.language = next(cleaned)
    found.open_graph = {name: next(cleaned) for name in found.open_graph}
    for anchor in found.anchors:
        anchor.text = next(cleaned)
    return findings


def extract_in_process(job: ExtractionJob) -> ExtractionResult:
    """Do what `extract` does, in a process whose death only costs this page."""
    crash_points.strike("convert", job.url)
    return extract(job)


def _append(found: ExtractionResult, frame: ExtractionResult, job: ExtractionJob) -> None:
    """Add the text of a frame after the page's own; of HTML there is one document a page."""
    known = {url for url, _ in found.links}
    found.links += [link for link in frame.links if link[0] not in known]
    found.anchors += [anchor for anchor in frame.anchors if anchor.url not in known]
    if job.format != "html" and frame.content:
        found.content = f"{found.content}\n{frame.content}"
    for name in found.formats:
        if name != "html" and frame.formats[name]:
            found.formats[name] += f"\n{frame.formats[name]}"


def _page(html: str, job: ExtractionJob) -> ExtractionResult:
    from ocd.content.html_text import Document

    document = Document(html, job.url)
    title = document.title()
    signals = document.signals(job.relations, PRODUCT)
    anchors = document.raw_links()
    links = _absolute([*anchors, *signals.links], document.base, routes=job.routes)
    content = _content(document, job, links)
    found = ExtractionResult(title, content, links)
    found.needs_browser_reason = _reason_of(found, html, job) if job.probe else ""
    found.canonical = join(document.base, signals.canonical) or ""
    found.robots = signals.robots
    found.description, found.language = signals.description, signals.language
    found.open_graph = signals.open_graph
    if signals.unfollowed:
        found.unfollowed = _unfollowed(signals, anchors, document.base, routes=job.routes)
    if job.wants_anchors:
        found.wants_anchors = True
        found.anchors = _anchors(found, signals, document.base, job.url)
    for form in job.more_formats:
        if form != "links":  # conversion changes the document
            full_document = Document(html, job.url)
            one = msgspec.structs.replace(job, format=form)
            found.formats[form] = _content(full_document, one, links)
    return found


def _reason_of(found: ExtractionResult, html: str, job: ExtractionJob) -> str:
    # A page with much content is not probed unless a part of it may still be missing.
    origin = origin_of(job.url)
    leads_on = any(origin_of(url) == origin and url != job.url for url, _ in found.links)
    little = len(found.content) < 2 * ENOUGH_TEXT or not leads_on
    if not (little or may_need_browser(job.body)):
        return ""
    return needs_browser_reason(html, leads_on=leads_on)


def _anchors(found: ExtractionResult, signals: "PageSignals", base: str, page: str) -> list[Anchor]:
    kinds = {
        join(base, href): kind for (href, _), kind in zip(signals.links, signals.kinds, strict=True)
    }
    unfollowed = frozenset(found.unfollowed)
    return [
        Anchor(
            url, " ".join(text.split()), "anchor" if text else kinds.get(url, "anchor"),
            is_external(url, page), url in unfollowed,
        )
        for url, text in found.links
    ]  # fmt: skip


def is_external(url: str, page: str) -> bool:
    """Return whether a link leads to another origin than that of its page."""
    return origin_of(url) != origin_of(page)


def _unfollowed(
    signals: "PageSignals", anchors: list[tuple[str, str]], base: str, *, routes: bool
) -> list[str]:
    # A link that also occurs without the mark is followed.
    left = Counter(href for href, _ in anchors) - Counter(signals.unfollowed)
    followed = {join(base, href, routes=routes) for href in left}
    marked = (join(base, href, routes=routes) for href in signals.unfollowed)
    return list(dict.fromkeys(url for url in marked if url and url not in followed))


def _content(document: "Document", job: ExtractionJob, links: list[tuple[str, str]]) -> str:
    if job.format in ("markdown", "main"):
        only_main = job.only_main or job.format == "main"
        return document.to_markdown(only_main_content=only_main)
    if job.format == "text":
        return document.to_text(only_main_content=job.only_main)
    if job.format == "html":
        return document.visible(only_main_content=job.only_main)
    return "".join(f"- [{_label(text) or url}]({url})\n" for url, text in links)


def _label(text: str) -> str:
    return text.replace("[", "(").replace("]", ")")


def _absolute(found: list[tuple[str, str]], base: str, *, routes: bool) -> list[tuple[str, str]]:
    links: dict[str, str] = {}
    base = without_login(base)[0] if "@" in base else base
    for href, text in found:
        url = join(base, href, routes=routes)
        if url is not None and not links.get(url):
            links[url] = text
    return list(links.items())
