"""A task's history from its events: messages, and units per second as a short series."""

from collections import deque
from datetime import datetime
from typing import Any

import msgspec

from ocd.ledger.runner import Runner

MAX_EVENTS = 200
MAX_BUCKETS = 120


async def task_history(runner: Runner, task_id: str) -> dict[str, Any]:
    """Return {"events", "rate": {"start", "bucket_s", "counts"}}; rate is None without units.

    events: the latest ones that are no units. start: milliseconds of the epoch.
    """
    events: deque[dict[str, Any]] = deque(maxlen=MAX_EVENTS)
    times: list[float] = []
    async for line in runner.events(task_id):
        event = msgspec.json.decode(line)
        if event["kind"] == "unit":
            times.append(datetime.fromisoformat(event["ts"]).timestamp())
        else:
            events.append(event)
    return {"events": list(events), "rate": _rate(times)}


def _rate(times: list[float]) -> dict[str, Any] | None:
    if not times:
        return None
    start, span = times[0], times[-1] - times[0]
    bucket_s = max(1, -int(-span // MAX_BUCKETS))
    counts = [0] * (int(span // bucket_s) + 1)
    for time in times:
        counts[min(int((time - start) // bucket_s), len(counts) - 1)] += 1
    return {"start": round(start * 1000), "bucket_s": bucket_s, "counts": counts}
