"""The daemon's metrics at one moment."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ocd.telemetry.call_metrics import CallMetrics


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """The daemon's figures as they are now.

    Args:
        calls: The calls since the start.
        status: What GET /v1/status answers.
        tasks_ended: How many tasks ended since the start, by kind and status.
        task_units: How many pieces of tasks were finished since the start, by kind.
        browser_losses: How often Chromium has ended without being asked to.
        browser_memory: Returns the bytes of Chromium's processes; blocks for some ms.
    """

    calls: CallMetrics
    status: Mapping[str, Any]
    tasks_ended: Mapping[tuple[str, str], int]
    task_units: Mapping[str, int]
    browser_losses: int
    browser_memory: Callable[[], int]
