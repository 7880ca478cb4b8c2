"""`ocd` with the conformance suite's fixtures: `python -m support.conformance_fixtures run`.

The suite calls tools, prompts and resources by given names. Here they are, as verbs that take the
normal road (catalog, dispatch, ledger, results) wherever a verb can say what is wanted; what no
verb of ours ever answers (sound, questions to the client) is answered where tools/call arrives.
"""

from __future__ import annotations

import asyncio
import functools
import sys
from base64 import b64decode
from typing import Annotated, Any

import mcp_types as types
import msgspec
from msgspec import Meta

from oc_mcp.server import prompts, resources, tools
from ocd.__main__ import main
from ocd.api.errors import OcdError
from ocd.calls import catalog
from ocd.ledger.task_handle import TaskHandle
from ocd.storage.journal import Journal
from ocd.verb_api.declaration import Image, Output, Params, Verb, daemon_verb, task_verb
from support.conformance_questions import QUESTIONS, asked_prompt

PNG = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJg"
    "gg=="
)
WAV = "UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA="
TEMPLATE = "test://template/"
WATCHED = "test://watched-resource"
# A caller that knows tasks is given one at once, so that short work is enough to see one.
TASK_AFTER_S = 0.1


class Nothing(Params):
    """A tool of the conformance suite"""


class Greet(Params):
    """Greet somebody"""

    name: Annotated[str, Meta(description="Who")] = "you"


class Compute(Params):
    """Take a while"""

    seconds: Annotated[float, Meta(description="How long")] = 1
    label: Annotated[str | None, Meta(description="A word for it")] = None


class Routed(Params):
    """Go by the region, which an HTTP header repeats"""

    region: Annotated[str, Meta(description="Where", extra_json_schema={"x-mcp-header": "Region"})]


class Address(Params):
    """Say where somebody lives"""

    name: Annotated[str | None, Meta(description="Name")] = None
    phone: Annotated[str | None, Meta(description="Phone")] = None


offered = functools.partial(daemon_verb, needs=Journal, capability="core", tier=1)
lasting = functools.partial(task_verb, needs=Journal, capability="crawl", tier=1)


@offered("test_simple_text", Nothing)
async def simple_text(_journal: Journal, _params: Nothing) -> Output:
    return Output(data={"text": "This is a simple text response for testing."})


@offered("test_image_content", Nothing)
async def image_content(_journal: Journal, _params: Nothing) -> Output:
    return Output(image=Image(b64decode(PNG), "image/png"))


@offered("test_error_handling", Nothing)
async def error_handling(_journal: Journal, _params: Nothing) -> Output:
    raise OcdError("invalid_argument", "This tool intentionally returns an error for testing")


@offered("test_routed", Routed)
async def routed(_journal: Journal, params: Routed) -> Output:
    return Output(data={"region": params.region})


@offered("json_schema_2020_12_tool", Address)
async def address(_journal: Journal, params: Address) -> Output:
    return Output(data={"name": params.name})


@lasting("test_tool_with_progress", Nothing)
async def with_progress(_journal: Journal, work: TaskHandle, _params: Nothing) -> Output:
    for done in (0, 50, 100):
        work.progress(done, 100)
        await asyncio.sleep(0.7)  # progress is told at most twice a second
    return Output(data={"done": 100})


@lasting("slow_compute", Compute)
async def slow_compute(_journal: Journal, work: TaskHandle, params: Compute) -> Output:
    try:
        async with asyncio.timeout(params.seconds):
            await work.stop.wait()
    except TimeoutError:
        pass
    return Output(data={"computed": params.label})


@lasting("failing_job", Nothing)
async def failing_job(_journal: Journal, _work: TaskHandle, _params: Nothing) -> Output:
    await asyncio.sleep(2 * TASK_AFTER_S)  # until the call has become a task
    raise OcdError("invalid_argument", "This job fails")


@lasting("protocol_error_job", Nothing)
async def protocol_error_job(_journal: Journal, _work: TaskHandle, _params: Nothing) -> Output:
    await asyncio.sleep(2 * TASK_AFTER_S)  # until the call has become a task
    raise RuntimeError("a bug")


async def _never(_journal: Journal, _params: Params) -> Output:
    raise AssertionError("answered where tools/call arrives")


# --- answers that no verb gives ---------------------------------------------------------------


def _resource(uri: str, mime_type: str, text: str) -> dict[str, Any]:
    return {"type": "resource", "resource": {"uri": uri, "mimeType": mime_type, "text": text}}


IMAGE = {"type": "image", "data": PNG, "mimeType": "image/png"}
BLOCKS: dict[str, list[dict[str, Any]]] = {
    "test_audio_content": [{"type": "audio", "data": WAV, "mimeType": "audio/wav"}],
    "test_embedded_resource": [_resource("test://embedded-resource", "text/plain", "embedded")],
    "test_multiple_content_types": [
        {"type": "text", "text": "Multiple content types test:"},
        IMAGE,
        _resource("test://mixed-content-resource", "application/json", '{"value": 123}'),
    ],
}
verb_greet = offered("greet", Greet)(_never)
for _name in (*BLOCKS, *QUESTIONS):
    globals()[f"verb_{_name}"] = offered(_name, Nothing)(_never)

