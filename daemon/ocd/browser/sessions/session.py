"""Sessions: names that own tabs."""

import asyncio
import tempfile
from collections import deque
from pathlib import Path

from ocd.api.errors import OcdError, did_you_mean
from ocd.api.tool_calls import tool_call
from ocd.browser.cdp.connection import CdpSession, Event, Result
from ocd.browser.cdp.emitter import Emitter
from ocd.browser.emulation import emulation
from ocd.browser.network import interception
from ocd.browser.process.chromium import Chromium
from ocd.browser.process.downloads import Download
from ocd.browser.sessions import permissions
from ocd.browser.sessions.browser_contexts import MAX_WORKERS, BrowserContexts
from ocd.browser.sessions.external_links import watch_external_links
from ocd.browser.sessions.init_scripts import InitScripts
from ocd.browser.sessions.unattended_prompts import watch_unattended_prompts
from ocd.browser.tabs.page_target import MAX_DOWNLOADS
from ocd.browser.tabs.tab import RefusedPopup, Tab
from ocd.safety.path_policy import safe_name


class Session:
    """A caller's name and its tabs, oldest first.

    Attributes:
        seen_generation: the Chromium generation that its caller knows of (used by the dispatcher);
            if it is earlier than the current one, the caller does not know of its end yet.
        refused_popups: pop-ups that were closed at the limit, until they are reported.
        downloads: its latest files.
        workers: its isolated contexts, whose tabs are among `tabs`.
        init_scripts: run first in each document of its tabs.
        events: emits "tab" (Tab) for each new one, already started, and "closed".
    """

    def __init__(self, name: str, sessions: "Sessions") -> None:
        self.name = name
        self.sessions = sessions
        self.tabs: list[Tab] = []
        self.events = Emitter()
        self.seen_generation = sessions.chromium.current_generation
        self.refused_popups: list[RefusedPopup] = []
        self.downloads: deque[Download] = deque(maxlen=MAX_DOWNLOADS)
        self.workers = BrowserContexts(sessions.chromium, self.tabs, self._open_worker_tab)
        self.init_scripts = InitScripts(self.tabs)
        self._opening = 0
        self._number = 0
        self._latest: Tab | None = None

    async def new_tab(
        self, url: str | None = None, *, background: bool = False, context_id: str = ""
    ) -> Tab:
        """Open a tab and, if `url` is given, load it there.

        background: the session's most recent tab stays the current one. context_id: the browser
        context of the tab (default: the profile's).

        Raises limit_reached beyond the session's tabs, and what Tab.navigate raises, after which
        the tab is closed.
        """
        self._check_tab_limit()
        self._opening += 1
        try:
            tab = await self._open(background=background, context_id=context_id)
        finally:
            self._opening -= 1
        if url is not None:
            try:
                await tab.navigate(url)
            except BaseException:  # cancellation, too: nobody knows this tab yet
                await asyncio.shield(tab.close())
                raise
        return tab

    async def _open_worker_tab(self, url: str | None, context_id: str) -> Tab:
        return await self.new_tab(url, background=True, context_id=context_id)

    async def _open(self, *, background: bool, context_id: str) -> Tab:
        chromium = self.sessions.chromium
        context = {"browserContextId": context_id} if context_id else {}
        with chromium.hold():
            await chromium.ensure()
            # In a window of its own, because a page behind another one would draw nothing.
            cdp = await chromium.targets.open(
                self._adopt, newWindow=chromium.own_windows, background=background, **context
            )
            tab, calls = self._add(cdp, latest=not background)
            for call in calls:
                await call
        return tab

    def _check_tab_limit(self) -> None:
        limit = self.sessions.max_tabs
        if len(self.tabs) + self._opening >= limit:
            raise OcdError(
                "limit_reached",
                f"The session {self.name} already has {limit} tabs, the maximum.",
                hint=f"Close one: {tool_call('tabs_close', tab_id='ID')}",
                limit=limit,
            )

    def _add(
        self, cdp: CdpSession, *, latest: bool, opener: Tab | None = None
    ) -> tuple[Tab, list[Result]]:
        self._number += 1
        guard = self.sessions.chromium.guard
        tab = Tab(f"t{self._number}", self.name, cdp, guard, self.folder)
        tab.all_tabs = self.sessions.tabs
        tab.page_tools.on_change = self._on_page_tools
        tab.current_tab_id = lambda: self._latest.id if self._latest else ""
        tab.events.once("closed", lambda: self._forget(tab))
        tab.events.on("session", lambda cdp: self._on_session(tab, cdp))
        self.tabs.append(tab)
        self.sessions.count_tabs(1)
        if (latest and self.workers.owner(tab) is None) or self._latest is None:
            self._set_latest(tab)
        if opener is not None:
            inherit(tab, opener)
        calls = tab.start()
        self.events.emit("tab", tab)
        return tab, calls

    def _adopt(self, cdp: CdpSession) -> None:
        # A pop-up. Nothing may be awaited here: the opener's script is suspended meanwhile.
        if len(self.tabs) + self._opening < self.sessions.max_tabs:
            target_id = cdp.target.get("openerId")
            opener = next((tab for tab in self.tabs if tab.target_id == target_id), None)
            tab, _ = self._add(cdp, latest=True, opener=opener)
            if opener is not None:
                opener.events.emit("popup", tab)
        else:
            refused = RefusedPopup(cdp.target.get("url", ""), cdp.target.get("openerId", ""))
            self.refused_popups.append(refused)
            for other in self.tabs:
                if other.target_id == refused.opener:
                    other.events.emit("popup_refused", refused)
            cdp.send_nowait("Runtime.runIfWaitingForDebugger")
            cdp.connection.send_nowait("Target.closeTarget", {"targetId": cdp.target_id})

    def _set_latest(self, tab: Tab | None) -> None:
        if tab is not self._latest:
            self._latest = tab
            self._on_page_tools()

    def _on_page_tools(self) -> None:
        self.sessions.events.emit("page_tools", self.name)

    def _on_session(self, tab: Tab, cdp: CdpSession) -> None:
        permissions.watch_prompts(tab, cdp)
        watch_external_links(tab, cdp)
        if self.sessions.chromium.is_unattended:
            watch_unattended_prompts(tab, cdp)
        self.init_scripts.start(cdp)
        cdp.on("Page.downloadWillBegin", lambda event: self._on_download(tab, event))

    def _on_download(self, tab: Tab, event: Event) -> None:
        download = self.sessions.chromium.downloads.begin(event, self.folder)
        self.downloads.append(download)
        for concerned in self.tabs:
            # A pop-up that turns out to be a download is gone at once: its opener reports it.
            if concerned is tab or concerned.id == tab.opener:
                concerned.downloads.append(download)
                concerned.events.emit("download", download)

    def _forget(self, tab: Tab) -> None:
        self.tabs.remove(tab)
        self.sessions.count_tabs(-1)
        if self._latest is tab:
            own = [other for other in self.tabs if self.workers.owner(other) is None]
            self._set_latest(next(reversed(own or self.tabs), None))

    @property
    def folder(self) -> Path:
        """Where its verbs put files if the caller names no path; created by the first writer."""
        return self.sessions.folder_of(self.name)

    @property
    def latest(self) -> Tab | None:
        """The most recent tab, which verbs without a tab id use.

        A worker's tab only if the session has no other.
        """
        return self._latest

    @property
    def free_workers(self) -> int:
        """The number of further workers, with one tab each, that it may have."""
        tabs = self.sessions.max_tabs - len(self.tabs) - self._opening
        return min(tabs, MAX_WORKERS - len(self.workers))

    @property
    def is_empty(self) -> bool:
        """Whether it has no tab, no worker and no init script, and is opening no tab."""
        return not (self.tabs or self._opening or self.workers or self.init_scripts)

    def tab(self, tab_id: str | None = None) -> Tab:
        """Return the tab, or the most recent one; no_tab, tab_not_found (with the open ones)."""
        if tab_id is None:
            if self._latest is None:
                hint = self._restart_note() + f"Open one: {tool_call('navigate', url='URL')}"
                raise OcdError("no_tab", f"The session {self.name} has no tab.", hint=hint)
            return self._latest
        for tab in self.tabs:
            if tab.id == tab_id:
                if self.workers.owner(tab) is None:
                    self._set_latest(tab)
                return tab
        names = [tab.id for tab in self.tabs]
        hint = did_you_mean(tab_id, names, "List them: `tabs_context`")
        raise OcdError(
            "tab_not_found",
            f"There is no tab {tab_id}.",
            hint=self._restart_note() + hint,
            tabs=names,
        )

    @property
    def browser_restarted(self) -> bool:
        """Whether Chromium, with all tabs, has ended since the caller was last informed."""
        return self.seen_generation < self.sessions.chromium.current_generation

    def _restart_note(self) -> str:
        if not self.browser_restarted:
            return ""
        return (
            "Chromium has ended since the last call and its tabs are gone; it has been restarted. "
        )

    async def close(self) -> None:
        """Close all its tabs and workers, and forget the session."""
        self.sessions.forget(self)
        await self.workers.close_all()
        async with asyncio.TaskGroup() as group:
            for tab in list(self.tabs):
                group.create_task(tab.close())

    def __repr__(self) -> str:
        return f"Session({self.name!r}, {[tab.id for tab in self.tabs]})"


