"""The waiting entries of one origin, and whether it may be requested now."""

from dataclasses import dataclass, field
from enum import Enum
from typing import Any


@dataclass(slots=True)
class FrontierEntry:
    """A URL to visit.

    Attributes:
        tries: the number of failed attempts.
        render: why it needs the browser.
        refused_after: how many answers its origin had given when it last reported overload; -1: it
            never did.
        refused_alone: it reported overload for this URL after it had answered others.
        dates: how many consecutive pages of dates led to it.
        parent: the page that led to it first.
        place: its sequence number in the queue.
        fallback: the static answer, or its error, in case no browser can be started.
        asking: its origin counts it as a request, since asked_at.
        fetched_at, duration_ms: of the last attempt.
    """

    url: str
    depth: int
    score: float = 0.0
    origin: str = ""
    tries: int = 0
    refused_after: int = -1
    refused_alone: bool = False
    dates: int = 0
    not_before: float = 0.0
    render: str = ""
    asking: bool = False
    asked_at: float = 0.0
    fallback: Any = None
    failure: Any = None
    fetched_at: str = ""
    duration_ms: int = 0
    parent: str = ""
    key: str = field(default="", repr=False)
    place: int = field(default=0, repr=False)
    claims: tuple[str, ...] = field(default=(), repr=False)


# The rank of an entry, its sequence number, and the entry.
QueueKey = tuple[float, int, FrontierEntry]


class Gate(Enum):
    """Whether an origin may be requested: not before a time, or not until it has responded."""

    OPEN, RESTING, FULL = range(3)


class OriginQueue:
    """The entries of one origin. queued: how many are in the queue on disk.

    held: the place that others come behind which are held on disk; None: none are.
    """

    __slots__ = ("gate", "heap", "held", "name", "queued")

    def __init__(self, name: str) -> None:
        self.name = name
        self.heap: list[QueueKey] = []
        self.gate = Gate.OPEN
        self.queued = 0
        self.held: tuple[float, int] | None = None

    def is_open_with(self, place: tuple[object, ...]) -> bool:
        """Return whether its best entry has this place, and may be taken as far as is known."""
        return self.gate is Gate.OPEN and bool(self.heap) and self.heap[0][:2] == place

    def __repr__(self) -> str:
        return f"OriginQueue({self.name!r}, waiting={len(self.heap)}, gate={self.gate.name})"
