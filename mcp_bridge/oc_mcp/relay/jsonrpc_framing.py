"""JSON-RPC lines as the relay sees them: split from a stream, with their ids."""

import json
from typing import Any

# A response begins with these bytes, so that long ones need not be decoded to see their id.
HEAD = 512
LOST = -32603


def cut(read: Any) -> Any:  # noqa: ANN401 - a function and an iterator of bytes
    """Yield whole lines, each with its newline, until `read` returns nothing or fails."""
    # One growing block: the memory of many small pieces would never be returned to the system.
    partial = bytearray()
    while True:
        try:
            chunk = read()
        except OSError:
            chunk = b""
        if not chunk:
            break
        *complete, rest = chunk.split(b"\n")
        for line in complete:
            message = _ended(partial, line)
            partial = bytearray()
            yield message
            del message  # it may be large, and the next one may take long to arrive
        partial += rest
    if partial:
        yield _ended(partial, b"")


def _ended(partial: bytearray, rest: bytes) -> bytes:
    partial += rest
    partial += b"\n"
    return bytes(partial)


def decode(line: bytes) -> dict[str, Any]:
    """Return the message, {} if the line is not a JSON-RPC message."""
    try:
        message = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return message if isinstance(message, dict) else {}


def key(request_id: object) -> str:
    """Return an id in its wire form, in which 1 and "1" differ."""
    return json.dumps(request_id)


def key_of_cancelled(message: dict[str, Any]) -> str:
    """Return the id of the request that a cancellation notification names."""
    params = message.get("params")
    return key(params.get("requestId") if isinstance(params, dict) else None)


def key_of_request(line: bytes) -> str:
    """Return the id of a request in its wire form."""
    return key(decode(line).get("id"))


def subscription(uri: str) -> bytes:
    """Return the relay's own request to subscribe to a resource, with an id that no host uses."""
    request = {"id": f"oc-mcp {uri}", "method": "resources/subscribe", "params": {"uri": uri}}
    return json.dumps({"jsonrpc": "2.0", **request}).encode() + b"\n"


def resource_updated(uri: str) -> bytes:
    """Return the notification that a resource has changed."""
    notification = {"method": "notifications/resources/updated", "params": {"uri": uri}}
    return json.dumps({"jsonrpc": "2.0", **notification}).encode() + b"\n"


def response_key(line: bytes) -> str | None:
    """Return the id of a response; None for any other message."""
    head = line[:HEAD]
    if head.startswith(b'{"jsonrpc":"2.0","method"'):
        return None
    if len(line) <= HEAD:
        message = decode(line)
        return key(message["id"]) if "id" in message and "method" not in message else None
    # The daemon writes jsonrpc, id, result in this order.
    _, _, rest = head.partition(b'"id":')
    request_id, _, _ = rest.partition(b',"')
    try:
        return key(json.loads(request_id))
    except ValueError:
        return None


def lost_reply(request_key: str) -> bytes:
    """Return the error that answers a request which was lost with the daemon."""
    error = {
        "code": LOST,
        "message": "Lost connection to the OpenChrome daemon during the call; call again",
        "data": {"error": {"code": "daemon_stopped", "hint": "Call again."}},
    }
    return (
        json.dumps({"jsonrpc": "2.0", "id": json.loads(request_key), "error": error}).encode()
        + b"\n"
    )
