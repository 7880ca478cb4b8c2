"""The running recordings: one per session, fed by the dispatcher with every action."""

import asyncio
import logging
from contextlib import suppress
from functools import partial
from typing import Any

import msgspec

from ocd.api.errors import OcdError
from ocd.api.waiting import Spawn, wait_for_event
from ocd.browser.sessions.session import Sessions
from ocd.browser.tabs.tab import Tab
from ocd.recording.active_recording import ActiveRecording
from ocd.recording.film.camera import Camera, check_video_extra
from ocd.recording.store import EndedBy, RecordingMeta, Recordings, is_id, not_found
from ocd.safety.sanitize import Sanitizer

logger = logging.getLogger(__name__)


class Recorder:
    """All running recordings of this daemon (a part), and their store."""

    def __init__(
        self, store: Recordings, sessions: Sessions, sanitizer: Sanitizer, spawn: Spawn
    ) -> None:
        self.store = store
        self.sanitizer = sanitizer
        self.sessions = sessions
        self._spawn = spawn
        self._active: dict[str, ActiveRecording] = {}
        self._ending: dict[str, ActiveRecording] = {}  # by recording: they take no more actions
        self._starting: set[str] = set()

    def of(self, session: str) -> ActiveRecording | None:
        """Return the running recording of a session, if there is one."""
        return self._active.get(session)

    def tab(self, session: str, tab_id: object) -> Tab | None:
        """Return a session's open tab by its id, without creating the session."""
        if session not in self.sessions.names():
            return None
        return next((t for t in self.sessions.get(session).tabs if t.id == tab_id), None)

    async def start(self, request: RecordingMeta) -> tuple[ActiveRecording, list[str]]:
        """Begin to record the session that `request` names; also return the ids removed for it.

        Raises recording_active, limit_reached, storage_full, storage_failed, and disabled for a
        film without the extra.
        """
        session = request.session
        active = self._active.get(session)
        if active is not None or session in self._starting:
            of = active.meta.recording_id if active else "one that is starting"
            raise OcdError(
                "recording_active", f"The session {session} is already being recorded: {of}",
                hint="End it first: `oc_recording_stop`", recording_id=of, session=session,
            )  # fmt: skip
        self._starting.add(session)
        try:
            if request.video:
                await asyncio.to_thread(check_video_extra)
            keep = {recording.meta.recording_id for recording in self._active.values()} | {
                *self._ending
            }
            recording, pruned = await asyncio.to_thread(self.store.create, request, keep)
        finally:
            self._starting.discard(session)
        active = self._active[session] = ActiveRecording(
            recording,
            self.sanitizer,
            find_tab=self.tab,
            on_full=partial(self.end_soon, by="max_actions"),
        )
        if request.video:
            self._start_film(active)
        if request.duration_s is not None:
            self._spawn(self._expire(active, request.duration_s))
        return active, pruned

    def _start_film(self, active: ActiveRecording) -> None:
        active.camera = camera = Camera(self.store.film(active.meta.recording_id))
        session = active.meta.session
        if session in self.sessions.names() and (tab := self.sessions.get(session).latest):
            camera.show(tab)
        self._spawn(camera.run())

    async def _expire(self, active: ActiveRecording, seconds: float) -> None:
        if not await wait_for_event(active.ended, seconds):
            await self.end(active, "duration")

    async def stop(self, session: str) -> RecordingMeta:
        """End the session's recording and return it; recording_not_active."""
        active = self._active.get(session)
        if active is None:
            raise OcdError(
                "recording_not_active", f"The session {session} is not being recorded",
                hint="Start with `oc_recording_start`; what has ended: "
                "`oc_recording_list`",
                session=session,
            )  # fmt: skip
        return await self.end(active, "stop")

    async def end(self, active: ActiveRecording, by: EndedBy) -> RecordingMeta:
        """End a recording if it is still running, and return it once its end is on disk."""
        if self._take(active):
            await self._finish(active, by)
        await active.ended.wait()
        return active.meta

    def end_soon(self, active: ActiveRecording, by: EndedBy) -> None:
        """End a recording from code that cannot wait: it takes no more actions from now on."""
        if self._take(active):
            self._spawn(self._finish_quietly(active, by))

    def _take(self, active: ActiveRecording) -> bool:
        """Return whether the recording was still running; then the caller must finish it."""
        if self._active.get(active.meta.session) is not active:
            return False
        del self._active[active.meta.session]
        active.is_open = False
        self._ending[active.meta.recording_id] = active
        return True

    async def _finish(self, active: ActiveRecording, by: EndedBy) -> None:
        try:
            await active.settle()
            if active.camera is not None:
                await active.camera.end()
                active.meta.film_s = active.camera.length_s
                active.meta.film_ended_by = active.camera.ended_by
        finally:
            # Whoever has asked for it may be gone.
            await self._store_end(active, by)

    async def _store_end(self, active: ActiveRecording, by: EndedBy) -> None:
        try:
            await asyncio.to_thread(active.recording.end, by, self.store.now())
        finally:
            del self._ending[active.meta.recording_id]
            active.ended.set()

    async def _finish_quietly(self, active: ActiveRecording, by: EndedBy) -> None:
        try:
            await self._finish(active, by)
        except OcdError as error:
            logger.warning("The end of %r is not stored: %s", active.recording, error)

    async def all(self) -> tuple[list[RecordingMeta], list[str]]:
        """Return all recordings, newest first, and the folders of those that cannot be read."""
        metas, unreadable = await asyncio.to_thread(self.store.all)
        return [self._current(meta) for meta in metas], unreadable

    def _current(self, meta: RecordingMeta) -> RecordingMeta:
        active = self._end_unfinished(meta)
        return active.meta if active else meta

    def _end_unfinished(self, meta: RecordingMeta) -> ActiveRecording | None:
        active = self._active.get(meta.session)
        if active is not None and active.meta.recording_id == meta.recording_id:
            return active
        return self._ending.get(meta.recording_id)

    async def find(self, id_or_name: str | None, session: str) -> RecordingMeta:
        """Return the recording of an id, the newest of a name, or the session's newest.

        Raises recording_not_found, unreadable_file.
        """
        if id_or_name is not None and is_id(id_or_name):
            return self._current(await asyncio.to_thread(self.store.read, id_or_name))
        metas, _ = await self.all()
        for meta in metas:
            if (
                meta.session == session
                if id_or_name is None
                else id_or_name and meta.name == id_or_name
            ):
                return meta
        raise not_found(id_or_name if id_or_name is not None else f"of the session {session}")

    def public(self, meta: RecordingMeta) -> dict[str, Any]:
        """Return a recording as callers see it."""
        fields: dict[str, Any] = msgspec.to_builtins(meta)
        hidden = {"format", "version", *(() if meta.lost else ("lost",))}
        path = self.store.folder / meta.recording_id
        if meta.video and meta.film_s != 0:
            fields["film"] = str(self.store.film(meta.recording_id))
        elif not meta.video:
            hidden |= {"video", "film_s", "film_ended_by"}
        going_on = self._end_unfinished(meta) is not None
        status = "active" if going_on else "ended" if meta.ended_at else "interrupted"
        fields = {key: value for key, value in fields.items() if key not in hidden}
        return {**fields, "status": status, "path": str(path)}

    async def leave(self, session: str) -> None:
        """End the recording of a session that has ended."""
        active = self._active.get(session)
        if active is not None:
            await self.end(active, "session_closed")

    async def close(self) -> None:
        """End all recordings because the daemon stops."""
        for active in list(self._active.values()):
            with suppress(OcdError):
                await self.end(active, "daemon_stopped")

    def __repr__(self) -> str:
        return f"Recorder({len(self._active)} going on)"
