"""Verbs that measure pages: Chromium's numbers, and traces of how a page loads."""

import asyncio
import contextlib
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Annotated, Any, Literal, NotRequired, TypedDict

from msgspec import Meta, Struct

from ocd.api.errors import OcdError
from ocd.browser.network.throttling import PRESETS
from ocd.browser.performance import insights, trace_events, tracing
from ocd.browser.performance.metrics import is_unpainted, measure
from ocd.browser.sessions.session import Session
from ocd.browser.tabs.tab import Tab
from ocd.safety.domain_policy import parse_url_argument
from ocd.verb_api.declaration import SENDS_TO, WRITES_PATH, Output, Params, session_verb, tab_verb


class PerformanceMetrics(Params):
    """Measure the page: Chromium's counters, navigation, paint and resource timing"""

    type: Annotated[
        Literal["all", "puppeteer", "chromium", "navigation", "paint", "resource"],
        Meta(description="puppeteer, chromium: heap, nodes, layouts, script time"),
    ] = "all"
    include_resources: Annotated[
        bool, Meta(description="all: include the slowest 50 resources")
    ] = False


class PerformanceMetricsResult(TypedDict):
    """The figures."""

    action: str
    type: str
    tab_id: str
    url: str
    metrics: dict[str, Any]
    message: str
    note: NotRequired[str]


@tab_verb(
    "performance_metrics", PerformanceMetrics,
    returns=PerformanceMetricsResult,
    capability="core", tier=3, reads=True,
    page_keys=("name", "url"),
    example={"type": "navigation"},
)  # fmt: skip
async def performance_metrics(tab: Tab, params: PerformanceMetrics) -> Output:
    kind = "puppeteer" if params.type == "chromium" else params.type
    found = await measure(tab, kind, with_resources=params.include_resources)
    result = {
        "action": "performance_metrics", "type": params.type, "tab_id": tab.id, "url": tab.url,
        "metrics": found, "message": f"Measured {tab.url}",
    }  # fmt: skip
    if is_unpainted(found):
        result["note"] = "The page has painted nothing yet, so its paint times are null."
    return Output(data=result, origin=tab.url)


class StopAfter(Struct, forbid_unknown_fields=True):
    """Stop after a fixed time."""

    ms: Annotated[int, Meta(ge=1, le=60_000, description="Milliseconds")]


class PerformanceInsights(Params):
    """Record a performance trace and report what slows the page down

    With url or reload, records the page load, otherwise the page as it is running. The trace is a
    file for DevTools; oc_performance_analyze shows details of one insight.
    """

    url: Annotated[str | None, Meta(description="URL to load", extra=SENDS_TO)] = None
    reload: Annotated[bool, Meta(description="Reload the page")] = False
    cpu_throttling: Annotated[float, Meta(ge=1, le=20, description="CPU slowdown factor")] = 1
    network: Annotated[
        Literal["none", "slow-3g", "fast-3g", "slow-4g", "fast-4g"],
        Meta(description="Network throttling"),
    ] = "none"
    auto_stop: Annotated[
        Literal["load", "idle"] | StopAfter,
        Meta(description="When recording ends: loaded, idle (10 s at most), or after {ms}"),
    ] = "idle"
    path: Annotated[
        str | None, Meta(description="Also write the trace to this file", extra=WRITES_PATH)
    ] = None


class Insight(TypedDict):
    """An insight that oc_performance_analyze explains."""

    insight: str
    title: str


class PerformanceInsightsResult(TypedDict):
    """What slows the page down."""

    tab_id: str
    trace_id: str
    trace_path: str
    url: str
    metrics: dict[str, Any]
    summary_md: str
    insights: list[Insight]
    note: NotRequired[str]
    next_step: dict[str, Any]


