"""JSON-RPC lines as the relay sees them: split from a stream, with their ids."""

import json
from typing import Any

# A response begins with these bytes; longer ones are not decoded only to see their id.
HEAD = 512
LOST = -32603


def cut(read: Any) -> Any:  # noqa: ANN401 - a function and an iterator of bytes
    """Yield whole lines, each with its newline, until `read` answers nothing or fails."""
    # One block that grows: the memory of many pieces would never go back to the system.
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
            del message  # it may be large, and the next may be long in coming
        partial += rest
    if partial:
        yield _ended(partial, b"")


def _ended(partial: bytearray, rest: bytes) -> bytes:
    partial += rest
    partial += b"\n"
    return bytes(partial)


def decode(line: bytes) -> dict[str, Any]:
    """Return the message, {} if it is not one."""
    try:
        message = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return message if isinstance(message, dict) else {}


def key(request_id: object) -> str:
    """Return an id as it stands on the wire: 1 and "1" are two."""
    return json.dumps(request_id)


def key_of_cancelled(message: dict[str, Any]) -> str:
    """Return the id that a cancelling notification names."""
    params = message.get("params")
    return key(params.get("requestId") if isinstance(params, dict) else None)


def key_of_request(line: bytes) -> str:
    """Return the id of a request as it stands on the wire."""
    return key(decode(line).get("id"))


def subscription(uri: str) -> bytes:
    """Return a request of the relay's own to follow a resource; hosts do not use such ids."""
    request = {"id": f"oc-mcp {uri}", "method": "resources/subscribe", "params": {"uri": uri}}
    return json.dumps({"jsonrpc": "2.0", **request}).encode() + b"\n"


def resource_updated(uri: str) -> bytes:
    """Return the notification that a resource is not what it was."""
    notification = {"method": "notifications/resources/updated", "params": {"uri": uri}}
    return json.dumps({"jsonrpc": "2.0", **notification}).encode() + b"\n"


def response_key(line: bytes) -> str | None:
    """Return the id of a response, None for anything else."""
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
    """Return the answer to a request that the daemon took with it."""
    error = {
        "code": LOST,
        "message": "Lost connection to the OpenChrome daemon during the call; call again",
        "data": {"error": {"code": "daemon_stopped", "hint": "Call again."}},
    }
    return (
        json.dumps({"jsonrpc": "2.0", "id": json.loads(request_key), "error": error}).encode()
        + b"\n"
    )
