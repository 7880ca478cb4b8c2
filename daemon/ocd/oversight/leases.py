"""Leases (a part of the daemon): a person controls a tab, and agents' acting calls on it wait.

One holder at a time. A lease ends when it is given back, when its tab closes, and 45 s after the
last sign of life. No verb takes one: leases are taken by people, in the terminal or the dashboard.
"""

import asyncio
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, field
from secrets import token_hex
from typing import Any, Literal, Protocol, TypeVar

from ocd.api.errors import OcdError
from ocd.api.timestamps import now
from ocd.api.waiting import Spawn, wait_for_event

# A holder that gives no sign of life for so long has gone.
LIFE_S = 45.0

S = TypeVar("S")
EndReason = Literal["released", "expired", "tab_closed", "daemon_stopped"]


class _Events(Protocol):
    def once(self, name: str, listener: Callable[[], None], /) -> object: ...


class LeasableTab(Protocol):
    """What a lease knows of a tab; see browser.tabs."""

    id: str
    session_name: str

    @property
    def url(self) -> str:
        """The address that it shows."""
        ...

    @property
    def events(self) -> _Events:
        """Emits "closed"."""
        ...

    def state(self, kind: type[S]) -> S | None:
        """Return the state of this type that is kept for the tab, or None."""
        ...

    def set_state(self, value: S) -> S:
        """Keep this state for the tab."""
        ...

    def drop_state(self, kind: type) -> None:
        """Forget the state of this type."""
        ...


@dataclass(eq=False, slots=True)
class Lease:
    """A person's control of a tab. key: whoever has it may renew the lease and give it back.

    renewed: the last sign of life, by the clock of the leases. ended: set once it is over, for the
    reason in `end`. resources: what is held as long as it lasts.
    """

    tab: LeasableTab
    holder: str
    renewed: float
    key: str = field(default_factory=lambda: token_hex(16))
    since: str = field(default_factory=now)
    ended: asyncio.Event = field(default_factory=asyncio.Event)
    end: EndReason | None = None
    resources: ExitStack = field(default_factory=ExitStack)

    def to_dict(self) -> dict[str, Any]:
        """Return it without its key."""
        return {
            "session": self.tab.session_name, "tab_id": self.tab.id, "url": self.tab.url,
            "holder": self.holder, "since": self.since,
        }  # fmt: skip


class TabHeldError(OcdError):
    """A person holds the tab that a call would act on."""

    def __init__(self, lease: Lease) -> None:
        super().__init__(
            "human_in_control", f"{lease.holder} has held {lease.tab.id} since {lease.since}",
            hint="Reading still works. Repeat calls that act on this tab once it is given back, or "
            "let them wait longer with timeout_ms.",
            tab_id=lease.tab.id, holder=lease.holder, since=lease.since,
        )  # fmt: skip
        self.lease = lease


def lease_of(tab: LeasableTab) -> Lease | None:
    """Return the lease by which a person holds the tab now, or None."""
    return tab.state(Lease)


def check_free(tab: LeasableTab) -> None:
    """Raise human_in_control if a person holds the tab."""
    if (lease := lease_of(tab)) is not None:
        raise TabHeldError(lease)


class Leases:
    """All leases. report: writes an event to the journal.

    hold: entered while a tab is held, so that its browser stays. spawn: runs a coroutine in the
    background.
    """

    def __init__(
        self,
        report: Callable[[dict[str, Any]], None],
        hold: Callable[[], AbstractContextManager[Any]],
        spawn: Spawn,
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._report = report
        self._hold = hold
        self._spawn = spawn
        self._clock = clock
        self._leases: dict[str, Lease] = {}
        self._listeners: set[Callable[[], None]] = set()

    def acquire(self, tab: LeasableTab, holder: str) -> Lease:
        """Give the tab to a person; human_in_control if another one has it.

        A call that is acting on it runs to its end.
        """
        check_free(tab)
        lease = tab.set_state(Lease(tab, holder, self._clock()))
        self._leases[lease.key] = lease
        lease.resources.enter_context(self._hold())
        tab.events.once("closed", lambda: self._finish(lease, "tab_closed"))
        self._report({"event": "lease_taken", **lease.to_dict()})
        self._spawn(self._watch_life(lease))
        self._notify()
        return lease

    def renew(self, key: str) -> Lease:
        """Note a sign of life of a holder; not_found if the lease is over."""
        lease = self._find(key)
        lease.renewed = self._clock()
        return lease

    def release(self, key: str) -> None:
        """Give a tab back; not_found if the lease is over."""
        self._finish(self._find(key), "released")

    def list(self) -> list[Lease]:
        """Return the current leases, oldest first."""
        return list(self._leases.values())

    def watch(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Call `listener` when a tab is taken or given back; the returned function ends that."""
        self._listeners.add(listener)
        return lambda: self._listeners.discard(listener)

    def expire(self) -> None:
        """End the leases whose holders give no sign of life any more."""
        for lease in self.list():
            if self._seconds_left(lease) <= 0:
                self._finish(lease, "expired")

    def close(self) -> None:
        """End all leases: the daemon stops."""
        for lease in self.list():
            self._finish(lease, "daemon_stopped")

    def _find(self, key: str) -> Lease:
        if key in self._leases:
            return self._leases[key]
        raise OcdError(
            "not_found", "This lease has ended: the tab was given back or closed, or it expired",
            hint="Take control of the tab again.",
        )  # fmt: skip

    def _seconds_left(self, lease: Lease) -> float:
        return lease.renewed + LIFE_S - self._clock()

    async def _watch_life(self, lease: Lease) -> None:
        while not await wait_for_event(lease.ended, self._seconds_left(lease)):
            self.expire()

    def _finish(self, lease: Lease, end: EndReason) -> None:
        if self._leases.pop(lease.key, None) is None:
            return
        lease.tab.drop_state(Lease)
        lease.end = end
        lease.ended.set()
        lease.resources.close()
        self._report({"event": "lease_returned", **lease.to_dict(), "reason": end})
        self._notify()

    def _notify(self) -> None:
        for listener in list(self._listeners):
            listener()

    def __repr__(self) -> str:
        return f"Leases({len(self._leases)})"
