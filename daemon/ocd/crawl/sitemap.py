"""Sitemaps: where a site has them, and the URLs in them, read as a bounded stream."""

import re
import zlib
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from itertools import chain
from typing import Literal

from ocd.api.errors import OcdError
from ocd.api.tool_calls import tool_call
from ocd.crawl.fetch.http_fetch import HttpAnswer
from ocd.crawl.urls import join, origin_of

MAX_SITEMAP_BYTES = 50 * 1024 * 1024
MAX_SITEMAPS = 500
MAX_INDEX_DEPTH = 5
MAX_URL_CHARS = 2048
_USUAL = ("/sitemap.xml", "/sitemap_index.xml")
_GZIP = b"\x1f\x8b"
_CHUNK = 64 * 1024
# Sitemaps, and the feeds that stand for one.
_ROOT = re.compile(rb"<(?:[\w.-]{1,40}:)?(?:urlset|sitemapindex|rss|feed|RDF)[\s>]")
# An ampersand that begins no reference that XML knows, as in `?a=1&b=2`.
_BARE_AMPERSAND = re.compile(rb"&(?!(?:amp|lt|gt|quot|apos|#\d{1,7}|#x[\da-fA-F]{1,6});)")
_REFERENCE_BYTES = 12
_CDATA = b"<![CDATA["
_LINE = re.compile(rb"[^\r\n]+")

Found = tuple[Literal["page", "sitemap"], str]
Fetch = Callable[[str], Awaitable[HttpAnswer]]


class Sitemaps:
    """Reads the sitemaps of one site. `tried` lists the URLs that were requested, `sources` those
    that were sitemaps.

    `fetch(url)` returns the answer and raises OcdError without one. `problems` says what was
    broken, by URL: the rest of a broken sitemap is left out, what was read of it is kept.
    """

    def __init__(self, fetch: Fetch) -> None:
        self._fetch = fetch
        self.tried: list[str] = []
        self.sources: list[str] = []
        self.problems: dict[str, str] = {}

    async def urls(self, site: str, sitemap_url: str, from_robots: list[str]) -> AsyncIterator[str]:
        """Yield the page URLs: of `sitemap_url` if given, else of the first usual location that has
        any.

        Raises sitemap_not_found with `tried`.
        """
        usual = [origin_of(site) + path for path in _USUAL]
        places = [[sitemap_url]] if sitemap_url else [from_robots, *([url] for url in usual)]
        for place in places:
            async for url in self._all(place):
                yield url
            if self.sources:
                return
        tried = [f"{url}: {self.problems[url]}" for url in self.tried if url in self.problems]
        raise OcdError(
            "sitemap_not_found",
            f"No sitemap found for {site}" + (f" ({tried[0][:300]})" if tried else ""),
            hint="Pass its address as sitemap_url, or follow links: "
            + tool_call("crawl", url="URL"),
            tried=self.tried,
            problems=self.problems,
        )

    async def _all(self, roots: list[str]) -> AsyncIterator[str]:
        waiting = [(url, 0) for url in reversed(roots)]
        while waiting and len(self.tried) < MAX_SITEMAPS:
            url, depth = waiting.pop()
            if url in self.tried:
                continue
            inner: list[str] = []
            for kind, found in await self._read(url):
                if kind == "page":
                    yield found
                elif depth < MAX_INDEX_DEPTH:
                    inner.append(found)
            waiting += [(url, depth + 1) for url in reversed(inner)]

    async def _read(self, url: str) -> Iterator[Found]:
        self.tried.append(url)
        try:
            answer = await self._fetch(url)
        except OcdError as error:
            self.problems[url] = error.message
            return iter(())
        body = answer.body or b""
        if not looks_like_sitemap(body):
            self.problems[url] = "not a sitemap"
            return iter(())
        self.sources.append(url)
        return self._parse(url, answer.url, body)

    def _parse(self, url: str, base: str, body: bytes) -> Iterator[Found]:
        try:
            for kind, text in parse(body):
                absolute = join(base, text)
                if absolute and len(absolute) <= MAX_URL_CHARS:
                    yield kind, absolute
        except ValueError as error:
            self.problems[url] = str(error)


def looks_like_sitemap(body: bytes) -> bool:
    """Return whether the body begins like a sitemap: XML of that kind, a feed, a list of URLs."""
    try:
        head = next(_decompress(body, _CHUNK), b"")[:2048].lstrip(b"\xef\xbb\xbf \t\r\n")
    except ValueError:
        return False
    if head.startswith(b"<"):
        return _ROOT.search(head) is not None
    return head.startswith((b"http://", b"https://"))


