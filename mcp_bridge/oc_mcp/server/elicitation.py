"""Asking a person, through the host, before data leaves: elicitation, in both eras."""

from collections.abc import Mapping
from typing import Any

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from ocd.api.errors import OcdError

Context = ServerRequestContext[Any, Any]
# Nothing to fill in: to accept the question is to say yes.
_NO_FIELDS: Mapping[str, Any] = {"type": "object", "properties": {}}
# One call may need this many answers: an instruction, to addresses with queries at many sites.
MAX_QUESTIONS = 10


def askable(ctx: Context) -> bool:
    """Return whether the host said that it can put a form before a person."""
    can = ctx.session.client_capabilities
    return can is not None and can.elicitation is not None


async def ask(
    ctx: Context, params: types.CallToolRequestParams, error: OcdError
) -> bool | dict[str, Any]:
    """Return whether a person allows it, or the result that makes the host ask and come back."""
    if ctx.protocol_version not in MODERN_PROTOCOL_VERSIONS:
        # Over HTTP the question goes out on the stream of the call that it is about: without an id
        # it would go to the stream of GET, which a host need not have open, and wait for ever.
        answer = await ctx.session.elicit_form(
            error.message, dict(_NO_FIELDS), related_request_id=ctx.request_id
        )
        return answer.action == "accept"
    # The question is bound to what it was about: an answer to another one does not count.
    key = f"allow {error.details['way']} {error.details['target']}"
    given = (params.input_responses or {}).get(key)
    if given is not None:
        return getattr(given, "action", None) == "accept"
    asked = {"mode": "form", "message": error.message, "requestedSchema": dict(_NO_FIELDS)}
    request = {"method": "elicitation/create", "params": asked}
    return {"resultType": "input_required", "inputRequests": {key: request}}


def refusal_error(error: OcdError) -> OcdError:
    """Return the error for a call that a person did not allow."""
    way, target = error.details["way"], error.details["target"]
    message = f"The person asked did not allow it: {way} to {target}"
    return OcdError("exfiltration_denied", message, way=way, target=target)
