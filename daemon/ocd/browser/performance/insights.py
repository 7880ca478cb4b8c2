"""Performance insights into a page load, with their evidence."""

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ocd.browser.performance.trace_events import LONG_TASK_MS, Resource, TraceFacts

_TOP = 10
# Google's thresholds for good and poor.
_BOUNDS = {"lcp_ms": (2500, 4000), "cls": (0.1, 0.25), "inp_ms": (200, 500)}


@dataclass(frozen=True, slots=True)
class Insight:
    """One finding: a sentence, and rows as evidence."""

    title: str
    evidence: list[dict[str, Any]]

    def details(self) -> str:
        """Return the finding as Markdown."""
        lines = [self.title, ""]
        for row in self.evidence:
            lines.append("- " + ", ".join(f"{key}: {value}" for key, value in row.items()))
        return "\n".join(lines).strip()


def metrics(facts: TraceFacts) -> dict[str, Any]:
    """Return the usual metrics of a page; those that did not occur are left out."""
    result = {
        "ttfb_ms": facts.ttfb, "fcp_ms": facts.fcp, "lcp_ms": facts.lcp, "cls": facts.cls,
        "inp_ms": facts.inp, "tbt_ms": facts.blocked, "long_tasks": len(facts.tasks),
        "load_ms": facts.loaded, "requests": len(facts.resources),
        "transfer_bytes": sum(resource.bytes for resource in facts.resources),
    }  # fmt: skip
    return {name: value for name, value in result.items() if value is not None}


def rating(name: str, value: float) -> str:
    """Return good, needs improvement or poor."""
    good, poor = _BOUNDS[name]
    return "good" if value <= good else "needs improvement" if value <= poor else "poor"


def summary(facts: TraceFacts) -> str:
    """Return the metrics and findings as Markdown."""
    lines = [f"# {facts.url or 'The page as it was'}", ""]
    for name, value in metrics(facts).items():
        rated = f" ({rating(name, value)})" if name in _BOUNDS else ""
        lines.append(f"- {name}: {value}{rated}")
    lines += ["", *(f"- **{name}**: {make(facts).title}" for name, make in INSIGHTS.items())]
    return "\n".join(lines)


def _lcp(facts: TraceFacts) -> Insight:
    if facts.lcp is None:
        return Insight("No largest contentful paint was recorded.", [])
    ttfb = facts.ttfb or 0.0
    rows: list[dict[str, Any]] = [{"part": "time to first byte", "ms": ttfb}]
    image = next((resource for resource in facts.resources if resource.url == facts.lcp_url), None)
    before = ttfb
    if facts.lcp_node.get("type") == "image" and image is not None and image.end is not None:
        rows.append({"part": "resource load delay", "ms": round(image.start - ttfb, 1)})
        rows.append({"part": "resource load", "ms": round(image.end - image.start, 1)})
        rows[-1]["url"] = image.url
        before = image.end
    rows.append({"part": "render delay", "ms": round(facts.lcp - before, 1)})
    node = facts.lcp_node.get("nodeName", "an element")
    kind = facts.lcp_node.get("type", "")
    return Insight(f"LCP {facts.lcp} ms: {kind} {node}.".replace(": .", "."), rows)


def _document(facts: TraceFacts) -> Insight:
    document = facts.document
    if document is None:
        return Insight("No document was loaded.", [])
    row = {"url": document.url, "status": document.status, "ttfb_ms": document.answered}
    row |= {"finished_ms": document.end, "bytes": document.bytes}
    return Insight(f"The document's first byte came after {document.answered} ms.", [row])


def _blocking(facts: TraceFacts) -> Insight:
    until = facts.fcp if facts.fcp is not None else float("inf")
    blocking = [
        resource
        for resource in facts.resources
        if resource.blocking in ("blocking", "in_body_parser_blocking") and resource.start <= until
    ]
    rows = [_row(resource) | {"blocking": resource.blocking} for resource in _longest(blocking)]
    return Insight(f"{len(blocking)} resources delayed the first paint.", rows)


def _shifts(facts: TraceFacts) -> Insight:
    worst = sorted(facts.shifts, key=lambda shift: -shift["score"])[:_TOP]
    return Insight(f"CLS {facts.cls}: {len(facts.shifts)} shifts.", worst)


def _tasks(facts: TraceFacts) -> Insight:
    longest = sorted(facts.tasks, key=lambda task: -task.duration)[:_TOP]
    rows = [
        {"start_ms": task.start, "duration_ms": task.duration, "what": task.what, "url": task.url}
        for task in longest
    ]
    text = f"{len(facts.tasks)} tasks over {LONG_TASK_MS:.0f} ms; {facts.blocked} ms of blocking."
    return Insight(text, rows)


def _third_parties(facts: TraceFacts) -> Insight:
    own = facts.document.host if facts.document else ""
    hosts: defaultdict[str, list[Resource]] = defaultdict(list)
    for resource in facts.resources:
        if resource.host and resource.host != own:
            hosts[resource.host].append(resource)
    rows = [
        {
            "host": host,
            "requests": len(resources),
            "bytes": sum(resource.bytes for resource in resources),
        }
        for host, resources in hosts.items()
    ]
    rows.sort(key=lambda row: -int(str(row["bytes"])))
    return Insight(f"{len(hosts)} other hosts.", rows[:_TOP])


def _largest(facts: TraceFacts) -> Insight:
    largest = sorted(facts.resources, key=lambda one: -one.bytes)[:_TOP]
    total = sum(resource.bytes for resource in facts.resources)
    return Insight(
        f"{len(facts.resources)} requests, {total} bytes.", [_row(resource) for resource in largest]
    )


def _interactions(facts: TraceFacts) -> Insight:
    worst = sorted(facts.interactions, key=lambda one: -one["duration_ms"])[:_TOP]
    if not worst:
        return Insight("No interaction was recorded; long tasks show what one would wait for.", [])
    return Insight(f"The slowest interaction took {facts.inp} ms.", worst)


def _longest(resources: list[Resource]) -> list[Resource]:
    return sorted(resources, key=lambda one: one.start - (one.end or one.start))[:_TOP]


def _row(resource: Resource) -> dict[str, Any]:
    duration = None if resource.end is None else round(resource.end - resource.start, 1)
    return {
        "url": resource.url, "type": resource.type, "bytes": resource.bytes,
        "start_ms": resource.start, "duration_ms": duration,
    }  # fmt: skip


INSIGHTS: dict[str, Callable[[TraceFacts], Insight]] = {
    "LCPBreakdown": _lcp,
    "DocumentLatency": _document,
    "RenderBlocking": _blocking,
    "CLSCulprits": _shifts,
    "LongTasks": _tasks,
    "INP": _interactions,
    "ThirdParties": _third_parties,
    "LargestResources": _largest,
}
