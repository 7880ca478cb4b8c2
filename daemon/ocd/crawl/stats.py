"""A crawl's counts and speed, for its summary."""

import time
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from ocd.api.errors import error_from_body
from ocd.crawl import traps
from ocd.crawl.crawl_result import PageRecord
from ocd.crawl.rate_limits import RateLimits
from ocd.crawl.spec import CrawlSpec
from ocd.crawl.urls import host_of, origin_of

MAX_DENIED_SHOWN = 100
MAX_GONE_SHOWN = 100
# The egress policy remembers no more of one session.
MAX_ORIGINS = 50


class CrawlStats:
    """Counters of one crawl. `skipped` counts URLs by the reason why they were not fetched."""

    def __init__(self) -> None:
        self.started = time.monotonic()
        self.succeeded = 0
        self.failed = 0
        self.files = 0
        self.duplicates = 0
        self.examples: dict[str, str] = {}
        self.attempts = 0
        self.resumed = 0
        self.changes: Counter[str] = Counter()
        self.gone: list[str] = []
        self.retried = 0
        self.max_depth = 0
        self.skipped: Counter[str] = Counter()
        self.engines: Counter[str] = Counter()
        self.errors: Counter[str] = Counter()
        self.denied: list[str] = []
        self.denied_count = 0
        self.stop_reason = ""
        self.origins: Counter[str] = Counter()
        self.first_failed: PageRecord | None = None
        self.pages_by_host: Counter[str] = Counter()
        self.failed_by_host: Counter[str] = Counter()
        self._new_by_host: Counter[str] = Counter()

    def count(self, record: PageRecord, *, is_file: bool = False) -> None:
        """Count a record; files do not count as pages."""
        self._count_host(record)
        self.count_origin(record)
        self.duplicates += bool(record.duplicate_of)
        if record.change:
            self.changes[record.change] += 1
        if record.change == "gone":
            self.gone.append(record.url)
        if record.error is None and is_file:
            self.files += 1
            return
        self.count_page(record)
        if record.error is not None:
            self.first_failed = self.first_failed or record

    def _count_host(self, record: PageRecord) -> None:
        host = host_of(record.url) or "file"
        self.pages_by_host[host] += 1
        self._new_by_host[host] += 1
        if record.error is not None:
            self.failed_by_host[host] += 1

    def drain_new_by_host(self) -> Counter[str]:
        """Return how many records of each host were counted since the last call."""
        new, self._new_by_host = self._new_by_host, Counter()
        return new

    def count_origin(self, page: "PageRecord | _Counted") -> None:
        """Count a response by its origin; those of files and failed pages may have text, too."""
        if page.error is None or page.status is not None:
            self.origins[origin_of(page.final_url)] += 1

    def count_page(self, page: "PageRecord | _Counted") -> None:
        """Count a page as fetched or failed."""
        if page.error is None:
            self.succeeded += 1
            self.engines[page.engine] += 1
            self.max_depth = max(self.max_depth, page.depth)
        else:
            self.failed += 1
            self.errors[str(page.error.get("code"))] += 1

    def check(self) -> None:
        """Raise the first page's error if every page failed.

        The records are kept, as the partial result of the task.
        """
        if self.first_failed is None or self.succeeded:
            return
        first = self.first_failed
        body = first.error or {}
        several = f"None of {self.failed} pages could be read; the first"
        nothing = several if self.failed > 1 else "No page could be read"
        message = f"{nothing}: {first.url}: {body.get('message', '')}"
        details = {"url": first.url, "failed_pages": self.failed}
        raise error_from_body({**details, **body, "message": message})

    def skip(self, reason: str, url: str) -> None:
        """Count a URL that is not followed."""
        self.skipped[reason] += 1
        if reason in traps.WARNINGS:
            self.examples.setdefault(reason, url)

    def _warnings(self) -> list[str]:
        return [
            f"{self.skipped[reason]} {traps.WARNINGS[reason]}, for example {url[:300]}"
            for reason, url in self.examples.items()
        ]

    def deny(self, url: str) -> None:
        """Count a URL that robots.txt forbids."""
        self.denied_count += 1
        if len(self.denied) < MAX_DENIED_SHOWN:
            self.denied.append(url)

    def _comparison(self, spec: CrawlSpec) -> dict[str, Any]:
        counts = {name: self.changes[name] for name in ("new", "changed", "unchanged", "gone")}
        return {"to": spec.compare_to, **counts, "gone_urls": self.gone[:MAX_GONE_SHOWN]}

    def miss(self, urls: list[str]) -> None:
        """Count pages of the earlier crawl that were not found again."""
        self.changes["gone"] += len(urls)
        self.gone += urls

    def summary(self, spec: CrawlSpec, politeness: RateLimits, pending: int) -> dict[str, Any]:
        """Return the summary of the result."""
        return {
            "url": spec.url,
            "total_pages": self.succeeded + self.failed,
            "succeeded": self.succeeded,
            "failed": self.failed,
            "files": self.files,
            "duplicates": self.duplicates,
            "warnings": self._warnings(),
            "errors": dict(self.errors),
            "skipped": dict(self.skipped),
            "robots_denied": {"count": self.denied_count, "urls": self.denied},
            "max_depth_reached": self.max_depth,
            "duration_ms": round((time.monotonic() - self.started) * 1000),
            "scope": spec.scope,
            "strategy": spec.strategy,
            "format": list(spec.formats) if len(spec.formats) > 1 else spec.format,
            "engines": dict(self.engines),
            "attempts": self.attempts,
            **({"resumed_pages": self.resumed} if self.resumed else {}),
            **({"compared": self._comparison(spec)} if spec.compare_to else {}),
            "retried": self.retried,
            "pending": pending,
            **({"adaptive_limits": found} if (found := politeness.busiest_limits()) else {}),
            "delay_ms": round(politeness.longest_delay_s * 1000),
            "crawl_delay_capped": politeness.delay_was_capped,
            "stop_reason": self.stop_reason,
            **self.pages_by_origin(origin_of(spec.url)),
        }

    def pages_by_origin(self, start: str) -> dict[str, dict[str, int]]:
        """Return the summary's `origins`: nothing where all pages are of the start's origin."""
        found = dict(self.origins.most_common(MAX_ORIGINS))
        return {} if found.keys() <= {start} else {"origins": found}


class _Counted(msgspec.Struct):
    final_url: str = ""
    status: int | None = None
    depth: int = 0
    engine: str = ""
    error: dict[str, Any] | None = None


def result_of_units(meta: Mapping[str, Any], lines: Iterable[bytes]) -> dict[str, Any]:
    """Return the summary of a crawl that runs or whose process died, from its finished pages.

    `meta` is the task's meta.json; numbers that only its process has or had are left out.
    """
    tally = CrawlStats()
    for line in lines:
        page = msgspec.json.decode(line, type=_Counted)
        tally.count_origin(page)
        tally.count_page(page)
    error = meta.get("error") or {}
    ended = "interrupted" if meta.get("ended_at") else "running"
    return {
        "total_pages": tally.succeeded + tally.failed,
        "succeeded": tally.succeeded,
        "failed": tally.failed,
        "errors": dict(tally.errors),
        "max_depth_reached": tally.max_depth,
        "engines": dict(tally.engines),
        "stop_reason": error.get("code", ended),
        **tally.pages_by_origin(""),
    }
