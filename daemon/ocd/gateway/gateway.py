"""The gateway (a part of the daemon): other MCP servers, and their tools as verbs."""

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from ocd.api.errors import OcdError
from ocd.api.waiting import Spawn
from ocd.config.tables import Upstream
from ocd.gateway.tool_pins import PinStore
from ocd.gateway.upstream import ListName, UpstreamServer, UpstreamServices
from ocd.safety.sanitize import Sanitizer
from ocd.verb_api.capabilities import UPSTREAM_MARK
from ocd.verb_api.declaration import Verb

logger = logging.getLogger(__name__)

# How long a list of tools waits for servers that are starting; later ones are announced.
SETTLE_S = 8.0
CLOSE_S = 8.0

Listener = Callable[[ListName], Awaitable[None]]
Ask = Callable[[UpstreamServer], Awaitable[list[dict[str, Any]]]]


class Gateway:
    """The configured servers. `entries`: catalog entries of their tools, by name.

    tables: as in `configure`. load: imports a module of oc_mcp in a thread.
    """

    def __init__(
        self,
        tables: Mapping[str, Upstream],
        pins: PinStore,
        sanitizer: Sanitizer,
        *,
        load: Callable[[str], Awaitable[Any]],
        spawn: Spawn,
    ) -> None:
        self.entries: dict[str, Mapping[str, Any]] = {}
        self._services = UpstreamServices(pins, sanitizer, load, spawn, self._publish, self._notify)
        self._servers: dict[str, UpstreamServer] = {}
        self._listeners: set[Listener] = set()
        self.configure(tables)

    @property
    def names(self) -> list[str]:
        """The names of the servers, sorted."""
        return sorted(self._servers)

    def configure(self, tables: Mapping[str, Upstream]) -> None:
        """Set the servers; removed or changed ones end, and start again when needed."""
        before = self._servers
        unchanged = {name: one for name, one in before.items() if tables.get(name) == one.table}
        for server in before.values():
            if server.name not in unchanged:
                server.remove()
        new = {
            name: UpstreamServer(name, tables[name], self._services)
            for name in tables
            if name not in unchanged
        }
        self._servers = unchanged | new
        self._publish()
        if new and self._listeners:
            # Hosts that have listed the tools already are notified once it is known what came.
            self._services.spawn(self.settle())
        if before and set(before.values()) != set(self._servers.values()):
            self._notify("resources")
            self._notify("prompts")

    def watch(self, listener: Listener) -> Callable[[], None]:
        """Call `listener` with each list that has changed; the returned function ends that."""
        self._listeners.add(listener)
        return lambda: self._listeners.discard(listener)

    def _publish(self) -> None:
        servers = self._servers.values()
        found = {entry.name: entry.entry for server in servers for entry in server.offered.values()}
        if found == self.entries:
            return
        self.entries.clear()
        self.entries.update(sorted(found.items()))
        self._notify("tools")

    def _notify(self, changed: ListName) -> None:
        for listener in list(self._listeners):
            self._services.spawn(_call_listener(listener, changed))

    async def settle(self) -> None:
        """Wait, some seconds at most, until every server's tools are known or it has failed."""
        waiting = [server for server in self._servers.values() if not server.known.is_set()]
        if not waiting:
            return
        try:
            async with asyncio.timeout(SETTLE_S), asyncio.TaskGroup() as group:
                for server in waiting:
                    group.create_task(server.settle())
        except TimeoutError:
            logger.info("tools are listed without those of servers that are still starting")

    async def verb(self, name: str) -> Verb | None:
        """Return a tool as a verb; None if there is no tool of that name.

        Raises upstream_gone if its server cannot be asked, upstream_withheld if it is not approved.
        """
        server = self._servers.get(name.partition(UPSTREAM_MARK)[0])
        return await server.verb(name) if server and UPSTREAM_MARK in name else None

    async def resources(self) -> list[dict[str, Any]]:
        """Return the resources of the servers that respond."""
        return await self._gather("resources", UpstreamServer.resources)

    async def templates(self) -> list[dict[str, Any]]:
        """Return the resource templates of the servers that respond."""
        return await self._gather("templates", UpstreamServer.templates)

    async def prompts(self) -> list[dict[str, Any]]:
        """Return the prompts of the servers that respond."""
        return await self._gather("prompts", UpstreamServer.prompts)

    async def _gather(self, list_name: str, list_of: Ask) -> list[dict[str, Any]]:
        await self.settle()
        found = list[dict[str, Any]]()

        async def ask(server: UpstreamServer) -> None:
            try:
                found.extend(await list_of(server))
            except OcdError as error:
                logger.info("%s of %s are not listed: %s", list_name, server.name, error.message)

        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(SETTLE_S), asyncio.TaskGroup() as group:
                for server in self._servers.values():
                    if server.known.is_set():
                        group.create_task(ask(server))
        return sorted(
            found, key=lambda one: (one["name"], one.get("uri") or one.get("uriTemplate", ""))
        )

    async def review(self, name: str) -> dict[str, Any]:
        """Return what approving a server's current tools would approve."""
        return await self._server(name).review()

    async def approve(self, name: str, mark: str) -> dict[str, Any]:
        """Approve all current tools of a server; see UpstreamServer.approve."""
        return await self._server(name).approve(mark)

    def withheld(self) -> list[UpstreamServer]:
        """Return the servers with tools that nobody has approved."""
        return [self._servers[name] for name in self.names if self._servers[name].withholds]

    def _server(self, name: str) -> UpstreamServer:
        if name in self._servers:
            return self._servers[name]
        known = ", ".join(self.names) or "none"
        hint = f"Configured: {known}. They are [upstream.NAME] tables of config.toml."
        raise OcdError("not_found", f"There is no upstream '{name}'", hint=hint, upstream=name)

    async def states(self) -> list[dict[str, Any]]:
        """Return each server's state, its tools, and which of them are withheld."""
        await self.settle()
        return [self._servers[name].state() for name in self.names]

    async def close(self) -> None:
        """End all servers, within bounded time."""
        running = [server for server in self._servers.values() if server.actor is not None]
        for server in running:
            server.remove()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(CLOSE_S):
                for server in running:
                    await server.ended.wait()

    def __repr__(self) -> str:
        return f"Gateway({self.names})"


async def _call_listener(listener: Listener, changed: ListName) -> None:
    await listener(changed)
