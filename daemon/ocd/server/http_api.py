"""The daemon's socket: HTTP/1.1 routes, decoding and encoding; no decisions.

Two routes reply with lines instead of one object: a call whose caller accepts NDJSON gets progress
lines first, and a task's events can be followed live.
"""

import asyncio
import contextlib
import logging
import os
from base64 import b64encode
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, NamedTuple, TypeVar

import msgspec
from aiohttp import web
from aiohttp.http_exceptions import HttpProcessingError

from ocd.api.errors import OcdError, http_status
from ocd.api.wire import (
    ApprovalRequest,
    AttachRequest,
    CallRequest,
    DashboardRequest,
    LeaseRequest,
    Progress,
    TotpRequest,
    UpstreamRequest,
)
from ocd.calls.dispatch import run_call
from ocd.calls.replies import Reply
from ocd.calls.services import CallServices
from ocd.gateway.gateway import Gateway
from ocd.integrations.totp_seeds import TotpStore
from ocd.oversight.approvals import ApprovalDecision
from ocd.safety import secrets
from ocd.server.attach_switch import AttachSwitch
from ocd.server.dashboard_switch import DashboardSwitch
from ocd.server.half_close import HalfClosedConnection, PeerCloseWatcher
from ocd.server.unix_socket import bind, peer_uid, remove_at_exit
from ocd.storage import crash_points
from ocd.storage.machine_limits import limit_reached, require_memory, require_memory_to_decode
from ocd.telemetry.metrics import Metrics

logger = logging.getLogger(__name__)

MAX_BODY_BYTES = 16 * 1024 * 1024
# A text is there so many times while its answer is put together.
_COPIES = 4
NDJSON = "application/x-ndjson"
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class OnDemandParts(NamedTuple):
    """The parts whose ports are closed until a person asks for them."""

    dashboard: DashboardSwitch
    attaching: AttachSwitch


