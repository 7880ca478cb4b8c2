"""URLs and hosts as Chromium reads them: the WHATWG URL Standard, by ada.

Hosts are lower case, punycode, without a trailing dot; IPv4 numbers in any notation, userinfo and
backslashes are resolved.
"""

import ipaddress
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ocd.api.errors import OcdError
from ocd.api.spelling import truncate

if TYPE_CHECKING:
    from ada_url import URL

_PORTS = {"http:": 80, "ws:": 80, "https:": 443, "wss:": 443}
# What Chromium removes from a URL anywhere, and at its ends.
BROWSER_DROPS = str.maketrans("", "", "\t\r\n")
TRIM = "".join(map(chr, range(33)))
# What would end a host, or is removed from it, inside a URL.
_NOT_IN_A_HOST = re.compile(r"[/\\?#@\x00-\x20]")


def invalid(url: str, why: str) -> OcdError:
    """Return the error for what is not a URL."""
    shown = truncate(url, 200)
    return OcdError("invalid_url", f"Not a URL that can be opened: {shown!r} ({why})", url=shown)


def parse_url(url: str, base: str | None = None) -> "URL":
    """Return the parsed URL, relative to `base` if that is given; ValueError if it is not valid."""
    from ada_url import URL  # 4 MB, and an idle daemon looks at no URL

    return URL(url, base)


def resolve_url(base: str, href: str) -> str:
    """Return the URL of a link on the page `base`; the link as it is if the two are not valid."""
    from ada_url import join_url

    try:
        return join_url(base, href)
    except ValueError:
        return href


def netloc_of(url: str) -> str:
    """Return a URL's "host" or "host:port" (no default port); "" if it has none or is not valid."""
    try:
        return parse_url(url).host
    except ValueError:
        return ""


def hostname_of(url: str) -> str:
    """Return a URL's host, IPv6 in brackets; "" if it has none or is not valid."""
    try:
        return parse_url(url).hostname
    except ValueError:
        return ""


@dataclass(frozen=True, slots=True)
class Host:
    """The canonical name and port of a URL; port None where the scheme has none."""

    name: str
    port: int | None


def host_of(url: str) -> Host:
    """Return the host that Chromium would connect to for an http(s) or ws(s) URL.

    Raises:
        OcdError: invalid_url.
    """
    try:
        parsed = parse_url(url)
        name = _canonical(parsed.hostname)
    except ValueError as error:
        raise invalid(url, "its host or port is not valid") from error
    return Host(name, int(parsed.port) if parsed.port else _PORTS.get(parsed.protocol))


def canonical_host(host: str) -> str:
    """Return a host name as Chromium writes it; ValueError if it is not valid."""
    if _NOT_IN_A_HOST.search(host):
        raise ValueError("it has characters that hosts cannot have")
    name = host.strip("[]")
    if ":" in name:
        return _canonical(f"[{name.partition('%')[0]}]")
    try:
        return _canonical(parse_url(f"https://{name}/").hostname)
    except ValueError:
        raise ValueError("not a valid host") from None


def _canonical(hostname: str) -> str:
    if hostname.startswith("["):
        address = ipaddress.IPv6Address(hostname.strip("[]"))
        return str(address.ipv4_mapped or address)
    if not (name := hostname.rstrip(".")):
        raise ValueError("no host")
    return name
