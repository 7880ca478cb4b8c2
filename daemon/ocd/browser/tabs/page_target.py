"""A page target: its state, frames, events, evaluation, and its end."""

import asyncio
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from ocd.api.errors import OcdError
from ocd.browser.cdp.connection import CdpSession, Result
from ocd.browser.cdp.emitter import Emitter
from ocd.browser.observe.console import Console
from ocd.browser.observe.request_log import RequestLog
from ocd.browser.process.downloads import Download
from ocd.browser.process.request_guard import RequestGuard
from ocd.browser.tabs import evaluate
from ocd.browser.tabs.dialogs import Dialog, Dialogs
from ocd.browser.tabs.frames import Frame, FrameTree
from ocd.browser.tabs.page_loads import PageLoads
from ocd.browser.tabs.page_tools import PageTools
from ocd.safety.origins import text_source

CLOSE_S = 1.5
MAX_DOWNLOADS = 50
S = TypeVar("S")
_CRASHED_HINT = "Navigate or reload to use the tab again."
# The most bytes of response bodies that a tab keeps in memory: of all, and of one.
_BUFFERS = {"maxTotalBufferSize": 20 << 20, "maxResourceBufferSize": 5 << 20}


@dataclass(frozen=True, slots=True)
class RefusedPopup:
    """A pop-up that was closed because its session is at its tab limit."""

    url: str
    opener: str


