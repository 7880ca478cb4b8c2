"""Workers: isolated browser contexts, with their own cookies and storage, in one session.

Their tabs are among the session's, so that every verb reaches them by `tab_id`; the browser
context says which worker a tab belongs to, pop-ups included.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from typing import Any

from ocd.api.errors import OcdError
from ocd.api.timestamps import now
from ocd.api.tool_calls import tool_call
from ocd.browser.process.chromium import Chromium
from ocd.browser.process.permission_defaults import refuse_all
from ocd.browser.storage.cookies import domain_matches, host_url
from ocd.browser.tabs.tab import Tab
from ocd.safety.host_canonical import hostname_of

# Opens a tab at a URL (None: an empty one) in the browser context with that id.
OpenTab = Callable[[str | None, str], Awaitable[Tab]]

MAX_WORKERS = 20
_DISPOSE_S = 3.0
# The keys of Storage.getCookies that Storage.setCookies accepts.
_COOKIE_KEYS = (
    "name", "value", "domain", "path", "secure", "httpOnly", "sameSite", "priority",
    "sourceScheme", "sourcePort", "partitionKey",
)  # fmt: skip


@dataclass(eq=False, slots=True)
class BrowserContext:
    """An isolated context of a session; `workflow_id` is that of the workflow that owns it.

    context_id belongs to the Chromium of `generation`, and is invalid after its end.
    """

    id: str
    name: str
    workflow_id: str
    created_at: str
    context_id: str
    generation: int


class BrowserContexts:
    """The workers of one session, oldest first.

    Args:
        chromium: Where the contexts are.
        tabs: The session's tabs, as they come and go.
        open_tab: Opens a tab of the session.
    """

    def __init__(self, chromium: Chromium, tabs: list[Tab], open_tab: OpenTab) -> None:
        self._chromium = chromium
        self._tabs = tabs
        self._open_tab = open_tab
        self._by_id: dict[str, BrowserContext] = {}
        self._creating = 0
        self._number = 0

    def __iter__(self) -> Iterator[BrowserContext]:
        return iter(self._by_id.values())

    def __len__(self) -> int:
        return len(self._by_id) + self._creating

    async def create(
        self, name: str, *, worker_id: str = "", workflow_id: str = ""
    ) -> BrowserContext:
        """Create a worker; limit_reached beyond MAX_WORKERS, invalid_argument for a used id."""
        if len(self) >= MAX_WORKERS:
            raise OcdError(
                "limit_reached", f"The session already has {MAX_WORKERS} workers, the maximum.",
                hint=f"Delete one: {tool_call('worker', action='delete', worker_id='ID')}",
                limit=MAX_WORKERS,
            )  # fmt: skip
        if worker_id in self._by_id:
            message = f"A worker {worker_id} already exists."
            raise OcdError("invalid_argument", message, parameter="id")
        self._creating += 1
        try:
            context_id = await self._new_context()
        finally:
            self._creating -= 1
        while not worker_id or worker_id in self._by_id:
            self._number += 1
            worker_id = f"w{self._number}"
        generation = self._chromium.generation
        worker = BrowserContext(
            worker_id, name or worker_id, workflow_id, now(), context_id, generation
        )
        self._by_id[worker_id] = worker
        return worker

    async def _new_context(self) -> str:
        with self._chromium.hold():
            connection = await self._chromium.ensure()
            reply = await connection.send("Target.createBrowserContext", {"disposeOnDetach": True})
            context_id = str(reply["browserContextId"])
            await self._chromium.downloads.enable_in(connection, context_id)
            if not self._chromium.options.browser_url:
                refuse_all(connection, context_id)
        return context_id

    def get(self, id_or_name: str) -> BrowserContext:
        """Return the worker with this id or name; raises worker_not_found."""
        if id_or_name in self._by_id:
            return self._by_id[id_or_name]
        matches = [worker for worker in self if worker.name == id_or_name]
        if len(matches) == 1:
            return matches[0]
        raise OcdError(
            "worker_not_found", f"There is no worker {id_or_name[:200]!r}.",
            hint=f"List them: {tool_call('worker', action='list')}", workers=list(self._by_id),
        )  # fmt: skip

    def tabs(self, worker: BrowserContext) -> list[Tab]:
        """Return the worker's tabs, oldest first."""
        return [tab for tab in self._tabs if _context_of(tab) == worker.context_id]

    def owner(self, tab: Tab) -> BrowserContext | None:
        """Return the worker that the tab belongs to; None for the profile's own tabs."""
        context_id = _context_of(tab)
        return next((worker for worker in self if worker.context_id == context_id), None)

    async def open(self, worker: BrowserContext, url: str | None = None) -> Tab:
        """Open a tab in the worker; its context is recreated if Chromium was restarted."""
        await self._chromium.ensure()
        if worker.generation != self._chromium.generation:
            worker.context_id = await self._new_context()
            worker.generation = self._chromium.generation
        return await self._open_tab(url, worker.context_id)

    async def share_cookies(self, worker: BrowserContext, url: str) -> int:
        """Copy the profile's cookies for the URL's host to the worker; return how many."""
        host = hostname_of(url)
        if not host:
            return 0
        self._chromium.guard.policy.check(host_url(host))
        connection = await self._chromium.ensure()
        all_cookies = (await connection.send("Storage.getCookies"))["cookies"]
        cookies = [
            _settable_cookie(cookie)
            for cookie in all_cookies
            if domain_matches(cookie["domain"], host)
        ]
        params = {"cookies": cookies, "browserContextId": worker.context_id}
        await connection.send("Storage.setCookies", params)
        return len(cookies)

    async def close(self, worker: BrowserContext) -> list[str]:
        """Close the worker and its tabs; return the tabs' ids."""
        tabs = self.tabs(worker)
        self._by_id.pop(worker.id, None)
        async with asyncio.TaskGroup() as group:
            for tab in tabs:
                group.create_task(tab.close())
        if self._chromium.state == "running" and worker.generation == self._chromium.generation:
            params = {"browserContextId": worker.context_id}
            try:
                async with asyncio.timeout(_DISPOSE_S):
                    await self._chromium.connection.send("Target.disposeBrowserContext", params)
            except (OcdError, TimeoutError):
                pass  # it ended with Chromium, or will
        return [tab.id for tab in tabs]

    async def close_all(self) -> None:
        """Close every worker of the session."""
        for worker in list(self):
            await self.close(worker)

    def __repr__(self) -> str:
        return f"BrowserContexts({list(self._by_id)})"


def _context_of(tab: Tab) -> str:
    return str(tab.cdp.target.get("browserContextId", ""))


def _settable_cookie(cookie: dict[str, Any]) -> dict[str, Any]:
    params = {key: cookie[key] for key in _COOKIE_KEYS if key in cookie}
    return params if cookie["session"] else {**params, "expires": cookie["expires"]}
