"""When a stored response may be reused (RFC 9111): a private cache of GET, no heuristics.

A response without an explicit lifetime is revalidated every time.
"""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import msgspec

from ocd.crawl.rate_limits import http_time

Fields = tuple[tuple[str, str], ...]


class CachePolicy(msgspec.Struct, frozen=True):
    """What a response's headers say about storing it. Times are Unix seconds.

    lifetime_s: how long it is fresh. age_s: its age when it was received, at `received_at`. vary:
    the values of the request headers that its Vary header names.
    """

    received_at: float = msgspec.field(name="came_at")  # as stored by earlier releases
    age_s: float
    lifetime_s: float
    etag: str
    last_modified: str
    vary: dict[str, str]

    def is_fresh(self, now: float) -> bool:
        """Return whether it may be used without revalidation."""
        return self.age_s + max(0.0, now - self.received_at) < self.lifetime_s

    def fits(self, request: Mapping[str, str]) -> bool:
        """Return whether it answers a request with these headers; their names are in lower case."""
        return all(request.get(name, "") == value for name, value in self.vary.items())


class HttpExchange(NamedTuple):
    """A request and the head of its response: status, headers of both, and both times."""

    status: int
    headers: Fields
    request: Fields
    sent_at: float
    received_at: float


def policy_of(exchange: HttpExchange) -> CachePolicy | None:
    """Return how a response may be stored; None if not at all, or to no benefit."""
    headers = _joined(exchange.headers)
    directives = _directives(headers.get("cache-control", ""))
    varies = [name.strip().lower() for name in headers.get("vary", "").split(",") if name.strip()]
    if exchange.status != 200 or "no-store" in directives or "*" in varies:
        return None
    if "set-cookie" in headers:  # a reused response would not set the cookie
        return None
    request = _joined(exchange.request)
    found = CachePolicy(
        received_at=exchange.received_at,
        age_s=_age(headers, exchange),
        lifetime_s=_lifetime(headers, directives),
        etag=headers.get("etag", ""),
        last_modified=headers.get("last-modified", ""),
        vary={name: request.get(name, "") for name in varies},
    )
    return found if found.lifetime_s or found.etag or found.last_modified else None


def update_headers(stored: Fields, confirmed: Fields) -> Fields:
    """Return the headers of a stored response after a 304 has confirmed it."""
    new = {name.lower() for name, _ in confirmed} - {"content-length", "content-encoding"}
    unchanged = [field for field in stored if field[0].lower() not in new]
    return (*unchanged, *(field for field in confirmed if field[0].lower() in new))


def _age(headers: Mapping[str, str], exchange: HttpExchange) -> float:
    date = http_time(headers.get("date"))
    apparent = max(0.0, exchange.received_at - date) if date is not None else 0.0
    stated = headers.get("age", "").strip()
    corrected = (
        (float(stated) if _is_number(stated) else 0.0) + exchange.received_at - exchange.sent_at
    )
    return max(apparent, corrected)


def _lifetime(headers: Mapping[str, str], directives: Mapping[str, str]) -> float:
    if "no-cache" in directives:
        return 0.0
    if "max-age" in directives:
        seconds = directives["max-age"]
        return float(seconds) if _is_number(seconds) else 0.0
    expires, date = http_time(headers.get("expires")), http_time(headers.get("date"))
    return max(0.0, expires - date) if expires is not None and date is not None else 0.0


def _directives(text: str) -> dict[str, str]:
    """Return the directives by name; of repeated ones, the first."""
    found: dict[str, str] = {}
    for part in text.split(","):
        name, _, value = part.strip().partition("=")
        found.setdefault(name.strip().lower(), value.strip().strip('"'))
    return found


def _joined(fields: Iterable[tuple[str, str]]) -> dict[str, str]:
    found: dict[str, str] = {}
    for name, value in fields:
        lower = name.lower()
        found[lower] = f"{found[lower]}, {value}" if lower in found else value
    return found


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) <= 10
