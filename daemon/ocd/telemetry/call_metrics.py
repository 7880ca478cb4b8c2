"""Calls since the daemon's start, counted as they are written to the journal."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from ocd.storage.journal import CALL

# Seconds; from a call that reads nothing to one that waits for a person.
BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0)
# What callers make up, and what other servers call their tools, must not become labels.
UNKNOWN, UPSTREAM = "unknown", "upstream"


@dataclass(slots=True)
class Durations:
    """Durations of one verb's calls: the count in each bucket, and the sum."""

    counts: list[int] = field(default_factory=lambda: [0] * (len(BUCKETS) + 1))
    sum_s: float = 0.0

    def note(self, seconds: float) -> None:
        """Count one call."""
        self.counts[bisect_left(BUCKETS, seconds)] += 1
        self.sum_s += seconds


class CallMetrics:
    """Counts of calls by verb and outcome, of errors by code, and how long calls took."""

    def __init__(self, verbs: Collection[str]) -> None:
        self._verbs = verbs
        self.calls: Counter[tuple[str, bool]] = Counter()
        self.errors: Counter[str] = Counter()
        self.durations: dict[str, Durations] = {}

    def note_entry(self, entry: Mapping[str, Any]) -> None:
        """Count an entry of the journal if it is a call."""
        if entry["event"] != CALL:
            return
        verb = self._label(entry["tool"])
        self.calls[verb, entry["ok"]] += 1
        self.durations.setdefault(verb, Durations()).note(entry["duration_ms"] / 1000)
        if entry["error"]:
            self.errors[entry["error"]] += 1

    def _label(self, tool: str) -> str:
        if tool in self._verbs:
            return tool
        return UPSTREAM if "__" in tool else UNKNOWN
