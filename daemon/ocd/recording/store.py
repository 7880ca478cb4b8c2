"""Recordings on disk: a session's actions, one by one.

    recordings/<id>/meta.json      who, when, with what limits; replaced whole
                    actions.jsonl  one action a line, only appended to
                    screenshots/   <seq>-before.webp, <seq>-after.webp
                    film.webm      what the tab showed; grows while it is filmed, and plays as far
                                   as it came (`ocd.recording.film`)

Write order. Each step names its crash point (`ocd.storage.crash_points`); "commit" is what makes
it count.

 1. start
    1.1 `recording.folder`   folder `.<id>.new` is made
    1.2 `recording.meta`     meta.json is in it, synced
    1.3 `recording.named`    commit: renamed to `<id>`, `recordings/` synced
    A crash before 1.3 leaves `.<id>.new`, which the next start of a recording removes.
 2. action
    2.1 `recording.picture`  each screenshot's file
    2.2 `recording.action`   commit: the action's line (survives kill -9, not a power cut)
    2.3 `recording.title`    a line {seq, title_after}, where the title was known later
    The line is written before the action is answered. A crash before 2.2 leaves pictures that no
    line names: they go with the recording.
 3. end
    3.1 `recording.end`      actions.jsonl is synced; commit: meta.json says when and why it ended
    A recording without an end that nobody writes is `interrupted`: it keeps what its lines say.
 4. pruning, when a recording starts and there are as many as may be: the one that ended first
    4.1 `recording.gone`     commit: renamed to `.<id>.gone`
    4.2 `recording.removed`  its files are deleted; a crash before leaves them to the next start
"""

import itertools
import logging
import re
import shutil
import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from secrets import token_hex
from typing import Any, Literal

import msgspec
from msgspec.structs import replace

from ocd.api.errors import OcdError
from ocd.api.timestamps import rfc3339
from ocd.storage import crash_points
from ocd.storage.files import (
    UNDECODABLE,
    JsonLinesLog,
    make_dir,
    newer_format,
    read_lines,
    read_whole,
    storage,
    unreadable_error,
    write_unsynced,
    write_whole,
)
from ocd.storage.folders import hide_folder, new_folder, sweep_folders

logger = logging.getLogger(__name__)

MAX_RECORDINGS = 50
MAX_ACTIONS = 10_000
# Bytes of pictures that one recording may have.
MAX_PICTURES = 256 << 20
VERSION = 1
META, ACTIONS, PICTURES, FILM = "meta.json", "actions.jsonl", "screenshots", "film.webm"

Screenshots = Literal["none", "before", "after", "both"]
EndedBy = Literal["stop", "max_actions", "duration", "cancel", "session_closed", "daemon_stopped"]
FilmEnd = Literal["max_length", "max_size", "failed"]
_ID = re.compile(r"rec-[0-9]{8}-[0-9]{6}-[0-9a-f]{6}")
_PICTURE = re.compile(r"[0-9]{6}-(?:before|after)\.webp")


class RecordingMeta(msgspec.Struct, kw_only=True):
    """A recording's meta.json; times are RFC 3339 UTC with milliseconds.

    lost: actions that the disk did not take. video: whether it has a film. film_s: how long that
    is; film_ended_by: why it has ended before the recording.
    """

    format: Literal["recording"] = "recording"
    version: int = VERSION
    recording_id: str
    session: str
    started_at: str
    name: str = ""
    screenshots: Screenshots = "none"
    max_actions: int = MAX_ACTIONS
    duration_s: float | None = None
    task_id: str | None = None
    ended_at: str | None = None
    ended_by: EndedBy | None = None
    action_count: int = 0
    lost: int = 0
    video: bool = False
    film_s: float | None = None
    film_ended_by: FilmEnd | None = None


class _RecordedElement(msgspec.Struct, kw_only=True):
    """The part of an action's element that exports read."""

    role: str
    named: str = ""
    name: str = ""
    attributes: dict[str, Any] = {}


