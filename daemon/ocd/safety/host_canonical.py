"""Hosts of addresses, as Chromium sees them: lower case, punycode, no trailing dot.

Numbers of IPv4 in any notation, userinfo and backslashes are out of the way.
"""

import ipaddress
import re
from dataclasses import dataclass
from urllib.parse import unquote

import idna
import yarl

from ocd.api.errors import OcdError

_PORTS = {"http": 80, "ws": 80, "https": 443, "wss": 443}
BROWSER_DROPS = str.maketrans("", "", "\t\r\n")
TRIM = "".join(map(chr, range(33)))


def invalid(url: str, why: str) -> OcdError:
    """Return the error for what is no address."""
    shown = url if len(url) <= 200 else url[:200] + "…"
    return OcdError("invalid_url", f"Not a URL that can be opened: {shown!r} ({why})", url=shown)


@dataclass(frozen=True, slots=True)
class Host:
    """The canonical name and port of a URL; port None where the scheme has none."""

    name: str
    port: int | None


def host_of(url: str) -> Host:
    """Return the host that Chromium would connect to for an http(s) or ws(s) URL."""
    plain = url.strip(TRIM).translate(BROWSER_DROPS)
    scheme, _, rest = plain.partition(":")
    authority = re.split(r"[/\\?#]", rest.lstrip("/\\"), maxsplit=1)[0]
    try:
        parsed = yarl.URL(f"{scheme.lower()}://{_without_userinfo(authority)}/", encoded=True)
        name = canonical_host(parsed.raw_host or "")
        port = parsed.explicit_port
    except (ValueError, UnicodeError) as error:
        raise invalid(url, str(error)) from error
    return Host(name, port or _PORTS.get(scheme.lower()))


def _without_userinfo(authority: str) -> str:
    return authority.rpartition("@")[2]


def canonical_host(host: str) -> str:
    """Return a host name as Chromium writes it; ValueError for one that cannot be."""
    name = unquote(host).strip("[]")
    if ":" in name:
        address = ipaddress.IPv6Address(name.partition("%")[0])
        return str(address.ipv4_mapped or address)
    if not name.isascii():
        name = idna.encode(name, uts46=True, transitional=False).decode()
    name = name.lower().rstrip(".")
    if not name or not re.fullmatch(r"[a-z0-9._~!$&'()*+,;=-]+", name):
        raise ValueError("no host" if not name else "the host has characters that no host has")
    return _ipv4(name) or name


def _ipv4(name: str) -> str | None:
    """Return the dotted form of an IPv4 address in any notation, None for a name."""
    parts = name.split(".")
    if not re.fullmatch(r"\d+|0x[0-9a-f]*", parts[-1]):
        return None
    numbers = [_number(part) for part in parts]
    *first, last = numbers
    if len(numbers) > 4 or any(part > 255 for part in first) or last >= 256 ** (5 - len(numbers)):
        raise ValueError("not an IPv4 address")
    value = last + sum(part << (8 * (3 - place)) for place, part in enumerate(first))
    return str(ipaddress.IPv4Address(value))


def _number(part: str) -> int:
    if part.startswith("0x"):
        return int(part[2:] or "0", 16)
    return int(part, 8) if len(part) > 1 and part.startswith("0") else int(part)