class HttpApi:
    """The routes of the socket; `status` and `shutdown` come from the lifecycle."""

    def __init__(
        self,
        services: CallServices,
        *,
        catalog: bytes,
        catalog_hash: str,
        status: Callable[[], dict[str, Any]],
        shutdown: Callable[[], None],
        on_demand: OnDemandParts,
    ) -> None:
        self._services = services
        self._catalog = catalog
        self._headers = {"X-OpenChrome-Catalog": catalog_hash}
        self._status = status
        self._shutdown = shutdown
        self._dashboard, self._attaching = on_demand

    def application(self) -> web.Application:
        """Return the aiohttp application."""
        app = web.Application(
            client_max_size=MAX_BODY_BYTES, middlewares=[_errors_as_json, _same_user_only]
        )
        app.router.add_get("/v1/status", self.get_status)
        app.router.add_get("/metrics", self.get_metrics)
        app.router.add_get("/v1/catalog", self.get_catalog)
        app.router.add_post("/v1/call", self.post_call)
        app.router.add_get("/v1/tasks/{task_id}/events", self.get_events)
        app.router.add_post("/v1/totp", self.post_totp)
        app.router.add_post("/v1/upstreams", self.post_upstreams)
        app.router.add_post("/v1/approvals", self.post_approvals)
        app.router.add_post("/v1/leases", self.post_leases)
        app.router.add_post("/v1/dashboard", self.post_dashboard)
        app.router.add_post("/v1/attach", self.post_attach)
        app.router.add_post("/v1/shutdown", self.post_shutdown)
        return app

    async def get_status(self, _request: web.Request) -> web.Response:
        """Answer with the daemon's status."""
        return self._json(msgspec.json.encode(self._status()))

    async def get_metrics(self, request: web.Request) -> web.Response:
        """Answer with the metrics for Prometheus."""
        metrics = self._services.parts[Metrics]
        assert isinstance(metrics, Metrics)
        body, kind = await metrics.scrape(request.headers.get("Accept", ""))
        return web.Response(body=body, headers={**self._headers, "Content-Type": kind})

    async def get_catalog(self, _request: web.Request) -> web.Response:
        """Answer with the verb catalog."""
        return self._json(self._catalog)

    async def post_shutdown(self, _request: web.Request) -> web.Response:
        """Answer, then end the daemon."""
        self._shutdown()
        return self._json(b'{"result":{"stopping":true}}')

    async def post_totp(self, request: web.Request) -> web.Response:
        """Add, list or remove TOTP seeds; not a verb, because it is for a person's shell."""
        body = _decode_body(TotpRequest, await request.read())
        store = self._services.parts[TotpStore]
        assert isinstance(store, TotpStore)
        result = await asyncio.to_thread(_totp, store, body)
        return self._json(msgspec.json.encode({"result": result}))

    async def post_upstreams(self, request: web.Request) -> web.Response:
        """List other MCP servers, or review and approve tools; not a verb: for a person's shell."""
        body = _decode_body(UpstreamRequest, await request.read())
        gateway = self._services.parts[Gateway]
        assert isinstance(gateway, Gateway)
        match body.action:
            case "list":
                result: dict[str, Any] = {"upstreams": await gateway.states()}
            case "review":
                result = await gateway.review(body.name)
            case _:
                result = await gateway.approve(body.name, body.mark)
        return self._json(msgspec.json.encode({"result": result}))

    async def post_approvals(self, request: web.Request) -> web.Response:
        """List or answer pending approvals; not a verb, because it is for a person's shell."""
        body = _decode_body(ApprovalRequest, await request.read())
        approvals = self._services.approvals
        if body.action != "list":
            answer = ApprovalDecision(body.action == "allow", body.scope, "terminal")
            await approvals.answer(body.id, answer)
        waiting = secrets.current().mask(await approvals.list())
        return self._json(msgspec.json.encode({"result": {"approvals": waiting}}))

    async def post_leases(self, request: web.Request) -> web.Response:
        """List leases of tabs, take, renew or release one; not a verb: for a person's shell."""
        result = self._lease(_decode_body(LeaseRequest, await request.read()))
        return self._json(msgspec.json.encode({"result": secrets.current().mask(result)}))

    def _lease(self, body: LeaseRequest) -> dict[str, Any]:
        leases = self._services.leases
        match body.action:
            case "list":
                return {"leases": [lease.to_dict() for lease in leases.list()]}
            case "release":
                leases.release(body.key)
                return {}
            case "renew":
                lease = leases.renew(body.key)
            case _:
                tab = self._services.sessions.get(body.session).tab(body.tab_id)
                lease = leases.acquire(tab, body.holder)
        return {"lease": {**lease.to_dict(), "key": lease.key}}

    async def post_dashboard(self, request: web.Request) -> web.Response:
        """Make a link to the dashboard; not a verb, because it is for a person's shell."""
        body = _decode_body(DashboardRequest, await request.read())
        link = await self._dashboard.link(control=body.control)
        return self._json(msgspec.json.encode({"result": link}))

    async def post_attach(self, request: web.Request) -> web.Response:
        """Make an address at which a program may attach; not a verb: for a person's shell."""
        body = _decode_body(AttachRequest, await request.read())
        return self._json(msgspec.json.encode({"result": await self._attaching.new_address(body)}))

    async def post_call(self, request: web.Request) -> web.StreamResponse:
        """Run one call."""
        call = _decode_body(CallRequest, await request.read())
        crash_points.strike("call", call.verb)
        if NDJSON in request.headers.get("Accept", ""):
            return await self._call_in_lines(request, call)
        reply = await run_call(self._services, call)
        if reply.rows is None:
            return self._json(_result(reply))
        response = await self._stream(request, "application/json")
        await _write_spliced(request, response, reply)
        return response

    async def _call_in_lines(self, request: web.Request, call: CallRequest) -> web.StreamResponse:
        response = await self._stream(request)
        news: asyncio.Queue[Progress] = asyncio.Queue()
        async with asyncio.TaskGroup() as group:
            teller = group.create_task(_write_progress(response, news))
            outcome: Reply | OcdError
            try:
                outcome = await run_call(self._services, call, news.put_nowait)
            except OcdError as error:
                outcome = error
            teller.cancel()
        if isinstance(outcome, OcdError):
            await response.write(_error(outcome))
        elif outcome.rows is None:
            await response.write(_result_line(outcome))
        else:
            await _write_spliced(request, response, outcome)
        await response.write(b"\n")
        return response

    async def get_events(self, request: web.Request) -> web.StreamResponse:
        """Answer with a task's events as lines; with follow=1 until the task has ended."""
        follow = request.query.get("follow", "0") not in ("", "0", "false")
        events = self._services.runner.events(request.match_info["task_id"], follow=follow)
        return await self._lines(request, events)

    async def _lines(self, request: web.Request, lines: AsyncIterator[bytes]) -> web.StreamResponse:
        first = await anext(lines, None)  # what cannot be read fails here, as a plain error
        response = await self._stream(request)
        if first is not None:
            await response.write(first + b"\n")
        async for line in lines:
            await response.write(line + b"\n")
        return response

    async def _stream(self, request: web.Request, content_type: str = NDJSON) -> web.StreamResponse:
        response = web.StreamResponse(headers={**self._headers, "Content-Type": content_type})
        await response.prepare(request)
        return response

    def _json(self, body: bytes) -> web.Response:
        return web.Response(body=body, content_type="application/json", headers=self._headers)


