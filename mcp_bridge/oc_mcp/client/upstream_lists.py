"""Lists of other MCP servers, page by page, and their errors as text."""

from collections.abc import Awaitable, Callable
from typing import Any, Literal

import anyio
import httpx2
import mcp_types as types
from mcp.shared.exceptions import MCPError
from pydantic import BaseModel, ValidationError

from oc_mcp.client.envelopes import MAX_LISTED, open_envelope
from oc_mcp.client.uri_templates import variables_of
from ocd.api.errors import OcdError

MAX_PAGES = 50
# The errors that may end a connection; the SDK's tasks raise theirs in groups.
FAILURES = (
    OSError, MCPError, TimeoutError, ValueError, RuntimeError, ExceptionGroup, httpx2.HTTPError,
    anyio.ClosedResourceError, anyio.BrokenResourceError, OcdError,
)  # fmt: skip


_LISTS: dict[str, tuple[Any, type[BaseModel]]] = {
    "tools": (types.ListToolsRequest, types.Tool),
    "resources": (types.ListResourcesRequest, types.Resource),
    "resourceTemplates": (types.ListResourceTemplatesRequest, types.ResourceTemplate),
    "prompts": (types.ListPromptsRequest, types.Prompt),
}
ListName = Literal["tools", "resources", "prompts"]
# Sends one of the SDK's requests and returns the result as it is on the wire.
Send = Callable[[Any], Awaitable[dict[str, Any]]]


async def list_all(
    send: Send, list_name: ListName | Literal["resourceTemplates"]
) -> list[dict[str, Any]]:
    """Return the raw items of a list, MAX_LISTED at most.

    An item that is not valid is returned as it came: it does not invalidate the others.
    """
    request, model = _LISTS[list_name]
    found: list[dict[str, Any]] = []
    cursor: str | None = None
    for _ in range(MAX_PAGES):
        params = types.PaginatedRequestParams(cursor=cursor) if cursor else None
        page = await send(request(params=params))
        items = page.get(list_name)
        found += (
            [_item(open_envelope(item), model) for item in items] if isinstance(items, list) else []
        )
        cursor = page.get("nextCursor")
        if not isinstance(cursor, str) or len(found) >= MAX_LISTED:
            break
    return found[:MAX_LISTED]


async def list_templates(send: Send) -> list[dict[str, Any]]:
    """Return the resource templates, each with its `variables`; many servers have none."""
    try:
        listed = await list_all(send, "resourceTemplates")
    except MCPError as error:
        if error.error.code == types.METHOD_NOT_FOUND:
            return []
        raise
    return [
        template | {"variables": variables_of(template.get("uriTemplate"))} for template in listed
    ]


def _item(one: object, model: type[BaseModel]) -> dict[str, Any]:
    try:
        checked = model.model_validate(one)
    except ValidationError:
        return one if isinstance(one, dict) else {}
    return checked.model_dump(by_alias=True, mode="json", exclude_none=True)


def is_connection_closed(error: MCPError) -> bool:
    """Return whether an error means that the HTTP connection has ended, not just one request.

    The code alone is not enough: servers use it for errors of their own, too.
    """
    message = error.error.message
    if error.error.code == types.CONNECTION_CLOSED:
        return message == "Connection closed" or message.startswith("SSE stream ")
    return message == "Session terminated"


def words(error: BaseException) -> str:
    """Return an error's text; for a group, that of its first member."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    if isinstance(error, TimeoutError):
        return "it did not answer in time"
    if isinstance(error, OcdError):
        return error.message
    lines = str(error).strip().splitlines()
    return f"{type(error).__name__}: {lines[0][:200]}" if lines else type(error).__name__
