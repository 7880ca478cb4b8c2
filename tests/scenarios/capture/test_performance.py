"""performance_metrics, and traces with their insights."""

import asyncio
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from support.daemon import Daemon
from support.pages import Page
from support.site import Site
from support.waiting import wait_until

At = Callable[[str], Page]


def test_metrics_have_counters_navigation_and_paint(at: At) -> None:
    """Chromium's own counters beside the page's timing; resources when asked for."""
    page = at("heavy.html")
    told = page.do("performance_metrics", includeResources=True)
    found = told["metrics"]
    assert found["puppeteer"]["Nodes"] > 0
    assert found["navigation"]["ttfb_ms"] > 0
    # The first paint is waited for, a second at most: a busy machine may need longer.
    paint = wait_until(lambda: _painted(page), 20, "the first paint")
    assert paint["largest_contentful_paint_ms"] >= paint["first_contentful_paint_ms"]
    assert "note" not in told or found["paint"]["first_contentful_paint_ms"] is None
    assert any(one["url"].endswith("/slow.css") for one in found["resource"])
    assert set(page.do("performance_metrics", type="paint")["metrics"]) == {"paint", "summary"}
    assert page.call("performance_metrics", type="speed").code == "invalid_argument"


def _painted(page: Page) -> dict[str, float] | None:
    paint: dict[str, float] = page.do("performance_metrics", type="paint")["metrics"]["paint"]
    return paint if paint["first_contentful_paint_ms"] else None


def test_a_page_without_paint_has_null_paint_times(daemon: Daemon) -> None:
    """Its paint times are null, and the reply says why."""
    daemon.do("navigate", url="about:blank")
    told = daemon.do("performance_metrics", type="paint")
    assert told["metrics"]["paint"] == {
        "first_contentful_paint_ms": None,
        "largest_contentful_paint_ms": None,
    }
    assert "painted nothing" in told["note"]


def test_a_recorded_trace_names_what_was_slow(daemon: Daemon, site: Site) -> None:
    """LCP, shifts, the long task and the blocking style sheet; the file holds no cookies."""
    told = daemon.do("oc_performance_insights", url=site.url("capture/heavy.html"))
    metrics = told["metrics"]
    assert metrics["lcp_ms"] >= metrics["fcp_ms"] > 0
    assert metrics["long_tasks"] >= 1
    assert metrics["tbt_ms"] > 50
    assert metrics["cls"] > 0
    assert "LCPBreakdown" in told["summary_md"]
    path = Path(told["trace_path"])
    assert path.is_relative_to(daemon.home.path / "files")
    assert path.stat().st_mode & 0o777 == 0o600
    trace = json.loads(path.read_text())
    assert trace["traceEvents"]
    assert trace["metadata"]["openchrome_trace"] == 1
    assert "cookie-0123456789" not in path.read_text()
    given = told["next_step"]["arguments"]
    assert daemon.do("oc_performance_analyze", **given)["evidence"]


@pytest.mark.parametrize(
    ("insight", "word"),
    [
        ("RenderBlocking", "slow.css"),
        ("LongTasks", "duration_ms"),
        ("CLSCulprits", "score"),
        ("ThirdParties", "localhost"),
        ("LargestResources", "heavy.html"),
        ("DocumentLatency", "ttfb_ms"),
        ("INP", "No interaction"),
    ],
)
def test_each_insight_has_its_evidence(
    daemon: Daemon, site: Site, heavy_trace: Callable[[], str], insight: str, word: str
) -> None:
    """Each of the page's faults is found in the stored trace."""
    found = daemon.do("oc_performance_analyze", trace_id=heavy_trace(), insight=insight)
    assert word in found["details_md"]


@pytest.fixture
def heavy_trace(daemon: Daemon, site: Site) -> Callable[[], str]:
    """Record the heavy page once, and give its trace to every test."""

    def recorded() -> str:
        if not _recorded:
            url = site.url("capture/heavy.html")
            told = daemon.do("oc_performance_insights", url=url)
            _recorded.append(told["trace_id"])
        return _recorded[0]

    return recorded


_recorded: list[str] = []


def test_throttling_slows_a_recording_and_ends_with_it(at: At) -> None:
    """Processor and network are unthrottled afterwards; `path` gets a copy of the trace."""
    page = at("inner.html")
    path = page.daemon.home.base / "tmp" / "trace.json"
    told = page.do(
        "oc_performance_insights", reload=True, network="slow-3g", cpuThrottling=2, autoStop="load",
        path=str(path), timeout_ms=60_000,
    )  # fmt: skip
    assert told["metrics"]["ttfb_ms"] > 1900
    assert told["trace_path"] == str(path)
    assert json.loads(path.read_text())["traceEvents"]
    assert "throttled" not in page.do("network")


def test_unknown_traces_and_insights_have_codes(daemon: Daemon) -> None:
    """Each error lists what exists."""
    reply = daemon.call("oc_performance_analyze", trace_id="trace_000000000000", insight="INP")
    assert reply.code == "unknown_trace_id"
    escape = daemon.call("oc_performance_analyze", trace_id="../../x", insight="INP")
    assert escape.code == "unknown_trace_id"
    some = daemon.do("oc_performance_insights", auto_stop={"ms": 10})["trace_id"]
    reply = daemon.call("oc_performance_analyze", trace_id=some, insight="Speed")
    assert reply.code == "unknown_insight"
    assert "LCPBreakdown" in reply.error["supported"]


def test_recording_ends_on_pages_that_never_become_idle(at: At, site: Site) -> None:
    """idle waits at most ten seconds, and the reply says that the page did not become idle."""
    page = at("inner.html")
    told = page.do("oc_performance_insights", url=site.url("never-idle"), timeout_ms=90_000)
    assert "did not become idle" in told["note"]


def test_devtools_are_disabled_without_a_port(at: At) -> None:
    """The daemon's own Chromium has no address for DevTools."""
    assert at("inner.html").call("oc_devtools_url").code == "disabled"


@pytest.mark.asyncio
async def test_devtools_of_an_attached_browser(
    tmp_path: Path, make_daemon: Callable[..., Daemon], site: Site
) -> None:
    """With --browser-url the tab's address is given; an unknown target is told."""
    process = await asyncio.create_subprocess_exec(
        "chromium", "--headless=new", "--no-sandbox", "--remote-debugging-port=0",
        f"--user-data-dir={tmp_path}", "about:blank",
        stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    try:
        assert process.stderr
        line = b""
        while b"DevTools listening on" not in line:
            line = await process.stderr.readline()
        address = line.split()[-1].decode()
        daemon = await asyncio.to_thread(make_daemon, "--browser-url", address)
        await asyncio.to_thread(daemon.do, "navigate", url=site.url("article.html"))
        told = await asyncio.to_thread(daemon.do, "oc_devtools_url")
        assert told["url"].endswith(f"/devtools/page/{told['target_id']}")
        assert told["url"].startswith(address.replace("ws://", "http://").partition("/devtools")[0])
        reply = await asyncio.to_thread(daemon.call, "oc_devtools_url", target_id="nobody")
        assert reply.code == "not_found"
    finally:
        process.terminate()
        await process.wait()
