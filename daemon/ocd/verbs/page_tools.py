"""Verbs about the tools that pages offer to agents (WebMCP)."""

import json
from typing import Annotated, Any, NotRequired, TypedDict, TypeVar

import msgspec
from msgspec import Meta

from ocd import call_context
from ocd.api.errors import OcdError
from ocd.browser.tabs.page_tools import (
    PageTool,
    ToolAnswer,
    frame_name,
    tool_to_dict,
    unsupported_error,
)
from ocd.browser.tabs.tab import Tab
from ocd.ledger.task_handle import TaskHandle
from ocd.safety.redact import redact_text
from ocd.verb_api.declaration import (
    MAX_TIMEOUT_MS,
    PAYLOAD,
    Output,
    Params,
    tab_verb,
    task_kind,
)
from ocd.verb_api.nested_calls import NestedCalls

S = TypeVar("S", bound=msgspec.Struct)
_ASKED_CHARS = 500


class ListPageTools(Params):
    """List the tools that the page offers to agents

    As declared by its scripts and forms (WebMCP). Prefer one that fits to clicking.
    """


class PageToolsResult(TypedDict):
    """The tools that the page offers."""

    tab_id: str
    count: int
    left_out: NotRequired[int]
    content: Annotated[str, Meta(description="JSON: a list of tools")]


@tab_verb(
    "page_tools", ListPageTools,
    returns=PageToolsResult,
    capability="core", tier=3, large=True, reads_page=True, reads=True,
)  # fmt: skip
async def page_tools(tab: Tab, _params: ListPageTools) -> Output:
    await tab.page_tools.ask_libraries(tab.frames())
    tools = tab.page_tools.all()
    if not tools and not await tab.page_tools.is_possible(tab.main_frame):
        raise unsupported_error()
    several = {tool.frame_id for tool in tools} != {tab.main_frame.frame_id}
    lines = ",\n".join(_tool_as_json(tab, tool, with_frame=several) for tool in tools)
    more = {"left_out": tab.page_tools.left_out} if tab.page_tools.left_out else {}
    return Output(
        data={"tab_id": tab.id, "count": len(tools), **more},
        content=f"[{lines}]",
        content_type="application/json",
        origin=tab.url,
    )


def _tool_as_json(tab: Tab, tool: PageTool, *, with_frame: bool) -> str:
    about = tool_to_dict(tool)
    if with_frame:
        urls = {frame.frame_id: frame.url for frame in tab.frames()}
        about |= {"frame": frame_name(tool), "url": urls[tool.frame_id]}
    return msgspec.json.encode(about).decode()


class CallPageTool(Params):
    """Call a tool that the page offers

    page_tools lists them. The reply is page content. A form tool without autosubmit fills in the
    form and waits: submit it in another call. If it takes minutes: oc_task_start, kind page_tool.
    """

    name: Annotated[str, Meta(min_length=1, max_length=200, description="The tool's name")]
    arguments: Annotated[
        dict[str, Any],
        Meta(description="Arguments for the tool, as its input_schema says", extra=PAYLOAD),
    ] = msgspec.field(default_factory=dict)
    frame: Annotated[str, Meta(max_length=100, description="Frame, if several offer the tool")] = ""


class PageToolCallResult(TypedDict):
    """The tool's reply."""

    tab_id: str
    name: str
    navigated: NotRequired[bool]
    url: NotRequired[str]
    content: str


@tab_verb(
    "page_tool_call", CallPageTool,
    returns=PageToolCallResult,
    capability="core", tier=3, large=True, reads_page=True,
    shares_tab=True, example={"name": "search", "arguments": {"query": "lamps"}},
)  # fmt: skip
async def page_tool_call(tab: Tab, params: CallPageTool) -> Output:
    if not tab.page_tools.has(params.name):
        await tab.page_tools.ask_libraries(tab.frames())
    tool = tab.page_tools.find(params.name, params.frame)
    frame = next(frame for frame in tab.frames() if frame.frame_id == tool.frame_id)
    if frame.url.startswith("http"):
        await tab.guard.check(frame.url)
    await _ask(tab, tool, params.arguments)
    url, before = frame.url, tab.url
    answer = await tab.page_tools.call(tool, params.arguments)
    text, mime = _text_of(tool, answer)
    data: dict[str, Any] = {"tab_id": tab.id, "name": tool.name}
    if answer.page_left or tab.url != before:
        data |= {"navigated": True, "url": tab.url}
        text = "" if answer.value == [] else text  # what Chromium says of a document that has left
    return Output(data=data, content=text, content_type=mime, origin=url)


async def _ask(tab: Tab, tool: PageTool, arguments: dict[str, Any]) -> None:
    """Raise exfiltration_denied or consent_needed if this may not be called, or not like this."""
    may_send = call_context.current().may_send
    receiver = await tab.page_tools.receiver(tool)
    if arguments:
        may_send("page_tool", receiver)
    if "consequential" in tool.hints:
        arguments_text = redact_text(json.dumps(arguments, ensure_ascii=False))[:_ASKED_CHARS]
        may_send("consequential", f"{tool.name} of {receiver} with {arguments_text}")


class _McpResult(msgspec.Struct):
    """The result of tools that were written for MCP."""

    content: list[Any]
    is_error: bool = msgspec.field(default=False, name="isError")
    structured: Any = msgspec.field(default=None, name="structuredContent")


class _TextBlock(msgspec.Struct):
    text: str


def _text_of(tool: PageTool, answer: ToolAnswer) -> tuple[str, str]:
    """Return a tool's result as text, with its media type; page_tool_failed for an error."""
    value = answer.value
    if value is None:
        return "", "text/plain"
    if (result := _read_as(value, _McpResult)) is not None:
        text = "\n".join(map(_block_text, result.content))
        if result.is_error:
            message = f"The page's tool {tool.name} failed: {text[:4000]}"
            raise OcdError("page_tool_failed", message)
        if text or result.structured is None:
            return text, "text/plain"
        value = result.structured
    if isinstance(value, str):
        return value, "text/plain"
    return msgspec.json.encode(value).decode(), "application/json"


def _block_text(block: Any) -> str:  # noqa: ANN401 - any JSON value
    found = _read_as(block, _TextBlock)
    return found.text if found is not None else msgspec.json.encode(block).decode()


def _read_as(value: Any, kind: type[S]) -> S | None:  # noqa: ANN401 - any JSON value
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError:
        return None


class PageToolTask(CallPageTool):
    """Call a tool that the page offers, as a task"""

    tab_id: Annotated[str | None, Meta(description="Tab id; default: the latest")] = None


@task_kind(
    "page_tool", PageToolTask, needs=NestedCalls, returns=PageToolCallResult,
    capability="core", tier=3, page_keys=("content",),
)  # fmt: skip
async def page_tool(calls: NestedCalls, work: TaskHandle, params: PageToolTask) -> Output:
    arguments = {
        "name": params.name, "arguments": params.arguments, "frame": params.frame,
        "timeout_ms": MAX_TIMEOUT_MS, **({"tab_id": params.tab_id} if params.tab_id else {}),
    }  # fmt: skip
    reply = await calls.run("page_tool_call", arguments, session=work.session, lent=True)
    return Output(data={**reply.data, "content": reply.content})
