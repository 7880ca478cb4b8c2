"""What other MCP servers list, page by page, and what their failures are in words."""

from collections.abc import Awaitable, Callable
from typing import Any

import anyio
import httpx2
import mcp_types as types
from mcp.shared.exceptions import MCPError

from ocd.api.errors import OcdError

MAX_PAGES = 50
# What a connection may end with; tasks of the SDK put theirs into groups.
FAILURES = (
    OSError, MCPError, TimeoutError, ValueError, RuntimeError, ExceptionGroup, httpx2.HTTPError,
    anyio.ClosedResourceError, anyio.BrokenResourceError, OcdError,
)  # fmt: skip


async def listed(ask: Callable[..., Awaitable[Any]], what: str) -> list[dict[str, Any]]:
    """Return all that a list has, as it is on the wire. what: where a page has its items."""
    found: list[dict[str, Any]] = []
    cursor: str | None = None
    for _ in range(MAX_PAGES):
        page = await ask(cursor=cursor)
        found += [
            one.model_dump(by_alias=True, mode="json", exclude_none=True)
            for one in getattr(page, what)
        ]
        cursor = page.next_cursor
        if cursor is None:
            break
    return found


def is_end(error: MCPError) -> bool:
    """Return whether the connection is over, and not one request alone."""
    ended = error.error.code == types.CONNECTION_CLOSED
    return ended or error.error.message == "Session terminated"


def words(error: BaseException) -> str:
    """Return what failed; a group says what its first member does."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    if isinstance(error, TimeoutError):
        return "it did not answer in time"
    if isinstance(error, OcdError):
        return error.message
    said = str(error).strip().splitlines()
    return f"{type(error).__name__}: {said[0][:200]}" if said else type(error).__name__
