"""The outcome of a visit: a page, a reason to skip it, or the need for a browser."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Literal

from ocd.api.errors import OcdError
from ocd.api.timestamps import now
from ocd.crawl.archive.raw_answers import RawAnswer
from ocd.crawl.crawl_result import PageRecord
from ocd.crawl.frontier.frontier import FrontierEntry

Links = list[tuple[str, str]]


class SkipPage(Exception):
    """The visit ends without a record: robots.txt forbids the URL, or the page is known already."""

    def __init__(
        self, reason: Literal["robots_denied", "duplicate"], url: str, why: str = ""
    ) -> None:
        super().__init__(reason)
        self.reason: Literal["robots_denied", "duplicate"] = reason
        self.url = url
        self.why = why

    def of_start(self) -> OcdError:
        """Return the error of a crawl whose only start page robots.txt forbids."""
        why = f": {self.why}" if self.why else ""
        return OcdError(
            "robots_denied",
            f"robots.txt forbids {self.url}{why}",
            hint="If you may crawl it anyway, pass respect_robots=false.",
            url=self.url,
        )


class NeedsBrowser(Exception):
    """The page shows nothing without its scripts; the static response is kept as a fallback.

    The fallback may also be an error that a browser may not get.
    """

    def __init__(self, reason: str, fallback: "VisitResult | OcdError") -> None:
        super().__init__(reason)
        self.reason = reason
        self.fallback = fallback


@dataclass(slots=True)
class VisitResult:
    """A page that was fetched: its record, and its links with their texts.

    Attributes:
        unfollowed: those of the links that are marked nofollow.
        signature: of the content, to find near-duplicates.
        is_file: it is neither a page nor text.
        raw: the responses as the server sent them, if requested.
        files: its screenshot and PDF by kind, if requested.
        not_modified: the server only says that it has not changed.
    """

    record: PageRecord
    links: Links
    unfollowed: frozenset[str] = frozenset()
    signature: bytes = b""
    is_file: bool = False
    raw: list[RawAnswer] = field(default_factory=list[RawAnswer])
    files: dict[str, bytes] = field(default_factory=dict[str, bytes])
    not_modified: bool = False

    @property
    def is_noindex(self) -> bool:
        """Whether the page forbids robots to keep its content."""
        return bool({"noindex", "none"} & set(self.record.robots))

    def obey_robots(self, skipped: Counter[str]) -> Links:
        """Return the links that robots may follow; drop the content that they may not keep."""
        if self.is_noindex:
            self.record.content = ""
            self.raw = []
            skipped["noindex"] += 1
        links = [] if {"nofollow", "none"} & set(self.record.robots) else self.links
        if links and self.unfollowed:
            links = [link for link in links if link[0] not in self.unfollowed]
        if left := len(self.links) - len(links):
            skipped["nofollow"] += left
        return links


def failure_record(entry: FrontierEntry, error: OcdError, engine: str) -> PageRecord:
    """Return the record of a page that failed permanently."""
    status = error.details.get("status")
    return PageRecord(
        url=entry.url, final_url=str(error.details.get("final_url", entry.url)),
        status=status if isinstance(status, int) else None, title="", depth=entry.depth, content="",
        links=[], engine=engine, content_type="", fetched_at=entry.fetched_at or now(),
        duration_ms=entry.duration_ms, error=error.body(), parent=entry.parent,
    )  # fmt: skip
