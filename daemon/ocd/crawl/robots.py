"""robots.txt (RFC 9309): fetched once per origin and crawl, parsed by protego."""

import asyncio
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from ocd.api.errors import OcdError
from ocd.crawl.request_options import PRODUCT
from ocd.crawl.urls import join, origin_of, path_of

MAX_ROBOTS_BYTES = 500 * 1024
MAX_ROBOTS_REDIRECTS = 5
# A version behind our name says nothing (RFC 9309 §2.2.1), but the parser compares it.
_VERSION = re.compile(
    rf"^([ \t]*+user-?agent[ \t]*+:[ \t]*+{PRODUCT})/[^\s#]*+", re.IGNORECASE | re.MULTILINE
)
# After this many failures to reach an origin, its robots.txt is not requested again.
_MAX_UNREACHABLE = 3


class RobotsReply(NamedTuple):
    """The answer to a request for robots.txt: status, the Location of a redirect, the body."""

    status: int
    location: str
    body: bytes


# Raises OcdError: without an answer (fetch_failed, timeout), or not allowed (domain_blocked).
RobotsFetch = Callable[[str], Awaitable[RobotsReply]]


@dataclass(slots=True)
class RobotsRules:
    """One origin's robots.txt rules for us. `denied` says why everything is forbidden."""

    parsed: Any = None
    denied: str = ""
    unreachable: OcdError | None = None
    sitemaps: list[str] = field(default_factory=list)
    crawl_delay_s: float | None = None

    def allows(self, url: str) -> bool:
        """Return whether the URL may be fetched."""
        if self.denied:
            return False
        return self.parsed is None or bool(self.parsed.can_fetch(url, PRODUCT))


class Robots:
    """The rules of all origins of one crawl, each fetched when first needed."""

    def __init__(self, fetch: RobotsFetch) -> None:
        self._fetch = fetch
        self._rules: dict[str, RobotsRules] = {}
        self._locks: dict[str, asyncio.Lock] = {}
        self._failures: dict[str, int] = {}

    def rules_for(self, url: str) -> RobotsRules | None:
        """Return the rules of the URL's origin if they have been fetched; files have none."""
        return _FREE if url.startswith("file:") else self._rules.get(origin_of(url))

    async def rules(self, url: str) -> RobotsRules:
        """Return the rules of the URL's origin; fetch_failed or timeout if it is unreachable."""
        known = self.rules_for(url)
        if known is None:
            origin = origin_of(url)
            async with self._locks.setdefault(origin, asyncio.Lock()):
                known = self._rules.get(origin) or await self._fetch_rules(origin)
        if known.unreachable is not None:
            raise known.unreachable
        return known

    async def _fetch_rules(self, origin: str) -> RobotsRules:
        try:
            rules = await self._read(f"{origin}/robots.txt")
        except OcdError as error:
            if error.code == "domain_blocked":
                rules = RobotsRules(denied=f"its robots.txt may not be fetched: {error.message}")
            else:
                # The page could not be fetched either: that is the error to report.
                self._failures[origin] = self._failures.get(origin, 0) + 1
                if self._failures[origin] < _MAX_UNREACHABLE:
                    raise
                rules = RobotsRules(unreachable=error)
        self._rules[origin] = rules
        return rules

    async def _read(self, url: str) -> RobotsRules:
        for _ in range(MAX_ROBOTS_REDIRECTS + 1):
            reply = await self._fetch(url)
            target = join(url, reply.location) if reply.location else None
            if not 300 <= reply.status < 400 or target is None:
                return _rules_of(reply, url)
            url = target
        return RobotsRules()  # RFC 9309 §2.3.1.2: too many redirects count as "there is none"


def _rules_of(reply: RobotsReply, url: str) -> RobotsRules:
    if reply.status >= 500:
        return RobotsRules(denied=f"robots.txt answered {reply.status}")
    if reply.status >= 300:
        return RobotsRules()
    from protego import Protego

    text = reply.body[:MAX_ROBOTS_BYTES].decode("utf-8-sig", "replace")
    parsed = Protego.parse(_VERSION.sub(r"\1", text))
    delay = parsed.crawl_delay(PRODUCT)
    rate = parsed.request_rate(PRODUCT)
    per_request = rate.seconds / rate.requests if rate and rate.requests else None
    delays = [float(seconds) for seconds in (delay, per_request) if seconds is not None]
    return RobotsRules(
        parsed=parsed,
        sitemaps=[one for line in parsed.sitemaps if (one := join(url, line))],
        crawl_delay_s=max(delays, default=None),
    )


def is_robots_path(url: str) -> bool:
    """Return whether the URL is a robots.txt itself, which is always allowed."""
    return path_of(url) == "/robots.txt"


_FREE = RobotsRules()
