"""Tools that pages offer to agents (WebMCP): listing and calling them.

Chromium reports them in its experimental CDP domain WebMCP. All of it is page text.
"""

import asyncio
import logging
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import msgspec

from ocd.api.errors import OcdError
from ocd.api.tool_calls import tool_call
from ocd.browser.cdp.connection import CdpSession, Event, Result
from ocd.browser.injected import script
from ocd.browser.tabs import evaluate
from ocd.browser.tabs.frames import Frame
from ocd.safety.origins import origin_of

logger = logging.getLogger(__name__)

MAX_TOOLS = 200
MAX_DESCRIPTION = 4000
MAX_SCHEMA = 16_000
# A page may change its tools forever: after this many events, its document is ignored.
_MAX_EVENTS = 2000
# How long a call may still be answered after its document is gone.
_LATE_ANSWER_S = 1.0
_UNKNOWN_METHOD = "wasn't found"
# Read at import, because the loop must not wait for a disk.
_FORM_TARGET = script("tabs/form_target")
_LIBRARY_TOOLS = script("tabs/library_tools")


@dataclass(frozen=True, slots=True)
class PageTool:
    """A tool as its page describes it.

    Attributes:
        schema: of its arguments, as JSON; "" without one, or with one that is too long.
        hints: what it says about itself, for example readOnly and consequential.
        form: CDP's id of the form that it stands for.
    """

    name: str
    description: str
    schema: str
    hints: tuple[str, ...]
    frame_id: str
    cdp: CdpSession = field(repr=False)
    form: int | None = None


@dataclass(frozen=True, slots=True)
class ToolAnswer:
    """A tool's result: the JSON value that it returned, or none if its page was left."""

    value: Any
    page_left: bool = False


