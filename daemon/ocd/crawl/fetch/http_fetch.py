"""Plain HTTP: one request, with redirects followed one by one."""

import base64
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from email.utils import formatdate
from itertools import cycle
from typing import TYPE_CHECKING, Any, NamedTuple, Self
from urllib.parse import unquote

from ocd.content.page_signals import refresh_target, robots_tags
from ocd.crawl.fetch.content_encoding import ACCEPTED, Decoder
from ocd.crawl.fetch.fetch_errors import (
    CONNECT_S,
    TRANSIENT_STATUSES,
    FetchError,
    failure_text,
    fetch_error,
    too_large,
    translate_errors,
)
from ocd.crawl.fetch.validators import Validators
from ocd.crawl.rate_limits import retry_after_s
from ocd.crawl.request_options import PLAIN_REQUESTS, PRODUCT, Cookie, RequestOptions
from ocd.crawl.robots import MAX_ROBOTS_BYTES, RobotsReply
from ocd.crawl.urls import join, origin_of
from ocd.safety.host_canonical import netloc_of

if TYPE_CHECKING:
    from aiohttp import ClientPayloadError, ClientResponse, ClientSession

MAX_REDIRECTS = 10
MAX_PAGE_BYTES = 10 * 1024 * 1024
_MAX_HEADER_BYTES, _MAX_HEADERS = 256 * 1024, 1000  # about as Chromium's
USER_AGENT = f"Mozilla/5.0 (compatible; {PRODUCT})"
_HEADERS = {
    "User-Agent": USER_AGENT,
    "Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
    "Accept-Language": "en;q=0.8,*;q=0.5",
    "Accept-Encoding": ACCEPTED,
}
_HEADERS_OF_INTEREST = (
    "etag", "last-modified", "cache-control", "expires", "age", "content-language",
    "content-disposition", "link", "server", "vary", "x-robots-tag",
)  # fmt: skip
_MAX_HEADER = 500
_REDIRECTS = (301, 302, 303, 307, 308)

# Called with each redirect's target before it is fetched; raises to end the load there.
Admit = Callable[[str], Awaitable[None]]


class AnswerHead(NamedTuple):
    """A response's head, and the request that it answers."""

    url: str
    status: int
    reason: str
    protocol: str
    headers: tuple[tuple[bytes, bytes], ...]
    request_headers: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class HttpAnswer:
    """A response. url: after redirects. status: None for a file. size: in bytes, if known.

    Attributes:
        body: None if it was not read, because it is neither a page nor text.
        incomplete, cut: the transfer ended early; `body` is only the beginning.
        robots, refresh: the directives of X-Robots-Tag; the target of a Refresh header.
        headers: those that a record keeps.
        redirects, heads: address and status of each redirect; the heads of all responses.
    """

    url: str
    status: int | None
    content_type: str
    body: bytes | None
    size: int | None = None
    charset: str = ""
    incomplete: bool = False
    cut: bool = False
    robots: tuple[str, ...] = ()
    refresh: str = ""
    headers: dict[str, str] = field(default_factory=dict[str, str])
    redirects: tuple[tuple[str, int], ...] = ()
    heads: tuple[AnswerHead, ...] = ()
    from_cache: bool = False


@dataclass(slots=True)
class RedirectChain:
    """The progress of a load: the next URL, and those requested, each with the cookies sent."""

    url: str
    redirects: list[tuple[str, int]] = field(default_factory=list[tuple[str, int]])
    heads: list[AnswerHead] = field(default_factory=list[AnswerHead])
    seen: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    proxy: str | None = None


class TruncatedError(FetchError):
    """A response that was cut off; `partial` is what was received."""

    transient = True

    def __init__(self, message: str, partial: HttpAnswer) -> None:
        super().__init__("fetch_failed", message)
        self.partial = partial


def is_html(content_type: str) -> bool:
    """Return whether the media type is that of a page."""
    return content_type in ("text/html", "application/xhtml+xml")


def is_text(content_type: str) -> bool:
    """Return whether the media type is worth keeping as text."""
    if content_type.startswith("text/"):
        return True
    kind = content_type.rpartition("/")[2]
    return kind.endswith(("json", "xml", "yaml", "javascript", "markdown", "ndjson"))