@tab_verb(
    "oc_performance_insights", PerformanceInsights,
    returns=PerformanceInsightsResult,
    capability="perf", tier=3, opens_tab=True,
    timeout_ms=120_000, page_keys=("summary_md", "url", "title"),
    example={"url": "https://example.com"},
)  # fmt: skip
async def oc_performance_insights(tab: Tab, params: PerformanceInsights) -> Output:
    async with _throttle(tab, params), tracing.recording(tab) as chunks:
        finished = await _record(tab, params)
    copy = Path(params.path) if params.path else None
    trace_id, path = await asyncio.to_thread(tracing.store, tab.folder, chunks, copy)
    facts = await asyncio.to_thread(_facts, tab.folder, trace_id)
    found = [
        {"insight": name, "title": make(facts).title} for name, make in insights.INSIGHTS.items()
    ]
    result: dict[str, Any] = {
        "tab_id": tab.id, "trace_id": trace_id, "trace_path": str(path), "url": tab.url,
        "metrics": insights.metrics(facts), "summary_md": insights.summary(facts),
        "insights": found,
    }  # fmt: skip
    if not finished:
        result["note"] = "The page did not become idle; the trace ends before that."
    arguments = {"trace_id": trace_id, "insight": "LCPBreakdown"}
    result["next_step"] = {"verb": "oc_performance_analyze", "arguments": arguments}
    return Output(data=result, origin=tab.url)


def _facts(folder: Path, trace_id: str) -> trace_events.TraceFacts:
    return trace_events.read_trace(tracing.events(folder, trace_id))


@contextlib.asynccontextmanager
async def _throttle(tab: Tab, params: PerformanceInsights) -> AsyncGenerator[None]:
    before = tab.request_log.conditions
    if params.cpu_throttling > 1:
        await tab.cdp.send("Emulation.setCPUThrottlingRate", {"rate": params.cpu_throttling})
    if params.network != "none":
        await tab.request_log.throttle(PRESETS[params.network].conditions())
    try:
        yield
    finally:
        if params.cpu_throttling > 1 and not tab.closed:
            tab.cdp.send_nowait("Emulation.setCPUThrottlingRate", {"rate": 1})
        if params.network != "none" and not tab.closed:
            await tab.request_log.throttle(before)


_IDLE_S = 10.0
_PAINTED = "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"


async def _record(tab: Tab, params: PerformanceInsights) -> bool:
    """Load the page and wait; return whether it became idle."""
    if params.url:
        await tab.navigate(parse_url_argument(params.url))
    elif params.reload:
        await tab.reload()
    if isinstance(params.auto_stop, StopAfter):
        await asyncio.sleep(params.auto_stop.ms / 1000)
        return True
    try:
        if params.auto_stop == "idle":
            await tab.wait_for("idle", timeout_s=_IDLE_S)
        # The last paint belongs to it.
        await tab.evaluate(_PAINTED, isolated=True)
    except OcdError as error:
        if error.code != "timeout":
            raise
        return False
    return True


class PerformanceAnalyze(Params):
    """Show details of one performance insight"""

    trace_id: Annotated[str, Meta(description="From oc_performance_insights")]
    insight: Annotated[str, Meta(description=", ".join(insights.INSIGHTS))]


class PerformanceAnalyzeResult(TypedDict):
    """One insight."""

    trace_id: str
    url: str
    insight: str
    details_md: str
    evidence: Any


@session_verb(
    "oc_performance_analyze", PerformanceAnalyze,
    returns=PerformanceAnalyzeResult,
    capability="perf", tier=3, reads=True,
    page_keys=("details_md", "evidence", "url"),
    example={"trace_id": "t1", "insight": "LCPBreakdown"},
)  # fmt: skip
async def oc_performance_analyze(session: Session, params: PerformanceAnalyze) -> Output:
    make = insights.INSIGHTS.get(params.insight)
    if make is None:
        raise OcdError(
            "unknown_insight", f"There is no insight {params.insight}.",
            hint=f"Use one of: {', '.join(insights.INSIGHTS)}.", supported=list(insights.INSIGHTS),
        )  # fmt: skip
    facts = await asyncio.to_thread(_facts, session.folder, params.trace_id)
    found = make(facts)
    result = {
        "trace_id": params.trace_id, "url": facts.url, "insight": params.insight,
        "details_md": found.details(), "evidence": found.evidence,
    }  # fmt: skip
    return Output(data=result, origin=facts.url)
