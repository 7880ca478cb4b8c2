"""Subscriptions to tasks: hosts are notified of changes, in both protocol eras.

In handshake revisions, hosts subscribe and unsubscribe, and are notified until their connection
ends; in the newest revision, they name their subscriptions when they open the listen stream.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Mapping
from contextlib import aclosing, asynccontextmanager
from functools import partial
from typing import Any, Self

import anyio
import mcp_types as types
from mcp.server.connection import Connection
from mcp.server.subscriptions import (
    InMemorySubscriptionBus,
    ListenHandler,
    ResourceUpdated,
    ServerEvent,
)
from mcp.shared.exceptions import MCPError

from oc_mcp.server.daemon_protocol import DaemonProtocol
from oc_mcp.server.progress import PACE_S
from oc_mcp.server.resources import Context, Resources
from ocd.api.errors import OcdError

logger = logging.getLogger(__name__)

# The most tasks that one connection or stream may follow, and the most open streams.
MAX_FOLLOWED = 64
MAX_STREAMS = 128
_STATE = "openchrome.subscriptions"

Tell = Callable[[], Awaitable[None]]
Followers = dict[str, asyncio.Task[None]]


class Subscriptions:
    """The subscriptions of one server; `async with` it while the server runs.

    Args:
        lists: notifies of lists that have changed.
    """

    def __init__(
        self, daemon: DaemonProtocol, resources: Resources, lists: InMemorySubscriptionBus
    ) -> None:
        self._daemon = daemon
        self._resources = resources
        self._lists = lists
        self.group = asyncio.TaskGroup()
        self._streams = 0

    async def __aenter__(self) -> Self:
        await self.group.__aenter__()
        return self

    async def __aexit__(self, *exc_info: Any) -> None:  # noqa: ANN401 - as the protocol has it
        await self.group.__aexit__(*exc_info)

    # --- handshake revisions -------------------------------------------------------------------

    async def subscribe(
        self, ctx: Context, params: types.SubscribeRequestParams
    ) -> types.EmptyResult:
        """Answer resources/subscribe; once more is as good as once."""
        uri = str(params.uri)
        task_id = await self._resources.subscribable_task(ctx, uri)
        followers = _followers(ctx)
        for ended in [known for known, follower in followers.items() if follower.done()]:
            del followers[ended]
        if uri not in followers:
            if len(followers) >= MAX_FOLLOWED:
                raise MCPError(
                    code=types.INVALID_PARAMS,
                    message=f"This connection already follows {MAX_FOLLOWED} tasks, the maximum",
                    data={"uri": uri, "limit": MAX_FOLLOWED},
                )
            tell = partial(ctx.session.send_resource_updated, uri)
            followers[uri] = self.group.create_task(self._follow(task_id, tell))
        return types.EmptyResult()

    async def unsubscribe(
        self, ctx: Context, params: types.UnsubscribeRequestParams
    ) -> types.EmptyResult:
        """Answer resources/unsubscribe; it is not an error if there is no subscription."""
        follower = _followers(ctx).pop(str(params.uri), None)
        if follower is not None:
            follower.cancel()
        return types.EmptyResult()

    # --- the newest revision -------------------------------------------------------------------

    async def listen(
        self, ctx: Context, params: types.SubscriptionsListenRequestParams
    ) -> types.SubscriptionsListenResult:
        """Answer subscriptions/listen; the acknowledgement names only what is followed."""
        if self._streams >= MAX_STREAMS:
            raise MCPError(code=types.INTERNAL_ERROR, message="Subscription limit reached")
        self._streams += 1
        try:
            return await self._stream(ctx, params)
        finally:
            self._streams -= 1

    async def _stream(
        self, ctx: Context, params: types.SubscriptionsListenRequestParams
    ) -> types.SubscriptionsListenResult:
        filters = params.notifications
        tasks = await self._task_ids(ctx, filters.resource_subscriptions or ())
        honored = filters.model_copy(update={"resource_subscriptions": list(tasks)})
        bus = _StreamBus(self._lists)
        async with self._following(tasks, bus):
            return await ListenHandler(bus)(
                ctx, params.model_copy(update={"notifications": honored})
            )

    @asynccontextmanager
    async def _following(self, tasks: Mapping[str, str], bus: "_StreamBus") -> AsyncGenerator[None]:
        async with anyio.create_task_group() as group:
            for uri, task_id in tasks.items():
                updated = ResourceUpdated(uri=uri)
                group.start_soon(self._follow, task_id, partial(bus.publish, updated))
            try:
                yield
            finally:
                group.cancel_scope.cancel()

    async def _task_ids(self, ctx: Context, uris: Iterable[str]) -> dict[str, str]:
        """Return the task behind each address; addresses that are not our tasks are left out."""
        found: dict[str, str] = {}
        for uri in uris:
            if len(found) == MAX_FOLLOWED:
                break
            try:
                found[str(uri)] = await self._resources.subscribable_task(ctx, str(uri))
            except MCPError as error:
                logger.debug("not followed: %s", error)
        return found

    # --- both ----------------------------------------------------------------------------------

    async def _follow(self, task_id: str, tell: Tell) -> None:
        """Notify whenever the task has changed, at most twice a second, and once it has ended."""
        seen = None
        try:
            async with aclosing(self._daemon.task_states(task_id)) as states:
                async for meta in states:
                    if seen not in (None, meta):
                        await tell()
                        await asyncio.sleep(PACE_S)
                    seen = meta
        except OcdError as error:
            logger.debug("task %s is not followed any more: %s", task_id, error)
        except (MCPError, anyio.ClosedResourceError, anyio.BrokenResourceError) as error:
            logger.debug("a host has gone: %s", type(error).__name__)
        except Exception:
            # A bug in following one task must not end the connection, or all HTTP connections.
            logger.exception("following task %s failed", task_id)


class _StreamBus:
    """The events of one listen stream: changes of lists, and of the tasks that it follows."""

    def __init__(self, lists: InMemorySubscriptionBus) -> None:
        self._lists = lists
        self._own = InMemorySubscriptionBus()

    async def publish(self, event: ServerEvent) -> None:
        """Deliver an event to this stream."""
        await self._own.publish(event)

    def subscribe(self, listener: Callable[[ServerEvent], None]) -> Callable[[], None]:
        """Deliver all events to the listener until what is returned is called."""
        forget_lists, forget_own = self._lists.subscribe(listener), self._own.subscribe(listener)

        def forget() -> None:
            forget_lists()
            forget_own()

        return forget


def _followers(ctx: Context) -> Followers:
    """Return the connection's followers by address; they end with the connection."""
    # The SDK passes handlers only the request's session, whose connection is private.
    connection: Connection = ctx.session._connection  # noqa: SLF001
    known: Followers | None = connection.state.get(_STATE)
    if known is None:
        known = connection.state[_STATE] = {}
        connection.exit_stack.callback(_end_all, known)
    return known


def _end_all(followers: Followers) -> None:
    for follower in followers.values():
        follower.cancel()
