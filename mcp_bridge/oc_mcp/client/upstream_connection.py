"""A connection to another MCP server: one actor owns it and keeps it up.

It speaks all revisions that the SDK does, over a program's stdio or over HTTP.
"""

import asyncio
import contextlib
import logging
import time
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from contextlib import AbstractAsyncContextManager
from functools import partial
from typing import Any, NamedTuple

import anyio
import httpx2
import mcp_types as types
from mcp import Client
from mcp.client.subscriptions import SubscriptionLost
from mcp.shared.exceptions import MCPError
from mcp.shared.subscriptions import PromptsListChanged, ResourcesListChanged, ToolsListChanged
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import TypeAdapter, ValidationError

from oc_mcp.client import envelopes
from oc_mcp.client.upstream_errors import gone_error, tool_error
from oc_mcp.client.upstream_lists import (
    FAILURES,
    MAX_PAGES,
    ListName,
    is_connection_closed,
    list_all,
    list_templates,
    words,
)
from oc_mcp.client.upstream_transports import open_transport
from oc_mcp.client.uri_templates import fill
from ocd.api.errors import OcdError
from ocd.api.waiting import wait_for_event
from ocd.api.wire import Progress

logger = logging.getLogger(__name__)

OnTools = Callable[[list[dict[str, Any]]], Awaitable[None]]
OnChanged = Callable[[ListName], None]
OnProgress = Callable[[Progress], None]

START_S = 30.0
LIST_S = 20.0
FIRST_DELAY_S = 0.5
MAX_DELAY_S = 60.0
# A connection that has lasted this long has recovered from what ended the one before.
HEALTHY_S = 30.0
LISTEN_AGAIN_S = 5.0
CHANGE_PACE_S = 0.2
# A call waits for the next attempt if it is due within this time.
SOON_S = 1.0
_ANY: Any = TypeAdapter(dict[str, Any])


class _Change(NamedTuple):
    """What announces that a list has changed: a notification, or an event of a stream."""

    message: type
    event: type
    list_name: ListName


_CHANGES = (
    _Change(types.ToolListChangedNotification, ToolsListChanged, "tools"),
    _Change(types.PromptListChangedNotification, PromptsListChanged, "prompts"),
    _Change(types.ResourceListChangedNotification, ResourcesListChanged, "resources"),
)


