"""The MCP server: the SDK's low-level Server over the daemon's daemon, for one connection or HTTP.

Importing this costs 0.6 s and 40 MB; the daemon does it when the first bridge connects.
"""

import asyncio
from collections.abc import Sequence
from typing import Any

from mcp.server.caching import CacheHint
from mcp.server.lowlevel import NotificationOptions, Server
from mcp.server.models import InitializationOptions

from oc_mcp.server.caller import Caller, caller_from
from oc_mcp.server.completions import Completions
from oc_mcp.server.daemon_protocol import DaemonProtocol
from oc_mcp.server.list_changed import ListChangedNotifier
from oc_mcp.server.prompts import get_prompt, list_prompts
from oc_mcp.server.resources import Resources
from oc_mcp.server.socket_connection import serve_lines
from oc_mcp.server.tasks_extension import Tasks
from oc_mcp.server.tools import CallerOf, Tools
from ocd.api import agent_guide
from ocd.api.wire import Hello

HOUR_MS = 3_600_000
_CACHE = {
    "server/discover": CacheHint(ttl_ms=HOUR_MS, scope="private"),
    "tools/list": CacheHint(ttl_ms=300_000, scope="private"),
    "prompts/list": CacheHint(ttl_ms=HOUR_MS, scope="private"),
    "resources/list": CacheHint(ttl_ms=300_000, scope="private"),
    "resources/templates/list": CacheHint(ttl_ms=HOUR_MS, scope="private"),
    "resources/read": CacheHint(ttl_ms=0, scope="private"),
}


class OpenChromeServer(Server[dict[str, Any]]):
    """The SDK's server; on handshake revisions it announces that the list of tools may grow."""

    def create_initialization_options(
        self,
        notification_options: NotificationOptions | None = None,
        experimental_capabilities: dict[str, dict[str, Any]] | None = None,
        extensions: dict[str, dict[str, Any]] | None = None,
    ) -> InitializationOptions:
        """Return what `initialize` answers."""
        options = notification_options or NotificationOptions(tools_changed=True)
        return super().create_initialization_options(options, experimental_capabilities, extensions)


def build(
    daemon: DaemonProtocol, caller_of: CallerOf, tasks: Tasks | None = None
) -> tuple[OpenChromeServer, ListChangedNotifier]:
    """Return a server, and what tells its hosts of changes.

    caller_of: tells from a request's context who calls.
    """
    tasks = tasks or Tasks(daemon)
    tools = Tools(daemon, caller_of, tasks)
    notifier = ListChangedNotifier()
    resources = Resources(daemon, caller_of)
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
        on_list_prompts=list_prompts,
        on_get_prompt=get_prompt,
        # Without other servers nothing of ours changes, and there is nothing to listen to.
        on_subscriptions_listen=notifier.listen if daemon.has_upstreams else None,
        on_completion=Completions(daemon, caller_of).complete,
        get_tool_input_schema=lambda name: daemon.entries.get(name, {}).get("params"),
    )
    tasks.serve(server)
    notifier.serve(server)
    return server, notifier


class Bridges:
    """Serves bridges' connections; they share what is known of tasks."""

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
        """Serve one connection until it ends; `first` are lines that were read already."""
        server, notifier = build(self._daemon, lambda _ctx: caller, self._tasks)
        forget = self._daemon.watch(notifier.notify)
        try:
            await serve_lines(server, reader, writer, first)
        finally:
            forget()