class HttpFetcher:
    """The HTTP connections and cookies of one crawl; an async context manager.

    logins: "user:password" by origin. any_certificate: accept any TLS certificate.
    """

    def __init__(
        self,
        session: "ClientSession",
        logins: Mapping[str, str] | None = None,
        options: RequestOptions | None = None,
    ) -> None:
        self._session = session
        self._logins = logins or {}
        self._options = options or PLAIN_REQUESTS
        self._proxies = cycle(self._options.proxies or (None,))

    @classmethod
    @asynccontextmanager
    async def open(
        cls,
        connections: int,
        logins: Mapping[str, str] | None = None,
        options: RequestOptions | None = None,
        *,
        any_certificate: bool = False,
    ) -> AsyncIterator[Self]:
        """Open a client for one crawl with at most `connections` + 2 connections.

        logins: "user:password" by origin. any_certificate: accept any TLS certificate.
        """
        import aiohttp  # 0.2 s, only for crawls

        agent = {"User-Agent": options.user_agent} if options and options.user_agent else {}
        async with aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(
                limit=connections + 2, ttl_dns_cache=300, ssl=not any_certificate
            ),
            # Hosts that are IP addresses may set cookies, too.
            cookie_jar=aiohttp.CookieJar(unsafe=True, quote_cookie=False),
            timeout=aiohttp.ClientTimeout(total=None, sock_connect=CONNECT_S),
            headers=_HEADERS | agent,
            auto_decompress=False,
            max_line_size=_MAX_HEADER_BYTES,
            max_field_size=_MAX_HEADER_BYTES,
            max_headers=_MAX_HEADERS,
        ) as session:
            for cookie in options.cookies if options else ():
                _set_cookie(session, cookie)
            yield cls(session, logins, options)

    async def get(
        self,
        url: str,
        admit: Admit,
        *,
        max_bytes: int = MAX_PAGE_BYTES,
        any_type: bool = False,
        unless: Validators | None = None,
        chain: RedirectChain | None = None,
    ) -> HttpAnswer:
        """Return the response to GET `url`, following redirects as far as `admit` allows.

        Args:
            url: the address.
            admit: called with each redirect's target; raises to end the load there.
            max_bytes: the largest body.
            any_type: read bodies of any media type, not only pages and texts.
            unless: validators; if the page has not changed, the status is 304 without a body.
            chain: of an earlier attempt; advanced at each redirect, before `admit` is called.

        Raises fetch_failed, http_error (status ≥ 400), too_large, too_many_redirects, invalid_url.
        """
        chain = chain or self.begin(url)
        while len(chain.redirects) <= MAX_REDIRECTS:
            url = chain.url
            with translate_errors(url):
                async with self._request(url, chain.proxy, unless) as response:
                    target = _target(url, response)
                    chain.heads.append(_head(url, response))
                    if target is None:
                        return await _read(chain, response, max_bytes, any_type)
                    chain.redirects.append((url, response.status))
                    # With another cookie it is another request, as sites that test cookies rely on.
                    request = (url, response.request_info.headers.get("Cookie", ""))
            if request in chain.seen:
                raise fetch_error("too_many_redirects", f"{url} redirects in a loop")
            chain.seen.append(request)
            chain.url = target
            if target != url:
                await admit(target)
        raise fetch_error("too_many_redirects", f"more than {MAX_REDIRECTS} redirects")

    def begin(self, url: str) -> RedirectChain:
        """Return the chain of a new load, which uses the next proxy."""
        return RedirectChain(url, proxy=next(self._proxies))

    @property
    def common_headers(self) -> dict[str, str]:
        """Return the headers of every request, by their names in lower case."""
        return {name.lower(): value for name, value in self._session.headers.items()}

    def is_anonymous(self, url: str) -> bool:
        """Return whether a request to the address would carry no login and no cookies."""
        from yarl import URL

        has_login = bool(self._logins.get(origin_of(url)) or self._options.headers_for(url))
        return not (has_login or self._session.cookie_jar.filter_cookies(URL(url, encoded=True)))

    async def robots(self, url: str) -> RobotsReply:
        """Return the answer to one request for a robots.txt, redirects not followed."""
        with translate_errors(url):
            async with self._request(url, next(self._proxies)) as response:
                location = response.headers.get("Location", "")
                body = b""
                if response.status < 300:
                    received = await _body(response, MAX_ROBOTS_BYTES)
                    if received.failure is not None:
                        raise received.failure
                    body = received.content
                return RobotsReply(response.status, location, body[:MAX_ROBOTS_BYTES])

    def _request(self, url: str, proxy: str | None, unless: Validators | None = None) -> Any:  # noqa: ANN401 - aiohttp's context manager has no public name
        from yarl import URL

        login = self._logins.get(origin_of(url)) if self._logins else None
        headers = self._options.headers_for(url)
        if login:
            encoded = base64.b64encode(unquote(login).encode()).decode()
            headers["Authorization"] = f"Basic {encoded}"
        if unless is not None and unless.url == url:
            headers |= unless.headers()
        return self._session.get(
            URL(url, encoded=True), allow_redirects=False, headers=headers, proxy=proxy
        )


def _head(url: str, response: "ClientResponse") -> AnswerHead:
    version = response.version
    protocol = f"HTTP/{version.major}.{version.minor}" if version else "HTTP/1.1"
    # msgspec does not accept subclasses of str, such as multidict's.
    request = tuple((str(name), value) for name, value in response.request_info.headers.items())
    reason, headers = response.reason or "", response.raw_headers
    return AnswerHead(url, response.status, reason, protocol, headers, request)


