"""A page load as a trace shows it; times in milliseconds since the navigation."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import msgspec
from msgspec import Raw, Struct

from ocd.safety.host_canonical import netloc_of
from ocd.safety.redact import redact_url

LONG_TASK_MS = 50.0
_GAP_MS, _WINDOW_MS = 1000.0, 5000.0
_NAMES = (
    "navigationStart", "firstContentfulPaint", "largestContentfulPaint::Candidate",
    "LargestImagePaint::Candidate", "LayoutShift", "EventTiming", "ResourceSendRequest",
    "ResourceReceiveResponse", "ResourceFinish", "TracingStartedInBrowser", "thread_name",
    "loadEventEnd",
)  # fmt: skip
_WORK = {
    "EvaluateScript", "FunctionCall", "ParseHTML", "Layout", "UpdateLayoutTree", "EventDispatch",
    "TimerFire", "v8.compile", "Paint", "XHRReadyStateChange",
}  # fmt: skip


class _Event(Struct):
    name: str = ""
    ph: str = ""
    pid: int = 0
    tid: int = 0
    ts: float = 0
    dur: float = 0
    args: dict[str, Any] = {}

    @property
    def data(self) -> dict[str, Any]:
        """What the event is about."""
        data: dict[str, Any] = self.args.get("data") or {}
        return data


_decode = msgspec.json.Decoder(_Event).decode


@dataclass(slots=True)
class Resource:
    """A request of the page, in ms since the navigation; bytes as transferred."""

    url: str
    type: str = ""
    priority: str = ""
    blocking: str = ""
    start: float = 0.0
    answered: float | None = None
    end: float | None = None
    status: int | None = None
    mime_type: str = ""
    bytes: int = 0

    @property
    def host(self) -> str:
        """The host it came from."""
        return netloc_of(self.url)


@dataclass(slots=True)
class Task:
    """A long task on the main thread; `what` and `url` name its largest part."""

    start: float
    duration: float
    what: str = ""
    url: str = ""


@dataclass(slots=True)
class TraceFacts:
    """The facts on which the insights are based."""

    url: str = ""
    fcp: float | None = None
    lcp: float | None = None
    lcp_node: dict[str, Any] = field(default_factory=dict)
    lcp_url: str = ""
    loaded: float | None = None
    shifts: list[dict[str, Any]] = field(default_factory=list)
    tasks: list[Task] = field(default_factory=list)
    interactions: list[dict[str, Any]] = field(default_factory=list)
    resources: list[Resource] = field(default_factory=list)

    @property
    def document(self) -> Resource | None:
        """The request for the page itself; None if the trace has none."""
        return next((resource for resource in self.resources if resource.type == "Document"), None)

    @property
    def ttfb(self) -> float | None:
        """When the document's first byte arrived; None if it did not, or there is no document."""
        return self.document.answered if self.document else None

    @property
    def cls(self) -> float:
        """The largest session window of layout shifts, as Core Web Vitals count."""
        worst = total = 0.0
        window_start = last = float("-inf")
        for shift in self.shifts:
            at = shift["at_ms"]
            if at - last > _GAP_MS or at - window_start > _WINDOW_MS:
                window_start, total = at, 0.0
            last, total = at, total + shift["score"]
            worst = max(worst, total)
        return round(worst, 4)

    @property
    def blocked(self) -> float:
        """Total blocking time: the time of long tasks beyond 50 ms each, after the first paint."""
        since = self.fcp or 0.0
        return round(
            sum(task.duration - LONG_TASK_MS for task in self.tasks if task.start >= since), 1
        )

    @property
    def inp(self) -> float | None:
        """The slowest interaction, None if there was none."""
        return max((interaction["duration_ms"] for interaction in self.interactions), default=None)


def read_trace(events: Iterable[Raw]) -> TraceFacts:
    """Return the facts of a trace's last navigation of the main frame (or of the whole trace)."""
    known: list[_Event] = []
    work: list[_Event] = []
    names = [f'"name":"{name}"'.encode() for name in _NAMES]
    for raw in events:
        data = bytes(raw)
        if any(name in data for name in names):
            known.append(_decode(data))
        elif b'"dur":' in data:
            event = _decode(data)
            if event.dur >= 1000 and (event.name == "RunTask" or event.name in _WORK):
                work.append(event)
    known.sort(key=lambda event: event.ts)
    return _TraceReader(known, work).facts()


