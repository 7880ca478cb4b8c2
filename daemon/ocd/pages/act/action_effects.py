"""The effects of an action, from events: navigations, pop-ups, dialogs, downloads, requests.

A caller waits for what its own action has caused and for nothing else.
"""

import asyncio
import contextlib
from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any, Self, TypeVar

from ocd.api.errors import OcdError
from ocd.browser.cdp.connection import CdpSession, Event
from ocd.browser.cdp.emitter import Emitter, Listener
from ocd.browser.network.socket_answers import SocketAnswers
from ocd.browser.observe.request_views import display_url
from ocd.browser.process.downloads import Download
from ocd.browser.sessions.permissions import PermissionPrompt
from ocd.browser.tabs import evaluate
from ocd.browser.tabs.dialogs import Dialog
from ocd.browser.tabs.frames import Frame
from ocd.browser.tabs.tab import RefusedPopup, Tab
from ocd.pages.act.pending_work import PendingWork

T = TypeVar("T")
POPUP_S = 1.0
REQUESTS_S = 0.5
PATIENT_REQUESTS_S = 1.0
FILE_S = 1.0
# Two tasks in which a page reads an answer that has come, and sends its next requests.
TWO_TASKS = "new Promise((done) => setTimeout(() => setTimeout(done)))"


class ActionEffects:
    """Listens to a tab from before an action until its reply: `async with ActionEffects(tab)`."""

    def __init__(self, tab: Tab) -> None:
        self._tab = tab
        self._navigation_count = tab.page_loads.navigation_count
        self._document = tab.page_loads.current
        self._failed = tab.page_loads.failed
        self._url = tab.url
        self._waiting: asyncio.Future[Any] | None = None
        self._pending: dict[str, tuple[str, str]] = {}  # by id: methods and URLs
        self._sockets = SocketAnswers(tab)
        # True even if it was answered at once: its answer may lead to the next request.
        self.requested = False
        # Scripts included: those of an application's next view, for example.
        self.asked_for_more = False
        self.sent_input = False  # keys or buttons have been pressed
        self.sent_form = False  # the main frame navigates because of a form
        # Frames that are loading: pages often start a download in a hidden one.
        self._frames: set[str] = set()
        self._loaders = {frame.frame_id: frame.loader_id for frame in tab.frames()}
        self._give_up: Callable[[], object] = _do_nothing
        # The work that the action's listeners defer, while the action runs.
        self.pending: PendingWork | None = None
        self.started = False
        self.dialog: Dialog | None = tab.opened_dialog
        self.popups: list[Tab] = []
        self.refused: list[str] = []
        self.external_links: list[str] = []
        self.started_programs: list[str] = []
        self.prompts: list[PermissionPrompt] = []
        self.downloads: list[Download] = []
        self.file_choosers: list[str] = []  # the frames that opened one
        self._left_unsaved = False
        self._tabs = self._session_tabs()
        self._current_tab_id = tab.current_tab_id()
        self._listeners = [
            *(
                pair
                for session in {frame.cdp for frame in tab.frames()}
                for pair in self._navigation_listeners(session)
            ),
            *self._page_listeners(tab),
            *self._sockets.listeners(tab),
        ]

    def _page_listeners(self, tab: Tab) -> list[tuple[Emitter, str, Listener]]:
        cdp = tab.cdp
        return [
            (tab.events, "download", self._on_download),
            (tab.events, "left_unsaved", self._on_left_unsaved),
            (tab.events, "popup_refused", self._on_popup_refused),
            (tab.events, "prompt", partial(_add_once, self.prompts)),
            (tab.events, "external_link", partial(_add_once, self.external_links)),
            (tab.events, "program_started", partial(_add_once, self.started_programs)),
            (tab.events, "file_chooser", partial(_add_once, self.file_choosers)),
            (tab.events, "pressed", self._on_pressed),
            (cdp, "Network.requestWillBeSent", self._on_request),
            (cdp, "Network.loadingFinished", self._on_request_ended),
            (cdp, "Network.loadingFailed", self._on_request_ended),
            (cdp, "Page.navigatedWithinDocument", self._wake),
            (cdp, "Page.lifecycleEvent", self._wake),
            (tab.events, "popup", self.popups.append),
            (tab.events, "dialog", self._on_dialog),
        ]

    def _navigation_listeners(self, cdp: CdpSession) -> list[tuple[Emitter, str, Listener]]:
        return [
            (cdp, "Page.frameRequestedNavigation", self._on_navigation_started),
            (cdp, "Page.frameStartedNavigating", self._on_navigation_started),
            (cdp, "Page.frameNavigated", lambda event: self._on_navigated(event["frame"]["id"])),
            (cdp, "Page.frameStoppedLoading", lambda event: self._on_navigated(event["frameId"])),
            (cdp, "Page.frameDetached", lambda event: self._on_navigated(event["frameId"])),
        ]

    async def __aenter__(self) -> Self:
        for emitter, event, listener in self._listeners:
            emitter.on(event, listener)
        for file in self._tab.downloads:
            file.consumed = file.consumed or file.reported
        return self

    async def __aexit__(self, *_: object) -> None:
        for emitter, event, listener in self._listeners:
            emitter.off(event, listener)

    # What happened

    @property
    def navigated(self) -> bool:
        """Whether the main frame shows another document."""
        return self._tab.page_loads.current is not self._document

    @property
    def navigating(self) -> bool:
        """Whether the main frame is navigating."""
        if self.downloads or self._tab.page_loads.navigation_count > self._navigation_count:
            return self.navigated
        return self.started

    async def unless_navigating(self, call: Coroutine[Any, Any, T], grace_s: float = 0) -> T | None:
        """Return what `call` returns, or None once the page has been navigating for `grace_s`.

        Chromium may answer nothing between the start of a navigation and its commit.
        """
        errors: list[OcdError] = []

        async def run_call() -> T | None:
            try:
                return await call
            except OcdError as error:
                errors.append(error)
                return None

        async with asyncio.TaskGroup() as group:
            task = group.create_task(run_call())
            self._give_up = lambda: _cancel_later(grace_s, task)
            if self.navigating:
                self._give_up()
        self._give_up = _do_nothing
        if errors:
            raise errors[0]
        return None if task.cancelled() else task.result()

    async def wait_loaded(self, seconds: float) -> bool:
        """Wait until the navigation that the action started has loaded; return whether it did."""
        documents = self._tab.page_loads
        try:
            async with asyncio.timeout(max(seconds, 0.05)):
                await self._wait_until(
                    lambda: (
                        documents.navigation_count > self._navigation_count or bool(self.downloads)
                    )
                )
                if self._load_abandoned():
                    await self._wait_file()
                if self.navigated:
                    await self._wait_until(lambda: documents.current.has_reached("load"))
        except TimeoutError:
            return False
        return True

    def _load_abandoned(self) -> bool:
        """Whether the load was aborted after a response, as Chromium does with downloads."""
        failed = self._tab.page_loads.failed
        aborted = failed is not None and failed.error == "net::ERR_ABORTED" and failed.status == 200
        return aborted and not self.navigated and not self.downloads

    async def _wait_file(self) -> None:
        # Or until the page has stopped its own loading, or navigates elsewhere.
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(FILE_S):
                await self._wait_until(lambda: bool(self.downloads) or self.navigated)

    @property
    def any_so_far(self) -> bool:
        """Whether anything has happened by now."""
        happened = (
            self.asked_for_more, self.navigating, self.popups, self.downloads, self.dialog,
            self._frames, self._tab.url != self._url,
        )  # fmt: skip
        return any(happened)

    async def wait_answers(self, frame: Frame, seconds: float, *, patient: bool = False) -> bool:
        """Wait for the requests that the action's scripts have sent; return whether there were any.

        Also for those that the frame's scripts send once they have the answers.
        """
        requested = self.requested or self._frames
        if not (requested or self._sockets.requested) or self.dialog:
            return False
        if self._sockets.requested:
            await self.unless_navigating(self._sockets.wait_answered())
        if not requested:
            return True
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(min(seconds, PATIENT_REQUESTS_S if patient else REQUESTS_S)):
                more = True
                while more and not self.navigating:
                    await self._wait_until(lambda: not self._is_asking() or self.navigating)
                    await self.unless_navigating(evaluate.evaluate_isolated(frame, TWO_TASKS))
                    more = self._is_asking()
        return True

    def describe_unanswered(self) -> str:
        """Return the first request of the action's scripts that has no answer; "" if none."""
        method, url = next(iter(self._pending.values()), ("", ""))
        return f"{method} {display_url(url)}" if method else ""

    @property
    def unanswered(self) -> bool:
        """Whether a request of the action's scripts has not been answered yet, or a frame loads."""
        return self._is_asking() or self._sockets.unanswered

    def _is_asking(self) -> bool:
        return bool(self._pending or self._frames)

    async def wait_popups(self, seconds: float) -> None:
        """Wait until the pop-ups have begun to load their pages."""
        end = asyncio.get_running_loop().time() + min(max(seconds, 0.05), POPUP_S)
        for tab in self.popups:
            with contextlib.suppress(TimeoutError, OcdError):
                async with asyncio.timeout_at(end):
                    await _load_started(tab)

    async def wait_downloads(self, seconds: float) -> None:
        """Wait until the downloads that the action started are complete, or the time is up."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                for download in self.downloads:
                    await download.wait_done()

    async def wait_closed_by_page(self) -> None:
        """Wait until the tab is gone if the page that has loaded closes it, as pop-ups do."""
        with contextlib.suppress(TimeoutError, OcdError):
            async with asyncio.timeout(POPUP_S):
                if await self._tab.evaluate("window.closed"):
                    await self._wait_until(lambda: self._tab.closed)

    async def wait_closed(self) -> None:
        """Wait until the tab whose script has closed it is gone."""
        with contextlib.suppress(TimeoutError, OcdError):
            async with asyncio.timeout(POPUP_S):
                await self._wait_until(lambda: self._tab.closed)

    async def to_dict(self) -> dict[str, Any]:
        """Return the keys of `changed` that apply."""
        changed = self._tabs_to_dict()
        if self._tab.closed:
            return changed
        changed |= await self._navigation_to_dict()
        changed |= self._failed_load()
        if (dialog := self._tab.opened_dialog) is not None:
            changed["dialog"] = {"type": dialog.kind, "message": dialog.message}
        if self._left_unsaved:
            changed["beforeunload"] = "accepted"
        found = {
            "popups_refused": self.refused, "external_links": self.external_links,
            "started_programs": self.started_programs, "file_chooser": bool(self.file_choosers),
            "permissions": [{"name": p.name, "state": p.state} for p in self.prompts],
        }  # fmt: skip
        changed |= {key: value for key, value in found.items() if value}
        # Including downloads that began too late for the reply of the action that started them.
        own = self.downloads
        downloads = [f.to_dict() for f in self._tab.downloads if not f.reported or f in own]
        changed |= {"downloads": downloads} if downloads else {}
        return changed

    async def _navigation_to_dict(self) -> dict[str, Any]:
        changed: dict[str, Any] = {}
        if self._tab.url != self._url:
            changed["url"] = self._tab.url
        if self.navigated:
            load = self._tab.page_loads.current
            changed |= {"navigated": True, "title": await self._tab.title()}
            changed |= {"status": load.status} if load.status else {}
            changed |= {"broken_off": load.broken_off} if load.broken_off else {}
        elif moved := self._navigated_frames():
            changed["frames"] = moved
        return changed

    def _tabs_to_dict(self) -> dict[str, Any]:
        """Return which tabs were opened and closed, and the current one if it has changed."""
        changed: dict[str, Any] = {"closed": True} if self._tab.closed else {}
        popups = [tab for tab in self.popups if not tab.closed]
        if popups:
            changed["popups"] = [{"tab_id": tab.id, "url": tab.url} for tab in popups]
        closed = self._tabs - self._session_tabs()
        if closed:
            changed["tabs_closed"] = sorted(closed)
        if current := self.new_current_tab:
            changed["current_tab"] = current
        return changed

    @property
    def new_current_tab(self) -> str:
        """The id of the session's current tab, if it has changed."""
        current = self._tab.current_tab_id()
        return "" if current == self._current_tab_id else current

    def _session_tabs(self) -> set[str]:
        session = self._tab.session_name
        return {tab.id for tab in self._tab.all_tabs() if tab.session_name == session}

    def _failed_load(self) -> dict[str, str]:
        # Chromium gives up a navigation that turns out to be a file, or a response without a page.
        failed = self._tab.page_loads.failed
        error = failed.error if failed is not None and failed is not self._failed else ""
        return {"net_error": error} if error not in ("", "net::ERR_ABORTED") else {}

    def _navigated_frames(self) -> list[dict[str, str]]:
        frames = [f for f in self._tab.frames() if self._loaders.get(f.frame_id)]
        return [{"url": f.url} for f in frames if f.loader_id != self._loaders[f.frame_id]]

    async def _wait_until(self, condition: Callable[[], bool]) -> None:
        while not condition():
            self._waiting = self._tab.cdp.create_future()
            await self._waiting

    # Listening

    def _wake(self, _: object = None) -> None:
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_result(None)

    def _on_navigation_started(self, event: Event) -> None:
        kind = event.get("disposition", "currentTab")
        within = event.get("navigationType") in ("sameDocument", "historySameDocument")
        if kind != "currentTab" or within:
            return
        if event["frameId"] == self._tab.target_id:
            self.started = True
            self.sent_form |= event.get("reason", "").startswith("formSubmission")
            self._give_up()
        else:
            self._frames.add(event["frameId"])

    def _on_navigated(self, frame_id: str) -> None:
        self._frames.discard(frame_id)
        self._wake()

    def _on_download(self, download: Download) -> None:
        self.downloads.append(download)
        self._frames.clear()
        self._wake()

    def _on_pressed(self) -> None:
        self.sent_input = True

    def _on_left_unsaved(self) -> None:
        self._left_unsaved = True

    def _on_popup_refused(self, popup: RefusedPopup) -> None:
        self.refused.append(popup.url)

    def _on_request(self, event: Event) -> None:
        self.asked_for_more |= event.get("type") in ("XHR", "Fetch", "Script", "Other")
        if event.get("type") in ("XHR", "Fetch"):
            self.requested = True
            request = event["request"]
            self._pending[event["requestId"]] = (request["method"], request["url"])

    def _on_request_ended(self, event: Event) -> None:
        self._pending.pop(event["requestId"], None)
        self._wake()

    def _on_dialog(self, dialog: Dialog) -> None:
        self.dialog = dialog


async def _load_started(tab: Tab) -> None:
    documents = tab.page_loads
    await documents.wait_until(lambda: bool(documents.current.url))


def _add_once(items: list[T], item: T) -> None:
    if item not in items:
        items.append(item)


def _cancel_later(seconds: float, task: asyncio.Task[Any]) -> None:
    asyncio.get_running_loop().call_later(seconds, task.cancel)


def _do_nothing() -> None:
    pass