def parse(body: bytes) -> Iterator[Found]:
    """Yield the entries of a sitemap, index or list of URLs, zipped or not.

    ValueError, after what could be read: broken XML, entities, more than MAX_SITEMAP_BYTES.
    """
    chunks = _decompress(body, MAX_SITEMAP_BYTES)
    first = next(chunks, b"").lstrip(b"\xef\xbb\xbf \t\r\n")
    if first.startswith(b"<"):
        yield from _parse_xml(first, chunks)
    else:
        yield from _parse_lines(first, chunks)


def _decompress(body: bytes, limit: int) -> Iterator[bytes]:
    if not body.startswith(_GZIP):
        for at in range(0, len(body), _CHUNK):
            yield body[at : at + _CHUNK]
        return
    total = 0
    while body.startswith(_GZIP):  # files may be joined to one
        unzip, pending = zlib.decompressobj(zlib.MAX_WBITS | 16), body
        while not unzip.eof:
            try:
                piece = unzip.decompress(pending, _CHUNK)
            except zlib.error as error:
                raise ValueError(f"broken gzip: {error}") from error
            pending = unzip.unconsumed_tail
            if not piece and not pending:
                raise ValueError("broken gzip: it breaks off")
            total += len(piece)
            if total > limit + _CHUNK:
                raise ValueError(f"more than {limit} bytes unzipped")
            yield piece
        body = unzip.unused_data


def _parse_lines(first: bytes, chunks: Iterator[bytes]) -> Iterator[Found]:
    rest = first
    for chunk in chunks:
        rest += chunk
        lines, newline, rest = rest.rpartition(b"\n")
        for line in _LINE.findall(lines + newline):
            yield "page", line.decode("utf-8", "replace").strip()
    for line in _LINE.findall(rest):
        yield "page", line.decode("utf-8", "replace").strip()


class _Reader:
    """expat's callbacks: what <loc> directly below <url> and <sitemap>, and the link of each item
    or entry of a feed, say.
    """

    def __init__(self) -> None:
        self.found: list[Found] = []
        self._inside: Literal["page", "sitemap"] = "page"
        self._text: list[str] | None = None
        self._path: list[str] = []

    def start(self, name: str, attributes: dict[str, str]) -> None:
        self._path.append(name.rpartition(":")[2].lower())
        if self._path[-2:] in (["url", "loc"], ["sitemap", "loc"], ["item", "link"]):
            self._text = []
        elif self._path[-2:] == ["entry", "link"] and _is_of_page(attributes):  # Atom's
            self.found.append(("page", attributes["href"].strip()))

    def end(self, _name: str) -> None:
        path = self._path
        if self._text is not None and path[-1] in ("loc", "link"):
            kind: Literal["page", "sitemap"] = "sitemap" if path[-2] == "sitemap" else "page"
            self.found.append((kind, "".join(self._text).strip()))
            self._text = None
        path.pop()

    def text(self, text: str) -> None:
        if self._text is not None:
            self._text.append(text)


def _is_of_page(attributes: dict[str, str]) -> bool:
    return attributes.get("rel", "alternate") == "alternate" and "href" in attributes


def _parse_xml(first: bytes, chunks: Iterator[bytes]) -> Iterator[Found]:
    from xml.parsers import expat  # 0.7 MB, and most daemons read no sitemap

    parser, reader = expat.ParserCreate(), _Reader()
    parser.StartElementHandler = reader.start
    parser.EndElementHandler = reader.end
    parser.CharacterDataHandler = reader.text
    parser.EntityDeclHandler = _refuse_entity
    chunks = _with_escaped_ampersands(chain((first,), chunks))
    chunk: bytes | None = next(chunks, None)
    try:
        while chunk is not None:
            parser.Parse(chunk, False)  # noqa: FBT003 - positional by its C signature
            yield from reader.found
            reader.found.clear()
            chunk = next(chunks, None)
        parser.Parse(b"", True)  # noqa: FBT003 - positional by its C signature
    except expat.ExpatError as error:
        yield from reader.found
        raise ValueError(f"broken XML: {error}") from error


def _with_escaped_ampersands(chunks: Iterator[bytes]) -> Iterator[bytes]:
    """Yield the XML with each bare ampersand as a reference, so that it is no error.

    Not from the first CDATA section on: ampersands are bare in these.
    """
    rest = b""
    for chunk in chunks:
        text = rest + chunk
        if _CDATA in text:
            yield text
            yield from chunks
            return
        # The last one may be a reference that goes on in the next chunk.
        at = text.rfind(b"&", -_REFERENCE_BYTES)
        text, rest = (text, b"") if at < 0 else (text[:at], text[at:])
        yield _BARE_AMPERSAND.sub(b"&amp;", text) if b"&" in text else text
    yield _BARE_AMPERSAND.sub(b"&amp;", rest)


def _refuse_entity(*_declaration: object) -> None:
    # Nested entities turn a kilobyte into gigabytes, and external ones read files.
    raise ValueError("it declares entities")