class PageTarget:
    """A page target of a session: its state, events, evaluation, and its end.

    Attributes:
        cdp: the main target's session.
        sessions: that, and those of its out-of-process frames.
        events: emits "dialog" (Dialog), "popup" (Tab), "popup_refused", "download" (Download),
            "left_unsaved" (a beforeunload dialog was accepted), "hung_page_ended" (its script did
            not answer while it was left, and was terminated), "crashed", "closed", and "session"
            (CdpSession) for every target that joins, before its first script runs; "worker"
            likewise for its workers.
        lock: used by the dispatcher.
        opener: the id of the tab that opened this one as a pop-up.
        folder: where its session's files go.
        all_tabs: returns the open tabs of all sessions.
        current_tab_id: returns the id of the tab that its session's calls use by default.
    """

    def __init__(
        self, tab_id: str, session_name: str, cdp: CdpSession, guard: RequestGuard, folder: Path
    ) -> None:
        self.id = tab_id
        self.folder = folder
        self.session_name = session_name
        self.cdp = cdp
        self.guard = guard
        self.target_id = cdp.target_id
        self.lock = asyncio.Lock()
        self.events = Emitter()
        self.crashed = False
        self.closed = False
        self.opener: str | None = None
        self.downloads: deque[Download] = deque(maxlen=MAX_DOWNLOADS)
        self.page_loads = PageLoads(cdp)
        self.console = Console()
        self.request_log = RequestLog(guard.allows)
        self._tree = FrameTree(cdp, self._prepare, self._prepare_worker)
        self.page_tools = PageTools(self._tree.get)
        self.dialogs = Dialogs(cdp, self._halt, self._resume)
        self.all_tabs: Callable[[], Iterable[PageTarget]] = lambda: (self,)
        self.current_tab_id: Callable[[], str] = lambda: tab_id
        self._states: dict[type, Any] = {}

    def start(self) -> list[Result]:
        """Send everything that sets the tab up, and resume it; return the pending calls."""
        self.page_loads.start()
        self.dialogs.start(self.events)
        self.cdp.on("disconnected", self._on_disconnect)
        return [self.emulate_focus(), *self._tree.start()]

    def emulate_focus(self) -> Result:
        """Make the page believe that it has the focus, whichever window has it."""
        return self.cdp.send("Emulation.setFocusEmulationEnabled", {"enabled": True})

    def _prepare(self, cdp: CdpSession) -> None:
        cdp.on("Inspector.targetCrashed", lambda _: self._on_crash(cdp))
        cdp.send_nowait("Inspector.enable")
        cdp.send_nowait("Page.setLifecycleEventsEnabled", {"enabled": True})
        self._record(cdp)
        self.page_tools.watch(cdp)
        self.events.emit("session", cdp)

    def _prepare_worker(self, cdp: CdpSession) -> None:
        self._record(cdp)
        self.events.emit("worker", cdp)

    def _record(self, cdp: CdpSession) -> None:
        cdp.send_nowait("Network.enable", _BUFFERS)
        self.console.watch(cdp)
        self.request_log.watch(cdp)

    # State

    def state(self, kind: type[S]) -> S | None:
        """Return the state of this type that another package keeps for the tab, or None."""
        found: S | None = self._states.get(kind)
        return found

    def set_state(self, value: S) -> S:
        """Keep a package's state for the life of the tab, replacing one of its type; return it."""
        self._states[type(value)] = value
        return value

    def drop_state(self, kind: type) -> None:
        """Forget a package's state for this tab, if there is one."""
        self._states.pop(kind, None)

    @property
    def url(self) -> str:
        """The main frame's URL."""
        return self._tree.main.url

    @property
    def origin(self) -> str:
        """The page's origin, or its whole URL if not http(s); it labels fenced page text."""
        return text_source(self.url)

    @property
    def main_frame(self) -> Frame:
        """The top frame."""
        return self._tree.main

    @property
    def sessions(self) -> list[CdpSession]:
        """The sessions of all targets that render frames of this tab, the main one first."""
        return list(self._tree.sessions)

    @property
    def opened_dialog(self) -> Dialog | None:
        """The open dialog, if there is one."""
        return self.dialogs.opened

    def frames(self) -> list[Frame]:
        """Return all frames, the main one first, parents before children."""
        return self._tree.all()

    async def title(self) -> str:
        """Return the document's title; the browser answers, even if the page is busy."""
        return str((await self.ask_title())["targetInfo"]["title"])

    def ask_title(self) -> Result:
        """Ask the browser about the tab without waiting: the reply's `targetInfo` has `title`."""
        return self.cdp.connection.send("Target.getTargetInfo", {"targetId": self.target_id})

    def check_usable(self) -> None:
        """Raise if the tab cannot answer calls: tab_gone, tab_crashed, dialog_open."""
        if self.closed:
            raise OcdError("tab_gone", f"Tab {self.id} was closed.")
        if self.opened_dialog is not None:
            raise self.opened_dialog.error()
        if self.crashed:
            raise OcdError("tab_crashed", "The page has crashed.", hint=_CRASHED_HINT)

    async def evaluate(
        self,
        expression: str,
        *,
        args: Sequence[object] | None = None,
        await_promise: bool = True,
        isolated: bool = False,
        frame: Frame | None = None,
        repl: bool = False,
    ) -> Any:  # noqa: ANN401 - any JSON value
        """Run `expression` and return its JSON value.

        Args:
            expression: JavaScript; with `args`, a function.
            args: arguments to call it with.
            await_promise: wait for a promise.
            isolated: in a world that the page's scripts cannot touch.
            frame: in this frame.
            repl: use a console's rules, see evaluate.evaluate.

        Raises:
            OcdError: script_error (with line and column), tab_crashed, tab_gone, dialog_open.
        """
        self.check_usable()
        target = frame or self._tree.main
        source = evaluate.source_of(expression, args)
        options = {"await_promise": await_promise, "repl": repl}
        if isolated:
            return await evaluate.evaluate_isolated(target, source, **options)
        if target.frame_id == target.cdp.target_id:
            return await evaluate.evaluate(target, source, **options)
        context = await evaluate.main_context(target)
        return await evaluate.evaluate(target, source, context=context, **options)

    async def answer_dialog(self, *, accept: bool, text: str = "") -> Dialog:
        """Close the open dialog and return it; not_found if none is open."""
        return await self.dialogs.answer(accept=accept, text=text)

    async def activate(self) -> None:
        """Bring the tab to the front."""
        await self.cdp.send("Page.bringToFront")

    # Ending

    async def close(self) -> None:
        """Close the tab, hung or not; its calls in flight fail with tab_gone."""
        if self.closed:
            return
        connection = self.cdp.connection
        closed: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.events.once("closed", lambda: _resolve(closed))
        connection.send_nowait("Target.closeTarget", {"targetId": self.target_id})
        try:
            async with asyncio.timeout(CLOSE_S):
                await closed
        except TimeoutError:
            # The browser is still closing it; for us it is gone.
            self.cdp.end("tab_gone", "The tab was closed.")

    def _on_crash(self, cdp: CdpSession) -> None:
        error = OcdError("tab_crashed", "The page has crashed.", hint=_CRASHED_HINT)
        if cdp is not self.cdp:
            # Only a frame: the page around it is alive.
            cdp.halt(error)
            return
        self.crashed = True
        self._halt(error)
        self.events.emit("crashed")

    def revive(self) -> None:
        """Expect a new renderer from the navigation that is about to begin."""
        self.crashed = False
        self._resume()

    def _halt(self, error: OcdError) -> None:
        for session in self.sessions:
            session.halt(error)

    def _resume(self) -> None:
        for session in self.sessions:
            session.resume()

    def _on_disconnect(self) -> None:
        self.closed = True
        for session in self.sessions:
            session.interrupt(OcdError("tab_gone", "The tab was closed."))
        self.events.emit("closed")

    def __repr__(self) -> str:
        name = f"{type(self).__name__}({self.session_name}/{self.id}"
        return f"{name}, {'closed' if self.closed else self.url})"


def _resolve(future: asyncio.Future[None]) -> None:
    if not future.done():
        future.set_result(None)
