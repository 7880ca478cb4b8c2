"""One MCP server behind the gateway: its connection, once needed, and what it offers.

What speaks MCP lives in `oc_mcp.client.upstream_connection`, loaded when the first is asked.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

from ocd.api.errors import OcdError
from ocd.api.waiting import Spawn
from ocd.config.tables import Upstream
from ocd.gateway import approval_diff as review
from ocd.gateway.connection import UpstreamHandle, launch_options
from ocd.gateway.prompts import GET, UpstreamPrompt, prompt_output, prompts_of
from ocd.gateway.resource_templates import READ_TEMPLATE, UpstreamTemplate, templates_of
from ocd.gateway.resources import READ, ResourceLinks, resource_of
from ocd.gateway.results import output_of
from ocd.gateway.tool_entries import ToolEntry, build_entries
from ocd.gateway.tool_pins import PinnedTools, PinStore
from ocd.safety.redact import redact_text
from ocd.safety.sanitize import Sanitizer
from ocd.verb_api.capabilities import UPSTREAM_MARK
from ocd.verb_api.declaration import Output, Params, Verb
from ocd.verb_api.inline_tasks import OnProgress

logger = logging.getLogger(__name__)

# A longer result is searched in a thread.
_MAX_INLINE_CHARS = 8192


ListName = Literal["tools", "resources", "prompts"]


class UpstreamCall(Params):
    """The arguments for another server's tool, passed on undecoded"""

    arguments: dict[str, Any]


@dataclass(frozen=True, slots=True)
class UpstreamServices:
    """What all servers need. load: imports a module of oc_mcp. publish: reports new offers,
    on_changed: another list that has changed.
    """

    pins: PinStore
    sanitizer: Sanitizer
    load: Callable[[str], Awaitable[Any]]
    spawn: Spawn
    publish: Callable[[], None]
    on_changed: Callable[[ListName], None]


