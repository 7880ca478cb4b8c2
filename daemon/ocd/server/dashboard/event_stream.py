"""The daemon's events, sent to one open page over its WebSocket.

A page that reads slowly gets less, never later: only each task's newest state, a tab's newest frame
and the latest calls are kept, and nothing is sent before the page has received the last message.
"""

import asyncio
import contextlib
from collections import deque
from collections.abc import Iterator
from typing import Any

import msgspec
from aiohttp import WSMsgType, web

from ocd.api.errors import OcdError
from ocd.browser.tabs.tab import Tab
from ocd.calls.services import CallServices
from ocd.ledger.states import TaskMeta, public
from ocd.pages.read.screencast import Mark, Screencast, watching
from ocd.safety import secrets
from ocd.server.dashboard.access import HEADERS
from ocd.server.dashboard.keys import Viewer
from ocd.server.dashboard.live_tabs import find_tab, list_leases
from ocd.server.dashboard.tab_control import TabControl, TabRequest
from ocd.server.dashboard.tab_input import Input
from ocd.storage.journal import CALL

MAX_VIEWER_PAGES = 32
_MAX_MESSAGE = 64 * 1024
# What waits for a page of what was written in the journal.
_MAX_ENTRIES = 200
# How often a page is sent what happened, and a frame at most.
_PAUSE_S = 0.1
_FRAME_PAUSE_S = 0.03
_HEARTBEAT_S = 15.0


class WatchedTab(msgspec.Struct, forbid_unknown_fields=True):
    """The tab that a page watches."""

    session: str
    tab_id: str


class PageMessage(msgspec.Struct, forbid_unknown_fields=True):
    """A message from a page.

    watch: the tab to show; null: none. hold: the tab to take over; null: give it back. input: what
    was done in the tab that it holds. alive: the answer to a question whether it is there.
    """

    watch: WatchedTab | msgspec.UnsetType | None = msgspec.UNSET
    hold: TabRequest | msgspec.UnsetType | None = msgspec.UNSET
    input: Input | None = None
    alive: bool = False


class EventBacklog:
    """Events still to be sent to one page."""

    def __init__(self, services: CallServices) -> None:
        self._services = services
        self._entries: deque[dict[str, Any]] = deque(maxlen=_MAX_ENTRIES)
        self._tasks: dict[str, TaskMeta] = {}
        self._asks = False
        self._has_leases = False
        self._marks: Mark = {}
        self.ready = asyncio.Event()

    def note_entry(self, entry: dict[str, Any]) -> None:
        """Take an entry of the journal, except for the dashboard's own reads."""
        if entry.get("event") == CALL and entry.get("client") == "dashboard":
            verb = self._services.verbs.get(str(entry.get("tool")))
            if verb is not None and verb.reads:
                return
        self._entries.append(entry)
        self.ready.set()

    def note_task(self, meta: TaskMeta) -> None:
        """Take a task's new state."""
        self._tasks[meta.task_id] = meta
        self.ready.set()

    def note_approvals(self) -> None:
        """Note that the pending approvals have changed."""
        self._asks = True
        self.ready.set()

    def note_leases(self) -> None:
        """Note that a person has taken a tab or given it back."""
        self._has_leases = True
        self.ready.set()

    def note_mark(self, mark: Mark) -> None:
        """Take where an agent acts in the tab that is shown."""
        self._marks |= mark
        self.ready.set()

    async def take(self) -> dict[str, Any]:
        """Return everything that waits, as one message."""
        self.ready.clear()
        tasks, self._tasks = self._tasks, {}
        message: dict[str, Any] = {
            "entries": list(self._entries),
            "tasks": secrets.current().mask([public(meta) for meta in tasks.values()]),
        }
        self._entries.clear()
        if self._marks:
            message["marks"], self._marks = self._marks, {}
        if self._has_leases:
            self._has_leases = False
            message["leases"] = secrets.current().mask(list_leases(self._services.leases))
        if self._asks:
            self._asks = False
            waiting = await self._services.approvals.list()
            message["approvals"] = secrets.current().mask(waiting)
        return message


@contextlib.contextmanager
def _listening(services: CallServices, backlog: EventBacklog) -> Iterator[None]:
    services.journal.listeners.append(backlog.note_entry)
    services.runner.listeners.append(backlog.note_task)
    forget_approvals = services.approvals.watch(backlog.note_approvals)
    forget_leases = services.leases.watch(backlog.note_leases)
    try:
        yield
    finally:
        forget_leases()
        forget_approvals()
        services.journal.listeners.remove(backlog.note_entry)
        services.runner.listeners.remove(backlog.note_task)