class _TraceReader:
    def __init__(self, known: list[_Event], work: list[_Event]) -> None:
        self.known, self.work = known, work
        starts = [
            event
            for event in known
            if event.name == "navigationStart"
            and event.data.get("isOutermostMainFrame")
            and str(event.data.get("documentLoaderURL", "")).startswith(("http", "file", "data"))
        ]
        begun = [event for event in known if event.name == "TracingStartedInBrowser"]
        self.start = starts[-1] if starts else begun[0] if begun else _Event()
        self.navigation = self.start.data.get("navigationId", "") if starts else ""
        self.mains = {
            (event.pid, event.tid)
            for event in known
            if event.name == "thread_name" and event.args.get("name") == "CrRendererMain"
        }

    def facts(self) -> TraceFacts:
        facts = TraceFacts(url=redact_url(str(self.start.data.get("documentLoaderURL", ""))))
        resources: dict[str, Resource] = {}
        for event in self.known:
            if event.ts >= self.start.ts:
                self._add(facts, resources, event)
        facts.resources = sorted(resources.values(), key=lambda one: one.start)
        facts.tasks = self._tasks()
        return facts

    def _ms(self, ts: float) -> float:
        return round((ts - self.start.ts) / 1000, 1)

    def _add(self, facts: TraceFacts, resources: dict[str, Resource], event: _Event) -> None:
        data, at = event.data, self._ms(event.ts)
        ours = not self.navigation or data.get("navigationId") == self.navigation
        match event.name:
            case "firstContentfulPaint" if ours and facts.fcp is None:
                facts.fcp = at
            case "largestContentfulPaint::Candidate" if ours:
                facts.lcp, facts.lcp_node = at, data
            case "LargestImagePaint::Candidate" if data.get("imageUrl"):
                facts.lcp_url = data["imageUrl"]
            case "loadEventEnd" if facts.loaded is None:
                facts.loaded = at
            case "LayoutShift" if data.get("is_main_frame") and not data.get("had_recent_input"):
                facts.shifts.append(
                    {
                        "at_ms": at, "score": round(data.get("weighted_score_delta", 0), 4),
                        "nodes": [
                            {"from": node["old_rect"], "to": node["new_rect"]}
                            for node in data.get("impacted_nodes", [])[:5]
                        ],
                    }
                )  # fmt: skip
            case "EventTiming" if data.get("interactionId"):
                facts.interactions.append(
                    {"at_ms": at, "type": data.get("type"), "duration_ms": data.get("duration", 0)}
                )
            case _:
                self._resource(resources, event, data, at)

    def _resource(
        self, resources: dict[str, Resource], event: _Event, data: dict[str, Any], at: float
    ) -> None:
        number = data.get("requestId", "")
        if event.name == "ResourceSendRequest":
            if not data["url"].startswith("data:"):
                resources[number] = Resource(
                    redact_url(data["url"]), data.get("resourceType", ""),
                    data.get("priority", ""), data.get("renderBlocking", ""), at,
                )  # fmt: skip
            return
        one = resources.get(number)
        if one is None:
            return
        if event.name == "ResourceReceiveResponse":
            one.answered, one.status = at, data.get("statusCode")
            one.mime_type = data.get("mimeType", "")
        elif event.name == "ResourceFinish":
            one.end = at
            one.bytes = round(data.get("encodedDataLength", 0))

    def _tasks(self) -> list[Task]:
        tasks = [
            event
            for event in self.work
            if event.name == "RunTask"
            and event.dur >= LONG_TASK_MS * 1000
            and (event.pid, event.tid) in self.mains
            and event.ts + event.dur >= self.start.ts
        ]
        return [self._task(event) for event in sorted(tasks, key=lambda event: event.ts)]

    def _task(self, task: _Event) -> Task:
        inside = [
            event
            for event in self.work
            if (event.pid, event.tid) == (task.pid, task.tid)
            and event.name != "RunTask"
            and task.ts <= event.ts <= task.ts + task.dur
        ]
        largest = max(inside, key=lambda event: event.dur, default=None)
        named = [event for event in inside if event.data.get("url")]
        source = max(named, key=lambda event: event.dur, default=None)
        return Task(
            self._ms(task.ts), round(task.dur / 1000, 1), largest.name if largest else "",
            redact_url(source.data["url"]) if source else "",
        )  # fmt: skip
