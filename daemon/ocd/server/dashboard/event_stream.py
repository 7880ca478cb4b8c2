"""What happens in the daemon, told to one open page over its WebSocket.

A page that reads slowly is told less, never later: of each task only its newest state waits, of
calls only the latest, and nothing is sent before the page has taken what was sent last.
"""

import asyncio
from collections import deque
from typing import Any

import msgspec
from aiohttp import WSMsgType, web

from ocd.api.errors import OcdError
from ocd.calls.services import CallServices
from ocd.ledger.states import TaskMeta, public
from ocd.safety import secrets
from ocd.server.dashboard.access import HEADERS
from ocd.server.dashboard.keys import Viewer
from ocd.storage.journal import CALL

MAX_VIEWER_PAGES = 32
_MAX_MESSAGE = 64 * 1024
# What waits for a page of what was written in the journal, and how often it is sent.
_MAX_ENTRIES = 200
_PAUSE_S = 0.1
_HEARTBEAT_S = 15.0


class EventBacklog:
    """What one page has still to be told."""

    def __init__(self, services: CallServices) -> None:
        self._services = services
        self._entries: deque[dict[str, Any]] = deque(maxlen=_MAX_ENTRIES)
        self._tasks: dict[str, TaskMeta] = {}
        self.ready = asyncio.Event()

    def note_entry(self, entry: dict[str, Any]) -> None:
        """Take an entry of the journal; what the dashboard itself reads is no news."""
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

    def take(self) -> bytes:
        """Return all that waits, as one message."""
        self.ready.clear()
        tasks = [public(meta) for meta in self._tasks.values()]
        message = {"entries": list(self._entries), "tasks": secrets.current().mask(tasks)}
        self._entries.clear()
        self._tasks.clear()
        return msgspec.json.encode(message)


async def serve_events(
    request: web.Request, services: CallServices, viewer: Viewer
) -> web.WebSocketResponse:
    """Tell a page what happens until it goes."""
    if viewer.pages >= MAX_VIEWER_PAGES:
        raise OcdError("limit_reached", f"{viewer.pages} pages of this browser are open already")
    socket = web.WebSocketResponse(heartbeat=_HEARTBEAT_S, max_msg_size=_MAX_MESSAGE)
    socket.headers.update(HEADERS)
    await socket.prepare(request)
    backlog = EventBacklog(services)
    services.journal.listeners.append(backlog.note_entry)
    services.runner.listeners.append(backlog.note_task)
    try:
        with viewer.connected():
            async with asyncio.TaskGroup() as group:
                sending = group.create_task(_send(socket, backlog))
                await _receive(socket)
                sending.cancel()
    finally:
        services.journal.listeners.remove(backlog.note_entry)
        services.runner.listeners.remove(backlog.note_task)
    return socket


async def _send(socket: web.WebSocketResponse, backlog: EventBacklog) -> None:
    try:
        while True:
            await backlog.ready.wait()
            await socket.send_str(backlog.take().decode())
            await asyncio.sleep(_PAUSE_S)
    except (ConnectionError, RuntimeError):
        return  # the page has gone


async def _receive(socket: web.WebSocketResponse) -> None:
    """Read until the page goes."""
    async for message in socket:
        if message.type in (WSMsgType.ERROR, WSMsgType.CLOSE):
            return
