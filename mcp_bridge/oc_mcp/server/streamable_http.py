"""MCP over HTTP at /mcp: access rules first, then the SDK's streamable HTTP, or a bare request."""

import contextlib
import re
import socket
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import anyio
import uvicorn
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.requests import Request
from starlette.types import Message, Receive, Scope, Send

from oc_mcp.server.caller import Caller, http_caller
from oc_mcp.server.daemon_protocol import DaemonProtocol
from oc_mcp.server.http_access import Access
from oc_mcp.server.server import build
from oc_mcp.server.stateless_http import answer, refusal_body
from oc_mcp.server.tools import Context

PATH = "/mcp"
METRICS = "/metrics"
MAX_BODY_BYTES = 16 * 1024 * 1024
SESSION_IDLE_S = 600
MAX_SESSIONS = 64
DEFAULT_SESSION = "default"
_SESSION_NAME = re.compile(r"[\w.-]{1,64}")
_SESSION_ID = "mcp-session-id"


class HttpCallers:
    """The callers behind HTTP requests: one for each session of a handshake revision."""

    def __init__(self, daemon: DaemonProtocol) -> None:
        self._daemon = daemon
        self._callers: dict[str, tuple[Caller, float]] = {}

    def of(self, ctx: Context) -> Caller:
        """Return who makes this request."""
        request = ctx.request
        assert request is not None
        named = _session_name(request)
        key = request.headers.get(_SESSION_ID)
        if key is None:
            return http_caller(self._daemon, named or DEFAULT_SESSION, ephemeral=True)
        self._drop_idle()
        known = self._callers.get(key)
        session = named or f"mcp-{key[:12]}"
        caller = known[0] if known else http_caller(self._daemon, session, ephemeral=False)
        self._callers[key] = (caller, time.monotonic())
        return caller

    def _drop_idle(self) -> None:
        # The SDK ends idle sessions by itself, without notice.
        now = time.monotonic()
        for key in [k for k, (_, used) in self._callers.items() if now - used > 2 * SESSION_IDLE_S]:
            self.drop(key)

    def drop(self, key: str) -> None:
        """Forget a session that has ended; its tabs are closed unless other callers share them."""
        known = self._callers.pop(key, None)
        if known is not None and known[0].session.startswith("mcp-"):
            self._daemon.end_session(known[0].session)


def _session_name(request: Request) -> str | None:
    name = request.query_params.get("session", "")
    return name if _SESSION_NAME.fullmatch(name) else None


class McpApplication:
    """The ASGI application."""

    def __init__(self, daemon: DaemonProtocol, access: Access) -> None:
        self._access = access
        self._metrics = daemon.metrics
        self._callers = HttpCallers(daemon)
        self._server, self.notifier, self.subscriptions = build(daemon, self._callers.of)
        self.manager = StreamableHTTPSessionManager(
            self._server,
            max_request_body_size=MAX_BODY_BYTES,
            session_idle_timeout=SESSION_IDLE_S,
            max_sessions=MAX_SESSIONS,
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one HTTP request."""
        if scope["type"] != "http":
            return
        headers = _headers(scope)
        refusal = self._access.refusal(scope["method"], headers, scope.get("client"))
        if refusal is not None:
            await _respond(send, refusal.status, refusal_body(refusal.message))
        elif scope["path"] == METRICS and scope["method"] == "GET":
            body, kind = await self._metrics(headers.get("accept", ""))
            await _respond(send, 200, body, kind)
        elif scope["path"].rstrip("/") != PATH:
            await _respond(send, 404, refusal_body(f"Not found; MCP is served at {PATH}"))
        elif scope["method"] == "POST" and _is_bare(headers):
            await self._bare(scope, receive, send)
        else:
            await self.manager.handle_request(scope, receive, send)
            if scope["method"] == "DELETE":
                self._callers.drop(headers.get(_SESSION_ID, ""))

    async def _bare(self, scope: Scope, receive: Receive, send: Send) -> None:
        body = await _body(receive, _headers(scope))
        if body is None:
            await _respond(
                send, 413, refusal_body(f"The body is larger than {MAX_BODY_BYTES} bytes")
            )
            return
        request = Request(scope)
        async with anyio.create_task_group() as group:
            group.start_soon(_cancel_when_gone, receive, group.cancel_scope)
            status, answered = await answer(self._server, request, body)
            group.cancel_scope.shield = True
            await _respond(send, status, answered)
            group.cancel_scope.cancel()


async def _cancel_when_gone(receive: Receive, scope: anyio.CancelScope) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
    scope.cancel()


def _headers(scope: Scope) -> dict[str, str]:
    return {k.decode("latin-1").lower(): v.decode("latin-1") for k, v in scope["headers"]}


def _is_bare(headers: Mapping[str, str]) -> bool:
    """Return whether the caller is not an MCP client: those accept streams or send a session."""
    streams = "text/event-stream" in headers.get("accept", "")
    return not (streams or _SESSION_ID in headers or "mcp-protocol-version" in headers)


async def _body(receive: Receive, headers: Mapping[str, str]) -> bytes | None:
    """Return the request's body; None if it is too large."""
    declared = headers.get("content-length", "")
    if declared.isdecimal() and int(declared) > MAX_BODY_BYTES:
        return None
    body = bytearray()
    while True:
        message: Message = await receive()
        body += message.get("body", b"")
        if len(body) > MAX_BODY_BYTES:
            return None
        if not message.get("more_body"):
            return bytes(body)


async def _respond(send: Send, status: int, body: bytes, kind: str = "application/json") -> None:
    headers = [(b"content-type", kind.encode()), (b"content-length", b"%d" % len(body))]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


class _Uvicorn(uvicorn.Server):
    """uvicorn without its signal handlers, because the daemon has its own."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave signals alone."""
        yield


class HttpServer:
    """The listening server; `serve` in a task, `stop` to end it."""

    def __init__(
        self, daemon: DaemonProtocol, *, hosts: Sequence[str], port: int, token: str
    ) -> None:
        self._daemon = daemon
        self._application = McpApplication(daemon, Access(hosts, port, token, daemon.from_browser))
        config: dict[str, Any] = {
            "lifespan": "off",
            "log_config": None,
            "access_log": False,
            "server_header": False,
            "proxy_headers": False,
            "ws": "none",
            "timeout_graceful_shutdown": 2,
        }
        self._uvicorn = _Uvicorn(uvicorn.Config(self._application, **config))

    async def serve(self, sockets: list[socket.socket]) -> None:
        """Serve at these listening sockets until `stop`."""
        forget = self._daemon.watch(self._application.notifier.notify)
        try:
            async with self._application.subscriptions, self._application.manager.run():
                await self._uvicorn.serve(sockets)
        finally:
            forget()

    def stop(self) -> None:
        """End the server; `serve` returns soon after."""
        self._uvicorn.should_exit = True