def _set_cookie(session: "ClientSession", cookie: Cookie) -> None:
    from http.cookies import Morsel

    from yarl import URL

    morsel: Morsel[str] = Morsel()
    morsel.set(cookie.name, cookie.value, cookie.value)
    morsel["path"] = cookie.path
    morsel["secure"] = cookie.secure
    if cookie.subdomains:
        morsel["domain"] = cookie.domain
    if cookie.expires is not None:
        morsel["expires"] = formatdate(cookie.expires, usegmt=True)
    host = f"[{cookie.domain}]" if ":" in cookie.domain else cookie.domain
    session.cookie_jar.update_cookies([(cookie.name, morsel)], URL(f"https://{host}/"))


async def _read(
    chain: RedirectChain, response: "ClientResponse", max_bytes: int, any_type: bool
) -> HttpAnswer:
    if response.status >= 400:
        raise _http_error(response)
    content_type, size = _media_type(response), response.content_length
    answer = HttpAnswer(
        chain.url, response.status, content_type, None, size, redirects=tuple(chain.redirects),
        headers=headers_of_interest(response.headers), heads=tuple(chain.heads),
    )  # fmt: skip
    if content_type and not (any_type or is_html(content_type) or is_text(content_type)):
        response.close()  # do not read an archive of gigabytes to its end
        return answer
    has_links = is_html(content_type) and not any_type
    if size is not None and size > max_bytes and not has_links:
        raise too_large(max_bytes, size)
    body, incomplete, failure = await _body(response, max_bytes)
    if failure is not None and (any_type or not body):
        raise failure
    cut = len(body) > max_bytes
    if cut and not has_links:
        raise too_large(max_bytes, None)
    answer = replace(
        answer, content_type=content_type or sniff_media_type(body), body=body,
        size=size if cut else len(body), charset=response.charset or "", incomplete=incomplete,
        cut=cut, robots=tuple(robots_tags(response.headers.getall("X-Robots-Tag", ()), PRODUCT)),
        refresh=refresh_target(response.headers.get("Refresh", "")),
    )  # fmt: skip
    if failure is not None:
        raise TruncatedError(failure_text(failure, netloc_of(chain.url)), answer) from failure
    return answer


def headers_of_interest(headers: Mapping[str, str]) -> dict[str, str]:
    """Return the headers of a response that a record keeps, by their names in lower case."""
    found = {}
    for name in _HEADERS_OF_INTEREST:
        value = headers.get(name)
        if value:
            text = value if value.isascii() else value.encode("utf-8", "replace").decode()
            found[name] = text[:_MAX_HEADER]
    return found


def _media_type(response: "ClientResponse") -> str:
    """Return the media type; "" if there is none, or one of those that mean "unknown"."""
    if not response.headers.get("Content-Type", "").strip():
        return ""
    media_type = response.content_type
    return "" if media_type in ("unknown/unknown", "application/unknown", "*/*") else media_type


def sniff_media_type(body: bytes) -> str:
    """Return the media type of a body that came without one."""
    head = body[:512].lstrip().lower()
    if head.startswith((b"<!doctype html", b"<html", b"<head", b"<body", b"<script", b"<!--")):
        return "text/html"
    return "application/octet-stream" if b"\0" in head else "text/plain"


class _Body(NamedTuple):
    """A body as far as it came: incomplete, because of the failure if the transfer broke off."""

    content: bytes
    incomplete: bool = False
    failure: "ClientPayloadError | None" = None


async def _body(response: "ClientResponse", max_bytes: int) -> _Body:
    """Return the body; of one over the limit, little more than `max_bytes`, then disconnect."""
    from aiohttp import ClientPayloadError

    decoder = Decoder(response.headers.getall("Content-Encoding", ()))
    pieces: list[bytes] = []
    size, failure = 0, None
    try:
        async for coded in response.content.iter_any():
            for piece in decoder.decode(coded):
                pieces.append(piece)
                size += len(piece)
                if size > max_bytes:
                    response.close()
                    return _Body(b"".join(pieces))
    except ClientPayloadError as error:
        failure = error
    body = b"".join(pieces) if len(pieces) != 1 else pieces[0]
    return _Body(body, decoder.incomplete or failure is not None, failure)


def _target(url: str, response: "ClientResponse") -> str | None:
    location = response.headers.get("Location")
    if response.status not in _REDIRECTS or not location:
        return None
    target = join(url, location)
    if target is None or target.startswith("file:"):
        raise fetch_error(
            "fetch_failed", f"{url} redirects to {location[:200]!r}, which is not a page"
        )
    return target


def _http_error(response: "ClientResponse") -> FetchError:
    error = fetch_error(
        "http_error",
        f"HTTP {response.status}",
        transient=response.status in TRANSIENT_STATUSES,
        status=response.status,
    )
    error.status = response.status
    error.retry_after = retry_after_s(response.headers.get("Retry-After"))
    return error
