"""WebSocket messages that the scripts of a page send during an action, and what is answered."""

import asyncio
import contextlib
import math
from dataclasses import dataclass, field

from ocd.browser.cdp.connection import Event
from ocd.browser.cdp.emitter import Emitter, Listener
from ocd.browser.tabs.tab import Tab

# Seconds to wait for an answer, and without a further message after which it is complete.
ANSWER_S = 0.5
QUIET_S = 0.05
# Answers in a row that a socket may be late with, as a busy server is, before it passes for silent.
MAX_LATE = 2


@dataclass(slots=True)
class SilentSockets:
    """The WebSockets of a tab that were not quiet within ANSWER_S.

    late: how often in a row, by request id.
    One that does not answer, or that never falls quiet, would cost that much time with each action.
    """

    late: dict[str, int] = field(default_factory=dict)

    def note_late(self, latest: dict[str, float | None]) -> None:
        """Count sockets that did not answer; those that did are never quiet."""
        for one, at in latest.items():
            self.late[one] = self.late.get(one, 0) + 1 if at is None else MAX_LATE

    def __contains__(self, one: str) -> bool:
        return self.late.get(one, 0) >= MAX_LATE


class SocketAnswers:
    """The WebSockets that have been sent something since the action began."""

    def __init__(self, tab: Tab) -> None:
        self._silent = tab.state(SilentSockets) or tab.set_state(SilentSockets())
        # When the latest message of each has come since the first was sent; None if none has.
        self._latest: dict[str, float | None] = {}
        self._came = asyncio.Event()

    def listeners(self, tab: Tab) -> list[tuple[Emitter, str, Listener]]:
        """Return the listeners to add to the tab's events."""
        return [
            (tab.cdp, "Network.webSocketFrameSent", self._on_sent),
            (tab.cdp, "Network.webSocketFrameReceived", self._on_received),
        ]

    @property
    def unanswered(self) -> bool:
        """Whether a message has not been answered yet."""
        return None in self._latest.values()

    @property
    def requested(self) -> bool:
        """Whether a message has been sent, and its answer can be waited for."""
        return bool(self._latest)

    async def wait_answered(self) -> None:
        """Wait until each WebSocket has answered and is quiet, ANSWER_S at most."""
        loop = asyncio.get_running_loop()
        end = loop.time() + ANSWER_S
        while (left := self._seconds_to_quiet(loop.time())) > 0:
            if loop.time() >= end:
                self._silent.note_late(self._latest)
                self._latest.clear()
                return
            self._came.clear()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(min(left, end - loop.time())):
                    await self._came.wait()
        for one in self._latest:
            self._silent.late.pop(one, None)

    def _seconds_to_quiet(self, now: float) -> float:
        return max(
            (math.inf if at is None else at + QUIET_S - now for at in self._latest.values()),
            default=0,
        )

    def _on_sent(self, event: Event) -> None:
        if event["requestId"] not in self._silent:
            self._latest.setdefault(event["requestId"], None)

    def _on_received(self, event: Event) -> None:
        if event["requestId"] in self._latest:
            self._latest[event["requestId"]] = asyncio.get_running_loop().time()
            self._came.set()
