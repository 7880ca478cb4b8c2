"""Switches the dashboard on when it is first requested; imports it only then."""

from __future__ import annotations

import asyncio
import logging
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from ocd.api.errors import OcdError
from ocd.server.reserved_port import ReservedPort

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

    from ocd.calls.services import CallServices
    from ocd.server.dashboard.server import DashboardServer

logger = logging.getLogger(__name__)

_SWITCH_ON = "put dashboard = 0 (any port) into config.toml, or ocd restart --dashboard 0"


class DashboardSwitch:
    """Opens the dashboard's port, and makes links to it.

    port_taken: called when the port is known, before it is served: Chromium must not reach it.
    """

    def __init__(
        self,
        services: CallServices,
        status: Callable[[], dict[str, Any]],
        port_taken: Callable[[], Awaitable[None]],
    ) -> None:
        self._services = services
        self._status = status
        self._port = ReservedPort("the dashboard", "dashboard", services.chromium, port_taken)
        self._server: DashboardServer | None = None
        self._opening = asyncio.Lock()

    @property
    def port(self) -> int | None:
        """The port; None while it is off."""
        return None if self._server is None else self._server.port

    @property
    def taken_port(self) -> int | None:
        """Its port, reserved even while it is closed; None if there is none."""
        return self._port.number

    def describe(self) -> dict[str, Any]:
        """Return what the daemon's status says about it."""
        pages = 0 if self._server is None else self._server.pages
        return {"port": self.port, "pages": pages}

    def tab_address(self, session: str, tab_id: str) -> str | None:
        """Return where it shows a tab; None while it is off."""
        if self._server is None:
            return None
        return f"http://127.0.0.1:{self.port}{_tab_path(session, tab_id)}"

    async def tab_link(self, session: str, tab_id: str) -> str | None:
        """Return a link that admits one browser and shows it a tab; None if it must stay off."""
        try:
            link = await self.link(control=True, path=_tab_path(session, tab_id))
        except OcdError as error:
            if error.code not in ("disabled", "address_in_use"):
                raise
            logger.info("no link to the dashboard: %s", error.message)
            return None
        return str(link["url"])

    async def open(self, port: int = 0) -> None:
        """Serve it at the reserved port, or at this one (0: any). Raises `address_in_use`."""
        from ocd.server.dashboard.server import DashboardServer

        async with self._opening:
            if self._server is not None:
                return
            self._server = DashboardServer(await self._port.open(port))
            await self._server.start(
                self._services,
                status=self._status,
                from_browser=self._services.chromium.holds_socket,
            )

    async def link(self, *, control: bool, path: str = "/") -> dict[str, Any]:
        """Return an address that admits one browser; opens the port if that disturbs nobody."""
        if self._server is None:
            self._port.check_browser(_SWITCH_ON)
            await self.open()
        assert self._server is not None
        return {
            "url": self._server.new_link(control=control, path=path),
            "port": self._server.port,
            "control": control,
        }

    @asynccontextmanager
    async def serving(self, port: int | None) -> AsyncIterator[None]:
        """Serve it from the start if a port is configured; close it at the end in any case."""
        try:
            if port is not None:
                await self.open(port)
            else:
                await self._port.reserve()
            yield
        finally:
            await self._close()

    async def _close(self) -> None:
        self._port.release()
        if self._server is not None:
            await self._server.close()
            self._server = None


def _tab_path(session: str, tab_id: str) -> str:
    return f"/tab/{quote(session, safe='')}/{quote(tab_id, safe='')}"
