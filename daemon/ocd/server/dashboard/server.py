"""The dashboard's port while it is open."""

import logging
import socket
from collections.abc import Callable
from typing import Any

from aiohttp import web

from ocd.calls.services import CallServices
from ocd.server.dashboard.access import ENTER, Access
from ocd.server.dashboard.keys import Keys
from ocd.server.dashboard.routes import DashboardRoutes

logger = logging.getLogger(__name__)


class DashboardServer:
    """Serves the page at these sockets, all of one port of loopback, from `start` to `close`."""

    def __init__(self, sockets: list[socket.socket]) -> None:
        self._sockets = sockets
        self.port: int = sockets[0].getsockname()[1]
        self._keys = Keys()
        self._runner: web.AppRunner | None = None

    async def start(
        self,
        services: CallServices,
        *,
        status: Callable[[], dict[str, Any]],
        from_browser: Callable[[str], bool],
    ) -> None:
        """Begin to serve."""
        access = Access(self.port, self._keys, from_browser)
        routes = DashboardRoutes(services, self._keys, access, status)
        self._runner = web.AppRunner(
            routes.application(), handler_cancellation=True, access_log=None, shutdown_timeout=1.0
        )
        await self._runner.setup()
        for listener in self._sockets:
            await web.SockSite(self._runner, listener).start()
        logger.info("dashboard: http://127.0.0.1:%d (oc dashboard prints a key)", self.port)

    @property
    def pages(self) -> int:
        """How many pages are connected."""
        return self._keys.pages

    def new_link(self, *, control: bool, path: str = "/") -> str:
        """Return an address that lets one browser in, once, and shows it this path."""
        key = self._keys.new_link_key(control=control, path=path)
        return f"http://127.0.0.1:{self.port}{ENTER}?key={key}"

    async def close(self) -> None:
        """End the connections and give the port back."""
        if self._runner is not None:
            await self._runner.cleanup()
        for listener in self._sockets:
            listener.close()

    def __repr__(self) -> str:
        return f"DashboardServer(port {self.port}, {self.pages} pages)"