class _RecordedAction(msgspec.Struct, kw_only=True):
    """The part of an action's line that exports need to recognise it."""

    seq: int
    ts: str
    verb: str
    params: dict[str, Any]
    ok: bool
    duration_ms: float
    tab_id: str | None = None
    url_before: str = ""
    url_after: str = ""
    title_before: str = ""
    title_after: str = ""
    lines: list[str] = []
    target: _RecordedElement | None = None
    targets: list[_RecordedElement] = []


class _LaterTitle(msgspec.Struct):
    """A line with the title that an action's page had afterwards."""

    seq: int
    title_after: str


class Recording:
    """A recording that is being written. Appending takes microseconds; the rest is for threads."""

    def __init__(self, folder: Path, meta: RecordingMeta) -> None:
        self.folder = folder
        self.meta = meta
        self._log = JsonLinesLog(folder / ACTIONS)
        self._pictured = 0

    @property
    def full(self) -> bool:
        """Whether it has reached the maximum number of actions."""
        return self.meta.action_count >= self.meta.max_actions

    def append(self, action: bytes) -> None:
        """Store one action: a JSON object with its `seq`, the next number."""
        self._log.append(action)
        crash_points.point("recording.action")
        self.meta.action_count += 1

    def retitle(self, seq: int, title: str) -> None:
        """Store the title that the page had after an action that is stored already."""
        self._log.append(msgspec.json.encode({"seq": seq, "title_after": title}))
        crash_points.point("recording.title")

    def add_picture(self, name: str, data: bytes) -> bool:
        """Keep a picture; False if the recording has no room for more of them."""
        if self._pictured + len(data) > MAX_PICTURES:
            return False
        path = make_dir(self.folder / PICTURES) / name
        write_unsynced(path, data)
        crash_points.point("recording.picture")
        self._pictured += len(data)
        return True

    def end(self, by: EndedBy, now: str) -> RecordingMeta:
        """Close it (step 3) and return its final meta."""
        self._log.sync()
        self._log.close()
        self.meta = replace(self.meta, ended_at=now, ended_by=by)
        write_whole(self.folder / META, msgspec.json.encode(self.meta))
        crash_points.point("recording.end")
        return self.meta

    def __repr__(self) -> str:
        return f"Recording({self.meta.recording_id}, {self.meta.action_count} actions)"


