"""What a crawl's requests carry: headers, user agent, cookies, a proxy."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from ocd.api.errors import OcdError
from ocd.crawl.urls import host_of, origin_of, without_login
from ocd.safety.host_canonical import parse_url

Resources = Literal["all", "text"]
# The product name in the user agent, to which robots.txt rules apply.
PRODUCT = "OpenChrome"

_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_LINE_BREAK = re.compile(r"[\r\n\0]")
_PROXY_SCHEMES = ("http:", "https:")
# Headers that have a parameter of their own, or belong to the connection.
_OTHER_PARAMETER = {"cookie": "cookies", "user-agent": "user_agent"}
_CONNECTION = ("host", "content-length", "transfer-encoding", "connection", "upgrade", "te")
_SAME_SITE = {"strict": "Strict", "lax": "Lax", "none": "None"}
_MAX_COOKIES = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Cookie:
    """A cookie for `domain` alone, or with `subdomains` for those below it, too.

    expires: seconds of Unix time, None: with the crawl. same_site: as CDP has it, "" for none.
    """

    name: str
    value: str
    domain: str
    path: str = "/"
    subdomains: bool = False
    secure: bool = False
    http_only: bool = False
    same_site: str = ""
    expires: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestOptions:
    """Options of a crawl's requests.

    Attributes:
        headers: sent to `origins` alone, those of the start pages, so that a login does not leave
            with a redirect.
        user_agent: "" for our own.
        proxies: used in turn, page by page.
        resources: "text": the browser loads no images, fonts and media.
        any_certificate: accept any TLS certificate.
    """

    headers: tuple[tuple[str, str], ...] = ()
    origins: frozenset[str] = frozenset()
    user_agent: str = ""
    proxies: tuple[str, ...] = ()
    cookies: tuple[Cookie, ...] = ()
    resources: Resources = "all"
    any_certificate: bool = False

    def headers_for(self, url: str) -> dict[str, str]:
        """Return the headers of a request to this address."""
        return dict(self.headers) if self.headers and origin_of(url) in self.origins else {}


PLAIN_REQUESTS = RequestOptions()


def read_headers(headers: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """Return the headers; invalid_argument for one that cannot be sent or has its own parameter."""
    for name, value in headers.items():
        lower = name.lower()
        if not _NAME.fullmatch(name) or _LINE_BREAK.search(value) or not _is_latin(value):
            raise _invalid("headers", f"Not a valid header: {name[:100]!r}")
        if lower in _OTHER_PARAMETER:
            other = _OTHER_PARAMETER[lower]
            raise _invalid(
                "headers", f"{name} cannot be set as a header here", f"Use {other} instead."
            )
        if lower in _CONNECTION:
            raise _invalid("headers", f"{name} belongs to the connection and cannot be set")
    return tuple(headers.items())


def read_user_agent(text: str) -> str:
    """Return the user agent; invalid_argument for one that cannot be sent."""
    if _LINE_BREAK.search(text) or not _is_latin(text):
        raise _invalid("user_agent", "Not a valid user agent")
    return text.strip()


def read_proxies(proxies: str | Sequence[str]) -> tuple[str, ...]:
    """Return the proxies as `http://[user:password@]host:port`; invalid_argument."""
    return tuple(_proxy(proxy) for proxy in ([proxies] if isinstance(proxies, str) else proxies))


def _proxy(text: str) -> str:
    address = text.strip() if "://" in text else f"http://{text.strip()}"
    plain = without_login(address)[0]
    try:
        url = parse_url(address)
    except ValueError:
        raise _invalid("proxy", "Not a valid proxy address: " + plain[:200]) from None
    if url.protocol not in _PROXY_SCHEMES or url.pathname.strip("/") or url.search:
        hint = "Use http://host:port or https://host:port."
        raise _invalid("proxy", f"Not a valid HTTP proxy address: {plain[:200]}", hint)
    return url.href.rstrip("/")


def read_cookies(
    cookies: Sequence[Mapping[str, Any]] | Mapping[str, Any], starts: Iterable[str]
) -> tuple[Cookie, ...]:
    """Return the cookies of a list, a saved context, or {name: value}.

    Cookies without a domain are for the hosts of `starts`. Raises invalid_argument.
    """
    hosts = list(dict.fromkeys(filter(None, map(host_of, starts))))
    if isinstance(cookies, Mapping):
        listed = cookies.get("cookies")
        if not isinstance(listed, list):
            listed = [{"name": name, "value": value} for name, value in cookies.items()]
    else:
        listed = list(cookies)
    if len(listed) > _MAX_COOKIES:
        raise _invalid("cookies", f"{len(listed)} cookies; the maximum is {_MAX_COOKIES}")
    return tuple(cookie for one in listed for cookie in _cookies(one, hosts))


def _cookies(cookies: object, hosts: Iterable[str]) -> list[Cookie]:
    if not isinstance(cookies, Mapping):
        raise _bad_cookie(cookies)
    fields = {str(key).replace("_", "").lower(): value for key, value in cookies.items()}
    name, value = fields.get("name"), fields.get("value")
    if not isinstance(name, str) or not isinstance(value, str) or not name:
        raise _bad_cookie(name)
    if not _NAME.fullmatch(name) or _LINE_BREAK.search(value) or ";" in value:
        raise _bad_cookie(name)
    domain = str(fields.get("domain") or "").lower()
    if not domain and isinstance(fields.get("url"), str):
        domain = host_of(fields["url"])
    cookie = Cookie(
        name=name, value=value, domain=domain.lstrip("."), path=str(fields.get("path") or "/"),
        subdomains=domain.startswith("."),
        secure=fields.get("secure") is True, http_only=fields.get("httponly") is True,
        same_site=_SAME_SITE.get(str(fields.get("samesite", "")).lower(), ""),
        expires=_time(fields.get("expires")),
    )  # fmt: skip
    return [cookie] if domain else [replace(cookie, domain=host) for host in hosts]


def _time(expires: object) -> float | None:
    if isinstance(expires, bool) or not isinstance(expires, int | float):
        return None
    return float(expires) if expires > 0 else None  # -1: with the session


def origins_of(starts: Iterable[str]) -> frozenset[str]:
    """Return the origins that receive the headers: those of the start pages.

    For hosts without a port, also those that sites redirect to: https, with and without `www.`.
    """
    found: set[str] = set()
    for start in starts:
        origin = origin_of(start)
        scheme, _, host = origin.partition("://")
        found.add(origin)
        if ":" not in host and scheme in ("http", "https"):
            bare = host.removeprefix("www.")
            found |= {f"https://{bare}", f"https://www.{bare}"}
    return frozenset(found)


def _is_latin(text: str) -> bool:
    try:
        text.encode("latin-1")
    except UnicodeEncodeError:
        return False
    return True


def _bad_cookie(name: object) -> OcdError:
    hint = 'Pass a list of {"name", "value", "domain"?, "path"?}, or {"name": "value"}.'
    return _invalid("cookies", f"Not a cookie: {str(name)[:100]!r}", hint)


def _invalid(parameter: str, message: str, hint: str = "") -> OcdError:
    return OcdError("invalid_argument", f"crawl: {message}", hint=hint, parameter=parameter)
