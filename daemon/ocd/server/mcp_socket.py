"""The MCP socket for agent hosts, HTTP, and the daemon as oc_mcp sees it.

The SDK is imported when the first bridge connects, in a thread: a daemon without MCP stays small.
"""

import asyncio
import contextlib
import importlib
import logging
import os
from collections import ChainMap
from collections.abc import (
    AsyncGenerator,
    AsyncIterator,
    Awaitable,
    Callable,
    Coroutine,
    Iterable,
    Mapping,
)
from dataclasses import dataclass
from typing import Any, Literal

import msgspec

from ocd.api.errors import OcdError
from ocd.api.waiting import Spawn, wait_for_event
from ocd.api.wire import CAPABILITY_GROUPS, CallRequest, Client, Hello
from ocd.browser.process.process_tree import holds_socket
from ocd.call_context import CallContext, IsListed
from ocd.calls.dispatch import run_call, task_reply
from ocd.calls.replies import Reply
from ocd.calls.services import CallServices
from ocd.config.loader import Config
from ocd.gateway.upstream import ListName
from ocd.ledger.states import public
from ocd.oversight.approvals import Approval, ApprovalDecision, person_grant
from ocd.server.page_tool_offers import Offers, PageToolWatch, page_tool_offers
from ocd.server.unix_socket import listen, peer_uid, remove_at_exit
from ocd.telemetry.metrics import Metrics
from ocd.verb_api.capabilities import Capabilities
from ocd.verb_api.inline_tasks import OnProgress
from ocd.verbs.ask_human import HumanRequests

logger = logging.getLogger(__name__)

HELLO_S = 10.0
# A bridge that lost its connection comes back sooner than this; then its tabs are still there.
SESSION_GRACE_S = 30.0


@dataclass(frozen=True, slots=True)
class LinkedQuestion:
    """A task's question to a person, with the link to where it is answered."""

    message: str
    url: str


