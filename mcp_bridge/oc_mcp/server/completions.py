"""Completions: names of handles, tasks and tabs for prompts and templates."""

from typing import Any, Literal

import mcp_types as types
from mcp.server.context import ServerRequestContext

from oc_mcp.server.daemon_protocol import DaemonProtocol
from oc_mcp.server.tools import CallerOf

Context = ServerRequestContext[Any, Any]
MAX_ITEMS = 100
_KNOWN: dict[str, Literal["handles", "tasks", "tabs"]] = {
    "handle": "handles",
    "output_handle": "handles",
    "task_id": "tasks",
    "tab_id": "tabs",
}


class Completions:
    """The handler of completion/complete."""

    def __init__(self, daemon: DaemonProtocol, caller_of: CallerOf) -> None:
        self._daemon = daemon
        self._caller_of = caller_of

    async def complete(
        self, ctx: Context, params: types.CompleteRequestParams
    ) -> types.CompleteResult:
        """Answer with the names that begin with the argument's text."""
        what = _KNOWN.get(params.argument.name)
        names = await self._daemon.known_names(what, self._caller_of(ctx).session) if what else []
        fitting = [name for name in names if name.startswith(params.argument.value)]
        completion = types.Completion(
            values=fitting[:MAX_ITEMS], total=len(fitting), has_more=len(fitting) > MAX_ITEMS
        )
        return types.CompleteResult(completion=completion)
