"""The MCP socket: what happens to a session whose host has disconnected."""

import asyncio
from collections.abc import AsyncIterator, Callable
from types import SimpleNamespace
from typing import Any, cast

import pytest

from ocd.calls.services import CallServices
from ocd.config.settings import Config
from ocd.server import mcp_socket
from ocd.server.mcp_socket import McpSocketServer


class _Sessions:
    """Sessions, and their recordings, as far as the door needs them."""

    def __init__(self) -> None:
        self.open = {"mcp-1"}
        self.closed = asyncio.Event()
        self.recorded = {"mcp-1"}

    async def leave(self, session: str) -> None:
        """The recorder's part: the session's recording ends."""
        self.recorded.discard(session)

    def names(self) -> list[str]:
        return sorted(self.open)

    def get(self, name: str) -> "_Sessions":
        assert name in self.open
        return self

    async def close(self) -> None:
        self.open.clear()
        self.closed.set()


MakeDoor = Callable[[_Sessions], McpSocketServer]


@pytest.fixture
async def make_door(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[MakeDoor]:
    monkeypatch.setattr(mcp_socket, "SESSION_GRACE_S", 0.05)
    async with asyncio.TaskGroup() as group:

        def make(sessions: _Sessions) -> McpSocketServer:
            road = SimpleNamespace(
                capabilities=(),
                closing=asyncio.Event(),
                sessions=sessions,
                recorder=sessions,
                gateway=SimpleNamespace(entries={}),
                leases=SimpleNamespace(list=list),
            )
            config: Any = Config
            return McpSocketServer(
                cast(CallServices, road), {}, version="0", config=config, status=dict,
                spawn=group.create_task,
            )  # fmt: skip

        yield make


async def test_the_tabs_of_an_ended_session_are_closed(make_door: MakeDoor) -> None:
    """Nobody else would close them."""
    sessions = _Sessions()
    door = make_door(sessions)
    door.enter("mcp-1")
    door.leave("mcp-1", shared=False)
    async with asyncio.timeout(300):
        await sessions.closed.wait()
    assert not sessions.recorded


async def test_a_host_that_reconnects_finds_its_tabs(make_door: MakeDoor) -> None:
    """A bridge whose connection broke reconnects with the same id."""
    sessions = _Sessions()
    door = make_door(sessions)
    door.enter("mcp-1")
    door.leave("mcp-1", shared=False)
    door.enter("mcp-1")
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(sessions.closed.wait(), 0.3)


async def test_shared_sessions_keep_their_tabs(make_door: MakeDoor) -> None:
    sessions = _Sessions()
    door = make_door(sessions)
    door.enter("mcp-1")
    door.leave("mcp-1", shared=True)
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(sessions.closed.wait(), 0.3)
