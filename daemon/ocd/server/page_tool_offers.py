"""The tools of the current tab's page, offered to its host: `oc-mcp --page-tools`.

All of it is page text: names are reduced to allowed characters, invisible characters are removed,
and sizes are limited. A call is a page_tool_call, with all its rules.
"""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, Literal

import msgspec

from ocd.api.waiting import Spawn
from ocd.browser.sessions.session import Sessions
from ocd.browser.tabs.page_tools import PageTool
from ocd.browser.tabs.tab import Tab
from ocd.gateway.tool_entries import clean_schema, exposed_name
from ocd.safety.origins import text_source
from ocd.safety.sanitize import Sanitizer

PREFIX = "page"
MAX_OFFERED = 50
_MAX_DESCRIPTION = 1000
_MAX_SCHEMA = 4000
# Pages offer their tools one by one: a host hears of them once.
_SOON_S = 0.1

Offers = Mapping[str, "PageToolOffer"]


@dataclass(frozen=True, slots=True)
class PageToolOffer:
    """A page's tool under its name for a host.

    entry: as one of the catalog. params: those of page_tool_call that name it. origin: whose it is.
    """

    entry: Mapping[str, Any]
    params: Mapping[str, Any]
    origin: str


def page_tool_offers(
    sessions: Sessions, session: str, used_names: Mapping[str, Any], sanitizer: Sanitizer
) -> dict[str, PageToolOffer]:
    """Return the tools of the session's current tab by name, none under a name that is taken."""
    tab = sessions.get(session).latest if session in sessions.names() else None
    tools = tab.page_tools.all()[:MAX_OFFERED] if tab is not None else []
    if tab is None or not tools:
        return {}
    origins = {frame.frame_id: text_source(frame.url) for frame in tab.frames()}
    namesakes = Counter(exposed_name(PREFIX, tool.name) for tool in tools)
    found = {}
    for tool in tools:
        name = exposed_name(PREFIX, tool.name)
        if namesakes[name] > 1:
            # Another frame's, or spelt alike: what follows is the same as long as both are there.
            mark = blake2b(f"{tool.frame_id} {tool.name}".encode(), digest_size=3).hexdigest()
            name = exposed_name(PREFIX, f"{tool.name[:20]}_{mark}")
        if name not in used_names and tool.frame_id in origins:
            found[name] = _offer(name, tab, tool, origins[tool.frame_id], sanitizer)
    return found


def _offer(name: str, tab: Tab, tool: PageTool, origin: str, sanitizer: Sanitizer) -> PageToolOffer:
    # A host must not trust what the tool says about itself, for example that it only reads.
    words, _ = sanitizer.clean(tool.description)
    words = " ".join(words.split())
    cut = f"{words[:_MAX_DESCRIPTION]} …" if len(words) > _MAX_DESCRIPTION else words
    entry = {
        "name": name, "capability": "core", "tier": 1, "scope": "tab",
        "summary": f"A tool of the page at {origin}, in that page's words (untrusted): {cut}",
        "doc": "", "params": _schema(tool, sanitizer),
    }  # fmt: skip
    params = {"name": tool.name, "frame": tool.frame_id, "tab_id": tab.id}
    return PageToolOffer(entry, params, origin)


def _schema(tool: PageTool, sanitizer: Sanitizer) -> dict[str, Any]:
    nothing = {"type": "object", "properties": {}}
    if not tool.schema or len(tool.schema) > _MAX_SCHEMA:
        return nothing
    schema = msgspec.json.decode(tool.schema)
    if not isinstance(schema, dict) or not isinstance(schema.get("properties"), dict):
        return nothing
    # What names a dialect, or another document, is not for a page to say.
    fields = {key: schema[key] for key in ("properties", "required") if key in schema}
    return clean_schema({"type": "object", **fields}, sanitizer)


class PageToolWatch:
    """Notifies a host that its list of tools has changed, once for changes that come together."""

    def __init__(
        self,
        sessions: Sessions,
        session: str,
        listener: Callable[[Literal["tools"]], Awaitable[None]],
        spawn: Spawn,
    ) -> None:
        self._sessions = sessions
        self._session = session
        self._listener = listener
        self._spawn = spawn
        self._pending: asyncio.TimerHandle | None = None
        sessions.events.on("page_tools", self._on_change)

    def _on_change(self, session: str) -> None:
        if session == self._session and self._pending is None:
            self._pending = asyncio.get_running_loop().call_later(_SOON_S, self._notify_now)

    def _notify_now(self) -> None:
        self._pending = None
        self._spawn(self._notify())

    async def _notify(self) -> None:
        await self._listener("tools")

    def close(self) -> None:
        """Stop listening."""
        self._sessions.events.off("page_tools", self._on_change)
        if self._pending is not None:
            self._pending.cancel()
