"""Resources: stored outputs in bounded pages, tasks, the guide, the daemon's status."""

import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple
from urllib.parse import parse_qs, parse_qsl, urlsplit

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError

from oc_mcp.server import tool_results
from oc_mcp.server.caller import Caller
from oc_mcp.server.daemon_protocol import DaemonProtocol, Reply
from oc_mcp.server.tools import CallerOf
from ocd.api import agent_guide
from ocd.api.errors import OcdError
from ocd.api.wire import CallRequest

Context = ServerRequestContext[Any, Any]
Contents = list[types.TextResourceContents | types.BlobResourceContents]
GUIDE_URI = "openchrome://guide"
STATUS_URI = "openchrome://status"
OUTPUT_URI = "openchrome://output/"
TASK_URI = "openchrome://task/"
UPSTREAM_URI = "openchrome://upstream/"
OUTPUT_TEMPLATE = "openchrome://output/{handle}{?offset}"
_TEMPLATE = "template/"
TASK_TEMPLATE = "openchrome://task/{task_id}"
# The most of a payload that one read returns: hosts show all of it to the model.
PAGE_BYTES = 8192
_OFFSET = re.compile(r"\d{1,18}")
_READ_BUDGET_S = 30.0


_OURS = (
    types.Resource(
        uri=GUIDE_URI, name="guide", title="How to use OpenChrome", mime_type="text/markdown"
    ),
    types.Resource(
        uri=STATUS_URI, name="status", title="The daemon's status", mime_type="application/json"
    ),
)


class _Page(NamedTuple):
    """Which part of which output is requested."""

    handle: str
    offset: int


