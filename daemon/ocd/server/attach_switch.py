"""Attaching, off unless the setting says otherwise: then nothing of it is imported."""

from __future__ import annotations

import time
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from ocd.api.errors import OcdError
from ocd.api.timestamps import rfc3339
from ocd.server.tcp_sockets import listening_sockets

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

    from ocd.api.wire import AttachRequest
    from ocd.calls.services import CallServices
    from ocd.server.attaching.port import AttachPort


class AttachSwitch:
    """The port for attached programs, and the addresses at which they connect.

    port_taken: told when the port is known, before it is served: Chromium must not reach it.
    """

    def __init__(self, services: CallServices, port_taken: Callable[[], Awaitable[None]]) -> None:
        self._services = services
        self._port_taken = port_taken
        self._port: AttachPort | None = None

    @property
    def taken_port(self) -> int | None:
        """The port; None while it is off."""
        return None if self._port is None else self._port.port

    def describe(self) -> dict[str, Any]:
        """Return what the daemon's status says about it."""
        programs = 0 if self._port is None else self._port.programs
        return {"port": self.taken_port, "programs": programs}

    def new_address(self, asked: AttachRequest) -> dict[str, Any]:
        """Return an address at which one program may attach to a session. Raises `disabled`."""
        if self._port is None:
            raise OcdError(
                "disabled", "Programs may not attach: the setting attach is off",
                hint="Put attach = true into config.toml, or: ocd restart --attach",
            )  # fmt: skip
        url = self._port.new_address(asked.session, asked.ttl_s, asked.cwd)
        until = rfc3339(time.time() + asked.ttl_s)
        return {"url": url, "http_url": f"http{url[2:]}", "session": asked.session, "until": until}

    @asynccontextmanager
    async def serving(self, *, enabled: bool) -> AsyncIterator[None]:
        """Let programs in until left, if the setting says so."""
        if not enabled:
            yield
            return
        from ocd.server.attaching.port import AttachPort

        sockets = listening_sockets("localhost", 0, "attach")
        self._port = AttachPort(self._services, sockets, self._services.chromium.holds_socket)
        await self._port_taken()
        async with self._port.serving():
            yield
