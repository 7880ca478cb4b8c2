"""The browser's page targets and their owners: pages that the daemon opens, and their pop-ups."""

from collections.abc import Callable
from typing import Any

from ocd.api.errors import OcdError
from ocd.browser.cdp.connection import CdpSession, Connection, Event

Adopt = Callable[[CdpSession], None]

_NEEDS_A_PAGE = "Hidden target can be created only"
_PAGES_ONLY = [{"type": "page"}, {"exclude": True}]


class Targets:
    """Opens pages, and hands pop-ups to the owner of their opener.

    Every page is attached paused by the browser itself, so that a pop-up has run nothing before
    its owner is ready; `adopt` must send `Runtime.runIfWaitingForDebugger` without awaiting
    anything, because the opener's script stands still until then.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._creating = 0
        self._unclaimed: dict[str, CdpSession] = {}
        self._adopters: dict[str, Adopt] = {}
        connection.on("Target.attachedToTarget", self._on_attached)
        connection.on("Target.detachedFromTarget", self._on_detached)

    async def start(self) -> None:
        """Begin to attach to new pages."""
        params = {"autoAttach": True, "waitForDebuggerOnStart": True, "flatten": True}
        await self._connection.send("Target.setAutoAttach", {**params, "filter": _PAGES_ONLY})

    async def open_hidden(self, adopt: Adopt, **options: object) -> CdpSession:
        """Create a page that is never drawn."""
        try:
            return await self.open(adopt, hidden=True, **options)
        except OcdError as error:
            if _NEEDS_A_PAGE not in error.message:
                raise
        # Chromium creates hidden pages only beside another one, which may be closed at once.
        beside = await self.open(adopt, background=True)
        try:
            return await self.open(adopt, hidden=True, **options)
        finally:
            await self.close(beside.target_id)

    async def open(self, adopt: Adopt, **options: object) -> CdpSession:
        """Create a page at about:blank with CDP's `options`; it waits to be resumed.

        `adopt` is called with the session of every pop-up that the page opens.
        """
        self._creating += 1
        try:
            params: dict[str, Any] = {"url": "about:blank", **options}
            reply = await self._connection.send("Target.createTarget", params)
        finally:
            self._creating -= 1
        session = self._unclaimed.pop(reply["targetId"], None)
        self._release_unclaimed()
        if session is None:
            # Hidden pages are not attached by the browser.
            session = await self._connection.attach(reply["targetId"])
        self.own(session, adopt)
        return session

    def own(self, session: CdpSession, adopt: Adopt) -> None:
        """Give the pop-ups of this page to `adopt`."""
        self._adopters[session.target_id] = adopt

    def _on_attached(self, params: Event) -> None:
        session = self._connection.session(params["sessionId"])
        if session.kind != "page" or session.target_id in self._adopters:
            return
        adopt = self._adopters.get(session.target.get("openerId", ""))
        if adopt is not None:
            self.own(session, adopt)
            adopt(session)
        elif params["waitingForDebugger"] or self._creating:
            self._unclaimed[session.target_id] = session
            self._release_unclaimed()
        else:
            _release(session)

    def _release_unclaimed(self) -> None:
        # Pages that were not opened by us (by a person, in a window) are left alone.
        if self._creating:
            return
        for session in self._unclaimed.values():
            _release(session)
        self._unclaimed.clear()

    def _on_detached(self, params: Event) -> None:
        self._adopters.pop(params.get("targetId", ""), None)
        self._unclaimed.pop(params.get("targetId", ""), None)

    async def close(self, target_id: str) -> None:
        """Close a page; the browser does not wait for the page's renderer."""
        try:
            await self._connection.send("Target.closeTarget", {"targetId": target_id})
        except OcdError as error:
            # It is gone already.
            if error.code not in ("cdp_error", "tab_gone", "browser_gone"):
                raise


def _release(session: CdpSession) -> None:
    session.send_nowait("Runtime.runIfWaitingForDebugger")
    session.connection.send_nowait("Target.detachFromTarget", {"sessionId": session.session_id})
