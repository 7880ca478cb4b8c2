"""A loopback port reserved at start, and opened on request while Chromium runs.

Which ports are forbidden to Chromium can be set only at its start. So a port is reserved when the
daemon starts; nothing listens on it until it is opened.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from ocd.api.errors import OcdError
from ocd.server.tcp_sockets import listening_sockets, reserved_sockets

if TYPE_CHECKING:
    import socket
    from collections.abc import Awaitable, Callable

    from ocd.browser.process.chromium import Chromium

logger = logging.getLogger(__name__)


class ReservedPort:
    """The port on which one part of the daemon will listen.

    Args:
        part: that part ("the dashboard", "attaching").
        setting: its key in config.toml.
        chromium: the browser, which must not reach the port.
        on_taken: called when the port is known, before it is served.
    """

    def __init__(
        self, part: str, setting: str, chromium: Chromium, on_taken: Callable[[], Awaitable[None]]
    ) -> None:
        self._part = part
        self._setting = setting
        self._chromium = chromium
        self._on_taken = on_taken
        self._reserved: list[socket.socket] = []
        self.number: int | None = None

    async def reserve(self) -> None:
        """Reserve a port, if the browser can be made to block it when it starts."""
        if not self._chromium.obeys_network_rules:
            return
        try:
            self._reserved = reserved_sockets(self._setting)
        except OcdError as error:
            logger.warning("no port for %s: %s", self._part, error)
            return
        await self._announce(self._reserved)

    async def open(self, port: int = 0) -> list[socket.socket]:
        """Return sockets at the reserved port, or at this one (0: any). Raises `address_in_use`."""
        sockets = self._reserved or listening_sockets("localhost", port, self._setting)
        self._reserved = []
        await self._announce(sockets)
        return sockets

    async def _announce(self, sockets: list[socket.socket]) -> None:
        self.number = sockets[0].getsockname()[1]
        await self._on_taken()

    def check_browser(self, switch_on: str) -> None:
        """Raise `disabled` if a Chromium is running that was started without blocking this port.

        switch_on: how to open the port from the daemon's start, for the hint.
        """
        if self._reserved or self._chromium.state in ("stopped", "gone"):
            return
        raise OcdError(
            "disabled",
            f"{self._part[0].upper()}{self._part[1:]} is off, and the browser is already running: "
            "where the daemon did not start it, or it uses a proxy, forbidden ports can be "
            "set only at its start",
            hint=f"Close it with its tabs: `oc_stop`, then try again. To keep it on: {switch_on}.",
        )

    def release(self) -> None:
        """Release the port, unless it was opened."""
        for listener in self._reserved:
            listener.close()
        self._reserved = []
