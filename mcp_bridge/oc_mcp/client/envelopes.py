"""Another server's results, passed around the SDK's all-or-nothing validation.

The SDK rejects a list of tools because of one invalid tool, and checks long results on the event
loop. So what we check ourselves is carried inside a small, valid result.
"""

from collections.abc import Mapping
from typing import Any

import mcp_types as types
from mcp.shared.message import SessionMessage

# Items of a list beyond this number are ignored: fewer than that are ever offered.
MAX_LISTED = 500
# The SDK reads from these which arguments it must repeat in headers.
HEADER_MARK = "x-mcp-header"
_KEY = "openchrome/carried"
_CONTENTS = ("content", "contents", "messages")
_LISTS = ("tools", "resources", "resourceTemplates", "prompts")


class _Envelope(str):
    """A short text to everything that checks or copies a result; `inside` is what it carries."""

    def __new__(cls, inside: object) -> "_Envelope":
        sealed = super().__new__(cls, "sealed")
        sealed.inside = inside
        return sealed

    inside: object


def put_in_envelopes(item: SessionMessage | Exception) -> SessionMessage | Exception:
    """Return a message whose result, or whose list items, are carried in envelopes."""
    if not isinstance(item, SessionMessage) or not isinstance(item.message, types.JSONRPCResponse):
        return item
    result = item.message.result
    for what in _LISTS:
        if isinstance(result.get(what), list):
            inner = [_item(entry, what) for entry in result[what][:MAX_LISTED]]
            return _with(item, item.message, {**result, what: inner})
    for what in _CONTENTS:
        if what in result:
            rest = {
                k: v for k, v in result.items() if k not in (what, "structuredContent", "_meta")
            }
            return _with(item, item.message, {**rest, what: [], "_meta": {_KEY: _Envelope(result)}})
    return item


def _with(
    item: SessionMessage, response: types.JSONRPCResponse, result: dict[str, Any]
) -> SessionMessage:
    message = types.JSONRPCResponse(jsonrpc="2.0", id=response.id, result=result)
    return SessionMessage(message, metadata=item.metadata)


def _item(one: object, what: str) -> dict[str, Any]:
    carrier: dict[str, Any] = {"name": "carrier", "_meta": {_KEY: _Envelope(one)}}
    if what == "resources":
        return {**carrier, "uri": "carrier:"}
    if what == "resourceTemplates":
        return {**carrier, "uriTemplate": "carrier:"}
    if what == "prompts":
        return carrier
    if isinstance(one, dict) and HEADER_MARK in str(one.get("inputSchema")):
        return {**carrier, "name": str(one.get("name")), "inputSchema": one["inputSchema"]}
    return {**carrier, "inputSchema": {"type": "object"}}


def open_envelope(result: Mapping[str, Any]) -> Any:  # noqa: ANN401 - as it came
    """Return what an envelope carries, a result or a list item; anything else unchanged."""
    meta = result.get("_meta")
    carried = meta.get(_KEY) if isinstance(meta, dict) else None
    return carried.inside if isinstance(carried, _Envelope) else result
