"""tools/list and tools/call: the catalog's verbs as tools, and their calls."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Mapping
from functools import partial
from typing import Any

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from oc_mcp.server import elicitation, human_requests, tool_results
from oc_mcp.server.caller import Caller
from oc_mcp.server.daemon_protocol import DaemonProtocol, OnProgress
from oc_mcp.server.human_requests import HumanRequest
from oc_mcp.server.progress import ProgressReporter
from oc_mcp.server.tasks_extension import Tasks, declares_tasks
from ocd.api.errors import OcdError
from ocd.api.tool_schema import as_tool
from ocd.api.wire import CallRequest

Context = ServerRequestContext[Any, Any]
CallerOf = Callable[[Context], Caller]
# Seconds after which a caller that supports tasks gets one.
TASK_AFTER_S = 5.0
# The newest revision requires it in every result; the SDK removes it for the others.
_COMPLETE: Mapping[str, str] = {"resultType": "complete"}


def visible_tools(daemon: DaemonProtocol, caller: Caller) -> list[dict[str, Any]]:
    """Return the tools that the caller sees, sorted by name."""
    found = [entry for entry in daemon.entries.values() if caller.lists(entry)]
    return [as_tool(entry) for entry in sorted(found, key=lambda entry: str(entry["name"]))]


class ToolHandlers:
    """The handlers of tools/list and tools/call."""

    def __init__(self, daemon: DaemonProtocol, caller_of: CallerOf, tasks: Tasks) -> None:
        self._daemon = daemon
        self._caller_of = caller_of
        self._tasks = tasks

    async def list_tools(self, ctx: Context, _params: object) -> dict[str, Any]:
        """Answer tools/list, on one page."""
        caller = self._caller_of(ctx)
        await self._daemon.settle(caller.maximum)
        tools = visible_tools(self._daemon, caller)
        if caller.page_tools:
            offered = self._daemon.page_tools(caller.session, caller.maximum)
            caller.listed_page_tools |= offered
            tools += [as_tool(tool.entry) for tool in offered.values()]
        return {"tools": tools, **_COMPLETE}

    async def call_tool(self, ctx: Context, params: types.CallToolRequestParams) -> dict[str, Any]:
        """Answer tools/call; every failure is a result with isError."""
        caller = self._caller_of(ctx)
        arguments = params.arguments or {}
        try:
            verb, arguments_of_verb = self._resolve(caller, params.name, arguments)
            request = CallRequest(
                verb=verb, params=arguments_of_verb, session=caller.session, client=caller.client
            )
            answered = await self._call_with_consent(ctx, caller, request, params)
        except OcdError as error:
            answered = tool_results.failure(error)
        return {**_COMPLETE, **answered}

    def _resolve(
        self, caller: Caller, name: str, arguments: dict[str, Any]
    ) -> tuple[str, dict[str, Any]]:
        """Return the verb and its parameters; for a tool of the page, those of page_tool_call."""
        if not caller.page_tools or name in self._daemon.entries:
            return name, arguments
        listed = caller.listed_page_tools.get(name)
        tool = self._daemon.page_tools(caller.session, caller.maximum).get(name)
        if tool is None and listed is None:
            return name, arguments
        if tool is None or (listed is not None and listed.origin != tool.origin):
            raise OcdError(
                "page_tool_not_found", f"The page does not offer {name} any more.",
                hint="List the tools again, or look at the page: read_page",
            )  # fmt: skip
        return "page_tool_call", {**tool.params, "arguments": arguments}

    async def _call_with_consent(
        self,
        ctx: Context,
        caller: Caller,
        request: CallRequest,
        params: types.CallToolRequestParams,
    ) -> dict[str, Any]:
        """Make the call, and repeat it once a person has answered the question that it raised."""
        for _ in range(elicitation.MAX_QUESTIONS):
            try:
                return await self._call(ctx, caller, request, params)
            except OcdError as error:
                if error.code != "consent_needed" or not elicitation.askable(ctx):
                    raise
                needed = error
            question = await elicitation.ask(self._daemon, ctx, params, needed)
            if question is not None:
                return question
        return await self._call(ctx, caller, request, params)

    async def _call(
        self,
        ctx: Context,
        caller: Caller,
        request: CallRequest,
        params: types.CallToolRequestParams,
    ) -> dict[str, Any]:
        as_task = declares_tasks(ctx)
        longest_s = self._daemon.sync_budget_s
        budget_s = min(TASK_AFTER_S, longest_s) if as_task else longest_s
        async with _progress(ctx) as on_progress:
            call = partial(
                self._daemon.call,
                request,
                on_progress,
                maximum=caller.maximum,
                is_listed=caller.lists,
                askable=elicitation.askable(ctx),
            )
            inner = _inner(request)
            if inner.verb == human_requests.VERB and elicitation.opens_links(ctx):
                human = HumanRequest(self._daemon, ctx, inner, params.input_responses)
                running = human.run(partial(call, budget_s=0), on_progress, budget_s)
                outcome = await _reply_or_error(running)
            else:
                outcome = await _reply_or_error(call(budget_s=budget_s))
        if isinstance(outcome, OcdError):
            raise outcome
        if isinstance(outcome, dict):
            return outcome
        if outcome.unfinished and as_task:
            return await self._tasks.create_task_result(
                outcome.data["task_id"], _inner(request).params
            )
        if request.verb == "expand_tools":
            await _list_expanded(ctx, caller, outcome.data)
        entry = self._daemon.entries.get(_inner(request).verb, {})
        return await tool_results.success(
            outcome,
            entry.get("page_keys", ()),
            frame(ctx),
            structured=bool((ctx.meta or {}).get("structured")),
        )


def _inner(request: CallRequest) -> CallRequest:
    """Return the call that call_verb makes, or the call itself."""
    name = request.params.get("name")
    if request.verb != "call_verb" or not isinstance(name, str):
        return request
    arguments = request.params.get("arguments") or {}
    return CallRequest(verb=name, params=arguments, session=request.session, client=request.client)


async def _reply_or_error(call: Any) -> Any:  # noqa: ANN401 - an awaitable reply, and it or its error
    # Raised inside a task group, an error would come out as an exception group.
    try:
        return await call
    except OcdError as error:
        return error


def is_modern(ctx: Context) -> bool:
    """Return whether the request is of a revision without handshake."""
    return ctx.protocol_version in MODERN_PROTOCOL_VERSIONS


def frame(ctx: Context) -> tool_results.WireEnvelope:
    """Return the bytes that will stand around the result on the wire."""
    if not is_modern(ctx):
        return tool_results.WireEnvelope(ctx.request_id, {}, ascii=False)
    return tool_results.WireEnvelope(ctx.request_id, _STAMP, ascii=ctx.request is not None)


# As the SDK stamps results of the newest revision, with some room for a longer version.
_STAMP: Mapping[str, Any] = {
    **_COMPLETE,
    "_meta": {
        types.SERVER_INFO_META_KEY: {
            "name": "openchrome",
            "title": "OpenChrome",
            "version": "x" * 24,
        }
    },
}


async def _list_expanded(ctx: Context, caller: Caller, data: Mapping[str, Any]) -> None:
    """List the expanded tools from now on, where the revision lets lists change."""
    new = set(data.get("expanded", ())) - caller.expanded_tools
    if caller.ephemeral or is_modern(ctx) or not new:
        return
    caller.expanded_tools |= new
    # On the stream of this call: a host over HTTP may have no other one open.
    await ctx.session.send_notification(
        types.ToolListChangedNotification(), related_request_id=ctx.request_id
    )


@contextlib.asynccontextmanager
async def _progress(ctx: Context) -> AsyncIterator[OnProgress]:
    """Send progress notifications while inside, if the caller wants them."""
    if not (ctx.meta or {}).get("progress_token"):
        yield lambda _progress: None
        return
    reporter = ProgressReporter(ctx.session.report_progress)
    async with asyncio.TaskGroup() as group:
        reporting = group.create_task(reporter.run())
        yield reporter.on_progress
        reporting.cancel()
