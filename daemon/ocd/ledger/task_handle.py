"""What a long verb uses while it runs: storing finished units, progress, and stop requests."""

import asyncio
from collections.abc import Callable
from pathlib import Path

from msgspec.structs import replace

from ocd.api.errors import OcdError
from ocd.api.wire import CrawlFigures
from ocd.ledger.states import TaskProgress
from ocd.safety import secrets
from ocd.safety.redact import redact_text
from ocd.storage import crash_points
from ocd.storage.files import JsonLinesLog

UNITS = "pages.jsonl"
_MESSAGE_LENGTH = 500


class TaskHandle:
    """One run of a long verb, as the verb sees it. For use on the event loop only.

    A unit is the smallest piece of the work that is kept when the rest is lost: a crawled page, a
    recorded action. `stop` is set when the task was cancelled: the verb looks at it between units
    (or waits on it beside one) and returns what it has; one that continues is cancelled after
    task_run.GRACE_S.
    """

    def __init__(
        self,
        task_id: str,
        session: str,
        directory: Path,
        on_progress: Callable[["TaskHandle"], None] = lambda _work: None,
    ) -> None:
        self.task_id = task_id
        self.session = session
        self.directory = directory
        self.units = directory / UNITS
        self.stop = asyncio.Event()
        self.begun = asyncio.Event()  # set by kinds that report when their work has begun
        self.now = TaskProgress()
        self.finished = 0
        # Computed when progress is saved, not with every unit.
        self.measure: Callable[[], CrawlFigures] | None = None
        self._on_progress = on_progress
        self._log: JsonLinesLog | None = None
        self._reported = False
        self._closed = False

    @property
    def stopping(self) -> bool:
        """Whether the task was asked to stop."""
        return self.stop.is_set()

    def add(self, unit: bytes) -> None:
        """Keep a finished unit: one JSON value in one line. It survives the death of the process.

        Raises storage_full or storage_failed, and `cancelled` once the task has ended.
        """
        if self._closed:
            raise OcdError("cancelled", f"Task {self.task_id} has ended", task_id=self.task_id)
        if self._log is None:
            self._log = JsonLinesLog(self.units)
        self._log.append(secrets.current().mask(unit))
        crash_points.point("unit.line")
        self.finished += 1
        if not self._reported:
            self.now = TaskProgress(self.finished)
        self._on_progress(self)

    def progress(self, done: int, total: int | None = None, message: str = "") -> None:
        """Report progress: units done of `total` (None: unknown), and the current step.

        The message is kept on disk, so secrets in it are redacted; it is cut to 500 characters.
        """
        self._reported = True
        text = redact_text(message)[:_MESSAGE_LENGTH]
        self.now = TaskProgress(done, total, text, self.now.figures)
        self._on_progress(self)

    def take_figures(self) -> None:
        """Update the figures beside the progress, if the work has any."""
        if self.measure is None:
            return
        figures = self.measure()
        if figures != self.now.figures:
            self.now = replace(self.now, figures=figures)
            self._on_progress(self)

    def close(self) -> None:
        """Accept no more units, not even from a thread of the verb that is still running."""
        self._closed = True
        if self._log is not None:
            self._log.close()

    def __repr__(self) -> str:
        return f"TaskHandle({self.task_id!r}, finished={self.finished}, stopping={self.stopping})"
