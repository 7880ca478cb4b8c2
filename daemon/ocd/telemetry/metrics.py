"""The reply of `/metrics`: the daemon's metrics, in the scraper's format."""

import asyncio
import importlib
from collections.abc import Callable, Collection
from typing import Any

from ocd.browser.process.chromium import Chromium
from ocd.ledger.runner import Runner
from ocd.storage.journal import Journal
from ocd.telemetry.call_metrics import CallMetrics
from ocd.telemetry.sample import Sample


class Metrics:
    """Counts calls from its creation on; everything else is read at each scrape.

    verbs: their names. status: what GET /v1/status answers.
    """

    def __init__(
        self,
        journal: Journal,
        verbs: Collection[str],
        runner: Runner,
        chromium: Chromium,
        status: Callable[[], dict[str, Any]],
    ) -> None:
        self._calls = CallMetrics(verbs)
        self._runner = runner
        self._chromium = chromium
        self._status = status
        journal.listeners.append(self._calls.note_entry)

    async def scrape(self, accept: str) -> tuple[bytes, str]:
        """Return the figures and their content type, as an Accept header asks for them.

        The first time imports prometheus_client.
        """
        exposition = await asyncio.to_thread(importlib.import_module, "ocd.telemetry.exposition")
        rendered: tuple[bytes, str]
        rendered = await asyncio.to_thread(exposition.render, self._sample(), accept)
        return rendered

    def _sample(self) -> Sample:
        return Sample(
            calls=self._calls,
            status=self._status(),
            tasks_ended=self._runner.ended,
            task_units=self._runner.finished_units(),
            browser_losses=self._chromium.losses,
            browser_memory=self._chromium.memory_bytes,
        )
