"""URLs: the exact one that is fetched, and the key under which it is known.

The key of two URLs is equal when RFC 3986 says that they name the same thing, or when they differ
only in fragment or in the order of differently named parameters. The case of the path, a trailing
slash, and tracking parameters are significant: servers do treat them as different.
"""

import re
from urllib.parse import quote, urljoin, urlsplit

PAGE_SCHEMES = ("http", "https", "file")
_DEFAULT_PORTS = {"http": "80", "https": "443"}
# What quote() must leave alone in an URL that is already (partly) encoded.
_URL_SAFE = "%/:?#[]@!$&'()*+,;=~-._|"
_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_ENCODED = re.compile(r"%([0-9A-Fa-f]{2})")
# Already its own key: nothing to fold, no default port, no query, no dot segment.
_PLAIN = re.compile(
    r"https?://[a-z0-9.\-]+(?::(?!0|80/|443/)\d+)?(?:/[\w\-~!$&'()*+,;=:@][\w.\-~!$&'()*+,;=:@]*)*/?",
    re.ASCII,
)
# An URL with a path, of characters that a request line takes.
_SENDABLE = re.compile(
    r"""[a-z]+://[^/?"<>`{}\\^\s\x00-\x20\x7f-\U0010ffff]*/[^"<>`{}\\^\s\x00-\x20\x7f-\U0010ffff]*"""
)
# A path from the root without anything to resolve or to encode.
# One slash between two segments, never an optional one: with that, the ways to cut a long name
# into segments are exponential in number, and an ordinary `/guide#linux` tries them all.
_LOCAL_PATH = re.compile(
    r"/(?:[\w\-~$+,;=:@&%][\w.\-~$+,;=:@&%]*(?:/[\w\-~$+,;=:@&%][\w.\-~$+,;=:@&%]*)*/?)?"
    r"(?:\?[\w.\-~$+,;=:@&%/]*)?",
    re.ASCII,
)
_AUTHORITY_END = re.compile(r"[/?#\\]")
_BLANKS = " \t\n\r\f"


def key_of(url: str) -> str:
    """Return the key of an absolute URL: equal keys are fetched once; ValueError if unreadable."""
    if _PLAIN.fullmatch(url) and url.count("/") > 2:
        return url
    scheme, netloc, path, query, _ = urlsplit(url)
    path = _without_dots(_normalise_escapes(path))
    query = _sort_query(_normalise_escapes(query))
    return f"{scheme}://{_normalise_netloc(scheme, netloc)}{path}{'?' if query else ''}{query}"


def origin_of(url: str) -> str:
    """Return scheme://host[:port] in its one spelling; "file://" for files."""
    scheme, netloc, *_ = urlsplit(url)
    return f"{scheme}://{_normalise_netloc(scheme, netloc).rpartition('@')[2]}"


def host_of(url: str) -> str:
    """Return the host name in lower case, without port; "" for files."""
    return (urlsplit(url).hostname or "").rstrip(".")


def join(base: str, href: str) -> str | None:
    """Return the absolute URL of a link on page `base`, without fragment and without userinfo.

    None for what is no page: mailto:, javascript:, data:, a bare fragment, an unreadable URL.
    """
    href = href.strip(_BLANKS)
    if not href or href[0] == "#":
        return None
    if _LOCAL_PATH.fullmatch(href):
        end = base.find("/", base.find("://") + 3)  # what most links are: no parsing for those
        if end > 0:
            return base[:end] + href
    try:
        url = urljoin(base, href).partition("#")[0]
        parts = urlsplit(url)
        _ = parts.port  # only the property says whether the port is a number
    except ValueError:
        return None
    if parts.scheme not in PAGE_SCHEMES or not (parts.netloc or parts.scheme == "file"):
        return None
    return requestable(without_login(url)[0] if "@" in parts.netloc else url)


def without_login(url: str) -> tuple[str, str]:
    """Return the URL without its "user:password@", and that part without the @ ("" for none)."""
    scheme, mark, rest = url.partition("://")
    authority = _AUTHORITY_END.split(rest, maxsplit=1)[0]
    login, at, host = authority.rpartition("@")
    return (f"{scheme}{mark}{host}{rest[len(authority) :]}", login) if at else (url, "")


def with_login(url: str, login: str) -> str:
    """Return the URL with "user:password@" before its host."""
    scheme, mark, rest = url.partition("://")
    return f"{scheme}{mark}{login}@{rest}"


def requestable(url: str) -> str:
    """Return the URL as a request line may carry it: no blanks, no bare non-ASCII characters."""
    url = url.partition("#")[0]
    if _SENDABLE.fullmatch(url):
        return url
    scheme, netloc, path, query, _ = urlsplit(url)
    if not netloc.isascii():
        netloc = _ascii_netloc(scheme, netloc)
    rest = quote((path or "/").replace("\\", "/"), safe=_URL_SAFE)
    return f"{scheme}://{netloc}{rest}{'?' if query else ''}{quote(query, safe=_URL_SAFE)}"


def _ascii_netloc(scheme: str, netloc: str) -> str:
    from yarl import URL

    try:
        return URL(f"{scheme}://{netloc}/").raw_authority
    except ValueError:
        return quote(netloc, safe=_URL_SAFE)


def _normalise_netloc(scheme: str, netloc: str) -> str:
    user, at, host = netloc.rpartition("@")
    name, colon, port = host.lower().rpartition(":")
    if colon and (port == "" or port == _DEFAULT_PORTS.get(scheme)) and not name.endswith(":"):
        return f"{user}{at}{name}"
    return f"{user}{at}{host.lower()}"


def _normalise_escapes(text: str) -> str:
    """Return text with %xx upper case, and decoded where the character needs no encoding."""
    return _ENCODED.sub(_fold_one, text) if "%" in text else text


def _fold_one(match: re.Match[str]) -> str:
    character = chr(int(match[1], 16))
    return character if character in _UNRESERVED else match[0].upper()


def _without_dots(path: str) -> str:
    if "/." not in path:
        return path or "/"
    kept: list[str] = []
    segments = path.split("/")
    for segment in segments[1:]:
        if segment == "..":
            del kept[-1:]
        elif segment != ".":
            kept.append(segment)
    if segments[-1] in (".", ".."):
        kept.append("")
    return "/" + "/".join(kept)


def _sort_query(query: str) -> str:
    # By name alone and stable: a=2&a=1 and a=1&a=2 are different questions.
    if "&" not in query:
        return query
    return "&".join(sorted(query.split("&"), key=lambda pair: pair.partition("=")[0]))