class Upstream:
    """One server. `run` in a task; `tools` and `call` may be called from any other task.

    Args:
        start: command, env, cwd, url and headers, with their placeholders filled in.
        on_tools: called with the server's tools after each start and each change.
        on_changed: called when another of its lists has changed.
    """

    def __init__(
        self, name: str, start: Mapping[str, Any], on_tools: OnTools, on_changed: OnChanged
    ) -> None:
        self.settled = asyncio.Event()
        self._name = name
        self._start = start
        self._on_tools = on_tools
        self._on_changed = on_changed
        self._client: Client | None = None
        self._attempt = asyncio.Event()  # set once this or the next attempt is over
        self._stopping = asyncio.Event()
        self._wake = asyncio.Event()
        self._stale: set[ListName] = set()
        self._lost = False
        self._has_connected = False
        self._problem = ""
        self._retry_at = 0.0
        self._starts = 0
        self._in_flight = 0
        self._stderr_lines: deque[str] = deque(maxlen=20)

    def state(self) -> dict[str, Any]:
        """Return {"state", "starts", "revision"?, "problem"?, "said"?}."""
        client = self._client
        found: dict[str, Any] = {"state": self._state(), "starts": self._starts}
        if client is not None:
            found["revision"] = client.protocol_version
        if self._problem and client is None:
            found |= {"problem": self._problem, "said": "\n".join(self._stderr_lines)}
        return found

    def _state(self) -> str:
        if self._client is not None:
            return "running"
        return "waiting" if self._retry_at > time.monotonic() else "starting"

    def stop(self) -> None:
        """End the connection; `run` returns soon afterwards."""
        self._stopping.set()
        self._wake.set()

    # --- the one task -------------------------------------------------------------------------

    async def run(self) -> None:
        """Stay connected until stopped; reconnect after a loss, with growing pauses."""
        delay = 0.0
        while not self._stopping.is_set():
            began = time.monotonic()
            self._starts += 1
            try:
                await self._connect()
            except FAILURES as error:
                self._problem = self._error_text(error)
            if not self._stopping.is_set():
                logger.warning("upstream %s: %s", self._name, self._problem)
            self._set_down()
            lasted = time.monotonic() - began > HEALTHY_S
            delay = FIRST_DELAY_S if lasted or not delay else min(2 * delay, MAX_DELAY_S)
            await self._pause(delay)
        self._attempt.set()

    def _error_text(self, error: BaseException) -> str:
        text = words(error)
        command = self._start["command"]
        return f"{command[0]}: {text}" if command and text.startswith("FileNot") else text

    def _set_down(self) -> None:
        if self._client is not None:
            self._attempt = asyncio.Event()
        self._client = None

    async def _pause(self, delay: float) -> None:
        self._retry_at = time.monotonic() + delay
        if not self._has_connected:
            over, self._attempt = self._attempt, asyncio.Event()
            over.set()
        self.settled.set()
        await wait_for_event(self._stopping, delay)

    async def _connect(self) -> None:
        self._wake.clear()
        self._lost = self._has_connected = False
        self._problem = "it ended"
        async with contextlib.AsyncExitStack() as stack:
            async with asyncio.timeout(START_S):
                client = await stack.enter_async_context(self._open())
                tools = await _tools_of(client)
            await self._on_tools(tools)
            self._client = client
            self._has_connected = True
            self._attempt.set()
            self.settled.set()
            try:
                async with asyncio.TaskGroup() as group:
                    listening = group.create_task(self._listen(client))
                    await self._until_lost(client)
                    listening.cancel()
            finally:
                self._set_down()  # before the calls in flight fail because it is closed

    async def _until_lost(self, client: Client) -> None:
        while True:
            await self._wake.wait()
            self._wake.clear()
            if self._lost or self._stopping.is_set():
                return
            stale, self._stale = self._stale, set()
            if "tools" in stale:
                async with asyncio.timeout(LIST_S):
                    tools = await _tools_of(client)
                await self._on_tools(tools)
            for what in sorted(stale - {"tools"}):
                self._on_changed(what)
            if stale:  # a server that announces changes all the time is not asked after each
                await wait_for_event(self._stopping, CHANGE_PACE_S)

    def _open(self) -> AbstractAsyncContextManager[Client]:
        self._stderr_lines.clear()
        return open_transport(self._start, self._on_message, self._is_lost, self._stderr_lines)

    def _is_lost(self, why: str = "") -> None:
        self._problem = why or self._problem
        self._lost = True
        self._set_down()
        self._wake.set()

    # --- changes ------------------------------------------------------------------------------

    async def _on_message(self, message: object) -> None:
        self._ask_again(
            [change.list_name for change in _CHANGES if isinstance(message, change.message)]
        )

    def _ask_again(self, changed: Iterable[ListName]) -> None:
        self._stale.update(changed)
        self._wake.set()

    async def _listen(self, client: Client) -> None:
        """Listen for changes where the revision requires a subscription."""
        can = client.server_capabilities
        lists: dict[str, Any] = {
            "tools": can.tools, "prompts": can.prompts, "resources": can.resources,
        }  # fmt: skip
        changing: list[ListName] = [
            change.list_name
            for change in _CHANGES
            if lists[change.list_name] and lists[change.list_name].list_changed
        ]
        if client.protocol_version not in MODERN_PROTOCOL_VERSIONS or not changing:
            return
        filters: Any = {f"{what}_list_changed": True for what in changing}
        while True:
            try:
                async with client.listen(**filters) as changes:
                    self._ask_again(changing)  # earlier changes were not announced to us
                    async for change in changes:
                        self._ask_again(
                            [one.list_name for one in _CHANGES if isinstance(change, one.event)]
                        )
            except (MCPError, SubscriptionLost, TimeoutError) as error:
                logger.debug("upstream %s: not listening: %s", self._name, error)
            await asyncio.sleep(LISTEN_AGAIN_S)
            self._ask_again(["tools"])

    # --- what others ask ----------------------------------------------------------------------

    async def tools(self) -> list[dict[str, Any]]:
        """Ask for the tools, as they are on the wire; upstream_gone if that fails."""
        return await self._with_timeout(_tools_of(await self.wait_connected()))

    async def _with_timeout(self, listing: Awaitable[list[dict[str, Any]]]) -> list[dict[str, Any]]:
        try:
            async with asyncio.timeout(LIST_S):
                return await listing
        except FAILURES as error:
            raise self._gone_error(words(error)) from None

    async def call(
        self, tool: str, arguments: Mapping[str, Any], on_progress: OnProgress | None
    ) -> dict[str, Any]:
        """Call a tool and return its raw result; cancelling this cancels the call there, too.

        Raises:
            OcdError: upstream_gone, or upstream_failed for an error of the protocol.
        """
        params = types.CallToolRequestParams(name=tool, arguments=dict(arguments))

        async def report(progress: float, total: float | None, message: str | None) -> None:
            if on_progress is not None:
                on_progress(Progress(done=progress, total=total, message=(message or "")[:200]))

        # Not `call_tool`: it raises for results that violate their schema, which is not used here.
        return await self._request(
            tool, types.CallToolRequest(params=params), progress_callback=report
        )

    async def read(self, uri: str) -> dict[str, Any]:
        """Read a resource and return the raw result; raises as `call` does."""
        params = types.ReadResourceRequestParams(uri=uri)
        return await self._request("resources/read", types.ReadResourceRequest(params=params))

    async def resources(self) -> list[dict[str, Any]]:
        """Ask for the resources, as they are on the wire; upstream_gone if that fails."""
        client = await self.wait_connected()
        if client.server_capabilities.resources is None:
            return []
        return await self._with_timeout(list_all(partial(_sent, client), "resources"))

    async def templates(self) -> list[dict[str, Any]]:
        """Ask for the resource templates, each with its `variables`; upstream_gone."""
        client = await self.wait_connected()
        if client.server_capabilities.resources is None:
            return []
        return await self._with_timeout(list_templates(partial(_sent, client)))

    async def read_template(self, template: str, values: Mapping[str, str]) -> dict[str, Any]:
        """Read the resource that a template gives with these values; raises as `call` does."""
        return await self.read(fill(template, values))

    async def prompts(self) -> list[dict[str, Any]]:
        """Ask for the prompts, as they are on the wire; upstream_gone if that fails."""
        client = await self.wait_connected()
        if client.server_capabilities.prompts is None:
            return []
        return await self._with_timeout(list_all(partial(_sent, client), "prompts"))

    async def prompt(self, name: str, arguments: Mapping[str, str]) -> dict[str, Any]:
        """Get a prompt and return the raw result; raises as `call` does."""
        params = types.GetPromptRequestParams(name=name, arguments=dict(arguments))
        return await self._request("prompts/get", types.GetPromptRequest(params=params))

    async def _request(self, what: str, request: Any, **how: Any) -> dict[str, Any]:  # noqa: ANN401 - the SDK's
        client = await self.wait_connected()
        try:
            with self._waiting():
                answered = await _sent(client, request, **how)
        except MCPError as error:
            if self._start["url"] and is_connection_closed(error):
                self._is_lost()
            if client is not self._client:
                raise self._gone_error(self._problem or "it ended") from None
            raise tool_error(self._name, what, error) from None
        except ValidationError as error:
            wrong = MCPError(types.INVALID_REQUEST, f"Its answer is invalid: {words(error)}")
            raise tool_error(self._name, what, wrong) from None
        except (anyio.ClosedResourceError, anyio.BrokenResourceError, httpx2.HTTPError) as error:
            self._is_lost()
            raise self._gone_error(words(error)) from None
        except ValueError as error:
            raise self._gone_error(f"its answer is invalid: {words(error)}") from None
        return answered

    @contextlib.contextmanager
    def _waiting(self) -> Iterator[None]:
        """In the block, a request waits for its answer.

        Given up as the only one, it has the tools listed: a server that hangs is started again.
        """
        self._in_flight += 1
        try:
            yield
        except asyncio.CancelledError:
            if self._in_flight == 1:
                self._ask_again(["tools"])
            raise
        finally:
            self._in_flight -= 1

    async def wait_connected(self) -> Client:
        """Return the connection, waiting if it is being made; upstream_gone if that fails."""
        if self._client is None:
            if self._retry_at - time.monotonic() > SOON_S:
                raise self._gone_error(self._problem)
            await self._attempt.wait()
        if self._client is None:
            raise self._gone_error(self._problem)
        return self._client

    def _gone_error(self, why: str) -> OcdError:
        return gone_error(self._name, why, self._retry_at - time.monotonic())


async def _tools_of(client: Client) -> list[dict[str, Any]]:
    tools = await list_all(partial(_sent, client), "tools")
    if client.protocol_version in MODERN_PROTOCOL_VERSIONS and envelopes.HEADER_MARK in str(tools):
        page = await client.list_tools()  # the SDK learns which arguments it must repeat in headers
        for _ in range(MAX_PAGES):
            if page.next_cursor is None:
                break
            page = await client.list_tools(cursor=page.next_cursor)
    return tools


async def _sent(client: Client, request: Any, **how: Any) -> dict[str, Any]:  # noqa: ANN401 - the SDK's
    """Send a request and return the result as it is on the wire."""
    answered = envelopes.open_envelope(await client.session.send_request(request, _ANY, **how))
    return answered if isinstance(answered, dict) else {}
