"""Switches attaching on and off by its setting; imports it only when it is on."""

from __future__ import annotations

import asyncio
import time
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING, Any

from ocd.api.errors import OcdError
from ocd.api.timestamps import rfc3339
from ocd.server.reserved_port import ReservedPort

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

    from ocd.api.wire import AttachRequest
    from ocd.calls.services import CallServices
    from ocd.config.settings import Config
    from ocd.server.attaching.port import AttachPort


_SWITCH_ON = "ocd restart --attach, or attach = true in config.toml"


class AttachSwitch:
    """The port for attached programs, and the addresses at which they connect.

    config: the settings in force. port_taken: called when the port is known, before it is served:
    Chromium must not reach it.
    """

    def __init__(
        self,
        services: CallServices,
        config: Callable[[], Config],
        port_taken: Callable[[], Awaitable[None]],
    ) -> None:
        self._services = services
        self._config = config
        self._reserved = ReservedPort("attaching", "attach", services.chromium, port_taken)
        self._port: AttachPort | None = None
        self._serving = AsyncExitStack()
        self._opening = asyncio.Lock()

    def _enabled(self) -> bool:
        config = self._config()
        return config.attach

    @property
    def taken_port(self) -> int | None:
        """Its port, reserved even while it is closed; None if there is none."""
        return self._reserved.number

    def describe(self) -> dict[str, Any]:
        """Return what the daemon's status says about it."""
        if self._port is None or not self._enabled():
            return {"port": None, "programs": 0}
        return {"port": self._port.port, "programs": self._port.programs}

    async def new_address(self, request: AttachRequest) -> dict[str, Any]:
        """Return an address at which one program may attach to a session. Raises `disabled`."""
        if not self._enabled():
            raise OcdError(
                "disabled", "Programs may not attach: the setting attach is off",
                hint="Put attach = true into config.toml; the daemon reads it in a moment.",
            )  # fmt: skip
        port = self._port or await self._open()
        url = port.new_address(request.session, request.ttl_s, request.cwd)
        until = rfc3339(time.time() + request.ttl_s)
        return {
            "url": url,
            "http_url": f"http{url[2:]}",
            "session": request.session,
            "until": until,
        }

    async def _open(self) -> AttachPort:
        from ocd.server.attaching.port import AttachPort

        async with self._opening:
            if self._port is None:
                self._reserved.check_browser(_SWITCH_ON)
                chromium = self._services.chromium
                port = AttachPort(
                    self._services, await self._reserved.open(), chromium.holds_socket
                )
                await self._serving.enter_async_context(port.serving())
                self._port = port
            return self._port

    def apply_setting(self) -> None:
        """Disconnect every program if the setting has been switched off."""
        if self._port is not None and not self._enabled():
            self._port.end_programs("setting")

    @asynccontextmanager
    async def serving(self) -> AsyncIterator[None]:
        """Reserve the port for programs during the block; serve it at once if the setting is on."""
        async with self._serving:
            try:
                if self._enabled():
                    await self._open()
                else:
                    await self._reserved.reserve()
                yield
            finally:
                self._reserved.release()
