"""An independent crawler: which pages a site has, with nothing but the standard library.

It knows nothing of ours, and takes no short cuts: every link of every page, level by level, over
html.parser, http.client and urllib. What is followed is what ours follows: anchors without
rel=nofollow, frames and refreshes; `link` elements are counted, so that what lies behind them alone
is explained.
"""

from __future__ import annotations

import contextlib
import gzip
import http.client
import re
import urllib.parse
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from html.parser import HTMLParser

_FOLLOWED = {"a", "area"}
_LINK_RELATIONS = {"index", "contents", "start", "next", "prev", "alternate", "canonical"}
_QUOTE_SAFE = "%/:@!$&'()*+,;=~-._[]|?"
_CHARSET = re.compile(rb"""(?i)(?:charset|encoding)=["' ]{0,2}([\w-]{2,40})""")
_HTML = ("text/html", "application/xhtml+xml")
_REDIRECTS = (301, 302, 303, 307, 308)


@dataclass
class Visit:
    """What one URL answered: `final` after redirects; links as (kind, URL)."""

    url: str
    final: str
    status: int
    is_html: bool = False
    title: str = ""
    links: list[tuple[str, str]] = field(default_factory=list)


@dataclass
class Truth:
    """A site: HTML pages by their final URL, everything that was asked for, and what lies aside."""

    pages: dict[str, str] = field(default_factory=dict)  # final URL → title
    depths: dict[str, int] = field(default_factory=dict)  # final URL → links from the start
    failed: dict[str, int] = field(default_factory=dict)  # URL → status
    visited: set[str] = field(default_factory=set)
    aside: Counter[str] = field(default_factory=Counter)  # kind → URLs behind links of it alone


class _Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.links: list[tuple[str, str]] = []
        self.base = ""
        self.title: str | None = None
        self._titles = False
        self._svg = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in reversed(attrs)}  # the first one counts
        if tag == "base" and "href" in values:
            self.base = self.base or values["href"]
        elif tag in _FOLLOWED and "href" in values:
            marked = "nofollow" in values.get("rel", "").lower().split()
            self.links.append(("nofollow" if marked else "a", values["href"]))
        elif tag in ("frame", "iframe") and "src" in values:
            self.links.append(("frame", values["src"]))
        elif tag == "link" and _LINK_RELATIONS & set(values.get("rel", "").lower().split()):
            self.links.append(("link", values.get("href", "")))
        elif tag == "meta" and values.get("http-equiv", "").lower() == "refresh":
            self._refresh(values.get("content", ""))
        elif tag == "svg":
            self._svg += 1
        elif tag == "title" and self.title is None and not self._svg:
            self.title, self._titles = "", True

    def handle_endtag(self, tag: str) -> None:
        if tag == "title":
            self._titles = False
        elif tag == "svg":
            self._svg = max(0, self._svg - 1)

    def handle_data(self, data: str) -> None:
        if self._titles:
            self.title = (self.title or "") + data

    def _refresh(self, content: str) -> None:
        place = content.lower().find("url=")
        if place >= 0:
            self.links.append(("refresh", content[place + 4 :].strip(" '\"")))


def read_site(start: str, processes: int = 2) -> Truth:
    """Visit everything below the origin of `start` and return what there is."""
    truth = Truth()
    origin = urllib.parse.urlsplit(start)[:2]
    level, depth = [normalise(start)], 0
    truth.visited.update(level)
    elsewhere: dict[str, str] = {}
    with ProcessPoolExecutor(processes) as pool:
        while level:
            ahead: list[str] = []
            for visit in pool.map(_visit, level, chunksize=8):
                _note(truth, visit, depth)
                for kind, url in visit.links:
                    if urllib.parse.urlsplit(url)[:2] != origin or url in truth.visited:
                        continue
                    if kind in ("link", "nofollow"):
                        elsewhere.setdefault(url, kind)
                        continue
                    truth.visited.add(url)
                    ahead.append(url)
            level, depth = ahead, depth + 1
    reached = truth.visited | truth.pages.keys()
    truth.aside.update(kind for url, kind in elsewhere.items() if url not in reached)
    return truth


def _note(truth: Truth, visit: Visit, depth: int) -> None:
    if visit.status != http.HTTPStatus.OK:
        truth.failed[visit.url] = visit.status
    elif visit.is_html and visit.final not in truth.pages:
        truth.pages[visit.final] = visit.title
        truth.depths[visit.final] = depth


def normalise(url: str) -> str:
    """Return the URL in the spelling under which this crawler knows it, without fragment."""
    scheme, netloc, path, query, _ = urllib.parse.urlsplit(url)
    path = urllib.parse.quote(path or "/", safe=_QUOTE_SAFE)
    query = urllib.parse.quote(query, safe=_QUOTE_SAFE)
    return urllib.parse.urlunsplit((scheme, netloc.lower(), path, query, ""))


_connections: dict[str, http.client.HTTPConnection] = {}


def _visit(url: str) -> Visit:
    final, (status, headers, body) = url, _get(url)
    for _ in range(10):
        if status not in _REDIRECTS or not headers["Location"]:
            break
        final = normalise(urllib.parse.urljoin(final, headers["Location"]))
        status, headers, body = _get(final)
    visit = Visit(url, final, status)
    if status == http.HTTPStatus.OK and headers.get_content_type() in _HTML:
        _read(visit, body.decode(headers.get_content_charset() or _declared(body), "replace"))
    return visit


def _read(visit: Visit, text: str) -> None:
    """Fill in what the page's text says."""
    page = _Page()
    page.feed(text)
    page.close()
    visit.is_html = True
    visit.title = " ".join((page.title or "").split())
    base = urllib.parse.urljoin(visit.final, page.base) if page.base else visit.final
    found: dict[tuple[str, str], None] = {}
    for kind, href in page.links:
        target = href.strip()
        if target and not target.startswith("#"):
            with contextlib.suppress(ValueError):
                found[kind, normalise(urllib.parse.urljoin(base, target))] = None
    visit.links = list(found)


def _get(url: str) -> tuple[int, http.client.HTTPMessage, bytes]:
    """Return status, headers and decoded body; once more on a new connection if one has ended."""
    netloc = urllib.parse.urlsplit(url).netloc
    try:
        return _ask(netloc, url)
    except (http.client.HTTPException, OSError):
        _connections.pop(netloc).close()
        return _ask(netloc, url)


def _ask(netloc: str, url: str) -> tuple[int, http.client.HTTPMessage, bytes]:
    connection = _connections.setdefault(netloc, http.client.HTTPConnection(netloc, timeout=60))
    target = url.removeprefix(f"http://{netloc}")
    connection.request("GET", target, headers={"Accept-Encoding": "gzip", "Accept-Language": "en"})
    answer = connection.getresponse()
    body = answer.read()
    if answer.headers["Content-Encoding"] == "gzip":
        body = gzip.decompress(body)
    return answer.status, answer.headers, body


def _declared(body: bytes) -> str:
    """Return the charset that the page itself names; UTF-8 without one."""
    found = _CHARSET.search(body[:2048])
    return found[1].decode() if found else "utf-8"
