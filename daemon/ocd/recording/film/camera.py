"""The camera: sends a session's newest screencast frames to the encoder at a bounded rate."""

import asyncio
import logging
import sys
from asyncio.subprocess import PIPE, Process
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

import msgspec

from ocd.api.errors import OcdError
from ocd.api.waiting import wait_for_event
from ocd.browser.tabs.tab import Tab
from ocd.pages.read.screencast import Mark, Screencast, watching
from ocd.recording.film.password_fields import password_boxes
from ocd.recording.film.picture import FULL, Box, Picture, message
from ocd.recording.store import FilmEnd

logger = logging.getLogger(__name__)

MAX_FILM_S = 3600.0
# The most that a film shows of an unchanged page: nobody watches an agent think.
MAX_STILL_S = 10.0
# The least time between two pictures; and where passwords are not known, until the next try.
_PAUSE_S = 0.16
_AGAIN_S = 0.5
# After this long without a new picture the last one is repeated once, so that the disk has it.
_QUIET_S = 1.0
# How long a video continues after its last action, and then shows its last picture.
_LAST_S = 0.3
# How much longer it waits for a picture that is still missing.
_PENDING_S = 5.0
_LAST_MS = 1000
_FINISH_S = 30.0
# Not imported: it draws, 4 MB.
_ENCODER = "ocd.recording.film.encoder"

_decode_head = msgspec.json.Decoder(dict[str, float]).decode


class FilmClock:
    """The length of a video so far; it stops while nothing happens for long."""

    def __init__(self, now: float) -> None:
        self._seen_at = now
        self._position = 0.0

    def at(self, now: float) -> float:
        """Return the film's length in seconds at that time; ask in the order of time."""
        self._position += min(now - self._seen_at, MAX_STILL_S)
        self._seen_at = now
        return self._position