_call_tool = tools.ToolHandlers.call_tool
_read, _subscribable_task = resources.Resources.read, resources.Resources.subscribable_task
_get_prompt = prompts.Prompts.get_prompt


async def call_tool(
    self: tools.ToolHandlers, ctx: tools.Context, params: types.CallToolRequestParams
) -> dict[str, Any]:
    if params.name == "greet":
        # The suite compares the text; ours would be JSON.
        name = (params.arguments or {}).get("name", "you")
        content = [{"type": "text", "text": f"Hello, {name}!"}]
        return {"resultType": "complete", "content": content, "isError": False}
    if params.name in BLOCKS:
        return {"resultType": "complete", "content": BLOCKS[params.name], "isError": False}
    if params.name in QUESTIONS:
        return await QUESTIONS[params.name](ctx, params)
    return await _call_tool(self, ctx, params)


# --- prompts and resources ----------------------------------------------------------------------


def _user(*contents: dict[str, Any]) -> types.GetPromptResult:
    messages = [{"role": "user", "content": content} for content in contents]
    return types.GetPromptResult.model_validate({"messages": messages})


async def get_prompt(
    self: prompts.Prompts, ctx: tools.Context, params: types.GetPromptRequestParams
) -> types.GetPromptResult | dict[str, Any]:
    after = {"type": "text", "text": "Please look at the above."}
    if params.name == "test_prompt_with_image":
        return _user(IMAGE, after)
    if params.name == "test_prompt_with_embedded_resource":
        uri = (params.arguments or {}).get("resourceUri", "")
        return _user(_resource(uri, "text/plain", "Embedded resource content"), after)
    if params.name == "test_input_required_result_prompt":
        return await asked_prompt(ctx, params)
    return await _get_prompt(self, ctx, params)


async def read(
    self: resources.Resources, ctx: tools.Context, params: types.ReadResourceRequestParams
) -> types.ReadResourceResult:
    uri = str(params.uri)
    if uri == "test://static-text":
        text = types.TextResourceContents(uri=uri, mime_type="text/plain", text="static text")
        return types.ReadResourceResult(contents=[text])
    if uri == "test://static-binary":
        blob = types.BlobResourceContents(uri=uri, mime_type="image/png", blob=PNG)
        return types.ReadResourceResult(contents=[blob])
    if uri.startswith(TEMPLATE):
        number = uri.removeprefix(TEMPLATE).partition("/")[0]
        filled = msgspec.json.encode({"id": number, "data": f"Data for ID: {number}"}).decode()
        text = types.TextResourceContents(uri=uri, mime_type="application/json", text=filled)
        return types.ReadResourceResult(contents=[text])
    return await _read(self, ctx, params)


async def subscribable_task(self: resources.Resources, ctx: tools.Context, uri: str) -> str:
    if uri != WATCHED:
        return await _subscribable_task(self, ctx, uri)
    given = {"kind": "slow_compute", "args": {"seconds": 0.1}}
    started = await self._call(self._caller_of(ctx), "oc_task_start", given)
    return str(started.data["task_id"])


_ARGUMENTS = (("arg1", "The first", True), ("arg2", "The second", True))
_PROMPTS = {
    "test_simple_prompt": prompts._Prompt(
        "Simple", "A prompt of the suite", (), lambda _given: "This is a simple prompt for testing."
    ),
    "test_prompt_with_arguments": prompts._Prompt(
        "Arguments", "A prompt of the suite", _ARGUMENTS,
        lambda given: f"Prompt with arguments: arg1='{given['arg1']}', arg2='{given['arg2']}'",
    ),
}  # fmt: skip


# --- the schema that must come through as it is -------------------------------------------------

SCHEMA = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {
        "address": {
            "$anchor": "addressDef",
            "type": "object",
            "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
        }
    },
    "properties": {
        "name": {"type": "string"},
        "address": {"$ref": "#/$defs/address"},
        "contactMethod": {"type": "string", "enum": ["phone", "email"]},
        "phone": {"type": "string"},
        "email": {"type": "string"},
    },
    "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
    "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
    "then": {"required": ["phone"]},
    "else": {"required": ["email"]},
    "additionalProperties": False,
}
_params_schema = catalog._params_schema


def params_schema(verb: Verb) -> dict[str, Any]:
    return SCHEMA if verb.name == "json_schema_2020_12_tool" else _params_schema(verb)


def install() -> None:
    """Put the fixtures in place."""
    modules = (*catalog.MODULES, sys.modules[__name__])
    catalog.load = functools.partial(catalog.load, modules)
    catalog.kinds = functools.partial(catalog.kinds, modules)
    catalog._params_schema = params_schema
    catalog.read = lambda: catalog.render(catalog.load().values())
    tools.ToolHandlers.call_tool = call_tool  # type: ignore[method-assign]
    tools.TASK_AFTER_S = TASK_AFTER_S
    resources.Resources.read = read  # type: ignore[method-assign]
    resources.Resources.subscribable_task = subscribable_task  # type: ignore[method-assign]
    prompts.PROMPTS.update(_PROMPTS)  # type: ignore[attr-defined]
    prompts.Prompts.get_prompt = get_prompt  # type: ignore[method-assign,assignment]


if __name__ == "__main__":
    install()
    main()