def inherit(tab: Tab, opener: Tab) -> None:
    """Give a tab that has not started its opener's emulation, credentials and throttling."""
    tab.opener = opener.id
    emulation.inherit(tab, opener)
    interception.inherit(tab, opener)
    tab.request_log.conditions = opener.request_log.conditions


class Sessions:
    """All sessions (a part of the daemon).

    `events` emits "page_tools" (the session's name) when the tools of its pages may have changed.
    """

    def __init__(
        self,
        chromium: Chromium,
        *,
        files: Path | None = None,
        max_sessions: int = 100,
        max_tabs: int = 20,
    ) -> None:
        self.chromium = chromium
        self.files = files
        self.max_sessions = max_sessions
        self.max_tabs = max_tabs
        self.tab_count = 0
        self.events = Emitter()
        self._sessions: dict[str, Session] = {}

    def get(self, name: str) -> Session:
        """Return the session, created if necessary; limit_reached beyond max_sessions.

        At the limit, the least recently used session without tabs is forgotten.
        """
        session = self._sessions.pop(name, None)
        if session is None:
            if len(self._sessions) >= self.max_sessions:
                self._evict_empty_session()
            session = Session(name, self)
        self._sessions[name] = session  # the last one used is last
        return session

    def _evict_empty_session(self) -> None:
        # A session without tabs is only a name, so nothing is lost when it is used again.
        for session in self._sessions.values():
            if session.is_empty:
                self.forget(session)
                return
        raise OcdError(
            "limit_reached",
            f"There are already {self.max_sessions} sessions with tabs, the maximum.",
            hint=f"Close the tabs of one, in its session: {tool_call('tabs_close', all=True)}",
            limit=self.max_sessions,
        )

    def tabs(self) -> list[Tab]:
        """Return the open tabs of all sessions."""
        return [tab for session in self._sessions.values() for tab in session.tabs]

    def folder_of(self, name: str) -> Path:
        """Return the folder for files of a session of this name, whether or not it exists."""
        return (self.files or Path(tempfile.gettempdir())) / safe_name(name)

    def names(self) -> list[str]:
        """Return the names of the existing sessions."""
        return list(self._sessions)

    def forget(self, session: Session) -> None:
        """Drop the session; its name can be used again."""
        self._sessions.pop(session.name, None)
        session.events.emit("closed")

    def count_tabs(self, change: int) -> None:
        """Count opened (1) and closed (-1) tabs; while there is one, Chromium is not idle."""
        self.tab_count += change
        if change > 0:
            self.chromium.retain()
        else:
            self.chromium.release()

    async def close_all(self) -> None:
        """Close every session's tabs."""
        async with asyncio.TaskGroup() as group:
            for session in list(self._sessions.values()):
                group.create_task(session.close())

    def __repr__(self) -> str:
        return f"Sessions({len(self._sessions)} sessions, {self.tab_count} tabs)"
