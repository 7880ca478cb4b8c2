"""Asking a person through the host before data is sent: elicitation, in both protocol eras."""

import asyncio
from collections.abc import Mapping
from typing import Any

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from oc_mcp.server.daemon_protocol import DaemonProtocol
from ocd.api.errors import OcdError

Context = ServerRequestContext[Any, Any]
# A form without fields: accepting it means yes.
_NO_FIELDS: Mapping[str, Any] = {"type": "object", "properties": {}}
# How many questions one call may ask: an instruction can lead to many sites.
MAX_QUESTIONS = 10


def askable(ctx: Context) -> bool:
    """Return whether the host has declared that it can show a form to a person."""
    can = _elicitation(ctx)
    # A host that names no mode speaks a revision in which forms were the only one.
    return can is not None and (can.form is not None or can.url is None)


def opens_links(ctx: Context) -> bool:
    """Return whether the host has declared that it can have a person open a link."""
    can = _elicitation(ctx)
    return can is not None and can.url is not None


def _elicitation(ctx: Context) -> types.ElicitationCapability | None:
    can = ctx.session.client_capabilities
    return None if can is None else can.elicitation


async def ask(
    daemon: DaemonProtocol, ctx: Context, params: types.CallToolRequestParams, needed: OcdError
) -> dict[str, Any] | None:
    """Have a person answer; or return the result that makes the host ask and call again.

    Raises:
        ConsentNeededError: the host's user dismissed the question; it can be answered elsewhere.
    """
    approval_id = str(needed.details["approval"])
    if ctx.protocol_version in MODERN_PROTOCOL_VERSIONS:
        # The answer is bound to its question: an answer to another one does not count.
        answer = (params.input_responses or {}).get(approval_id)
        if answer is None:
            return _input_required(approval_id, needed.message)
        action = getattr(answer, "action", None)
    else:
        action = await _ask_now(daemon, ctx, approval_id, needed.message)
    if action == "cancel":
        raise needed
    if action is not None:
        await daemon.answer(approval_id, allowed=action == "accept")
    return None


def _input_required(approval_id: str, message: str) -> dict[str, Any]:
    elicitation = {"mode": "form", "message": message, "requestedSchema": dict(_NO_FIELDS)}
    request = {"method": "elicitation/create", "params": elicitation}
    return {"resultType": "input_required", "inputRequests": {approval_id: request}}


async def _ask_now(
    daemon: DaemonProtocol, ctx: Context, approval_id: str, message: str
) -> str | None:
    """Return the decision of the host's user; None if somebody else has answered meanwhile."""
    # Over HTTP the question goes out on the stream of the call that it is about: without an id
    # it would go to the stream of GET, which a host need not have open, and wait for ever.
    action: str | None = None

    async def wait_elsewhere() -> None:
        await daemon.wait_answered(approval_id)
        asking.cancel()

    async def ask_host() -> None:
        nonlocal action
        answer = await ctx.session.elicit_form(
            message, dict(_NO_FIELDS), related_request_id=ctx.request_id
        )
        action = answer.action
        elsewhere.cancel()

    async with asyncio.TaskGroup() as group:
        elsewhere = group.create_task(wait_elsewhere())
        asking = group.create_task(ask_host())
    return action
