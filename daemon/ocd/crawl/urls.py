"""URLs: the exact one that is fetched, and the key that identifies it.

The key of two URLs is equal when RFC 3986 says that they name the same thing, or when they differ
only in fragment or in the order of differently named parameters. The case of the path, a trailing
slash, and tracking parameters are significant: servers do treat them as different.
"""

import re
from functools import lru_cache

from ocd.safety import origins
from ocd.safety.host_canonical import hostname_of, parse_url

PAGE_SCHEMES = ("http:", "https:", "file:")
_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_ENCODED = re.compile(r"%([0-9A-Fa-f]{2})")
# A host in canonical form: a name, or four decimal numbers.
_HOST = r"(?:(?:[a-z0-9\-]+\.)*[a-z][a-z0-9\-]*|(?:(?:0|[1-9]\d{0,2})\.){3}(?:0|[1-9]\d{0,2}))"
_ORIGIN = re.compile(rf"https?://({_HOST})(?::(?!0|80/|443/)\d{{1,5}})?(?=/)", re.ASCII)
# Already its own key: nothing to fold, no default port, no query, no dot segment.
_PLAIN = re.compile(
    rf"https?://{_HOST}(?::(?!0|80/|443/)\d+)?"
    r"(?:/[\w\-~!$&'()*+,;=:@][\w.\-~!$&'()*+,;=:@]*)*/?",
    re.ASCII,
)
# A URL with a path, of characters that may stand in a request line.
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
# The same relative to the page's folder; text before a colon would be a scheme.
_RELATIVE_PATH = re.compile(
    r"(?:[\w\-~$+,;=@&%][\w.\-~$+,;=@&%]*(?:/[\w\-~$+,;=:@&%][\w.\-~$+,;=:@&%]*)*/?)?"
    r"(?:\?[\w.\-~$+,;=:@&%/]*)?",
    re.ASCII,
)
# A URL whose folders need no resolving, up to the query.
_PLAIN_FOLDER = re.compile(
    rf"https?://{_HOST}(?::(?!0|80/|443/)\d{{1,5}})?/"
    r"(?:[\w\-~$+,;=:@&%][\w.\-~$+,;=:@&%]*(?:/[\w\-~$+,;=:@&%][\w.\-~$+,;=:@&%]*)*/?)?(?:\?|\Z)",
    re.ASCII,
)
_AUTHORITY_END = re.compile(r"[/?#\\]")
_BLANKS = " \t\n\r\f"


def key_of(url: str) -> str:
    """Return the key of an absolute URL: equal keys are fetched once; ValueError if not valid."""
    if _PLAIN.fullmatch(url) and url.count("/") > 2:
        return url
    if is_route(url):
        document, _, route = url.partition("#")
        return f"{key_of(document)}#{route}"
    start, _, query = parse_url(url).href.partition("#")[0].partition("?")
    at = start.find("/", start.find("://") + 3)
    path = _without_dots(_normalise_escapes(start[at:]))
    query = _sort_query(_normalise_escapes(query))
    return f"{start[:at]}{path}{'?' if query else ''}{query}"


def origin_of(url: str) -> str:
    """Return scheme://host[:port] as Chromium has it; "file://" for files."""
    if plain := _ORIGIN.match(url):
        return plain[0]  # most URLs have this form, and need no parsing
    return "file://" if url.startswith("file:") else origins.origin_of(url)


def host_of(url: str) -> str:
    """Return the host name in lower case, without port; "" for files."""
    plain = _ORIGIN.match(url)
    return plain[1] if plain else hostname_of(url).rstrip(".")


def path_of(url: str) -> str:
    """Return the path, "/" at least, with its escapes; ValueError if the URL is not valid."""
    return parse_url(url).pathname or "/"


def is_route(url: str) -> bool:
    """Return whether the URL's fragment is a route, as in `/app#/settings`, not an anchor."""
    return "#" in url and url.partition("#")[2].startswith(("/", "!"))


def join(base: str, href: str, *, routes: bool = False) -> str | None:
    """Return the absolute URL of a link on page `base`, without fragment and without userinfo.

    Args:
        base: the page's URL.
        href: the link as it is written.
        routes: keep a fragment that is a route, because that is a page of its own.

    Returns:
        The URL; None for a link that does not lead to a page: mailto:, javascript:, data:, a bare
            fragment, an invalid URL.
    """
    href = href.strip(_BLANKS)
    if routes and is_route(href):
        document, _, route = href.partition("#")
        found = join(base, document or base)
        return f"{found}#{route}" if found else None
    if not href or href[0] == "#":
        return None
    if (plain := _join_plain(base, href.partition("#")[0])) is not None:
        return plain  # most links have this form, and need no parsing
    try:
        parsed = parse_url(href, base)
    except ValueError:
        return None
    if parsed.protocol not in PAGE_SCHEMES:
        return None
    url = parsed.href.partition("#")[0]
    return without_login(url)[0] if "@" in url else url


def _join_plain(base: str, href: str) -> str | None:
    """Return the URL of a link whose path only has to be appended to a part of `base`."""
    if _LOCAL_PATH.fullmatch(href):
        end = base.find("/", base.find("://") + 3)
        return base[:end] + href if end > 0 else None
    root, folder = _folder(base)
    if not folder or href[:1] == "?":  # the link is relative to the page itself
        return None
    while href.startswith("../"):
        href = href[3:]
        folder = folder[: max(root, folder.rfind("/", 0, -1) + 1)]
    return folder + href if _RELATIVE_PATH.fullmatch(href) else None


@lru_cache(64)  # the current page's, for each of its links
def _folder(base: str) -> tuple[int, str]:
    """Return the folder of a URL, and the length of its root; "" for one that needs parsing."""
    if not _PLAIN_FOLDER.match(base):
        return 0, ""
    root = base.find("/", base.find("://") + 3) + 1
    return root, base[: base.partition("?")[0].rfind("/") + 1]


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
    """Return the URL as a request line may carry it: without white space or bare non-ASCII."""
    without_fragment = url.partition("#")[0]
    if _SENDABLE.fullmatch(without_fragment):
        return without_fragment
    try:
        return parse_url(url).href.partition("#")[0]
    except ValueError:
        return without_fragment  # the policy refuses it with a reason


def _normalise_escapes(text: str) -> str:
    """Return text with %xx upper case, and decoded where the character needs no encoding."""
    return _ENCODED.sub(_fold_one, text) if "%" in text else text


def _fold_one(match: re.Match[str]) -> str:
    character = chr(int(match[1], 16))
    return character if character in _UNRESERVED else match[0].upper()


def _without_dots(path: str) -> str:
    if "/." not in path:
        return path or "/"
    resolved: list[str] = []
    segments = path.split("/")
    for segment in segments[1:]:
        if segment == "..":
            del resolved[-1:]
        elif segment != ".":
            resolved.append(segment)
    if segments[-1] in (".", ".."):
        resolved.append("")
    return "/" + "/".join(resolved)


def _sort_query(query: str) -> str:
    # A stable sort by name alone: a=2&a=1 and a=1&a=2 are different queries.
    if "&" not in query:
        return query
    return "&".join(sorted(query.split("&"), key=lambda pair: pair.partition("=")[0]))
