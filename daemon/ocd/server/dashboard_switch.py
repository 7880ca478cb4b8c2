"""The dashboard, off until somebody asks for it: until then nothing of it is imported.

Chromium learns only at its start which ports it must not reach. So a port is reserved with the
daemon's start, where nobody listens before the dashboard is opened.
"""

from __future__ import annotations

import asyncio
import logging
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from ocd.api.errors import OcdError
from ocd.server.tcp_sockets import listening_sockets, reserved_sockets

if TYPE_CHECKING:
    import socket
    from collections.abc import AsyncIterator, Awaitable, Callable

    from ocd.browser.process.chromium import Chromium
    from ocd.calls.services import CallServices
    from ocd.server.dashboard.server import DashboardServer

logger = logging.getLogger(__name__)


class DashboardSwitch:
    """Opens the dashboard's port, and makes links to it.

    port_taken: told when the port is known, before it is served: Chromium must not reach it.
    """

    def __init__(
        self,
        services: CallServices,
        status: Callable[[], dict[str, Any]],
        port_taken: Callable[[], Awaitable[None]],
    ) -> None:
        self._services = services
        self._status = status
        self._port_taken = port_taken
        self._server: DashboardServer | None = None
        self._reserved: list[socket.socket] = []
        self._opening = asyncio.Lock()

    @property
    def port(self) -> int | None:
        """The port; None while it is off."""
        return None if self._server is None else self._server.port

    @property
    def taken_port(self) -> int | None:
        """The port at which it is, or will be once it is opened."""
        return self._reserved[0].getsockname()[1] if self._reserved else self.port

    def describe(self) -> dict[str, Any]:
        """Return what the daemon's status says about it."""
        pages = 0 if self._server is None else self._server.pages
        return {"port": self.port, "pages": pages}

    def tab_address(self, session: str, tab_id: str) -> str | None:
        """Return where it shows a tab; None while it is off."""
        if self._server is None:
            return None
        return (
            f"http://127.0.0.1:{self.port}/tab/{quote(session, safe='')}/{quote(tab_id, safe='')}"
        )

    async def open(self, port: int = 0) -> None:
        """Serve it at the reserved port, or at this one (0: any). Raises `address_in_use`."""
        from ocd.server.dashboard.server import DashboardServer

        async with self._opening:
            if self._server is not None:
                return
            sockets = self._reserved or listening_sockets("localhost", port, "dashboard")
            self._server, self._reserved = DashboardServer(sockets), []
            await self._port_taken()
            await self._server.start(
                self._services,
                status=self._status,
                from_browser=self._services.chromium.holds_socket,
            )

    async def link(self, *, control: bool) -> dict[str, Any]:
        """Return an address that lets one browser in; opens the port if that disturbs nobody."""
        if self._server is None:
            if not self._reserved:
                _check_browser(self._services.chromium)
            await self.open()
        assert self._server is not None
        return {
            "url": self._server.new_link(control=control),
            "port": self._server.port,
            "control": control,
        }

    @asynccontextmanager
    async def serving(self, port: int | None) -> AsyncIterator[None]:
        """Serve it from the start if there is a port; whoever opened it, it ends here."""
        try:
            if port is not None:
                await self.open(port)
            elif self._services.chromium.obeys_network_rules:
                await self._reserve()
            yield
        finally:
            await self._close()

    async def _reserve(self) -> None:
        try:
            self._reserved = reserved_sockets("dashboard")
        except OcdError as error:
            logger.warning("no port for the dashboard: %s", error)
            return
        await self._port_taken()

    async def _close(self) -> None:
        for one in self._reserved:
            one.close()
        if self._server is not None:
            await self._server.close()
            self._server = None


def _check_browser(chromium: Chromium) -> None:
    """Raise if a Chromium runs that was not told at its start which port to leave alone."""
    if chromium.state in ("stopped", "gone"):
        return
    raise OcdError(
        "disabled",
        "The dashboard is off, and the browser runs already: one that the daemon has not started, "
        "or that has a proxy, learns only at its start which ports it must not reach",
        hint="Close it with its tabs: `oc_stop`, then oc dashboard again. For good: put "
        "dashboard = 0 (any port) into config.toml, or ocd restart --dashboard 0.",
    )