class UpstreamServer:
    """One `[upstream.NAME]`. `offered`: its tools by the names under which we offer them."""

    def __init__(self, name: str, table: Upstream, services: UpstreamServices) -> None:
        self.name = name
        self.table = table
        self.offered: dict[str, ToolEntry] = {}
        self.known = asyncio.Event()
        self.ended = asyncio.Event()
        self.actor: UpstreamHandle | None = None
        self._services = services
        self._starting = asyncio.Lock()
        self._listed: list[dict[str, Any]] = []
        self._removed = False
        self._links = ResourceLinks(name)
        self._templates: dict[str, UpstreamTemplate] = {}
        self._prompts: dict[str, UpstreamPrompt] = {}

    # --- its life ---------------------------------------------------------------------------

    async def start(self) -> UpstreamHandle:
        """Return its connection actor, created and started on first use.

        Raises upstream_gone if the server was removed from the configuration meanwhile.
        """
        async with self._starting:
            if self.actor is not None:
                return self.actor
            module = await self._services.load("oc_mcp.client.upstream_connection")
            if self._removed:  # the configuration changed meanwhile: nobody would end it
                raise OcdError(
                    "upstream_gone", f"The MCP server '{self.name}' was removed from config.toml",
                    hint="List them: oc mcp upstreams", upstream=self.name,
                )  # fmt: skip
            actor: UpstreamHandle = module.Upstream(
                self.name, launch_options(self.table), self._on_tools, self._services.on_changed
            )
            self.actor = actor
            self._services.spawn(self._run(actor))
            return actor

    async def _run(self, actor: UpstreamHandle) -> None:
        try:
            await actor.run()
        finally:
            self.ended.set()

    async def settle(self) -> None:
        """Wait until its first start has succeeded or failed."""
        try:
            actor = await self.start()
        except OcdError as error:
            logger.warning("upstream %s cannot be started: %s", self.name, error.message)
            return
        await actor.settled.wait()

    def remove(self) -> None:
        """End it and withdraw its tools."""
        self._removed = True
        if self.actor is not None:
            self.actor.stop()

    # --- what it offers, and what is approved -----------------------------------------------------

    async def _on_tools(self, tools: list[dict[str, Any]]) -> None:
        """Record what it offers; the first list is approved as it is."""
        self._listed = tools
        pinned = await asyncio.to_thread(self._services.pins.of, self.name)
        if pinned is None:
            pinned = await self._pin()
        elif not pinned.declarations.keys() >= pinned.tools.keys():
            pinned = await self._complete_pins(pinned)
        self._offer(pinned)

    async def _pin(self) -> PinnedTools:
        found = self._offers(None)
        approved = [entry.tool for entry in found if entry.state != "refused"]
        hashes = {entry.tool: entry.hash for entry in found if entry.tool in approved}
        return await self._keep(hashes, self._describe_tools(approved))

    async def _complete_pins(self, pinned: PinnedTools) -> PinnedTools:
        """Add the texts of tools that are unchanged since approval: earlier versions had none."""
        same = [
            offer.tool
            for offer in self._offers(pinned)
            if pinned.tools.get(offer.tool) == offer.hash
        ]
        return await self._keep(
            pinned.tools, pinned.declarations | self._describe_tools(same), pinned.approved_at
        )

    async def _keep(
        self, hashes: dict[str, str], declarations: dict[str, dict[str, Any]], at: str = ""
    ) -> PinnedTools:
        return await asyncio.to_thread(
            self._services.pins.keep, self.name, hashes, declarations, at
        )

    def _describe_tools(self, tools: Iterable[str]) -> dict[str, dict[str, Any]]:
        names = set(tools)
        return {
            str(tool.get("name", "")): review.pinned_fields(tool)
            for tool in self._listed
            if str(tool.get("name", "")) in names
        }

    def _offers(self, pinned: PinnedTools | None) -> list[ToolEntry]:
        approved = None if pinned is None else pinned.tools
        sanitizer = self._services.sanitizer
        return build_entries(
            self.name, self._listed, approved, tier=self.table.tier, sanitizer=sanitizer
        )

    def _offer(self, pinned: PinnedTools) -> None:
        if self._removed:
            return
        found = self._offers(pinned)
        for entry in found:
            if entry.state != "offered":
                logger.warning("%s: %s %s", entry.name, entry.state, entry.why)
        self.offered = {entry.name: entry for entry in found if entry.state != "refused"}
        self.known.set()
        self._services.publish()

    async def review(self) -> dict[str, Any]:
        """Fetch its tools and return how they differ from the approved ones."""
        actor = await self.start()
        await actor.wait_connected()
        self._listed = await actor.tools()
        return await self.compare()

    @property
    def withholds(self) -> bool:
        """Whether some of its tools are withheld until a person approves them."""
        return any(entry.state != "offered" for entry in self.offered.values())

    async def compare(self) -> dict[str, Any]:
        """Compare its tools as last listed with the approved ones, as in `review`."""
        before = await asyncio.to_thread(self._services.pins.of, self.name)
        found = self._offers(before)
        return {
            "upstream": self.name,
            "tools": sum(entry.state != "refused" for entry in found),
            "changes": await asyncio.to_thread(review.changes, found, self._listed, before),
            "mark": review.fingerprint(self._listed),
        }

    async def approve(self, mark: str) -> dict[str, Any]:
        """Approve all its tools as they are now, and return what is new.

        Raises upstream_withheld if they are not those that the review with this fingerprint has
        shown.
        """
        now = await self.review()
        if mark and mark != now["mark"]:
            raise OcdError(
                "upstream_withheld",
                f"The tools of '{self.name}' have changed since they were shown",
                hint=f"Review them: oc mcp approve {self.name}", upstream=self.name,
            )  # fmt: skip
        self._offer(await self._pin())
        return now

    def state(self) -> dict[str, Any]:
        """Return its state, its tools, and which of them are withheld."""
        found: dict[str, Any] = {"upstream": self.name}
        if self.actor is not None:
            found |= self.actor.state()
            if "said" in found:
                found["said"] = redact_text(str(found["said"]))
        offered = self.offered.values()
        found["tools"] = [entry.name for entry in offered if entry.state == "offered"]
        withheld = [_describe_entry(entry) for entry in offered if entry.state != "offered"]
        everything = self._offers(None) if self._listed else []
        refused = [_describe_entry(entry) for entry in everything if entry.state == "refused"]
        found |= {"withheld": withheld} if withheld else {}
        return found | ({"refused": refused} if refused else {})

    # --- calls ------------------------------------------------------------------------------

    async def verb(self, name: str) -> Verb | None:
        """Return a tool as a verb; None if there is no tool of that name.

        Raises upstream_gone if the server cannot be asked, upstream_withheld if it is not approved.
        """
        if name == f"{self.name}{UPSTREAM_MARK}{READ}":
            return self._verb(name, self._read, frozenset(("id",)), reads=True)
        if name == f"{self.name}{UPSTREAM_MARK}{READ_TEMPLATE}":
            # What the caller fills in is data that goes there.
            return self._verb(name, self._read_template, frozenset(("id", "values")), reads=False)
        if name == f"{self.name}{UPSTREAM_MARK}{GET}":
            return self._verb(name, self._get_prompt, frozenset(("name", "arguments")), reads=False)
        if not self.known.is_set():
            actor = await self.start()
            await actor.wait_connected()
        one = self.offered.get(name)
        if one is None:
            return None
        if one.state != "offered":
            raise _not_approved(self.name, one)
        return self._verb(name, partial(self._call, one.tool), one.parameter_names, reads=False)

    def _verb(
        self, name: str, run: Callable[..., Awaitable[Output]], own: frozenset[str], *, reads: bool
    ) -> Verb:
        return Verb(
            name=name, params=UpstreamCall, run=run, scope="upstream", needs=None,
            capability="upstream", tier=self.table.tier, large=True, reads_page=True,
            timeout_ms=self.table.timeout_ms, upstream_params=own, reads=reads,
        )  # fmt: skip

    async def _call(
        self, tool: str, params: UpstreamCall, on_progress: OnProgress | None
    ) -> Output:
        actor = await self.start()
        result = await actor.call(tool, params.arguments, on_progress)
        work = partial(
            output_of, self.name, tool, result, self._links.alias, redacted=self.table.redact
        )
        return await asyncio.to_thread(work) if _is_long(result) else work()

    # --- resources --------------------------------------------------------------------------

    async def resources(self) -> list[dict[str, Any]]:
        """Return its resources as they are listed, under addresses of ours; upstream_gone."""
        actor = await self.start()
        return list(self._links.to_list(await actor.resources()))

    async def _read(self, params: UpstreamCall, _on_progress: OnProgress | None) -> Output:
        key = str(params.arguments.get("id", ""))
        if self._links.of(key) is None:
            await self.resources()  # it was linked to before the daemon was started again
        address = self._links.of(key)
        if address is None:
            raise OcdError(
                "not_found", f"'{self.name}' has no such resource now",
                hint="Links are valid until the daemon restarts. Call the tool again.",
            )  # fmt: skip
        actor = await self.start()
        result = await actor.read(address)
        alias = self._links.alias(address)
        work = partial(resource_of, self.name, alias, result, redacted=self.table.redact)
        return await asyncio.to_thread(work)

    async def templates(self) -> list[dict[str, Any]]:
        """Return its templates of resources as they are listed; upstream_gone."""
        actor = await self.start()
        self._templates = templates_of(self.name, await actor.templates())
        return [template.to_dict() for template in self._templates.values()]

    async def _read_template(self, params: UpstreamCall, _on_progress: OnProgress | None) -> Output:
        key = str(params.arguments.get("id", ""))
        if key not in self._templates:
            await self.templates()
        one = self._templates.get(key)
        if one is None:
            raise OcdError(
                "not_found", f"'{self.name}' has no such resource template now",
                hint="List them again.",
            )  # fmt: skip
        values = _strings(params.arguments.get("values"))
        one.check(values)
        actor = await self.start()
        result = await actor.read_template(one.template, values)
        work = partial(resource_of, self.name, one.uri, result, redacted=self.table.redact)
        return await asyncio.to_thread(work)

    # --- prompts ----------------------------------------------------------------------------

    async def prompts(self) -> list[dict[str, Any]]:
        """Return its prompts as they are listed, under names of ours; upstream_gone."""
        actor = await self.start()
        self._prompts = prompts_of(self.name, await actor.prompts())
        return [prompt.to_dict() for prompt in self._prompts.values()]

    async def _get_prompt(self, params: UpstreamCall, _on_progress: OnProgress | None) -> Output:
        name = str(params.arguments.get("name", ""))
        if name not in self._prompts:
            await self.prompts()
        prompt = self._prompts.get(name)
        if prompt is None:
            raise OcdError(
                "not_found", f"'{self.name}' has no such prompt now", hint="List them again.",
            )  # fmt: skip
        arguments = _strings(params.arguments.get("arguments"))
        known = {key: arguments[key] for key, _ in prompt.arguments if key in arguments}
        actor = await self.start()
        result = await actor.prompt(prompt.prompt, known)
        return await asyncio.to_thread(
            partial(
                prompt_output, self.name, prompt.prompt, result, self._links.alias,
                redacted=self.table.redact,
            )
        )  # fmt: skip

    def __repr__(self) -> str:
        return f"UpstreamServer({self.name!r}, {len(self.offered)} tools)"


def _strings(values: object) -> dict[str, str]:
    return {str(k): str(v) for k, v in values.items()} if isinstance(values, dict) else {}


def _is_long(result: Mapping[str, Any]) -> bool:
    size = 0
    for block in result.get("content", ()):
        size += len(str(block.get("text") or block.get("data") or block.get("resource") or ""))
    return size > _MAX_INLINE_CHARS or result.get("structuredContent") is not None


def _describe_entry(entry: ToolEntry) -> dict[str, Any]:
    return {"tool": entry.name, "state": entry.state, **({"why": entry.why} if entry.why else {})}


def _not_approved(server: str, entry: ToolEntry) -> OcdError:
    what = "is new" if entry.state == "new" else "has changed"
    return OcdError(
        "upstream_withheld",
        f"{entry.name} {what} since the tools of '{server}' were approved",
        hint=f"A person must review and approve it: oc mcp approve {server}",
        upstream=server, tool=entry.name, state=entry.state,
    )  # fmt: skip
