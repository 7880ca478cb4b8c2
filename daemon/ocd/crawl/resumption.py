"""What makes a crawl resumable: which pages are fetched again, and what stays of its folder."""

import msgspec

from ocd.crawl.archive.file_names import ANSWERS, FILES, FRONTIER
from ocd.crawl.fetch.fetch_errors import TRANSIENT_STATUSES
from ocd.ledger.resumption import Resumption

# Errors that may be temporary; of HTTP errors, some statuses.
_PASSING = frozenset(
    ("timeout", "fetch_failed", "navigation_failed", "browser_gone", "tab_crashed")
)
_LIMITS = (
    "max_pages", "max_depth", "retries", "page_timeout_ms", "delay_ms", "concurrency", "engine",
    "cluster",
)  # fmt: skip


class _Failure(msgspec.Struct):
    status: int | None = None
    error: dict[str, object] | None = None


_decode_failure = msgspec.json.Decoder(_Failure).decode


def is_passing(line: bytes) -> bool:
    """Return whether a record is that of a page that failed for a temporary reason."""
    failure = _decode_failure(line)
    if failure.error is None:
        return False
    code = failure.error.get("code")
    return code in _PASSING or (code == "http_error" and failure.status in TRANSIENT_STATUSES)


RESUMPTION = Resumption(
    is_passing, files=(FRONTIER, ANSWERS), folder=FILES, limits=_LIMITS, once=("fail_on_page",)
)