def _totp(store: TotpStore, body: TotpRequest) -> dict[str, Any]:
    match body.action:
        case "add":
            return store.add(body.domain, body.seed)
        case "remove":
            return store.remove(body.domain)
        case "list":
            return {"seeds": store.names()}


_Body = TypeVar(
    "_Body", CallRequest, ApprovalRequest, AttachRequest, DashboardRequest, LeaseRequest,
    TotpRequest, UpstreamRequest,
)  # fmt: skip


def _decode_body(kind: type[_Body], body: bytes) -> _Body:
    require_memory_to_decode(body)
    try:
        return msgspec.json.decode(body, type=kind)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        hint = f"Send a JSON object with these keys: {', '.join(kind.__struct_fields__)}."
        raise OcdError("bad_request", f"Invalid request body: {error}", hint=hint) from None


async def _write_progress(response: web.StreamResponse, news: "asyncio.Queue[Progress]") -> None:
    with contextlib.suppress(ConnectionResetError):
        while True:
            progress = await news.get()
            await response.write(msgspec.json.encode({"progress": progress}) + b"\n")


async def _write_spliced(request: web.Request, response: web.StreamResponse, reply: Reply) -> None:
    """Write {"result": …} with a list from a file, in pieces; abort if the file breaks off."""
    await response.write(b'{"result":')
    pieces = reply.pieces()
    try:
        while piece := await asyncio.to_thread(next, pieces, b""):
            await response.write(piece)
    except OcdError as error:
        # It was whole a moment ago. What has been sent must not look like an answer.
        logger.warning("an answer breaks off: %s", error)
        if request.transport is not None:
            request.transport.abort()
        raise ConnectionResetError from error
    await response.write(b"}")


def _result(reply: Reply) -> bytes:
    """Return {"result": …}: the data, with page text and picture as its last keys."""
    body = reply.encode()
    extra: dict[str, Any] = {}
    if reply.content is not None:
        require_memory(_COPIES * len(reply.content))
        extra["content"] = reply.content
    if (pointer := reply.pointer) is not None:
        extra["output_handle"] = pointer.descriptor.output_handle
        extra["output_path"] = pointer.path
        extra["total"] = pointer.characters
        extra.setdefault("content", pointer.text)
    if reply.image is not None:
        data, mime_type = reply.image
        extra["image"] = {"mime_type": mime_type, "data": b64encode(data).decode()}
    if reply.attachments:
        extra["attachments"] = reply.attachments
    if extra:
        more = msgspec.json.encode(extra)
        body = more if body == b"{}" else body[:-1] + b"," + more[1:]
    beside = reply.browser_restarted and not isinstance(reply.data, dict)
    return b'{"result":' + body + (b',"browser_restarted":true}' if beside else b"}")


