"""Progress notifications: increasing, at most two per second, with keep-alives."""

import asyncio
from collections.abc import Awaitable, Callable

from msgspec import to_builtins

from ocd.api import progress_text
from ocd.api.wire import Progress

PACE_S = 0.5
# Hosts give up on calls that report nothing for long.
SIGN_OF_LIFE_S = 20.0
_STEP = 0.001

SendProgress = Callable[[float, float | None, str | None], Awaitable[None]]


class ProgressReporter:
    """Accepts progress at any rate and reports the latest at a fixed rate."""

    def __init__(self, report: SendProgress) -> None:
        self._report = report
        self._has_progress = asyncio.Event()
        self._latest = Progress(done=0)
        self._reported = -1.0

    def on_progress(self, progress: Progress) -> None:
        """Record the progress, to be reported next."""
        self._latest = progress
        if progress.done > self._reported:
            self._has_progress.set()

    async def run(self) -> None:
        """Report until cancelled."""
        while True:
            try:
                async with asyncio.timeout(SIGN_OF_LIFE_S):
                    await self._has_progress.wait()
            except TimeoutError:
                pass
            self._has_progress.clear()
            await self._report_latest()
            await asyncio.sleep(PACE_S)

    async def _report_latest(self) -> None:
        now = self._latest
        self._reported = max(float(now.done), self._reported + _STEP)
        figures = progress_text.line(to_builtins(now.figures)) if now.figures else ""
        words = ": ".join(filter(None, (figures, now.message)))
        await self._report(self._reported, now.total, words or None)