class Recordings:
    """All recordings of a home; for threads, as it blocks."""

    def __init__(
        self,
        folder: Path,
        *,
        most: int = MAX_RECORDINGS,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self.folder = folder
        self._max_count = most
        self._clock = clock
        self._starting = threading.Lock()

    def now(self) -> str:
        """Return the current time in the files' format."""
        return rfc3339(self._clock())

    def create(self, meta: RecordingMeta, keep: set[str]) -> tuple[Recording, list[str]]:
        """Start a recording (step 1); also return the ids of those removed for it.

        meta: its id and time are set here. keep: the ids of those that are being written. Raises
        limit_reached if there are as many of those as may be, storage_full, storage_failed.
        """
        make_dir(self.folder)
        # One at a time: what another is making looks like what a crash has left.
        with self._starting:
            sweep_folders(self.folder)
            pruned = self._make_room(keep)
            meta = replace(meta, recording_id=self._new_id(), started_at=self.now())
            folder = self._make(meta)
        return Recording(folder, meta), pruned

    def _new_id(self) -> str:
        stamp = f"{self._clock():%Y%m%d-%H%M%S}"
        drawn = (f"rec-{stamp}-{token_hex(3)}" for _ in itertools.count())
        return next(
            recording_id for recording_id in drawn if not (self.folder / recording_id).exists()
        )

    def _make(self, meta: RecordingMeta) -> Path:
        folder = self.folder / meta.recording_id
        with new_folder(folder) as new:
            crash_points.point("recording.folder")
            write_whole(new / META, msgspec.json.encode(meta))
            crash_points.point("recording.meta")
        crash_points.point("recording.named")
        return folder

    def _make_room(self, keep: set[str]) -> list[str]:
        over = len(self._ids()) + 1 - self._max_count
        if over <= 0:
            return []
        ended = sorted(
            (meta for meta in self.all()[0] if meta.recording_id not in keep),
            key=lambda meta: (meta.ended_at or meta.started_at, meta.recording_id),
        )
        if len(ended) < over:
            raise OcdError(
                "limit_reached",
                f"There are {self._max_count} recordings, none of which can be deleted",
                hint="Stop some, in their sessions: `oc_recording_stop`", limit=self._max_count,
            )  # fmt: skip
        for meta in ended[:over]:
            self._remove(meta.recording_id)
        return [meta.recording_id for meta in ended[:over]]

    def _remove(self, recording_id: str) -> None:
        gone = hide_folder(self.folder / recording_id)
        crash_points.point("recording.gone")
        shutil.rmtree(gone, ignore_errors=True)
        crash_points.point("recording.removed")

    def _ids(self) -> list[str]:
        """Return the ids there are, newest first."""
        with storage("listing", self.folder):
            try:
                names = [path.name for path in self.folder.iterdir()]
                return sorted(filter(_ID.fullmatch, names), reverse=True)
            except FileNotFoundError:
                return []

    def all(self) -> tuple[list[RecordingMeta], list[str]]:
        """Return all recordings, newest first, and the paths of those that cannot be read."""
        found: list[RecordingMeta] = []
        unreadable = []
        for recording_id in self._ids():
            try:
                found.append(self.read(recording_id))
            except OcdError as error:
                logger.warning("%s", error)
                unreadable.append(str(self.folder / recording_id))
        found.sort(key=lambda meta: meta.started_at, reverse=True)
        return found, unreadable

    def read(self, recording_id: str) -> RecordingMeta:
        """Return a recording's meta: recording_not_found, unreadable_file (with its path).

        Of one that has no end the actions are counted by their lines.
        """
        path = self.folder / recording_id / META
        data = read_whole(path) if _ID.fullmatch(recording_id) else None
        if data is None:
            raise not_found(recording_id)
        try:
            meta = msgspec.json.decode(data, type=RecordingMeta)
        except UNDECODABLE as error:
            raise unreadable_error(path, str(error)) from error
        if meta.version > VERSION:
            raise unreadable_error(path, newer_format(meta.version))
        if meta.ended_at is None:
            meta.action_count = sum(1 for line in self._lines(recording_id) if b'"verb"' in line)
        return meta

    def _lines(self, recording_id: str) -> Iterator[bytes]:
        return read_lines(self.folder / recording_id / ACTIONS)

    def actions(self, recording_id: str) -> list[dict[str, Any]]:
        """Return the actions in order, with the titles that were stored later."""
        found: dict[int, dict[str, Any]] = {}
        for line in self._lines(recording_id):
            try:
                action = msgspec.json.decode(line, type=dict[str, Any])
                msgspec.convert(action, _RecordedAction if "verb" in action else _LaterTitle)
            except UNDECODABLE as error:
                raise unreadable_error(self.folder / recording_id / ACTIONS, str(error)) from error
            seq = action["seq"]
            if "verb" in action:
                found[seq] = action
            elif seq in found:
                found[seq] |= action
        return list(found.values())

    def picture(self, recording_id: str, name: object) -> bytes | None:
        """Return a screenshot's bytes; None if there is no such file."""
        if not (isinstance(name, str) and _PICTURE.fullmatch(name)):
            return None
        return read_whole(self.folder / recording_id / PICTURES / name)

    def film(self, recording_id: str) -> Path:
        """Return where a recording's film is, if it has one."""
        return self.folder / recording_id / FILM

    def __repr__(self) -> str:
        return f"Recordings({str(self.folder)!r})"


def is_id(text: str) -> bool:
    """Return whether the text has the form of a recording's id."""
    return _ID.fullmatch(text) is not None


def not_found(recording_id: str) -> OcdError:
    """Return the error for an unknown recording."""
    return OcdError(
        "recording_not_found", f"There is no recording {recording_id[:200]!r}",
        hint="List them: `oc_recording_list`", recording_id=recording_id[:200],
    )  # fmt: skip
