"""The port for attached programs: a WebSocket, and the discovery that clients use before it."""

from __future__ import annotations

import logging
import socket
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import msgspec
from aiohttp import web

from ocd.api.errors import OcdError, http_status
from ocd.calls.services import CallServices
from ocd.server.attaching.channels import Channel
from ocd.server.attaching.program import AttachGrant, EndReason, Program
from ocd.server.attaching.targets import ProgramTargets
from ocd.server.loopback_access import LoopbackAccess
from ocd.server.one_time_keys import OneTimeKeys

logger = logging.getLogger(__name__)

# A program may hand a page a large script, or a file's content.
_MAX_MESSAGE = 64 << 20


class AttachPort:
    """Admits programs by their keys, at these sockets of one loopback port.

    from_browser: whether the socket with this inode is held by the daemon's Chromium.
    """

    def __init__(
        self,
        services: CallServices,
        sockets: list[socket.socket],
        from_browser: Callable[[str], bool],
    ) -> None:
        self._services = services
        self._sockets = sockets
        self.port: int = sockets[0].getsockname()[1]
        self._access = LoopbackAccess(self.port, from_browser)
        self._keys: OneTimeKeys[AttachGrant] = OneTimeKeys()
        self._programs: set[Program] = set()

    @property
    def programs(self) -> int:
        """How many programs are attached."""
        return len(self._programs)

    def new_address(self, session: str, ttl_s: float, cwd: str) -> str:
        """Return a WebSocket address at which one program may connect, once."""
        grant = AttachGrant(session=session, until=time.monotonic() + ttl_s, cwd=cwd)
        return f"ws://127.0.0.1:{self.port}/{self._keys.new(grant, ttl_s)}"

    @asynccontextmanager
    async def serving(self) -> AsyncIterator[None]:
        """Serve the port during the block; afterwards every program is disconnected."""
        app = web.Application(middlewares=[_errors_as_json])
        app.router.add_get("/{key}", self._get_socket, allow_head=False)
        for path in ("/json/version", "/json/version/"):
            app.router.add_get("/{key}" + path, self._get_version, allow_head=False)
        for path in ("/json", "/json/", "/json/list", "/json/list/"):
            app.router.add_get("/{key}" + path, self._get_list, allow_head=False)
        runner = web.AppRunner(
            app, handler_cancellation=True, access_log=None, shutdown_timeout=1.0
        )
        await runner.setup()
        for listener in self._sockets:
            await web.SockSite(runner, listener).start()
        try:
            yield
        finally:
            self.end_programs("daemon")
            await runner.cleanup()
            for listener in self._sockets:
                listener.close()

    def end_programs(self, reason: EndReason) -> None:
        """Disconnect every program; unused addresses become invalid."""
        self._keys = OneTimeKeys()
        for program in self._programs:
            program.end(reason)

    def _check(self, request: web.Request) -> str:
        self._access.check_origin(request)
        self._access.check_peer(request)
        return request.match_info["key"]

    def _grant(self, request: web.Request) -> AttachGrant:
        grant = self._keys.find(self._check(request))
        if grant is None:
            raise _no_key()
        return grant

    async def _get_version(self, request: web.Request) -> web.Response:
        self._grant(request)
        connection = await self._services.chromium.ensure()
        about = await connection.send("Browser.getVersion")
        return _json({
            "Browser": about["product"], "Protocol-Version": about["protocolVersion"],
            "User-Agent": about["userAgent"], "V8-Version": about["jsVersion"],
            "webSocketDebuggerUrl": f"ws://{request.host}/{request.match_info['key']}",
        })  # fmt: skip

    async def _get_list(self, request: web.Request) -> web.Response:
        session = self._services.sessions.get(self._grant(request).session)
        connection = await self._services.chromium.ensure()
        root = Channel("", lambda _message: None, cdp=connection)
        found = await ProgramTargets(session, root, lambda _coroutine: None).list()
        keys = ("title", "type", "url")
        return _json(
            [{"id": target["targetId"], **{key: target[key] for key in keys}} for target in found]
        )

    async def _get_socket(self, request: web.Request) -> web.WebSocketResponse:
        # No heartbeat: a program that computes or sleeps does not answer, and is there.
        socket = web.WebSocketResponse(max_msg_size=_MAX_MESSAGE, compress=False)
        key = self._check(request)
        if not socket.can_prepare(request):
            raise OcdError("bad_request", "A program connects here by WebSocket")
        grant = self._keys.redeem(key)
        if grant is None:
            raise _no_key()
        await socket.prepare(request)
        program = Program(socket, self._services, grant)
        self._programs.add(program)
        try:
            await program.serve()
        except OcdError as error:
            logger.warning("a program could not be attached: %s", error)
        finally:
            self._programs.discard(program)
            await socket.close()
        return socket

    def __repr__(self) -> str:
        return f"AttachPort(port {self.port}, {self.programs} programs)"


def _no_key() -> OcdError:
    return OcdError(
        "login_required", "This address was already used, or has expired",
        hint="Each address works once, for one program. For a new one: oc attach",
    )  # fmt: skip


def _json(data: Any, status: int = 200) -> web.Response:  # noqa: ANN401 - any JSON value
    body = msgspec.json.encode(data, enc_hook=str)
    return web.Response(
        body=body, status=status, content_type="application/json",
        headers={"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"},
    )  # fmt: skip


@web.middleware
async def _errors_as_json(
    request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
) -> web.StreamResponse:
    try:
        return await handler(request)
    except OcdError as error:
        return _json({"error": error.body()}, http_status(error.code))
    except web.HTTPException as error:
        return _json({"error": {"code": "not_found", "message": error.reason}}, error.status)