class Camera:
    """Records the tab that is acted on; a TabWatcher. `run` returns when the video has ended."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.ended_by: FilmEnd | None = None
        self._ended = asyncio.Event()
        self._ending = asyncio.Event()
        self._redraw = asyncio.Event()
        self._tab: Tab | None = None
        self._clock: FilmClock | None = None  # from its first picture on
        self._last_ms = -1
        # Not in the film yet: the newest frame, and what was done since the last picture.
        self._frame = b""
        self._last_frame = b""
        self._captions: dict[int, str] = {}
        self._number = 0
        self._last_picture = Picture(0)
        self._box: Box | None = None
        self._box_url = ""
        self._mouse: tuple[float, float] | None = None
        self._passwords: list[Box] = []
        self._is_frame_dropped = False
        self._overlay_changed = False

    @property
    def length_s(self) -> float:
        """The position of its last picture in seconds; 0 without one."""
        return max(self._last_ms, 0) / 1000 if self._clock else 0.0

    @property
    def position_s(self) -> float:
        """The film's length so far."""
        return self._clock.at(asyncio.get_running_loop().time()) if self._clock else 0.0

    def show(self, tab: Tab) -> None:
        """Film this tab from now on."""
        if tab is not self._tab:
            self._tab, self._frame, self._box, self._mouse = tab, b"", None, None
            self._passwords = []
            self._redraw.set()

    def caption(self, number: int, words: str) -> None:
        """Set the caption for an action; a call with the same number replaces it."""
        if number != self._number:
            self._number, self._box = number, None
        self._captions[number] = f"{number}. {words}"
        self._note_overlay()

    def take_frame(self, frame: bytes) -> None:
        """Take the tab's newest frame."""
        self._frame = frame
        self._redraw.set()

    def take_mark(self, mark: Mark) -> None:
        """Receive the place where an agent acts."""
        if "box" in mark:
            left, top, width, height = mark["box"]
            self._box, self._box_url = (
                (left, top, width, height),
                self._tab.url if self._tab else "",
            )
        if "mouse" in mark:
            x, y = mark["mouse"]
            self._mouse = (x, y)
        self._note_overlay()

    def _note_overlay(self) -> None:
        self._overlay_changed = True
        self._redraw.set()

    async def end(self) -> None:
        """End the film with what the tab shows now, and wait until the file is whole."""
        await wait_for_event(self._ended, _LAST_S)
        deadline = asyncio.get_running_loop().time() + _PENDING_S
        while self._is_pending() and asyncio.get_running_loop().time() < deadline:
            await wait_for_event(self._ended, _LAST_S)
        self._ending.set()
        self._redraw.set()
        await self._ended.wait()

    def _is_pending(self) -> bool:
        """Whether a tab is filmed whose first picture, or the one after a dropped frame, lacks."""
        is_filmed = self._tab is not None and not self._tab.closed and not self._ended.is_set()
        return is_filmed and (self._clock is None or self._is_frame_dropped)

    async def run(self) -> None:
        """Film until the end, a bound, or a failure; none of it concerns the recording."""
        process: Process | None = None
        try:
            process = await _start_encoder(self.path)
            await self._film_tabs(process)
        except (OSError, ConnectionError) as error:
            self.ended_by = "failed"
            logger.warning("The film %s has ended: %s", self.path, error)
        finally:
            if process is not None:
                await self._finish(process)
            self._ended.set()

    async def _film_tabs(self, process: Process) -> None:
        while not self._is_over(process):
            tab = self._tab
            if tab is None or tab.closed:
                self._redraw.clear()
                await self._redraw.wait()
                continue
            closed = tab.events.on("closed", self._redraw.set)
            try:
                async with watching(tab, self) as cast:
                    await self._film(process, tab, cast)
            except OcdError as error:
                logger.info("%r is not filmed: %s", tab, error)
                self._tab = None if self._tab is tab else self._tab
            finally:
                tab.events.off("closed", closed)

    def _is_over(self, process: Process) -> bool:
        if self.position_s >= MAX_FILM_S:
            self.ended_by = "max_length"
        return self._ending.is_set() or self.ended_by is not None or process.returncode is not None

    async def _film(self, process: Process, tab: Tab, cast: Screencast) -> None:
        """Film one tab until it is closed, or another one's turn."""
        quiet = False
        while True:
            if self._frame and self._frame == self._last_frame:
                self._frame = b""  # the first frame of a new stream
                cast.acknowledge()
            if not self._has_news():
                quiet = await self._wait_redraw(process, quiet=quiet)
            if self._tab is not tab or tab.closed:
                return
            if self._has_news():
                quiet = False
                pause = await self._take_picture(process, tab)
                cast.acknowledge()
                cast.rest()
                await wait_for_event(self._ending, pause)
                if self._is_frame_dropped:
                    cast.renew()
                else:
                    cast.resume()
            if self._is_over(process):
                return

    def _has_news(self) -> bool:
        return bool(self._frame) or self._overlay_changed

    async def _wait_redraw(self, process: Process, *, quiet: bool) -> bool:
        """Wait for something new; return whether the pause is long enough for a note."""
        self._redraw.clear()
        if quiet:
            await self._redraw.wait()
        elif not await wait_for_event(self._redraw, _QUIET_S):
            await self._send(process, msgspec.structs.replace(self._last_picture, jpeg=b""))
            return True
        return quiet

    async def _take_picture(self, process: Process, tab: Tab) -> float:
        """Add the newest frame, and what is drawn into it; return how long the next one waits."""
        frame = self._frame
        covered: list[Box] = []
        if frame:
            # Where they were after the last frame, and are after this one.
            boxes = await password_boxes(tab)
            if boxes is None:
                return _AGAIN_S
            covered = [*self._passwords, *boxes]
            has_moved = any(box not in self._passwords for box in boxes)
            self._passwords = boxes
            if self._frame is frame:
                self._frame = b""
            self._is_frame_dropped = has_moved
            if has_moved:
                # The frame may show them where they were in between: the next one is looked at.
                return _PAUSE_S
            self._last_frame = frame
        await self._send(process, self._picture(frame, covered))
        return _PAUSE_S

    def _picture(self, frame: bytes, covered: list[Box]) -> Picture:
        self._overlay_changed = False
        if self._box is not None and self._tab is not None and self._tab.url != self._box_url:
            self._box = None
        captions, self._captions = self._captions, {}
        caption = " · ".join(captions.values()) or self._last_picture.caption
        head, _, jpeg = frame.partition(b"\n")
        size = _decode_head(head) if head else {}
        self._last_picture = Picture(
            0, jpeg, size.get("width", 0.0), size.get("top", 0.0), covered,
            self._box, self._mouse, caption,
        )  # fmt: skip
        return self._last_picture

    async def _send(self, process: Process, picture: Picture) -> None:
        """Send a picture that is shown from now on; the first one must show a tab.

        Raises BrokenPipeError if the encoder has ended: killed, or without room on the disk.
        """
        if self._clock is None:
            if not picture.jpeg:
                return
            self._clock = FilmClock(asyncio.get_running_loop().time())
        picture.at_ms = self._last_ms = max(self._last_ms + 1, round(self.position_s * 1000))
        assert process.stdin is not None
        # uvloop's closed pipes raise RuntimeError, which would end the daemon.
        if process.stdin.is_closing():
            raise BrokenPipeError("its encoder has exited")
        process.stdin.write(message(picture))
        await process.stdin.drain()

    async def _finish(self, process: Process) -> None:
        assert process.stdin is not None
        with suppress(OSError):
            self._last_ms += _LAST_MS
            await self._send(process, self._picture(b"", []))
            process.stdin.close()
        try:
            async with asyncio.timeout(_FINISH_S):
                status = await process.wait()
        except TimeoutError:
            process.kill()
            status = await process.wait()
        if status == FULL:
            self.ended_by = "max_size"
        elif status:
            self.ended_by = "failed"
            logger.warning("The video encoder exited with status %s: %s", status, self.path)

    def __repr__(self) -> str:
        return f"Camera({self.path}, {self.ended_by or 'filming'})"


async def _start_encoder(path: Path) -> Process:
    command = (sys.executable, "-P", "-m", _ENCODER, str(path))
    return await asyncio.create_subprocess_exec(*command, stdin=PIPE)


def check_video_extra() -> None:
    """Raise disabled if the library that encodes films is not installed."""
    if find_spec("av") is None:
        raise OcdError(
            "disabled", "Recording video needs the extra 'video', which is not installed",
            hint='Install it where the daemon runs: pip install "openchrome[video]"',
        )  # fmt: skip
