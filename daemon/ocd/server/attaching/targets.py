"""The targets that an attached program sees: its session's tabs, and its sessions on them."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterator
from functools import partial
from itertools import count
from typing import Any

from ocd.api.errors import OcdError
from ocd.api.waiting import Spawn
from ocd.browser.cdp.connection import Event
from ocd.browser.cdp.emitter import Listener
from ocd.browser.cdp.messages import decode_params
from ocd.browser.sessions.browser_contexts import BrowserContext
from ocd.browser.sessions.session import Session
from ocd.browser.tabs.tab import Tab
from ocd.server.attaching.channels import TAB_PREFIX, Channel, filter_allows
from ocd.server.attaching.messages import Outgoing

Params = dict[str, Any]

# What of a tab is attached to beside its page; workers that other tabs share are not.
_CHILDREN = ("iframe", "worker")
CHILD_FILTER = [*({"type": kind} for kind in _CHILDREN), {"exclude": True}]
_ALL: object = None
# A program's view of the browser: nothing in it belongs to this session.
BROWSER: Params = {
    "targetId": "browser", "type": "browser", "title": "", "url": "", "attached": True,
    "canAccessOpener": False,
}  # fmt: skip


class ProgramTargets:
    """The session's tabs as targets of one program, and its channels. root: that on the browser."""

    def __init__(self, session: Session, root: Channel, spawn: Spawn) -> None:
        self.session = session
        self.root = root
        self.channels: dict[str, Channel] = {"": root}
        self.contexts: list[BrowserContext] = []
        self._spawn = spawn
        self._stand_ins = count(1)
        self._discovers = self._attaches = False
        self._discovery_filter = self._attach_filter = _ALL
        self._told: set[str] = set()
        self._watched: dict[Tab, Listener] = {}
        self._settled: dict[str, asyncio.Event] = {}

    @contextlib.contextmanager
    def listening(self) -> Iterator[None]:
        """Follow the session's tabs as they open and close."""
        assert self.root.cdp is not None
        self.root.cdp.relay = self._on_browser_event
        for tab in self.session.tabs:
            self._watch_end(tab)
        listener = self.session.events.on("tab", self._on_tab)
        try:
            yield
        finally:
            self.session.events.off("tab", listener)
            for tab, on_closed in self._watched.items():
                tab.events.off("closed", on_closed)
            self.root.cdp.relay = None

    # --- tabs --------------------------------------------------------------------------------

    def tab(self, target_id: object) -> Tab:
        """Return the session's tab of that target; raises tab_gone for every other target."""
        if (tab := self.find(target_id)) is not None:
            return tab
        raise OcdError("tab_gone", "No target with given id found")

    def find(self, target_id: object) -> Tab | None:
        """Return the session's tab of that target, if it is one."""
        bare = str(target_id).removeprefix(TAB_PREFIX)
        return next((tab for tab in self.session.tabs if tab.target_id == bare), None)

    async def info(self, tab: Tab) -> Params:
        """Return CDP's TargetInfo of a tab's page."""
        assert self.root.cdp is not None
        reply = await self.root.cdp.send("Target.getTargetInfo", {"targetId": tab.target_id})
        return dict(reply["targetInfo"])

    async def list(self, rules: object = _ALL) -> list[Params]:
        """Return the TargetInfo of everything that exists for the program."""
        found: list[Params] = []
        for tab in list(self.session.tabs):
            with contextlib.suppress(OcdError):
                info = await self.info(tab)
                found += [
                    target
                    for target in _as_target_infos(info)
                    if filter_allows(rules, target["type"])
                ]
        return found

    def _on_tab(self, tab: Tab) -> None:
        self._watch_end(tab)
        settled = self._settled[tab.target_id] = asyncio.Event()
        self._spawn(self._announce(tab, settled))

    def _watch_end(self, tab: Tab) -> None:
        self._watched[tab] = tab.events.on("closed", lambda: self._on_tab_closed(tab))

    async def _announce(self, tab: Tab, settled: asyncio.Event) -> None:
        try:
            if self._discovers:
                self._report_created(await self.info(tab))
            if self._attaches:
                await self._auto_attach(tab)
        except OcdError:
            pass  # it has gone again
        finally:
            settled.set()

    async def wait_announced(self, tab: Tab) -> None:
        """Wait until the program has been notified of a new tab."""
        if (settled := self._settled.get(tab.target_id)) is not None:
            await settled.wait()

    def _on_tab_closed(self, tab: Tab) -> None:
        self._settled.pop(tab.target_id, None)
        self._watched.pop(tab, None)
        # Those that were attached by another one first, as the program knows them by it.
        for channel in reversed(list(self.channels.values())):
            if channel.tab is tab:
                self._on_channel_gone(channel)
        for target_id in (tab.target_id, TAB_PREFIX + tab.target_id):
            if target_id in self._told:
                self._told.discard(target_id)
                self.root.emit("Target.targetDestroyed", {"targetId": target_id})

    def _on_browser_event(self, method: str, raw: Any) -> None:  # noqa: ANN401 - undecoded JSON
        if method != "Target.targetInfoChanged":
            return
        info = decode_params(raw)["targetInfo"]
        for form in _as_target_infos(info):
            if form["targetId"] in self._told:
                self.root.emit(method, {"targetInfo": form})

    # --- discovering -------------------------------------------------------------------------

    async def discover(self, *, on: bool, rules: object) -> None:
        """Announce the existing tabs, and new ones from now on; or stop announcing."""
        assert self.root.cdp is not None
        self._discovers, self._discovery_filter = on, rules
        await self.root.cdp.send("Target.setDiscoverTargets", {"discover": on})
        if not on:
            self._told.clear()
            return
        for tab in list(self.session.tabs):
            with contextlib.suppress(OcdError):
                self._report_created(await self.info(tab))

    def _report_created(self, info: Params) -> None:
        for form in _as_target_infos(info):
            target_id = form["targetId"]
            if target_id not in self._told and filter_allows(self._discovery_filter, form["type"]):
                self._told.add(target_id)
                self.root.emit("Target.targetCreated", {"targetInfo": form})

    # --- attaching ---------------------------------------------------------------------------

    async def auto_attach(self, *, on: bool, flat: bool, rules: object) -> None:
        """Attach to the existing tabs, and to new ones from now on; or stop attaching."""
        self._attaches, self._attach_filter = on, rules
        self.root.nests = not flat
        for tab in list(self.session.tabs) if on else ():
            with contextlib.suppress(OcdError):
                await self._auto_attach(tab)

    async def _auto_attach(self, tab: Tab) -> None:
        if any(child.tab is tab and child.parent is self.root for child in self.channels.values()):
            return
        if filter_allows(self._attach_filter, "tab"):
            await self.attach_stand_in(tab, self.root, nested=self.root.nests)
        elif filter_allows(self._attach_filter, "page"):
            await self.attach(tab, self.root, nested=self.root.nests)

    def attach_browser(self, parent: Channel) -> Channel:
        """Open another channel on the browser, with the same access as the first; announce it."""
        number = f"browser:{next(self._stand_ins)}"
        channel = Channel(number, self.root.send, parent=parent, cdp=self.root.cdp)
        self._report_attached(channel, BROWSER)
        return channel

    async def attach_stand_in(self, tab: Tab, parent: Channel, *, nested: bool) -> Channel:
        """Attach to the stand-in for the target around a page, and announce it."""
        number = f"{TAB_PREFIX}{next(self._stand_ins)}"
        channel = Channel(number, self.root.send, parent=parent, tab=tab, nested=nested)
        self._report_attached(channel, _as_target_infos(await self.info(tab))[0])
        return channel

    async def attach(self, tab: Tab, parent: Channel, *, nested: bool) -> Channel:
        """Attach to a tab's page once more, and announce it."""
        browser = self.root.cdp
        assert browser is not None
        options = {"targetId": tab.target_id, "flatten": True}
        reply = await browser.send("Target.attachToTarget", options)
        cdp = browser.connection.session(reply["sessionId"])
        channel = Channel(
            cdp.session_id, self.root.send, parent=parent, cdp=cdp, tab=tab, nested=nested
        )
        self._open(channel)
        self._report_attached(channel, await self.info(tab))
        return channel

    def _open(self, channel: Channel) -> None:
        cdp = channel.cdp
        assert cdp is not None
        self.channels[channel.id] = channel
        cdp.relay = lambda method, raw: channel.write(Outgoing(method=method, params=raw))
        cdp.on("Target.attachedToTarget", partial(self._on_child, channel))
        cdp.on("disconnected", partial(self._on_channel_gone, channel))

    def _report_attached(self, channel: Channel, info: Params) -> None:
        self.channels[channel.id] = channel
        parent = channel.parent or self.root
        params = {"sessionId": channel.id, "targetInfo": info, "waitingForDebugger": False}
        parent.emit("Target.attachedToTarget", params)

    def _on_child(self, parent: Channel, event: Event) -> None:
        assert parent.cdp is not None
        cdp = parent.cdp.connection.session(event["sessionId"])
        if cdp.kind not in _CHILDREN:
            cdp.send_nowait("Runtime.runIfWaitingForDebugger")
            parent.cdp.send_nowait("Target.detachFromTarget", {"sessionId": cdp.session_id})
            return
        self._open(
            Channel(
                cdp.session_id, self.root.send, parent=parent, cdp=cdp, tab=parent.tab,
                nested=parent.nests,
            )
        )  # fmt: skip
        parent.emit("Target.attachedToTarget", event)

    def _on_channel_gone(self, channel: Channel) -> None:
        if self.channels.pop(channel.id, None) is None:
            return
        about = {"sessionId": channel.id, "targetId": channel.target_id}
        (channel.parent or self.root).emit("Target.detachedFromTarget", about)

    async def detach(self, channel: Channel) -> None:
        """End a channel, with those that were attached by it."""
        if channel.tab is not None and channel.cdp is not None:
            await channel.cdp.detach()
            return
        for child in [child for child in self.channels.values() if child.parent is channel]:
            await self.detach(child)
        self._on_channel_gone(channel)

    # --- browser contexts --------------------------------------------------------------------

    def context_ids(self) -> set[str]:
        """Return the browser contexts of the session's tabs and workers."""
        workers = {worker.context_id for worker in self.session.workers}
        return workers | {context_of(tab) for tab in self.session.tabs}

    async def close_contexts(self) -> None:
        """Close the browser contexts that the program has made."""
        for worker in self.contexts:
            await self.session.workers.close(worker)
        self.contexts.clear()


def context_of(tab: Tab) -> str:
    """Return the id of a tab's browser context."""
    return str(tab.cdp.target.get("browserContextId", ""))


def _as_target_infos(info: Params) -> list[Params]:
    """Return a page as the two targets that newer clients know: what is around it, and itself."""
    return [{**info, "targetId": f"{TAB_PREFIX}{info['targetId']}", "type": "tab"}, info]
