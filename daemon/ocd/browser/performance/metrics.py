"""Page metrics: Chromium's counters and the Performance API."""

import asyncio
from typing import TYPE_CHECKING, Any

from ocd.api.errors import OcdError
from ocd.safety.redact import redact_url

if TYPE_CHECKING:
    from ocd.browser.tabs.tab import Tab

_MAX_RESOURCES = 50
_TIMES = """() => {
  const round = (value) => Math.round(value * 10) / 10;
  const [entry] = performance.getEntriesByType('navigation');
  const navigation = entry ? {
    type: entry.type, ttfb_ms: round(entry.responseStart), response_ms: round(entry.responseEnd),
    dom_interactive_ms: round(entry.domInteractive),
    dom_content_loaded_ms: round(entry.domContentLoadedEventEnd),
    load_ms: round(entry.loadEventEnd),
    dns_ms: round(entry.domainLookupEnd - entry.domainLookupStart),
    connect_ms: round(entry.connectEnd - entry.connectStart), redirects: entry.redirectCount,
    transfer_bytes: entry.transferSize, decoded_bytes: entry.decodedBodySize,
  } : {};
  const paint = {};
  for (const one of performance.getEntriesByType('paint')) {
    paint[one.name.replaceAll('-', '_') + '_ms'] = round(one.startTime);
  }
  const resource = performance.getEntriesByType('resource').map((one) => ({
    url: one.name, type: one.initiatorType, start_ms: round(one.startTime),
    duration_ms: round(one.duration), transfer_bytes: one.transferSize,
    status: one.responseStatus,
  }));
  return {navigation, paint, resource};
}"""
# Chromium reports a paint once the frame was shown, which may be after `load`. A hidden tab shows
# no frames, and an empty body paints nothing.
_PAINTED = """() => new Promise((done) => {
  const name = 'first-contentful-paint';
  const of = (name) => Reflect.get(Document.prototype, name, document);
  const content = of('visibilityState') === 'visible' && of('body')?.hasChildNodes();
  if (performance.getEntriesByName(name).length || !content) return done();
  new PerformanceObserver((list, observer) => {
    if (!list.getEntriesByName(name).length) return;
    observer.disconnect();
    done();
  }).observe({type: 'paint', buffered: true});
})"""
_LCP = """() => new Promise((done) => {
  const found = new PerformanceObserver((list) => {
    const last = list.getEntries().at(-1);
    done(Math.round(last.startTime * 10) / 10);
  });
  found.observe({type: 'largest-contentful-paint', buffered: true});
  requestAnimationFrame(() => requestAnimationFrame(() => done(null)));
})"""
_PAINT_S = 1.0
_FIRST = "first_contentful_paint_ms"
_LARGEST = "largest_contentful_paint_ms"


async def measure(tab: "Tab", kind: str, *, with_resources: bool) -> dict[str, Any]:
    """Return the measurements of that kind, or all: puppeteer, navigation, paint, resource.

    Times are in ms since the navigation, except Chromium's own counters, in seconds. The first
    paint is awaited for a second at most; a paint that has not happened is None.
    """
    vitals: dict[str, Any] = {}
    if kind in ("all", "puppeteer"):
        vitals["puppeteer"] = await _counters(tab)
    if kind == "puppeteer":
        return vitals
    largest = await _largest(tab) if kind in ("all", "paint") else None
    times = await tab.evaluate(_TIMES, args=[], isolated=True)
    times["paint"] = {_FIRST: None, **times["paint"], _LARGEST: largest}
    resources = sorted(times.pop("resource"), key=lambda one: -one["duration_ms"])
    for one in resources:
        one["url"] = redact_url(one["url"])
    vitals |= times if kind == "all" else {kind: times[kind]} if kind in times else {}
    if kind == "resource" or (kind == "all" and with_resources):
        vitals["resource"] = resources[:_MAX_RESOURCES]
    vitals["summary"] = {
        "resources": len(resources),
        "transfer_bytes": sum(resource["transfer_bytes"] for resource in resources),
    }
    return vitals


def is_unpainted(vitals: dict[str, Any]) -> bool:
    """Whether the page had shown nothing when it was measured."""
    return "paint" in vitals and vitals["paint"][_FIRST] is None


async def _largest(tab: "Tab") -> float | None:
    """Wait briefly for the first paint; return the time of the largest in ms, None without one."""
    try:
        async with asyncio.timeout(_PAINT_S):
            await tab.evaluate(_PAINTED, args=[], isolated=True)
            at: float | None = await tab.evaluate(_LCP, args=[], isolated=True)
    except TimeoutError:
        return None
    except OcdError as error:
        if not error.details.get("navigated"):
            raise
        return None  # the page that has replaced it is measured
    return at


async def _counters(tab: "Tab") -> dict[str, float]:
    await tab.cdp.send("Performance.enable")
    try:
        reply = await tab.cdp.send("Performance.getMetrics")
    finally:
        tab.cdp.send_nowait("Performance.disable")
    return {metric["name"]: metric["value"] for metric in reply["metrics"]}
