"""One bare JSON-RPC request over HTTP: no handshake, session or Accept header; one object back.

`curl -H 'content-type: application/json' -d '{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}'`
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NoReturn

import anyio
import mcp_types as types
import msgspec
from mcp.server.connection import Connection
from mcp.server.lowlevel import Server
from mcp.server.runner import modern_error_data, serve_one
from mcp.shared.dispatcher import CallOptions
from mcp.shared.exceptions import MCPError, NoBackChannelError
from mcp.shared.message import ServerMessageMetadata
from mcp.shared.transport_context import TransportContext
from mcp_types.version import LATEST_HANDSHAKE_VERSION
from pydantic import ValidationError
from starlette.requests import Request

HttpAnswer = tuple[int, bytes]
# Their answers come later, over a stream, which a bare request does not have.
_STREAMED = frozenset({"subscriptions/listen", "resources/subscribe", "resources/unsubscribe"})


@dataclass
class _RequestContext:
    """The channel that the SDK needs for a request; it has no way back to the caller."""

    request_id: Any
    message_metadata: ServerMessageMetadata
    transport: TransportContext = field(
        default_factory=lambda: TransportContext(kind="streamable-http", can_send_request=False)
    )
    cancel_requested: anyio.Event = field(default_factory=anyio.Event)
    can_send_request: bool = False

    async def send_raw_request(
        self, method: str, params: Mapping[str, Any] | None, opts: CallOptions | None = None
    ) -> NoReturn:
        """Refuse: there is nobody to answer."""
        raise NoBackChannelError(method)

    async def notify(
        self, method: str, params: Mapping[str, Any] | None, opts: CallOptions | None = None
    ) -> None:
        """Drop the notification: there is one answer and no stream."""

    async def progress(
        self, progress: float, total: float | None = None, message: str | None = None
    ) -> None:
        """Drop the progress."""


async def answer(server: Server[Any], request: Request, body: bytes) -> HttpAnswer:
    """Return the HTTP status and body that answer a bare request."""
    message = _decode(body)
    if isinstance(message, tuple):
        return message
    method, params = message["method"], message.get("params")
    if "id" not in message:
        return 202, b""
    request_id = message["id"]
    try:
        result = await _serve(server, request, method, params, request_id)
    except (MCPError, ValidationError, ValueError) as error:
        data = modern_error_data(error)
        return 200, _error(data.code, data.message, request_id, data.data)
    return 200, msgspec.json.encode({"jsonrpc": "2.0", "id": request_id, "result": result})


async def _serve(
    server: Server[Any],
    request: Request,
    method: str,
    params: Mapping[str, Any] | None,
    request_id: object,
) -> dict[str, Any]:
    if method in _STREAMED:
        raise MCPError(code=types.METHOD_NOT_FOUND, message="A bare request has no stream")
    connection = Connection.from_envelope(LATEST_HANDSHAKE_VERSION, None, None)
    exchange = _RequestContext(request_id, ServerMessageMetadata(request_context=request))
    return await serve_one(
        server, exchange, method, params, connection=connection, lifespan_state={}
    )


def _decode(body: bytes) -> dict[str, Any] | HttpAnswer:
    """Return the request, or the answer that describes what is wrong with it."""
    try:
        message = msgspec.json.decode(body)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        return 400, _error(types.PARSE_ERROR, f"The body is not JSON: {error}")
    if not isinstance(message, dict):
        return 400, _error(types.INVALID_REQUEST, "The body is not a JSON-RPC request object")
    request_id = message.get("id")
    if isinstance(request_id, bool | list | dict):
        return 400, _error(types.INVALID_REQUEST, "id is a string, a number or null")
    if message.get("jsonrpc") != "2.0" or not isinstance(message.get("method"), str):
        return 400, _error(types.INVALID_REQUEST, 'A request has "jsonrpc": "2.0" and a method')
    if not isinstance(message.get("params", {}), dict):
        return 200, _error(types.INVALID_PARAMS, "params is an object", request_id)
    return message


def _error(code: int, message: str, request_id: object = None, data: object = None) -> bytes:
    error: dict[str, Any] = {"code": code, "message": message}
    if data is not None:
        error["data"] = data
    return msgspec.json.encode({"jsonrpc": "2.0", "id": request_id, "error": error}, enc_hook=str)


def refusal_body(message: str) -> bytes:
    """Return the body of a refused request."""
    return _error(types.INVALID_REQUEST, message)
