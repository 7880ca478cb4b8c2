"""Taking over a tab: the lease of one open page, and its person's input."""

import contextlib
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

import msgspec

from ocd.api.errors import OcdError
from ocd.api.waiting import wait_for_event
from ocd.calls.services import CallServices
from ocd.oversight.leases import Lease
from ocd.server.dashboard.keys import Viewer
from ocd.server.dashboard.live_tabs import find_tab
from ocd.server.dashboard.tab_input import Input, PersonInput

# How often a page that holds a tab is asked for a sign of life.
ASK_S = 10.0

Send = Callable[[dict[str, Any]], Awaitable[None]]


class TabRequest(msgspec.Struct, forbid_unknown_fields=True):
    """The tab that a page wants to hold. key: of its lease, if its connection was cut meanwhile."""

    session: str
    tab_id: str
    key: str = ""


class TabControl:
    """The tab that one page controls, at most one. send: sends to the page."""

    def __init__(self, services: CallServices, viewer: Viewer, send: Send) -> None:
        self._services = services
        self._viewer = viewer
        self._send = send
        self._lease: Lease | None = None
        self._input: PersonInput | None = None

    def hold(self, request: TabRequest) -> Coroutine[Any, Any, None]:
        """Take a tab: the page's further messages are about it.

        The returned coroutine reports the outcome to the page, and ends with the lease.
        """
        self.give_back()
        try:
            return self._keep(self._take(request))
        except OcdError as error:
            return self._send_control({"state": "refused", "error": error.body()})

    async def _keep(self, lease: Lease) -> None:
        await self._send_control({"state": "held", "key": lease.key})
        while not await wait_for_event(lease.ended, ASK_S):
            await self._send_control({"state": "asks", "key": lease.key})
        if self._lease is lease:
            self._release_input()
            self._lease = self._input = None
        await self._send_control({"state": lease.end, "key": lease.key})

    async def _send_control(self, control: dict[str, Any]) -> None:
        with contextlib.suppress(ConnectionError, RuntimeError):  # the page has gone
            await self._send({"control": control})

    def _take(self, request: TabRequest) -> Lease:
        self._viewer.check_control()
        leases = self._services.leases
        tab = find_tab(self._services.sessions, request.session, request.tab_id)
        lease = leases.renew(request.key) if request.key else leases.acquire(tab, self._viewer.name)
        if lease.tab is not tab:
            raise OcdError("not_found", f"This lease is not for {tab.id}")
        self._lease, self._input = lease, PersonInput(tab)
        return lease

    def act(self, event: Input) -> None:
        """Repeat the holder's input in the tab; does nothing if it is no longer held."""
        if self._input is not None and self.renew():
            self._input.send(event)

    def renew(self) -> bool:
        """Renew the lease; return whether a tab is held."""
        if self._lease is None or self._lease.end is not None:
            return False
        self._services.leases.renew(self._lease.key)
        return True

    def give_back(self) -> None:
        """Give the tab back."""
        if self._lease is not None and self._lease.end is None:
            self._release_input()
            self._services.leases.release(self._lease.key)
        self._lease = self._input = None

    def on_page_disconnected(self) -> None:
        """Handle a lost connection: release keys and buttons; the page has 45 s to come back."""
        if self.renew():
            self._release_input()
        self._lease = self._input = None

    def _release_input(self) -> None:
        if self._input is not None:
            self._input.release()

    def __repr__(self) -> str:
        return f"TabControl({self._lease and self._lease.tab.id})"
