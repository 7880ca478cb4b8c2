"""oc_ask_human through the host: a link to the tab for its user, in both protocol eras."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from oc_mcp.server.daemon_protocol import DaemonProtocol, LinkedQuestion, OnProgress, Reply
from ocd.api.errors import OcdError
from ocd.api.wire import CallRequest

logger = logging.getLogger(__name__)

VERB = "oc_ask_human"

Context = ServerRequestContext[Any, Any]
Begin = Callable[[], Awaitable[Reply]]


@dataclass(frozen=True, slots=True)
class HumanRequest:
    """One call of oc_ask_human. request: the call as it is passed to the task behind it."""

    daemon: DaemonProtocol
    ctx: Context
    request: CallRequest
    answers: types.InputResponses | None

    async def run(
        self, begin: Begin, on_progress: OnProgress, budget_s: float
    ) -> Reply | dict[str, Any]:
        """Begin the task, have the host show its link, wait; or return what makes the host do so.

        begin: makes the call that answers with its task at once.
        """
        task_id = await self._answered()
        if task_id is None:
            task_id = str((await begin()).data["task_id"])
            if self.ctx.protocol_version in MODERN_PROTOCOL_VERSIONS:
                question = await self.daemon.human_question(task_id)
                if question is not None:
                    return _link_required(task_id, question)
            else:
                self.daemon.run_beside(self._show_link(task_id))
        return await self.daemon.join_task(task_id, self.request, on_progress, budget_s=budget_s)

    async def _answered(self) -> str | None:
        """Return the task whose link the person has seen, if the host is repeating the call."""
        for task_id, answer in (self.answers or {}).items():
            if await self._is_ours(task_id):
                if getattr(answer, "action", None) == "decline":
                    await self.daemon.decline(task_id)
                return task_id
        return None

    async def _is_ours(self, task_id: str) -> bool:
        try:
            meta = await self.daemon.task(task_id)
        except OcdError:
            return False
        return (meta["kind"], meta["session"]) == (VERB, self.request.session)

    async def _show_link(self, task_id: str) -> None:
        """Have the host show the link while the task asks; this may outlive the call."""
        try:
            question = await self.daemon.human_question(task_id)
            if question is None:
                return
            async with asyncio.TaskGroup() as group:
                asking = group.create_task(self._ask_host(task_id, question))
                async for _ in self.daemon.task_states(task_id):
                    pass
                asking.cancel()
            await self.ctx.session.send_elicit_complete(task_id, self._stream())
        except Exception:
            logger.exception("the host was not shown the link of task %s", task_id)

    async def _ask_host(self, task_id: str, question: LinkedQuestion) -> None:
        try:
            answer = await self.ctx.session.elicit_url(
                question.message, question.url, task_id, self._stream()
            )
        except MCPError as error:
            logger.info("the host did not show the link of task %s: %s", task_id, error)
            return
        if answer.action == "decline":
            await self.daemon.decline(task_id)

    def _stream(self) -> types.RequestId | None:
        # Over HTTP on the call's own stream while it waits: the host may have no other one open.
        return self.ctx.request_id if self.ctx.session.can_send_request else None


def _link_required(task_id: str, question: LinkedQuestion) -> dict[str, Any]:
    elicitation = {"mode": "url", "message": question.message, "url": question.url}
    request = {"method": "elicitation/create", "params": elicitation}
    return {"resultType": "input_required", "inputRequests": {task_id: request}}