class PageTools:
    """The tools of one tab's documents.

    Args:
        frame: Returns the frame of an id, None once it has gone.
    """

    def __init__(self, frame: Callable[[str], Frame | None]) -> None:
        self._frame = frame
        self._tools: dict[tuple[str, str], PageTool] = {}
        self._events: dict[CdpSession, int] = {}
        self.supported = True
        self.left_out = 0
        # Called at every change of the list.
        self.on_change: Callable[[], None] = lambda: None

    def watch(self, cdp: CdpSession) -> None:
        """Listen to a target that has not run anything yet."""
        self._events[cdp] = 0
        cdp.on("WebMCP.toolsAdded", lambda event: self._on_added(cdp, event))
        cdp.on("WebMCP.toolsRemoved", lambda event: self._on_removed(cdp, event))
        cdp.on("Page.frameNavigated", lambda event: self._on_navigated(cdp, event["frame"]["id"]))
        cdp.on("disconnected", lambda: self._on_disconnected(cdp))
        cdp.send("WebMCP.enable").add_done_callback(self._on_enabled)

    def _on_enabled(self, enabled: Result) -> None:
        error = None if enabled.cancelled() else enabled.exception()
        if isinstance(error, OcdError) and _UNKNOWN_METHOD in error.message:
            self.supported = False

    def _on_added(self, cdp: CdpSession, event: Event) -> None:
        if not self._count_event(cdp):
            return
        for tool in event["tools"]:
            place = (tool["frameId"], tool["name"])
            if len(self._tools) >= MAX_TOOLS and place not in self._tools:
                self.left_out += 1
                continue
            self._tools[place] = _page_tool(cdp, tool)
        self.on_change()

    def _on_removed(self, cdp: CdpSession, event: Event) -> None:
        if not self._count_event(cdp):
            return
        for tool in event["tools"]:
            self._tools.pop((tool["frameId"], tool["name"]), None)
        self.on_change()

    def _count_event(self, cdp: CdpSession) -> bool:
        """Count an event; False for one too many, at the first of which the target is silenced."""
        self._events[cdp] = count = self._events.get(cdp, 0) + 1
        if count == _MAX_EVENTS:
            cdp.send_nowait("WebMCP.disable")
        return count < _MAX_EVENTS

    def _on_navigated(self, cdp: CdpSession, frame_id: str) -> None:
        # Chromium does not report that a document's tools are gone with it.
        if self._events.get(cdp, 0) >= _MAX_EVENTS and frame_id == cdp.target_id:
            cdp.send_nowait("WebMCP.enable")
        if frame_id == cdp.target_id:
            self._events[cdp] = 0
            self.left_out = 0
        self._drop(lambda tool: tool.frame_id == frame_id)

    def _on_disconnected(self, cdp: CdpSession) -> None:
        self._events.pop(cdp, None)
        self._drop(lambda tool: tool.cdp is cdp)

    def _drop(self, gone: Callable[[PageTool], bool]) -> None:
        left = {place: tool for place, tool in self._tools.items() if not gone(tool)}
        if len(left) < len(self._tools):
            self._tools = left
            self.on_change()

    def __len__(self) -> int:
        return len(self.all()) if self._tools else 0

    def all(self) -> list[PageTool]:
        """Return the tools of the existing frames, in order of arrival."""
        return [tool for tool in self._tools.values() if self._frame(tool.frame_id) is not None]

    def has(self, name: str) -> bool:
        """Whether an existing frame offers a tool of that name."""
        return any(tool.name == name for tool in self.all())

    async def ask_libraries(self, frames: Iterable[Frame]) -> None:
        """Make the browser aware of tools that libraries in these frames keep to themselves."""
        if not self.supported:
            return
        tops = {frame.cdp: frame for frame in frames if frame.frame_id == frame.cdp.target_id}
        for cdp, top in tops.items():
            try:
                await evaluate.evaluate(top, _LIBRARY_TOOLS)
            except OcdError as error:
                if error.code != "script_error":
                    raise
                logger.info("%r does not list the tools of libraries: %s", cdp, error)

    def find(self, name: str, frame: str = "") -> PageTool:
        """Return the tool with that name, in the frame whose id begins with `frame`.

        Raises page_tool_not_found, and ambiguous if several frames have it.
        """
        named = [tool for tool in self.all() if tool.name == name]
        matches = [tool for tool in named if tool.frame_id.startswith(frame)]
        if len(matches) == 1:
            return matches[0]
        if not matches:
            where = " in that frame" if named else ""
            message = f"The page offers no tool {name[:200]!r}{where}."
            hint = f"List them: {tool_call('page_tools')}"
            raise OcdError("page_tool_not_found", message, hint=hint)
        raise OcdError(
            "ambiguous", f"{len(matches)} frames offer a tool {name!r}.",
            hint=f"Name its frame; they are listed: {tool_call('page_tools')}",
            candidates=[frame_name(tool) for tool in matches],
        )  # fmt: skip

    async def receiver(self, tool: PageTool) -> str:
        """Return the origin that receives the arguments: the frame's, or its form's target.

        Raises page_tool_not_found if the form is gone.
        """
        frame = self._frame(tool.frame_id)
        if frame is None:
            raise _gone_error(tool)
        if tool.form is None:
            return origin_of(frame.url)
        world = await evaluate.isolated_context(frame)
        node = {"backendNodeId": tool.form, "executionContextId": world}
        try:
            form = await tool.cdp.send("DOM.resolveNode", node)
        except OcdError as error:
            raise (_gone_error(tool) if error.code == "cdp_error" else error) from None
        call = {
            "functionDeclaration": _FORM_TARGET, "objectId": form["object"]["objectId"],
            "returnByValue": True,
        }  # fmt: skip
        return str(evaluate.value_of(await tool.cdp.send("Runtime.callFunctionOn", call)))

    async def is_possible(self, frame: Frame) -> bool:
        """Whether this page could offer tools in this Chromium."""
        if not self.supported:
            return False
        context = await evaluate.isolated_context(frame)
        # Only pages of a secure origin can.
        source = "!isSecureContext || 'modelContext' in document"
        return bool(await evaluate.evaluate(frame, source, context=context))

    async def call(self, tool: PageTool, arguments: dict[str, Any]) -> ToolAnswer:
        """Call a tool; cancelling this cancels the tool's call.

        Raises page_tool_failed with the tool's own error, or the error of the page's end.
        """
        call = _ToolCall(tool)
        try:
            return await call.run(arguments)
        finally:
            call.close()

    def __repr__(self) -> str:
        return f"PageTools({[tool.name for tool in self._tools.values()]})"


