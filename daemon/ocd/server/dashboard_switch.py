"""The dashboard, off until somebody asks for it: until then nothing of it is imported."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from ocd.api.errors import OcdError
from ocd.browser.process.process_tree import holds_socket

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

    from ocd.browser.process.chromium import Chromium
    from ocd.calls.services import CallServices
    from ocd.server.dashboard.server import DashboardServer


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
        self._opening = asyncio.Lock()

    @property
    def port(self) -> int | None:
        """The port; None while it is off."""
        return None if self._server is None else self._server.port

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

    async def open(self, port: int) -> None:
        """Serve it at this port (0: any free one). Raises `address_in_use`."""
        from ocd.server.dashboard.server import DashboardServer

        async with self._opening:
            if self._server is not None:
                return
            self._server = DashboardServer(port)
            await self._port_taken()
            await self._server.start(
                self._services, status=self._status, from_browser=self._is_from_browser
            )

    async def link(self, *, control: bool) -> dict[str, Any]:
        """Return an address that lets one browser in; opens the port if that disturbs nobody."""
        if self._server is None:
            _check_browser(self._services.chromium)
            await self.open(0)
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
            yield
        finally:
            await self._close()

    def _is_from_browser(self, inode: str) -> bool:
        chromium = self._services.chromium
        return chromium.pid is not None and holds_socket(chromium.pid, inode)

    async def _close(self) -> None:
        if self._server is not None:
            await self._server.close()
            self._server = None


def _check_browser(chromium: Chromium) -> None:
    """Raise if a Chromium runs that was not told at its start which port to leave alone."""
    if chromium.state in ("stopped", "gone"):
        return
    raise OcdError(
        "disabled",
        "The dashboard is off, and Chromium runs already: it learns only at its start which ports "
        "it must not reach",
        hint="Close it with its tabs: `oc_stop`, then oc dashboard again. For good: put "
        "dashboard = 0 (any port) into config.toml, or ocd restart --dashboard 0.",
    )
