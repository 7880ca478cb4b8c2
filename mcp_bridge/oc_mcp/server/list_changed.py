"""Notifying hosts that a list has changed, in both protocol eras."""

import asyncio
import contextlib
import logging
from collections.abc import Mapping
from typing import Any

import anyio
import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.session import ServerSession
from mcp.server.subscriptions import (
    InMemorySubscriptionBus,
    PromptsListChanged,
    ResourcesListChanged,
    ServerEvent,
    ToolsListChanged,
)
from mcp.shared.exceptions import MCPError

from oc_mcp.server.daemon_protocol import ListName
from ocd.api.bounded_dict import BoundedDict

logger = logging.getLogger(__name__)

# How long a host that does not read may delay the others.
NOTIFY_S = 5.0
# As many sessions as HTTP accepts at once; ended ones are not announced.
_MAX_ITEMS = 128
_EVENTS: Mapping[ListName, ServerEvent] = {
    "tools": ToolsListChanged(),
    "prompts": PromptsListChanged(),
    "resources": ResourcesListChanged(),
}


class ListChangedNotifier:
    """The hosts behind one server: those with a handshake, and those with a listen stream."""

    def __init__(self) -> None:
        self.bus = InMemorySubscriptionBus()
        self._sessions = BoundedDict[int, ServerSession](_MAX_ITEMS)

    def serve(self, server: Server[Any]) -> None:
        """Register for the handshakes of hosts."""
        server.add_notification_handler(
            "notifications/initialized", types.NotificationParams, self._on_request
        )

    async def _on_request(self, ctx: ServerRequestContext[Any, Any], _params: object) -> None:
        self._sessions[id(ctx.session)] = ctx.session

    async def notify(self, changed: ListName) -> None:
        """Notify all of them that the list has changed."""
        await self.bus.publish(_EVENTS[changed])
        for key, session in list(self._sessions.items()):
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(NOTIFY_S):
                    await self._send(key, session, changed)

    async def _send(self, key: int, session: ServerSession, changed: ListName) -> None:
        try:
            match changed:
                case "tools":
                    await session.send_tool_list_changed()
                case "prompts":
                    await session.send_prompt_list_changed()
                case "resources":
                    await session.send_resource_list_changed()
        except (MCPError, anyio.ClosedResourceError, anyio.BrokenResourceError) as error:
            logger.debug("a host has gone: %s", type(error).__name__)
            self._sessions.pop(key, None)
