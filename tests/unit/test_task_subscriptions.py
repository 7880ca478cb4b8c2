"""Task subscriptions without a daemon: they end with the connection or stream that asked."""

import asyncio
from collections.abc import AsyncGenerator
from typing import Any, cast

import mcp_types as types
import pytest
from mcp import Client
from mcp.server.lowlevel import Server
from mcp.server.subscriptions import InMemorySubscriptionBus
from mcp.shared.exceptions import MCPError
from mcp.shared.subscriptions import ResourceUpdated

from oc_mcp.server import subscriptions
from oc_mcp.server.daemon_protocol import DaemonProtocol
from oc_mcp.server.resources import Resources
from oc_mcp.server.subscriptions import Subscriptions
from ocd.api.errors import OcdError
from ocd.ledger.folder_watch import ChangeSignal

pytestmark = pytest.mark.filterwarnings("ignore::mcp.shared.exceptions.MCPDeprecationWarning")


class Ledger:
    """A daemon and its resources, as Subscriptions sees them: every address is a task."""

    def __init__(self) -> None:
        self.states: asyncio.Queue[str | Exception] = asyncio.Queue()
        self.followed: set[str] = set()
        self._changed = ChangeSignal()

    async def task_states(self, task_id: str) -> AsyncGenerator[dict[str, str], None]:
        self.followed.add(task_id)
        self._changed.fire()
        try:
            yield {"status": "RUNNING"}
            while isinstance(state := await self.states.get(), str):
                yield {"status": state}
            raise state
        finally:
            self.followed.remove(task_id)
            self._changed.fire()

    async def wait_followed(self, *expected: str) -> None:
        """Wait until exactly these tasks are followed."""
        while self.followed != set(expected):
            await self._changed.next.wait()

    async def subscribable_task(self, _ctx: object, uri: str) -> str:
        if not uri.startswith("task:"):
            raise MCPError(code=types.INVALID_PARAMS, message="no such task")
        return uri


def serve(ledger: Ledger) -> tuple[Server[Any], Subscriptions]:
    served = Subscriptions(
        cast("DaemonProtocol", ledger), cast("Resources", ledger), InMemorySubscriptionBus()
    )
    server: Server[Any] = Server(
        "test",
        on_subscribe_resource=served.subscribe,
        on_unsubscribe_resource=served.unsubscribe,
        on_subscriptions_listen=served.listen,
    )
    return server, served


async def test_subscriptions_end_with_their_connection() -> None:
    """The other connection of the same server continues."""
    ledger = Ledger()
    server, served = serve(ledger)
    async with served, Client(server, mode="legacy") as stays:
        async with Client(server, mode="legacy") as goes:
            await goes.subscribe_resource("task:a")
            await goes.subscribe_resource("task:b")
            await stays.subscribe_resource("task:c")
            await goes.unsubscribe_resource("task:a")
            await ledger.wait_followed("task:b", "task:c")
        await ledger.wait_followed("task:c")
        assert ledger.followed == {"task:c"}
    await ledger.wait_followed()
    assert ledger.followed == set()


async def test_subscriptions_end_with_their_stream() -> None:
    ledger = Ledger()
    server, served = serve(ledger)
    async with served, Client(server, mode="auto") as client:
        async with client.listen(resource_subscriptions=["task:a", "other"]) as stream:
            assert stream.honored.resource_subscriptions == ["task:a"]
            ledger.states.put_nowait("COMPLETED")
            assert await anext(aiter(stream)) == ResourceUpdated(uri="task:a")
            assert ledger.followed == {"task:a"}
        await ledger.wait_followed()


@pytest.mark.parametrize("problem", [OcdError("task_not_found", "gone"), ValueError("a bug")])
async def test_a_failing_subscription_does_not_end_the_connection(
    problem: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    """The bug is logged, and the host can subscribe again."""
    ledger = Ledger()
    server, served = serve(ledger)
    async with served, Client(server, mode="legacy") as client:
        await client.subscribe_resource("task:a")
        await ledger.wait_followed("task:a")
        ledger.states.put_nowait(problem)
        await ledger.wait_followed()
        await client.subscribe_resource("task:a")
        await ledger.wait_followed("task:a")
    logged = [record.message for record in caplog.records if record.levelname == "ERROR"]
    assert bool(logged) == isinstance(problem, ValueError)


async def test_subscriptions_per_connection_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subscriptions, "MAX_FOLLOWED", 2)
    ledger = Ledger()
    server, served = serve(ledger)
    async with served, Client(server, mode="legacy") as client:
        for uri in ("task:a", "task:b", "task:b"):
            await client.subscribe_resource(uri)
        with pytest.raises(MCPError, match="2 tasks, the maximum"):
            await client.subscribe_resource("task:c")
