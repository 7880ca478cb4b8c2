"""The MCP server: the SDK's low-level Server over the daemon, for one connection or HTTP.

Importing this costs 0.6 s and 40 MB; the daemon does it when the first bridge connects.
"""

import asyncio
import contextlib
from collections.abc import Sequence
from typing import Any

import mcp_types as types
from mcp.server.caching import CacheHint
from mcp.server.lowlevel import NotificationOptions, Server
from mcp.server.models import InitializationOptions
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from oc_mcp.server.caller import Caller, caller_from
from oc_mcp.server.completions import Completions
from oc_mcp.server.daemon_protocol import DaemonProtocol
from oc_mcp.server.list_changed import ListChangedNotifier
from oc_mcp.server.prompts import Prompts
from oc_mcp.server.resources import Resources
from oc_mcp.server.socket_connection import serve_lines
from oc_mcp.server.subscriptions import Subscriptions
from oc_mcp.server.tasks_extension import Tasks
from oc_mcp.server.tools import CallerOf, ToolHandlers
from ocd.api import agent_guide
from ocd.api.wire import Hello

HOUR_MS = 3_600_000
_CACHE = {
    "server/discover": CacheHint(ttl_ms=HOUR_MS, scope="private"),
    "tools/list": CacheHint(ttl_ms=300_000, scope="private"),
    "prompts/list": CacheHint(ttl_ms=300_000, scope="private"),
    "resources/list": CacheHint(ttl_ms=300_000, scope="private"),
    "resources/templates/list": CacheHint(ttl_ms=300_000, scope="private"),
    "resources/read": CacheHint(ttl_ms=0, scope="private"),
}


class OpenChromeServer(Server[dict[str, Any]]):
    """The SDK's server, which also announces which lists may change.

    On revisions with a handshake, expand_tools extends the list of tools. On the newest revision
    lists are the same for all callers, and only other servers behind the gateway change them.
    """

    has_upstreams = False
    has_page_tools = False

    def create_initialization_options(
        self,
        notification_options: NotificationOptions | None = None,
        experimental_capabilities: dict[str, dict[str, Any]] | None = None,
        extensions: dict[str, dict[str, Any]] | None = None,
    ) -> InitializationOptions:
        """Return what `initialize` answers."""
        options = notification_options or NotificationOptions(
            tools_changed=True,
            prompts_changed=self.has_upstreams,
            resources_changed=self.has_upstreams,
        )
        return super().create_initialization_options(options, experimental_capabilities, extensions)

    def get_capabilities(
        self,
        notification_options: NotificationOptions | None = None,
        experimental_capabilities: dict[str, dict[str, Any]] | None = None,
        extensions: dict[str, dict[str, Any]] | None = None,
        *,
        protocol_version: str | None = None,
    ) -> types.ServerCapabilities:
        """Return the capabilities of both eras; the SDK infers all of them from a listen stream."""
        found = super().get_capabilities(
            notification_options,
            experimental_capabilities,
            extensions,
            protocol_version=protocol_version,
        )
        if protocol_version in MODERN_PROTOCOL_VERSIONS and not self.has_upstreams:
            same = (None if self.has_page_tools else found.tools, found.resources, found.prompts)
            for listed in same:
                if listed is not None:
                    listed.list_changed = False
        return found


def build(
    daemon: DaemonProtocol, caller_of: CallerOf, tasks: Tasks | None = None
) -> tuple[OpenChromeServer, ListChangedNotifier, Subscriptions]:
    """Return a server, its notifier of changed lists, and its task subscriptions.

    Args:
        caller_of: returns the caller behind a request's context.
    """
    tasks = tasks or Tasks(daemon)
    tools = ToolHandlers(daemon, caller_of, tasks)
    notifier = ListChangedNotifier()
    resources = Resources(daemon, caller_of)
    prompts = Prompts(resources)
    subscriptions = Subscriptions(daemon, resources, notifier.bus)
    server = OpenChromeServer(
        "openchrome",
        title="OpenChrome",
        version=daemon.version,
        instructions=agent_guide.instructions(),
        cache_hints=_CACHE,  # type: ignore[arg-type] # its keys are the SDK's literals
        on_list_tools=tools.list_tools,  # type: ignore[arg-type] # wire shape, see results
        on_call_tool=tools.call_tool,  # type: ignore[arg-type]
        on_list_resources=resources.list_resources,
        on_list_resource_templates=resources.list_templates,
        on_read_resource=resources.read,
        on_list_prompts=prompts.list_prompts,
        on_get_prompt=prompts.get_prompt,
        on_subscribe_resource=subscriptions.subscribe,
        on_unsubscribe_resource=subscriptions.unsubscribe,
        on_subscriptions_listen=subscriptions.listen,
        on_completion=Completions(daemon, caller_of).complete,
        get_tool_input_schema=lambda name: daemon.entries.get(name, {}).get("params"),
    )
    server.has_upstreams = daemon.has_upstreams
    tasks.serve(server)
    notifier.serve(server)
    return server, notifier, subscriptions


class Bridges:
    """Serves bridges' connections, which share the state of tasks."""

    def __init__(self, daemon: DaemonProtocol) -> None:
        self._daemon = daemon
        self._tasks = Tasks(daemon)

    def caller(self, hello: Hello) -> Caller:
        """Return the caller that a hello line describes."""
        return caller_from(self._daemon, hello)

    async def serve(
        self,
        caller: Caller,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        first: Sequence[bytes] = (),
    ) -> None:
        """Serve one connection until it ends; `first` are the lines that have been read already."""
        server, notifier, subscriptions = build(self._daemon, lambda _ctx: caller, self._tasks)
        with contextlib.ExitStack() as watched:
            watched.callback(self._daemon.watch(notifier.notify))
            if caller.page_tools:
                server.has_page_tools = True
                watched.callback(self._daemon.watch_page_tools(caller.session, notifier.notify))
            async with subscriptions:
                await serve_lines(server, reader, writer, first)
