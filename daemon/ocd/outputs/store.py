"""The store of large outputs: put once, fetched by pages, searched, swept after their time."""

from collections.abc import Callable
from pathlib import Path
from time import time
from typing import Any, Literal, NamedTuple

from ocd.outputs.policy import Descriptor
from ocd.payload import Payload

Format = Literal["auto", "items", "text", "bytes"]


class Stats(NamedTuple):
    """How many handles are stored, and their bytes on disk."""

    count: int
    bytes: int


class OutputStore:
    """Handles below one folder."""

    def __init__(
        self,
        root: Path,
        *,
        ttl_hours: float = 24,
        max_store_mb: int = 2048,
        clock: Callable[[], float] = time,
    ) -> None:
        self.root = root
        self.ttl_hours = ttl_hours
        self.max_store_mb = max_store_mb
        self._clock = clock

    async def put(
        self, payload: Payload, source_tool: str, *, folder: Path | None = None
    ) -> Descriptor:
        """Store a payload and return its descriptor."""
        raise NotImplementedError

    async def fetch(
        self, handle: str, offset: int = 0, limit: int | None = None, form: Format = "auto"
    ) -> dict[str, Any]:
        """Return one page of a stored output."""
        raise NotImplementedError

    async def search(
        self, handle: str, pattern: str, limit: int = 20, context: int = 2
    ) -> dict[str, Any]:
        """Return the matches of a regular expression."""
        raise NotImplementedError

    async def path(self, handle: str) -> Path:
        """Return the payload's file."""
        raise NotImplementedError

    async def sweep(self) -> int:
        """Delete what has expired; return how many handles that were."""
        raise NotImplementedError

    def stats(self) -> Stats:
        """Return how much is stored."""
        raise NotImplementedError