class _ToolCall:
    """One call: Chromium may report its end before its id."""

    def __init__(self, tool: PageTool) -> None:
        self._tool = tool
        self._cdp = tool.cdp
        self._id = ""
        self._answers: dict[str, Event] = {}
        self._answered: asyncio.Future[Any] = self._cdp.create_future()
        self._cdp.on("WebMCP.toolResponded", self._on_responded)
        self._cdp.on("Page.frameNavigated", self._on_navigated)

    def close(self) -> None:
        self._cdp.off("WebMCP.toolResponded", self._on_responded)
        self._cdp.off("Page.frameNavigated", self._on_navigated)

    def _on_responded(self, event: Event) -> None:
        if not self._id:
            self._answers[event["invocationId"]] = event
        elif event["invocationId"] == self._id and not self._answered.done():
            self._answered.set_result(event)

    def _on_navigated(self, event: Event) -> None:
        if event["frame"]["id"] == self._tool.frame_id and self._id:
            loop = asyncio.get_running_loop()
            loop.call_later(_LATE_ANSWER_S, self._give_up)

    def _give_up(self) -> None:
        if not self._answered.done():
            self._answered.set_result(None)

    async def run(self, arguments: dict[str, Any]) -> ToolAnswer:
        tool = self._tool
        params = {"frameId": tool.frame_id, "toolName": tool.name, "input": arguments}
        try:
            self._id = str((await self._cdp.send("WebMCP.invokeTool", params))["invocationId"])
            if (early := self._answers.get(self._id)) is not None:
                return _answer(tool, early)
            answered = await self._answered
        except asyncio.CancelledError:
            self._cdp.send_nowait("WebMCP.cancelInvocation", {"invocationId": self._id})
            raise
        return ToolAnswer(None, page_left=True) if answered is None else _answer(tool, answered)


def tool_to_dict(tool: PageTool) -> dict[str, Any]:
    """Return a tool as listed: name, description, and input_schema, hints, form if any."""
    about: dict[str, Any] = {"name": tool.name, "description": tool.description}
    if tool.schema:
        about["input_schema"] = msgspec.Raw(tool.schema.encode())
    if tool.hints:
        about["hints"] = tool.hints
    if tool.form is not None:
        about["form"] = True
    return about


def frame_name(tool: PageTool) -> str:
    """Return the name by which callers refer to the tool's frame."""
    return tool.frame_id[:8]


def unsupported_error() -> OcdError:
    """Return the error for a Chromium in which no page can offer tools."""
    return OcdError(
        "webmcp_unsupported", "This Chromium has no WebMCP: pages cannot offer tools.",
        hint="Chromium 156 and later have it; `ocd doctor` names the installed one.",
    )  # fmt: skip


def _gone_error(tool: PageTool) -> OcdError:
    return OcdError("page_tool_not_found", f"The page does not offer {tool.name} any more.")


def _page_tool(cdp: CdpSession, info: dict[str, Any]) -> PageTool:
    schema = msgspec.json.encode(info["inputSchema"]).decode() if "inputSchema" in info else ""
    return PageTool(
        name=info["name"],
        description=str(info.get("description", ""))[:MAX_DESCRIPTION],
        schema=schema if len(schema) <= MAX_SCHEMA else "",
        hints=tuple(name for name, value in info.get("annotations", {}).items() if value is True),
        frame_id=info["frameId"],
        cdp=cdp,
        form=info.get("backendNodeId"),
    )


def _answer(tool: PageTool, event: Event) -> ToolAnswer:
    match event["status"]:
        case "Completed":
            return ToolAnswer(event.get("output"))
        case "Canceled":
            raise OcdError("page_tool_failed", f"The page has cancelled its tool {tool.name}.")
        case _:
            thrown = event.get("exception", {})
            words = thrown.get("description") or thrown.get("value") or event.get("errorText")
            first = str(words or "it gave no reason").split("\n    at ")[0]
            raise OcdError(
                "page_tool_failed", f"The page's tool {tool.name} failed: {first[:4000]}"
            )
