"""The protocol of a connection to another MCP server, as the gateway uses it."""

import asyncio
from collections.abc import Mapping
from typing import Any, Protocol

from ocd.config.tables import Upstream
from ocd.safety import secrets
from ocd.verb_api.inline_tasks import OnProgress


class UpstreamHandle(Protocol):
    """One server's connection: oc_mcp.client.upstream_connection.Upstream.

    Every failure is an OcdError.
    """

    @property
    def settled(self) -> asyncio.Event:
        """Set once the first attempt to reach the server has succeeded or failed."""
        ...

    def state(self) -> dict[str, Any]:
        """Return the state of the connection."""
        ...

    async def run(self) -> None:
        """Stay connected until stopped, reconnecting after losses."""
        ...

    async def wait_connected(self) -> object:
        """Return the connection once it is made; upstream_gone if that fails."""
        ...

    async def tools(self) -> list[dict[str, Any]]:
        """Return the tools."""
        ...

    async def call(
        self, tool: str, arguments: Mapping[str, Any], on_progress: OnProgress | None
    ) -> dict[str, Any]:
        """Call a tool and return its raw result."""
        ...

    async def resources(self) -> list[dict[str, Any]]:
        """Return the resources; empty if the server has none."""
        ...

    async def templates(self) -> list[dict[str, Any]]:
        """Return the resource templates, each with its `variables`: (name, required)."""
        ...

    async def read_template(self, template: str, values: Mapping[str, str]) -> dict[str, Any]:
        """Read the resource of a template filled in with these values."""
        ...

    async def prompts(self) -> list[dict[str, Any]]:
        """Return the prompts; empty if the server has none."""
        ...

    async def prompt(self, name: str, arguments: Mapping[str, str]) -> dict[str, Any]:
        """Get a prompt and return the raw result."""
        ...

    async def read(self, uri: str) -> dict[str, Any]:
        """Read a resource and return the raw result."""
        ...

    def stop(self) -> None:
        """End; `run` returns soon after."""
        ...


def launch_options(table: Upstream) -> dict[str, Any]:
    """Return how a server is started or reached, with secrets filled in."""
    known = secrets.current()
    return {
        "command": [table.command, *table.args] if table.command else [],
        "env": known.fill(table.env),
        "cwd": str(table.cwd) if table.cwd else None,
        "url": table.url,
        "headers": known.fill(table.headers),
    }