class McpSocketServer:
    """The daemon as oc_mcp sees it (daemon_protocol.Door), and the connections of bridges.

    status: what GET /v1/status answers. config: the configuration as it is now.
    """

    def __init__(
        self,
        services: CallServices,
        entries: Mapping[str, Mapping[str, Any]],
        *,
        version: str,
        config: Callable[[], Config],
        status: Callable[[], dict[str, Any]],
        spawn: Spawn,
    ) -> None:
        self.version = version
        own = {name: entry for name, entry in entries.items() if name in services.capabilities}
        self.entries: Mapping[str, Mapping[str, Any]] = ChainMap(own, services.gateway.entries)
        self.status = status
        self._services = services
        self._config = config
        self._spawn = spawn
        self._loading = asyncio.Lock()
        self._bridges: Any = None
        self._sessions: dict[str, int] = {}
        self._connections: set[asyncio.Task[None]] = set()

    @property
    def tier(self) -> int:
        """The highest tier that is listed by default."""
        config = self._config()
        return config.tier

    @property
    def sync_budget_s(self) -> float:
        """The seconds after which a long call answers with its task."""
        config = self._config()
        return config.sync_budget_s

    def narrow(self, only: Iterable[str], disabled: Iterable[str]) -> Capabilities:
        """Return the daemon's capabilities, narrowed to what one connection allows."""
        return self._services.capabilities.narrow(only, disabled)

    async def call(
        self,
        request: CallRequest,
        on_progress: OnProgress,
        *,
        budget_s: float,
        maximum: Capabilities,
        is_listed: IsListed,
        askable: bool,
    ) -> Reply:
        """Run a call with the capabilities of one connection (`maximum`)."""
        caller = CallContext(capabilities=maximum, is_listed=is_listed, can_ask=askable)
        return await run_call(self._services, request, on_progress, budget_s, caller)

    async def answer(self, approval_id: str, *, allowed: bool) -> None:
        """Decide an approval as the host's user; does nothing if it has been answered already."""
        answer = ApprovalDecision(allowed, "session", "elicitation")
        with contextlib.suppress(OcdError):
            await self._services.approvals.answer(approval_id, answer)

    async def wait_answered(self, approval_id: str) -> None:
        """Wait until somebody has answered the approval."""
        await self._services.approvals.wait_answered(approval_id)

    @property
    def has_upstreams(self) -> bool:
        """Whether there are MCP servers behind the gateway."""
        return self._services.gateway.names != []

    async def settle(self, maximum: Capabilities) -> None:
        """Wait, for some seconds at most, until other MCP servers have listed what they offer."""
        if "upstream" in maximum.groups:
            await self._services.gateway.settle()

    async def resources(self, maximum: Capabilities) -> list[dict[str, Any]]:
        """Return other MCP servers' resources, under the gateway's URIs."""
        return await self._services.gateway.resources() if "upstream" in maximum.groups else []

    async def templates(self, maximum: Capabilities) -> list[dict[str, Any]]:
        """Return other MCP servers' resource templates, under the gateway's URIs."""
        return await self._services.gateway.templates() if "upstream" in maximum.groups else []

    async def prompts(self, maximum: Capabilities) -> list[dict[str, Any]]:
        """Return other MCP servers' prompts, under the gateway's names."""
        return await self._services.gateway.prompts() if "upstream" in maximum.groups else []

    def watch(self, listener: Callable[[ListName], Awaitable[None]]) -> Callable[[], None]:
        """Call `listener` with each list that has changed; the returned function ends that."""
        return self._services.gateway.watch(listener)

    def page_tools(self, session: str, maximum: Capabilities) -> Offers:
        """Return the tools that the session's current tab offers, by their names for the host."""
        if "page_tool_call" not in maximum:
            return {}
        services = self._services
        return page_tool_offers(services.sessions, session, self.entries, services.sanitizer)

    def watch_page_tools(
        self, session: str, listener: Callable[[ListName], Awaitable[None]]
    ) -> Callable[[], None]:
        """Call `listener` after each change of those tools; the returned function ends that."""
        return PageToolWatch(self._services.sessions, session, listener, self._spawn).close

    async def task(self, task_id: str) -> Mapping[str, Any]:
        """Return a task's meta."""
        return public(await self._services.runner.get(task_id))

    async def task_states(self, task_id: str) -> AsyncGenerator[Mapping[str, Any], None]:
        """Yield a task's meta now and after changes, until it has ended."""
        async with contextlib.aclosing(self._services.runner.states(task_id)) as states:
            async for meta in states:
                yield public(meta)

    async def task_reply(self, task_id: str, params: Mapping[str, Any]) -> Reply:
        """Return what the direct call with these parameters would have answered."""
        meta = await self._services.runner.get(task_id)
        return await task_reply(self._services, meta, params, Client("mcp"))

    async def join_task(
        self, task_id: str, request: CallRequest, on_progress: OnProgress, *, budget_s: float
    ) -> Reply:
        """Wait for a task that this call has started, and answer as `call` does."""
        meta = await self._services.runner.get(task_id)
        return await task_reply(
            self._services, meta, request.params, request.client,
            budget_s=budget_s, on_progress=on_progress,
        )  # fmt: skip

    async def human_question(self, task_id: str) -> LinkedQuestion | None:
        """Return what the task asks a person, once it does; None without a question or a link."""
        async with contextlib.aclosing(self.task_states(task_id)) as states:
            async for _ in states:
                if (approval := self._services.approvals.find(person_grant(task_id))) is not None:
                    return await self._linked(approval)
        return None

    async def _linked(self, approval: Approval) -> LinkedQuestion | None:
        asker, people = approval.asker, self._services.parts[HumanRequests]
        assert isinstance(people, HumanRequests)
        url = await people.dashboard().tab_link(asker.session, asker.tab_id or "")
        return None if url is None else LinkedQuestion(approval.question.message, url)

    async def decline(self, task_id: str) -> None:
        """Record that a person declines what the task asks; does nothing if it no longer asks."""
        approval = self._services.approvals.find(person_grant(task_id))
        if approval is not None:
            await self.answer(approval.id, allowed=False)

    def run_beside(self, work: Coroutine[Any, Any, None]) -> None:
        """Run a coroutine that may outlive its call and ends by itself."""
        self._spawn(work)

    async def cancel_task(self, task_id: str) -> None:
        """Ask a task to stop."""
        await self._services.runner.cancel(task_id)

    async def known_names(
        self, kind: Literal["handles", "tasks", "tabs"], session: str
    ) -> list[str]:
        """Return the names of stored outputs, of the latest 100 tasks, or of the session's tabs."""
        if kind == "tasks":
            return [meta.task_id for meta in (await self._services.runner.list(limit=100)).metas]
        if kind == "handles":
            return self._services.outputs.handles()
        if session not in self._services.sessions.names():
            return []
        return [tab.id for tab in self._services.sessions.get(session).tabs]

    async def metrics(self, accept: str) -> tuple[bytes, str]:
        """Return what Prometheus reads, and its content type."""
        metrics = self._services.parts[Metrics]
        assert isinstance(metrics, Metrics)
        return await metrics.scrape(accept)

    # --- sessions of bridges -----------------------------------------------------------------

    def from_browser(self, inode: str) -> bool:
        """Return whether Chromium may hold the socket; True for a foreign browser, to be safe."""
        chromium = self._services.chromium
        if chromium.options.browser_url:
            return True
        return chromium.pid is not None and holds_socket(chromium.pid, inode)

    def end_session(self, session: str) -> None:
        """Close the session's tabs after a while, unless a bridge uses it again by then."""
        if not self._services.closing.is_set():
            self._spawn(self._close_later(session))

    async def _close_later(self, session: str) -> None:
        closing = self._services.closing
        if await wait_for_event(closing, SESSION_GRACE_S) or session in self._sessions:
            return
        # A person who holds a tab of it is not to lose it.
        while held := [
            lease for lease in self._services.leases.list() if lease.tab.session_name == session
        ]:
            await held[0].ended.wait()
        if closing.is_set() or session in self._sessions:
            return
        await self._services.recorder.leave(session)
        if session in self._services.sessions.names():
            logger.info("session %s ended with its host: its tabs are closed", session)
            await self._services.sessions.get(session).close()

    def enter(self, session: str) -> None:
        """Count a bridge that uses the session."""
        self._sessions[session] = self._sessions.get(session, 0) + 1

    def leave(self, session: str, *, shared: bool) -> None:
        """Count one bridge less; after the last one, a session that is not shared ends."""
        self._sessions[session] -= 1
        if not self._sessions[session]:
            del self._sessions[session]
            if not shared:
                self.end_session(session)

    @property
    def bridge_count(self) -> int:
        """How many bridges are connected."""
        return len(self._connections)

    # --- the socket --------------------------------------------------------------------------

    async def load(self, name: str) -> Any:  # noqa: ANN401 - a module of oc_mcp
        """Import a module in a thread and return it; one at a time: the SDK's import each other."""
        async with self._loading:
            return await asyncio.to_thread(importlib.import_module, name)

    async def _load(self) -> Any:  # noqa: ANN401 - oc_mcp.server.server.Bridges
        module = await self.load("oc_mcp.server.server")
        if self._bridges is None:
            self._bridges = module.Bridges(self)
        return self._bridges

    @contextlib.asynccontextmanager
    async def listening(self, address: str) -> AsyncIterator[None]:
        """Accept bridges at a Unix socket (mode 0600) or a named pipe during the block."""
        server = await listen(address, self._on_connection)
        with remove_at_exit(address):
            try:
                yield
            finally:
                server.close()
                for connection in list(self._connections):
                    connection.cancel()

    def _on_connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._spawn(self._serve(reader, writer))

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._connections.add(task)
        try:
            if _is_ours(writer):
                await self._greet(reader, writer)
        except (ConnectionError, TimeoutError, ValueError) as error:
            logger.info("a bridge disconnected before its greeting: %s", error)
        except Exception:
            # A bug in serving one host must not end the daemon for the others.
            logger.exception("serving a bridge failed")
        finally:
            self._connections.discard(task)
            writer.close()

    async def _greet(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        async with asyncio.timeout(HELLO_S):
            first = await reader.readline()
        hello, lines = _hello(first)
        problem = _unknown_group(hello)
        if problem is not None:
            writer.write(msgspec.json.encode({"oc_refused": problem.body()}) + b"\n")
            await writer.drain()
            return
        bridges = self._bridges or await self._load()
        caller = bridges.caller(hello)
        self.enter(caller.session)
        try:
            await bridges.serve(caller, reader, writer, lines)
        finally:
            self.leave(caller.session, shared=bool(hello.session))

    def __repr__(self) -> str:
        return f"McpSocketServer({len(self._connections)} bridges)"


def _is_ours(writer: asyncio.StreamWriter) -> bool:
    peer = peer_uid(writer.get_extra_info("socket"))
    if peer is None or peer == os.getuid():
        return True
    logger.warning("refused a bridge of user %d", peer)
    return False


class _FirstLine(msgspec.Struct):
    oc_hello: Hello


def _hello(line: bytes) -> tuple[Hello, tuple[bytes, ...]]:
    """Return the hello in the first line; anything else is the first message."""
    try:
        hello = msgspec.json.decode(line, type=_FirstLine).oc_hello
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        return Hello(id=os.urandom(4).hex()), (line,)
    return (hello if hello.id else msgspec.structs.replace(hello, id=os.urandom(4).hex())), ()


def _unknown_group(hello: Hello) -> OcdError | None:
    for group in (*hello.tools_only, *hello.disable_tools):
        if group not in CAPABILITY_GROUPS:
            return OcdError(
                "config_invalid",
                f"Unknown capability group '{group}'",
                hint=f"The groups are: {', '.join(CAPABILITY_GROUPS)}",
            )
    return None
