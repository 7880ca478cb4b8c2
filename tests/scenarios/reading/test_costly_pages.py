"""Pages that are expensive to convert: neither CPU nor memory is spent in the daemon."""

import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psutil
import pytest

from support.daemon import Daemon, page_browser
from support.site import Site
from support.waiting import wait_until

MB = 1 << 20
# Each line of the innermost quote is written with two hundred marks before it.
QUOTES = (
    """document.body.innerHTML = '<blockquote>'.repeat(200) + '<pre>' + 'line\\n'.repeat(9000); 1"""
)
LINKS = "document.body.innerHTML = '<p>word <a href=/x>word</a></p>'.repeat(60000); 1"


def peak_of(pid: int, work: Callable[[], object]) -> int:
    """Return the most memory that the process had during the work, beyond what it has before."""
    process = Path(f"/proc/{pid}")
    before = psutil.Process(pid).memory_info().rss
    (process / "clear_refs").write_text("5")  # the peak is counted from now on
    work()
    peak = int(re.search(r"VmHWM:\s+(\d+)", (process / "status").read_text())[1]) * 1024
    return peak - before


@pytest.mark.parametrize("mode", ["markdown", "semantic"])
def test_nested_quotes_are_converted_outside_the_daemon(
    daemon: Daemon, site: Site, mode: str
) -> None:
    """45 KB of HTML that become 3.6 MB of Markdown, with gigabytes of memory in between."""
    daemon.do("navigate", url=site.url("article.html"))
    daemon.do("javascript_tool", code=QUOTES)
    found = {}

    def read() -> None:
        found.update(daemon.do("read_page", mode=mode, timeout_ms=120_000))

    assert peak_of(daemon.status()["pid"], read) < 60 * MB
    assert found["total"] > 9000 * 400
    assert "> > > " in found["content"]


def test_memory_is_returned_after_large_pages(
    make_daemon: Callable[..., Daemon], site: Site
) -> None:
    """Four large pages at once pass through the daemon, which then has its former size again."""
    daemon = make_daemon(*page_browser())  # what others have left free would be used again
    tabs = [daemon.do("tabs_create", url=site.url("article.html"))["tab_id"] for _ in range(4)]
    pid = daemon.status()["pid"]
    before = psutil.Process(pid).memory_info().rss

    def read(tab_id: str) -> int:
        daemon.do("javascript_tool", code=LINKS, tab_id=tab_id, timeout_ms=120_000)
        found = daemon.do("read_page", mode="markdown", tab_id=tab_id, timeout_ms=120_000)
        return int(found["total"])

    def read_all() -> None:
        with ThreadPoolExecutor(len(tabs)) as pool:
            assert all(total > 60_000 * 10 for total in pool.map(read, tabs))

    grown = peak_of(pid, read_all)
    assert grown > 20 * MB, "the pages are too small to show anything"
    wait_until(
        lambda: psutil.Process(pid).memory_info().rss < before + grown / 2,
        120,
        "the memory to be given back",
    )