class Resources:
    """The handlers of resources/*."""

    def __init__(self, daemon: DaemonProtocol, caller_of: CallerOf) -> None:
        self._daemon = daemon
        self._caller_of = caller_of

    async def list_resources(self, ctx: Context, _params: object) -> types.ListResourcesResult:
        """Answer resources/list; outputs are not listed: the results of calls link to them."""
        upstream = await self._daemon.resources(self._caller_of(ctx).maximum)
        return types.ListResourcesResult(
            resources=[*_OURS, *(types.Resource.model_validate(resource) for resource in upstream)]
        )

    async def list_templates(
        self, ctx: Context, _params: object
    ) -> types.ListResourceTemplatesResult:
        """Answer resources/templates/list."""
        upstream = await self._daemon.templates(self._caller_of(ctx).maximum)
        output = types.ResourceTemplate(
            uri_template=OUTPUT_TEMPLATE,
            name="output",
            title="A stored output",
            description=f"Up to {PAGE_BYTES} bytes from offset; the end names the next page",
        )
        task = types.ResourceTemplate(
            uri_template=TASK_TEMPLATE,
            name="task",
            title="A task",
            description="Its state and progress now; its result: oc_task_get",
            mime_type="application/json",
        )
        theirs = map(types.ResourceTemplate.model_validate, upstream)
        return types.ListResourceTemplatesResult(resource_templates=[output, task, *theirs])

    async def read(
        self, ctx: Context, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        """Answer resources/read."""
        uri = str(params.uri)
        if uri == GUIDE_URI:
            return _text_contents(uri, "text/markdown", agent_guide.guide("tools"))
        if uri == STATUS_URI:
            return _text_contents(
                uri, "application/json", json.dumps(self._daemon.status(), default=str)
            )
        if uri.startswith(TASK_URI):
            return await self._task(self._caller_of(ctx), uri)
        if uri.startswith(UPSTREAM_URI):
            server, what, arguments = _parse_upstream(uri)
            contents = await self.read_upstream(ctx, server, what, arguments, uri)
            return types.ReadResourceResult(contents=contents)
        page = _parse(uri)
        if page is None:
            raise _not_found(uri, "No such resource")
        return await self._output(self._caller_of(ctx), uri, page)

    async def subscribable_task(self, ctx: Context, uri: str) -> str:
        """Return the id of the task at this address; no other resource of ours changes."""
        if not uri.startswith(TASK_URI):
            message = f"Only tasks can be subscribed to: {TASK_TEMPLATE}"
            raise _not_found(uri, message)
        await self._task(self._caller_of(ctx), uri)
        return uri.removeprefix(TASK_URI)

    async def _task(self, caller: Caller, uri: str) -> types.ReadResourceResult:
        try:
            reply = await self._call(caller, "oc_task_get", {"task_id": uri.removeprefix(TASK_URI)})
        except OcdError as error:
            raise _not_found(uri, error.message) from None
        return _text_contents(uri, "application/json", json.dumps(reply.data["meta"]))

    async def upstream_prompts(self, ctx: Context) -> list[dict[str, Any]]:
        """Return the prompts of other servers that the caller may use."""
        return await self._daemon.prompts(self._caller_of(ctx).maximum)

    async def read_upstream(
        self, ctx: Context, server: str, method: str, arguments: dict[str, Any], uri: str = ""
    ) -> Contents:
        """Return another server's reply; a long one is stored, and its first page returned.

        Args:
            method: resources/read, resources/templates/read or prompts/get.
            uri: the address under which we offer it.
        """
        caller = self._caller_of(ctx)
        arguments = {**arguments, "output_mode": "auto", "output_inline_limit_bytes": PAGE_BYTES}
        uri = uri or f"{UPSTREAM_URI}{server}"
        try:
            reply = await self._call(caller, f"{server}__{method}", arguments)
        except OcdError as error:
            raise _not_found(uri, f"{error.message} {error.hint}".strip()) from None
        if reply.is_handle:
            page = _Page(str(reply.data["output_handle"]), 0)
            return list((await self._output(caller, uri, page)).contents)
        found: Contents = list(_blobs(uri, reply))
        if reply.content is None:
            return found
        text = tool_results.fence(reply.content, reply.origin)
        return [types.TextResourceContents(uri=uri, mime_type="text/plain", text=text), *found]

    async def _output(self, caller: Caller, uri: str, page: _Page) -> types.ReadResourceResult:
        try:
            found = await self._fetch(caller, page, "text")
        except OcdError as error:
            if error.code != "invalid_format_for_payload":
                raise _not_found(uri, error.message) from None
            found = await self._fetch(caller, page, "bytes")
            return types.ReadResourceResult(
                contents=[
                    types.BlobResourceContents(uri=uri, blob=found["content"]),
                    *_trailer(uri, page, found),
                ]
            )
        text = types.TextResourceContents(uri=uri, text=found["content"])
        return types.ReadResourceResult(contents=[text, *_trailer(uri, page, found)])

    async def _fetch(self, caller: Caller, page: _Page, form: str) -> dict[str, Any]:
        arguments = {
            "output_handle": page.handle,
            "offset": page.offset,
            "limit": PAGE_BYTES if form == "text" else PAGE_BYTES * 3 // 4,
            "format": form,
        }
        return dict((await self._call(caller, "oc_output_fetch", arguments)).data)

    async def _call(self, caller: Caller, verb: str, arguments: dict[str, Any]) -> Reply:
        return await self._daemon.call(
            CallRequest(verb=verb, params=arguments, session=caller.session, client=caller.client),
            lambda _progress: None,
            budget_s=_READ_BUDGET_S,
            maximum=caller.maximum,
            is_listed=caller.lists,
            askable=False,
        )


def _blobs(uri: str, reply: Reply) -> Iterator[types.BlobResourceContents]:
    for attachment in reply.attachments:
        inner = attachment.get("resource", attachment)
        data = inner.get("blob") or inner.get("data")
        if data:
            mime = inner.get("mimeType")
            yield types.BlobResourceContents(uri=uri, mime_type=mime, blob=data)


def _parse(uri: str) -> _Page | None:
    if not uri.startswith(OUTPUT_URI):
        return None
    parts = urlsplit(uri)
    offset = parse_qs(parts.query).get("offset", ["0"])[0]
    return _Page(parts.path.strip("/"), int(offset)) if _OFFSET.fullmatch(offset) else None


def _parse_upstream(uri: str) -> tuple[str, str, dict[str, Any]]:
    """Return the server, and what is requested of it with which arguments."""
    server, _, key = uri.removeprefix(UPSTREAM_URI).partition("/")
    if not key.startswith(_TEMPLATE):
        return server, "resources/read", {"id": key}
    key, _, query = key.removeprefix(_TEMPLATE).partition("?")
    # In URLs, unlike in forms, a plus does not mean a space.
    values = dict(parse_qsl(query.replace("+", "%2B"), keep_blank_values=True))
    return server, "resources/templates/read", {"id": key, "values": values}


def _text_contents(uri: str, mime_type: str, text: str) -> types.ReadResourceResult:
    content = types.TextResourceContents(uri=uri, mime_type=mime_type, text=text)
    return types.ReadResourceResult(contents=[content])


def _trailer(uri: str, page: _Page, found: dict[str, Any]) -> list[types.TextResourceContents]:
    following = found["next_offset"]
    more = "[This is all of it]"
    if following is not None:
        more = (
            f"[{found['total']} bytes in all; next: {OUTPUT_URI}{page.handle}?offset={following}, "
            f"or search it with oc_output_search]"
        )
    warning = tool_results.note(["text"], [])
    return [types.TextResourceContents(uri=uri, mime_type="text/plain", text=f"{warning}\n{more}")]


def _not_found(uri: str, message: str) -> MCPError:
    return MCPError(code=types.INVALID_PARAMS, message=message, data={"uri": uri})
