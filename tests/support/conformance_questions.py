"""Fixtures of the conformance suite that ask the client: in its stream, or by coming back.

Our own tools ask nothing; these show that the doors carry questions and answers in both eras.
"""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError

Context = ServerRequestContext[Any, Any]
Question = Callable[[Context, types.CallToolRequestParams], Awaitable[dict[str, Any]]]
MISSING_CAPABILITY = -32021
_KEY = b"a key of this process"


def _said(text: str) -> dict[str, Any]:
    content = [{"type": "text", "text": text}]
    return {"resultType": "complete", "content": content, "isError": False}


# --- on the client's stream (handshake revisions) -----------------------------------------------


async def sampling(ctx: Context, params: types.CallToolRequestParams) -> dict[str, Any]:
    prompt = str((params.arguments or {}).get("prompt"))
    message = types.SamplingMessage(role="user", content=types.TextContent(text=prompt))
    answer = await ctx.session.create_message(
        [message], max_tokens=100, related_request_id=ctx.request_id
    )
    return _said(f"LLM response: {answer.content}")


def elicits(properties: Mapping[str, Any], message: str) -> Question:
    """Return a tool that asks the user to fill in these fields."""

    async def ask(ctx: Context, _params: types.CallToolRequestParams) -> dict[str, Any]:
        schema = {"type": "object", "properties": dict(properties)}
        answer = await ctx.session.elicit_form(message, schema, related_request_id=ctx.request_id)
        return _said(f"Elicitation completed: action={answer.action}, content={answer.content}")

    return ask


def _titled(values: list[str]) -> list[dict[str, str]]:
    return [{"const": value, "title": value.title()} for value in values]


_OPTIONS = ["option1", "option2", "option3"]
_VALUES = ["value1", "value2", "value3"]
_STRING = {"type": "string"}
_DEFAULTS = {
    "name": {"type": "string", "default": "John Doe"},
    "age": {"type": "integer", "default": 30},
    "score": {"type": "number", "default": 95.5},
    "status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
    "verified": {"type": "boolean", "default": True},
}
_ENUMS = {
    "untitledSingle": {"type": "string", "enum": _OPTIONS},
    "titledSingle": {"type": "string", "oneOf": _titled(_VALUES)},
    "legacyEnum": {
        "type": "string", "enum": ["opt1", "opt2", "opt3"], "enumNames": ["One", "Two", "Three"],
    },
    "untitledMulti": {"type": "array", "items": {"type": "string", "enum": _OPTIONS}},
    "titledMulti": {"type": "array", "items": {"anyOf": _titled(_VALUES)}},
}  # fmt: skip


# --- coming back for input (the newest revision) ------------------------------------------------


def form(message: str, **properties: str) -> dict[str, Any]:
    """Return the request to fill in a form."""
    schema = {
        "type": "object",
        "properties": {name: {"type": kind} for name, kind in properties.items()},
        "required": list(properties),
    }
    params = {"mode": "form", "message": message, "requestedSchema": schema}
    return {"method": "elicitation/create", "params": params}


def completion(prompt: str) -> dict[str, Any]:
    """Return the request to ask the host's model."""
    messages = [{"role": "user", "content": {"type": "text", "text": prompt}}]
    return {"method": "sampling/createMessage", "params": {"messages": messages, "maxTokens": 100}}


ROOTS = {"method": "roots/list", "params": {}}


def sealed(value: str) -> str:
    """Return state that the client cannot change unnoticed."""
    return f"{value}.{hmac.new(_KEY, value.encode(), hashlib.sha256).hexdigest()}"


def opened(state: str | None) -> str:
    """Return what was sealed; raise if it is another's."""
    value, _, _seal = (state or "").rpartition(".")
    if state is None or not hmac.compare_digest(sealed(value), state):
        raise MCPError(code=types.INVALID_PARAMS, message="requestState was changed")
    return value


def _ask(requests: Mapping[str, Any], state: str | None = None) -> dict[str, Any]:
    kept = {} if state is None else {"requestState": sealed(state)}
    return {"resultType": "input_required", "inputRequests": dict(requests), **kept}


def rounds(*asked: Mapping[str, Any], state: bool = False) -> Question:
    """Return a tool that asks these requests, one set after the other, and is then content."""

    async def ask(_ctx: Context, params: types.CallToolRequestParams) -> dict[str, Any]:
        given = params.input_responses or {}
        if state and params.request_state is not None:
            opened(params.request_state)
        for number, requests in enumerate(asked):
            if set(requests) <= set(given):
                following = number + 1
                if following == len(asked):
                    shown = {key: one.model_dump(mode="json") for key, one in given.items()}
                    return _said(f"state-ok {json.dumps(shown)}")
                return _ask(asked[following], f"round {following}" if state else None)
        return _ask(asked[0], "round 0" if state else None)

    return ask


async def able(ctx: Context, _params: types.CallToolRequestParams) -> dict[str, Any]:
    """Ask only what the client said it can answer."""
    can = ctx.session.client_capabilities
    requests: dict[str, Any] = {}
    if can is not None and can.sampling is not None:
        requests["capital"] = completion("What is the capital of France?")
    if can is not None and can.elicitation is not None:
        requests["name"] = form("What is your name?", name="string")
    return _ask(requests)


async def missing(ctx: Context, _params: types.CallToolRequestParams) -> dict[str, Any]:
    can = ctx.session.client_capabilities
    if can is None or can.sampling is None:
        raise MCPError(
            code=MISSING_CAPABILITY,
            message="Missing required client capability",
            data={"requiredCapabilities": {"sampling": {}}},
        )
    return _said("There it is")


async def asked_prompt(
    _ctx: Context, params: types.GetPromptRequestParams
) -> types.GetPromptResult | dict[str, Any]:
    """Answer prompts/get once the client has said what about."""
    if "user_context" not in (params.input_responses or {}):
        return _ask({"user_context": form("What context should it use?", context="string")})
    message = types.PromptMessage(role="user", content=types.TextContent(text="With context"))
    return types.GetPromptResult(messages=[message])


_NAME = {"user_name": form("What is your name?", name="string")}
_CONFIRM = {"confirm": form("Please confirm", ok="boolean")}
_ASKS = "test_input_required_result"
QUESTIONS: dict[str, Question] = {
    "test_sampling": sampling,
    "test_elicitation": elicits({"username": _STRING, "email": _STRING}, "Who are you?"),
    "test_elicitation_sep1034_defaults": elicits(_DEFAULTS, "Please check"),
    "test_elicitation_sep1330_enums": elicits(_ENUMS, "Please choose"),
    "test_missing_capability": missing,
    "test_streaming_elicitation": rounds(_NAME),
    f"{_ASKS}_elicitation": rounds(_NAME),
    f"{_ASKS}_sampling": rounds({"capital_question": completion("What is France's capital?")}),
    f"{_ASKS}_list_roots": rounds({"client_roots": ROOTS}),
    f"{_ASKS}_request_state": rounds(_CONFIRM, state=True),
    f"{_ASKS}_tampered_state": rounds(_CONFIRM, state=True),
    f"{_ASKS}_multiple_inputs": rounds(
        {**_NAME, "greeting": completion("Greet me"), "client_roots": ROOTS}, state=True
    ),
    f"{_ASKS}_multi_round": rounds(
        {"step1": form("Step 1: what is your name?", name="string")},
        {"step2": form("Step 2: what is your favourite colour?", color="string")},
        state=True,
    ),
    f"{_ASKS}_capabilities": able,
}
