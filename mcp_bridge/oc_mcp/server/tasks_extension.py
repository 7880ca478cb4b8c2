"""The tasks extension (SEP-2663) over the daemon's ledger: taskId is the ledger's task_id."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

import mcp_types as types
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import Field

from oc_mcp.server import tool_results
from oc_mcp.server.daemon_protocol import DaemonProtocol, Reply
from ocd.api import progress_text
from ocd.api.bounded_dict import BoundedDict
from ocd.api.errors import OcdError

EXTENSION = "io.modelcontextprotocol/tasks"
MISSING_CAPABILITY = -32021
HEADER_MISMATCH = -32020
POLL_MS = 1000
_REMEMBERED = 256
_STATUS = {
    "PENDING": "working",
    "RUNNING": "working",
    "COMPLETED": "completed",
    "FAILED": "completed",
    "CANCELLED": "cancelled",
}
# Failures of the daemon, not of the work: such a task has no result of its own.
_LOST = frozenset({"orphaned", "daemon_stopped", "internal"})

# tasks/get carries the task's own keys around the result: 512 bytes are kept for them.
_FRAME = tool_results.WireEnvelope("x" * 512, {}, ascii=True)

Context = ServerRequestContext[Any, Any]


class TaskParams(types.RequestParams):
    """Parameters of tasks/get and tasks/cancel."""

    task_id: str = Field(alias="taskId")


class UpdateParams(TaskParams):
    """Parameters of tasks/update; our tasks never ask for input."""

    input_responses: dict[str, Any] = Field(alias="inputResponses", default_factory=dict)


def declares_tasks(ctx: Context) -> bool:
    """Return whether the request's client has declared that it supports tasks."""
    capabilities = ctx.session.client_capabilities
    extensions = (capabilities.extensions if capabilities else None) or {}
    return ctx.protocol_version in MODERN_PROTOCOL_VERSIONS and EXTENSION in extensions


class Tasks:
    """The handlers of tasks/*, and the parameters of the calls that became tasks."""

    def __init__(self, daemon: DaemonProtocol) -> None:
        self._daemon = daemon
        self._params = BoundedDict[str, Mapping[str, Any]](_REMEMBERED)
        self._results = BoundedDict[str, dict[str, Any]](_REMEMBERED)

    def serve(self, server: Server[Any]) -> None:
        """Register the extension."""
        server.extensions[EXTENSION] = {}
        server.add_request_handler("tasks/get", TaskParams, self.get)
        server.add_request_handler("tasks/cancel", TaskParams, self.cancel)
        server.add_request_handler("tasks/update", UpdateParams, self.update)
        server.middleware.append(_check_name_header)

    async def create_task_result(self, task_id: str, params: Mapping[str, Any]) -> dict[str, Any]:
        """Return the CreateTaskResult of a call that continues as a task."""
        self._params[task_id] = params
        return {"resultType": "task", **_task_to_dict(await self._daemon.task(task_id))}

    async def get(self, ctx: Context, params: TaskParams) -> dict[str, Any]:
        """Answer tasks/get, with the result once there is one."""
        meta = await self._meta(ctx, params.task_id)
        task = _task_to_dict(meta)
        if task["status"] == "completed":
            task["result"] = await self._result(params.task_id, meta["kind"])
        elif task["status"] == "failed":
            task["error"] = {"code": types.INTERNAL_ERROR, "message": task["statusMessage"]}
        return task

    async def cancel(self, ctx: Context, params: TaskParams) -> dict[str, Any]:
        """Ask the task to stop; tasks/get shows when it has ended."""
        await self._meta(ctx, params.task_id)
        await self._daemon.cancel_task(params.task_id)
        return {}

    async def update(self, ctx: Context, params: UpdateParams) -> dict[str, Any]:
        """Acknowledge input that was not asked for."""
        await self._meta(ctx, params.task_id)
        return {}

    async def _meta(self, ctx: Context, task_id: str) -> Mapping[str, Any]:
        if not declares_tasks(ctx):
            raise MCPError(
                code=MISSING_CAPABILITY,
                message="Missing required client capability",
                data={"requiredCapabilities": {"extensions": {EXTENSION: {}}}},
            )
        try:
            return await self._daemon.task(task_id)
        except OcdError as error:
            raise MCPError(
                code=types.INVALID_PARAMS, message=f"Task not found: {error.message}"
            ) from None

    async def _result(self, task_id: str, kind: str) -> dict[str, Any]:
        known = self._results.get(task_id)
        if known is not None:
            return known
        params = self._params.get(task_id, {"output_mode": "auto"})
        try:
            reply = await self._daemon.task_reply(task_id, params)
            result = await self._render(reply, kind)
        except OcdError as error:
            result = tool_results.failure(error)
        self._results[task_id] = result
        return result

    async def _render(self, reply: Reply, kind: str) -> dict[str, Any]:
        page_keys = self._daemon.entries.get(kind, {}).get("page_keys", ())
        return await tool_results.success(reply, page_keys, _FRAME, structured=False)


def _task_to_dict(meta: Mapping[str, Any]) -> dict[str, Any]:
    """Return a task's meta in the terms of the extension."""
    error = meta.get("error") or {}
    lost = meta["status"] == "FAILED" and error.get("code") in _LOST
    changed = meta.get("ended_at") or meta.get("started_at") or meta["created_at"]
    return {
        "taskId": meta["task_id"],
        "status": "failed" if lost else _STATUS[meta["status"]],
        "statusMessage": _message(meta),
        "createdAt": meta["created_at"],
        "lastUpdatedAt": max(meta["created_at"], changed, key=datetime.fromisoformat),
        "ttlMs": None,
        "pollIntervalMs": POLL_MS,
    }


def _message(meta: Mapping[str, Any]) -> str:
    if meta.get("error"):
        return str(meta["error"].get("message", ""))
    progress = meta.get("progress") or {}
    counted = f"{progress.get('done', 0)}"
    if progress.get("total"):
        counted += f" of {progress['total']}"
    if meta["status"] == "PENDING":
        return "waiting in queue"
    figures = progress.get("figures")
    details = f", {progress_text.line(figures)}" if figures else ""
    return f"{meta['kind']}: {counted} done{details}"


async def _check_name_header(ctx: Context, call_next: CallNext) -> HandlerResult:
    """Refuse a tasks/* request whose Mcp-Name header names another task; the SDK does not check."""
    if ctx.method.startswith("tasks/") and ctx.request is not None:
        header = ctx.request.headers.get("mcp-name")
        task_id = (ctx.params or {}).get("taskId")
        if header is not None and task_id is not None and header != task_id:
            raise MCPError(
                code=HEADER_MISMATCH, message=f"Mcp-Name is {header!r} but taskId is {task_id!r}"
            )
    return await call_next(ctx)
