"""The journal: one JSON line for every call and event, a file a day."""

from collections.abc import Callable, Mapping
from pathlib import Path
from time import time
from typing import Any


class Journal:
    """What happened lately."""

    def __init__(
        self, folder: Path, *, keep_days: int = 7, clock: Callable[[], float] = time
    ) -> None:
        self.folder = folder
        self.keep_days = keep_days
        self._clock = clock

    def record_call(self, entry: Mapping[str, Any]) -> None:
        """Append one call; `args` must be redacted already."""
        raise NotImplementedError

    def record_event(self, event: Mapping[str, Any]) -> None:
        """Append one event."""
        raise NotImplementedError

    def recent(self, count: int) -> list[dict[str, Any]]:
        """Return the last entries, newest last; blocks."""
        raise NotImplementedError

    def summary(self) -> dict[str, Any]:
        """Return counts over the kept entries; blocks."""
        raise NotImplementedError

    def close(self) -> None:
        """Close the file."""
        raise NotImplementedError
