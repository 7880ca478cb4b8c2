"""The daemon's metrics in Prometheus's formats. Importing it takes 60 ms."""

from collections.abc import Iterator
from itertools import accumulate

from prometheus_client import CollectorRegistry, ProcessCollector
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    Metric,
)
from prometheus_client.exposition import choose_encoder
from prometheus_client.registry import Collector

from ocd.telemetry.call_metrics import BUCKETS, CallMetrics, Durations
from ocd.telemetry.sample import Sample


def render(sample: Sample, accept: str) -> tuple[bytes, str]:
    """Return the figures, and the content type that the scraper asks for. Blocks for some ms."""
    registry = CollectorRegistry(auto_describe=False)
    registry.register(_DaemonCollector(sample))
    ProcessCollector(registry=registry)
    encode, content_type = choose_encoder(accept)
    return encode(registry), content_type


class _DaemonCollector(Collector):
    def __init__(self, sample: Sample) -> None:
        self._sample = sample

    def collect(self) -> Iterator[Metric]:
        """Yield the figures of one scrape."""
        sample = self._sample
        yield from _calls(sample.calls)
        yield from _tasks(sample)
        yield from _browser(sample)
        status = sample.status
        yield _gauge("calls_in_flight", "Calls in progress", status["calls_in_flight"])
        yield _gauge("sessions", "Sessions that own tabs", status["sessions"])
        yield _gauge("tabs", "Open tabs of sessions", status["tabs"])
        yield _gauge("bridges", "Connected agent hosts", status["mcp"]["bridges"])
        yield _gauge("handles", "Stored outputs", status["handles"].count)
        yield _gauge("handle_bytes", "Size of the stored outputs", status["handles"].bytes)
        yield _gauge("uptime_seconds", "Time since the daemon's start", status["uptime_s"])
        info = GaugeMetricFamily("openchrome_info", "Versions", labels=("version", "browser"))
        info.add_metric((status["version"], status["browser"]["version"] or ""), 1)
        yield info


def _gauge(name: str, text: str, value: float) -> GaugeMetricFamily:
    return GaugeMetricFamily(f"openchrome_{name}", text, value)


def _calls(metrics: CallMetrics) -> Iterator[Metric]:
    calls = CounterMetricFamily("openchrome_calls", "Ended calls", labels=("verb", "outcome"))
    for (verb, ok), count in sorted(metrics.calls.items()):
        calls.add_metric((verb, "ok" if ok else "error"), count)
    yield calls
    errors = CounterMetricFamily("openchrome_call_errors", "Failed calls", labels=("code",))
    for code, count in sorted(metrics.errors.items()):
        errors.add_metric((code,), count)
    yield errors
    name = "openchrome_call_duration_seconds"
    durations = HistogramMetricFamily(name, "Duration of calls", labels=("verb",))
    for verb, duration in sorted(metrics.durations.items()):
        durations.add_metric((verb,), _buckets(duration), duration.sum_s)
    yield durations


def _buckets(durations: Durations) -> list[tuple[str, float]]:
    bounds = (*map(str, BUCKETS), "+Inf")
    return list(zip(bounds, accumulate(durations.counts), strict=True))


def _tasks(sample: Sample) -> Iterator[Metric]:
    tasks = GaugeMetricFamily("openchrome_tasks", "Tasks of this process", labels=("status",))
    for status in ("running", "pending"):
        tasks.add_metric((status,), sample.status["tasks"][status])
    yield tasks
    labels = ("kind", "status")
    ended = CounterMetricFamily("openchrome_tasks_ended", "Tasks that have ended", labels=labels)
    for (kind, status), count in sorted(sample.tasks_ended.items()):
        ended.add_metric((kind, status), count)
    yield ended
    text = "Finished units of tasks: pages of crawls, actions of recordings"
    units = CounterMetricFamily("openchrome_task_units", text, labels=("kind",))
    for kind, count in sorted(sample.task_units.items()):
        units.add_metric((kind,), count)
    yield units


def _browser(sample: Sample) -> Iterator[Metric]:
    browser = sample.status["browser"]
    yield _gauge("browser_up", "Whether Chromium runs", browser["state"] == "running")
    starts = CounterMetricFamily("openchrome_browser_starts", "Starts of Chromium")
    starts.add_metric((), browser["generation"])
    yield starts
    lost = CounterMetricFamily("openchrome_browser_losses", "Unexpected exits of Chromium")
    lost.add_metric((), sample.browser_losses)
    yield lost
    memory = GaugeMetricFamily("openchrome_memory_bytes", "Memory in use", labels=("process",))
    memory.add_metric(("daemon",), sample.status["memory"]["rss_bytes"])
    memory.add_metric(("browser",), sample.browser_memory())
    yield memory