def _result_line(reply: Reply) -> bytes:
    """Return {"result": …}; {"error": …} where there is no memory for it."""
    try:
        return _result(reply)
    except MemoryError:
        return _error(limit_reached("memory"))


def _error(error: OcdError) -> bytes:
    return msgspec.json.encode({"error": error.body()}, enc_hook=str)


def _error_response(error: OcdError) -> web.Response:
    return web.Response(
        status=http_status(error.code), body=_error(error), content_type="application/json"
    )


@web.middleware
async def _errors_as_json(request: web.Request, handler: Handler) -> web.StreamResponse:
    try:
        return await handler(request)
    except OcdError as error:
        return _error_response(error)
    except MemoryError:  # the answer is there, and too large to be written
        return _error_response(limit_reached("memory"))
    except web.HTTPRequestEntityTooLarge:
        message = f"The request body is larger than {MAX_BODY_BYTES >> 20} MiB"
        return _error_response(OcdError("request_too_large", message))
    except web.RequestPayloadError:
        message = "The request's body does not match its Content-Encoding or Transfer-Encoding"
        return _error_response(OcdError("bad_request", message))
    except (web.HTTPNotFound, web.HTTPMethodNotAllowed):
        message = f"There is no {request.method} {request.path} here"
        return _error_response(OcdError("not_found", message))


@web.middleware
async def _same_user_only(request: web.Request, handler: Handler) -> web.StreamResponse:
    transport = request.transport
    peer = peer_uid(transport.get_extra_info("socket")) if transport else None
    if peer is not None and peer != os.getuid():
        raise OcdError("forbidden", f"This daemon serves user {os.getuid()}, not {peer}")
    return await handler(request)


@contextlib.asynccontextmanager
async def listening(app: web.Application, address: str) -> AsyncIterator[None]:
    """Serve the application at a Unix socket's path (mode 0600) or a named pipe until left.

    The caller holds the daemon's lock: whatever file is at the path is stale.
    """
    logging.getLogger("aiohttp.server").addFilter(_ignore_bad_requests)
    runner = web.AppRunner(app, handler_cancellation=True, access_log=None, shutdown_timeout=2.0)
    await runner.setup()
    try:
        if os.name == "nt":
            await web.NamedPipeSite(runner, address).start()
            yield
        else:
            async with _serve_unix_socket(runner, address):
                yield
    finally:
        await runner.cleanup()


def _ignore_bad_requests(record: logging.LogRecord) -> bool:
    """Log one line for input that is not HTTP, without a traceback: it is the sender's mistake."""
    error = record.exc_info[1] if record.exc_info else None
    if isinstance(error, HttpProcessingError | web.RequestPayloadError):
        reason = " ".join(getattr(error, "message", str(error)).split())[:200]
        record.levelno, record.levelname, record.exc_info = logging.INFO, "INFO", None
        record.msg, record.args = "refused input that is not HTTP: %s", (reason,)
    return True


@contextlib.asynccontextmanager
async def _serve_unix_socket(runner: web.AppRunner, address: str) -> AsyncIterator[None]:
    serve, hang_ups = runner.server, PeerCloseWatcher()
    assert serve is not None
    server = await asyncio.get_running_loop().create_unix_server(
        lambda: HalfClosedConnection(serve(), hang_ups), sock=bind(address), backlog=1024
    )
    with remove_at_exit(address):
        try:
            yield
        finally:
            server.close()
            hang_ups.close()
