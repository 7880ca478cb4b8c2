"""A log of undecoded CDP events; an event is decoded only when it is read."""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

from msgspec import Raw

from ocd.browser.cdp.connection import CdpSession


@dataclass(frozen=True, slots=True)
class RawEvent:
    """An event with undecoded JSON parameters, and the session of its target."""

    method: str
    params: Raw
    session: CdpSession


class EventLog:
    """A tab's newest events, bounded in number and bytes; the oldest are dropped.

    Positions are counted from the tab's creation and never change; `end` is that of the next event.
    """

    def __init__(self, max_events: int, max_bytes: int) -> None:
        self.max_events = max_events
        self.max_bytes = max_bytes
        self.end = 0
        self._bytes = 0
        self._events: deque[RawEvent] = deque()

    def add(self, event: RawEvent) -> None:
        """Append an event."""
        self.end += 1
        self._events.append(event)
        self._bytes += len(event.params)
        while self._bytes > self.max_bytes or len(self._events) > self.max_events:
            self._bytes -= len(self._events.popleft().params)

    @property
    def start(self) -> int:
        """The position of the oldest event in the log."""
        return self.end - len(self._events)

    def since(self, place: int = 0) -> Iterator[tuple[int, RawEvent]]:
        """Yield (position, event) from `place` on, oldest first."""
        first = self.start
        for number, event in enumerate(list(self._events), first):
            if number >= place:
                yield number, event

    def clear(self) -> None:
        """Forget every event; positions keep counting."""
        self._events.clear()
        self._bytes = 0

    def __repr__(self) -> str:
        return f"EventLog({len(self._events)} events, {self._bytes} bytes)"