class PageConnection:
    """One open page: its events, and the tab that it watches."""

    def __init__(
        self,
        socket: web.WebSocketResponse,
        services: CallServices,
        viewer: Viewer,
    ) -> None:
        self._socket = socket
        self._services = services
        self._backlog = EventBacklog(services)
        self._frame = b""
        self._has_frame = asyncio.Event()
        self._watching: asyncio.Task[None] | None = None
        self._holding: asyncio.Task[None] | None = None
        self._control = TabControl(services, viewer, self._send)

    async def serve(self) -> None:
        """Send events to the page until it disconnects."""
        with _listening(self._services, self._backlog):
            self._backlog.note_approvals()
            self._backlog.note_leases()
            async with asyncio.TaskGroup() as group:
                sending = group.create_task(self._send_events())
                async for message in self._socket:
                    if message.type is not WSMsgType.TEXT:
                        break
                    self._handle_message(group, message.data)
                sending.cancel()
                self._watch(group, None)
                self._control.on_page_disconnected()
                if self._holding is not None:
                    self._holding.cancel()

    def _handle_message(self, group: asyncio.TaskGroup, text: str) -> None:
        try:
            message = msgspec.json.decode(text, type=PageMessage)
        except (msgspec.DecodeError, RecursionError):
            return  # no page of ours
        if message.alive:
            self._control.renew()
        if message.input is not None:
            self._control.act(message.input)
        if message.watch is not msgspec.UNSET:
            self._watch(group, message.watch)
        if message.hold is None:
            self._control.give_back()
        elif message.hold is not msgspec.UNSET:
            self._holding = group.create_task(self._control.hold(message.hold))

    def _watch(self, group: asyncio.TaskGroup, watched: WatchedTab | None) -> None:
        if self._watching is not None:
            self._watching.cancel()
            self._watching = None
        if watched is not None:
            self._watching = group.create_task(self._show_tab(watched))

    async def _show_tab(self, watched: WatchedTab) -> None:
        try:
            tab = find_tab(self._services.sessions, watched.session, watched.tab_id)
            await self._show_until_closed(tab)
        except OcdError as error:
            await self._send({"tab_error": error.body()})
        except (ConnectionError, RuntimeError):
            return  # the page has gone

    async def _show_until_closed(self, tab: Tab) -> None:
        closed = asyncio.Event()
        listener = tab.events.on("closed", closed.set)
        self._has_frame.clear()
        try:
            async with (
                watching(tab, self) as cast,
                asyncio.TaskGroup() as group,
            ):
                frames = group.create_task(self._send_frames(cast))
                await closed.wait()
                frames.cancel()
        finally:
            tab.events.off("closed", listener)
        raise OcdError("tab_gone", f"Tab {tab.id} was closed")

    def take_frame(self, frame: bytes) -> None:
        """Take the newest frame of the shown tab."""
        self._frame = frame
        self._has_frame.set()

    def take_mark(self, mark: Mark) -> None:
        """Take where an agent acts in the shown tab."""
        self._backlog.note_mark(mark)

    async def _send_frames(self, cast: Screencast) -> None:
        with contextlib.suppress(ConnectionError, RuntimeError):  # the page has gone
            while True:
                await self._has_frame.wait()
                self._has_frame.clear()
                await self._socket.send_bytes(self._frame)
                cast.acknowledge()
                await asyncio.sleep(_FRAME_PAUSE_S)

    async def _send_events(self) -> None:
        with contextlib.suppress(ConnectionError, RuntimeError):  # the page has gone
            while True:
                await self._backlog.ready.wait()
                await self._send(await self._backlog.take())
                await asyncio.sleep(_PAUSE_S)

    async def _send(self, message: dict[str, Any]) -> None:
        await self._socket.send_str(msgspec.json.encode(message).decode())


async def serve_events(
    request: web.Request, services: CallServices, viewer: Viewer
) -> web.WebSocketResponse:
    """Send events to a page until it disconnects; limit_reached if too many pages are open."""
    if viewer.pages >= MAX_VIEWER_PAGES:
        raise OcdError("limit_reached", f"{viewer.pages} pages are already open in this browser")
    socket = web.WebSocketResponse(heartbeat=_HEARTBEAT_S, max_msg_size=_MAX_MESSAGE)
    socket.headers.update(HEADERS)
    await socket.prepare(request)
    with viewer.connected():
        await PageConnection(socket, services, viewer).serve()
    return socket
