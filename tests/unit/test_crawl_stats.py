"""The origins of a crawl's text, as its summary names them."""

import msgspec

from ocd.crawl.crawl_result import PageRecord
from ocd.crawl.stats import CrawlStats, result_of_units


def record(url: str, status: int | None = 200, error: str = "") -> PageRecord:
    return PageRecord(
        url=url, final_url=url, status=status, title="", depth=0, content="", links=[],
        engine="static", content_type="", fetched_at="", duration_ms=1,
        error={"code": error} if error else None,
    )  # fmt: skip


def test_every_response_counts_by_its_origin() -> None:
    """Files and failed pages too: both may have text. What nobody answered has none."""
    stats = CrawlStats()
    stats.count(record("http://page.test/"))
    stats.count(record("http://file.test/a"), is_file=True)
    stats.count(record("http://failed.test/", 500, "http_error"))
    stats.count(record("http://silent.test/", None, "timeout"))
    expected = {"http://page.test": 1, "http://file.test": 1, "http://failed.test": 1}
    assert stats.pages_by_origin("http://page.test") == {"origins": expected}
    assert CrawlStats().pages_by_origin("http://page.test") == {}


def test_one_origin_is_named_where_the_start_was_redirected() -> None:
    stats = CrawlStats()
    stats.count(record("https://www.page.test/"))
    assert stats.pages_by_origin("http://page.test") == {"origins": {"https://www.page.test": 1}}
    assert stats.pages_by_origin("https://www.page.test") == {}


def test_a_crawl_whose_process_died_names_all_origins() -> None:
    """It has no start page to compare them with, only its records."""
    lines = [msgspec.json.encode(record(f"http://{host}.test/")) for host in ("a", "b", "b")]
    assert result_of_units({}, lines)["origins"] == {"http://b.test": 2, "http://a.test": 1}
