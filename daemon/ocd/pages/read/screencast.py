"""Screencasts: one stream of frames per tab, only while somebody watches."""

import asyncio
from base64 import b64decode
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from math import inf
from typing import Any, Protocol

import msgspec

from ocd.api.errors import OcdError
from ocd.browser.tabs.tab import Tab
from ocd.pages.engine.refs import Element

_FRAME = "Page.screencastFrame"
_PICTURE_S = 5.0
# Frames that come faster than this are a burst; in a burst, the stream pauses for so long.
_BURST_S = 0.15
_PAUSE_S = 0.15
_START = {"format": "jpeg", "quality": 60, "maxWidth": 1280, "maxHeight": 1280, "everyNthFrame": 1}

Mark = dict[str, tuple[float, ...]]


class TabWatcher(Protocol):
    """A viewer of a tab."""

    def take_frame(self, frame: bytes) -> None:
        """Receive a frame: a line of JSON, then the JPEG.

        The line has the picture's size in CSS pixels, and the pixels above its page.
        """
        ...

    def take_mark(self, mark: Mark) -> None:
        """Receive where an agent acts: an element's box (x, y, width, height), or the mouse (x, y).

        In CSS pixels of the viewport.
        """
        ...


class Screencast:
    """The frames of one tab, for all its viewers.

    Chromium sends a frame once the last one was acknowledged, which happens when the first viewer
    has taken it: no viewer gets frames faster than that, and slower ones miss some. Each frame
    costs the page's drawing time, and Chromium drops some frames of a burst, including the last
    one: so in a burst the stream pauses, and starts again with the tab as it looks then.
    """

    def __init__(self, tab: Tab) -> None:
        self._tab = tab
        self._viewers: list[TabWatcher] = []
        self._latest = b""
        self._waiting: int | None = None
        self._arrived_at = -inf
        self._is_resting = False
        self._renewal: asyncio.TimerHandle | None = None

    async def join(self, viewer: TabWatcher) -> None:
        """Show the tab to one more viewer, now and from now on."""
        self._viewers.append(viewer)
        if len(self._viewers) == 1:
            self._tab.cdp.on(_FRAME, self._on_frame)
            self._tab.events.on("acting", self._on_acting)
            self._tab.events.on("mouse_moved", self._on_mouse)
            await self._tab.cdp.send("Page.startScreencast", _START)
        elif self._latest:
            viewer.take_frame(self._latest)
            self.resume()

    def leave(self, viewer: TabWatcher) -> bool:
        """Remove a viewer; return whether it was the last one."""
        self._viewers.remove(viewer)
        return not self._viewers

    async def stop(self) -> None:
        """End the stream, because nobody is watching any more."""
        self._cancel_renewal()
        self._tab.cdp.off(_FRAME, self._on_frame)
        self._tab.events.off("acting", self._on_acting)
        self._tab.events.off("mouse_moved", self._on_mouse)
        with suppress(OcdError):  # the tab may be closed, or have crashed
            await self._tab.cdp.send("Page.stopScreencast")

    def acknowledge(self) -> None:
        """Ask for the next frame, because a viewer has taken the last one."""
        if self._waiting is not None:
            number, self._waiting = self._waiting, None
            self._tab.cdp.send_nowait("Page.screencastFrameAck", {"sessionId": number})

    def rest(self) -> None:
        """Stop making frames until `resume`, unless there is another viewer.

        Chromium copies each frame that the page draws, however few are requested.
        """
        if len(self._viewers) == 1:
            self._cancel_renewal()
            self._is_resting, self._waiting = True, None
            self._tab.cdp.send_nowait("Page.stopScreencast")

    def resume(self) -> None:
        """Continue after a rest, with the tab as it looks then."""
        if self._is_resting:
            self._is_resting = False
            self._tab.cdp.send_nowait("Page.startScreencast", _START)

    def renew(self) -> None:
        """Have a frame sent of the tab as it looks now, even if nothing changes in it."""
        self._cancel_renewal()
        self._is_resting, self._waiting = False, None
        self._tab.cdp.send_nowait("Page.stopScreencast")
        self._tab.cdp.send_nowait("Page.startScreencast", _START)

    def _on_frame(self, event: dict[str, Any]) -> None:
        if self._is_resting or self._renewal is not None:
            return  # the frame was on its way already
        self._pause_in_burst()
        self.acknowledge()  # drop a frame that nobody has taken
        about = event["metadata"]
        size = {
            "width": about["deviceWidth"], "height": about["deviceHeight"],
            "top": about["offsetTop"],
        }  # fmt: skip
        self._waiting = event["sessionId"]
        self._latest = msgspec.json.encode(size) + b"\n" + b64decode(event["data"])
        for viewer in tuple(self._viewers):
            viewer.take_frame(self._latest)

    def _pause_in_burst(self) -> None:
        loop = asyncio.get_running_loop()
        before, self._arrived_at = self._arrived_at, loop.time()
        if self._arrived_at - before < _BURST_S:
            self._tab.cdp.send_nowait("Page.stopScreencast")
            self._renewal = loop.call_later(_PAUSE_S, self._renew)

    def _renew(self) -> None:
        self._waiting = self._renewal = None
        self._tab.cdp.send_nowait("Page.startScreencast", _START)

    def _cancel_renewal(self) -> None:
        if self._renewal is not None:
            self._renewal.cancel()
            self._renewal = None

    def _on_mouse(self, x: float, y: float) -> None:
        self._tell_mark({"mouse": (x, y)})

    def _on_acting(self, element: Element) -> None:
        # In a frame of another process, the position would be relative to it: the mouse is shown.
        if element.frame.cdp is self._tab.cdp:
            params = {"objectId": element.object_id}
            # Sent before the agent's action, and so measured before it.
            reply = self._tab.cdp.send("DOM.getContentQuads", params)
            reply.add_done_callback(self._on_quads)

    def _on_quads(self, reply: asyncio.Future[Any]) -> None:
        if reply.cancelled() or reply.exception() is not None:
            return  # the element is gone, or shows nothing
        corners = [value for quad in reply.result()["quads"] for value in quad]
        if corners:
            left, top = min(corners[::2]), min(corners[1::2])
            size = (max(corners[::2]) - left, max(corners[1::2]) - top)
            self._tell_mark({"box": (left, top, *size)})

    def _tell_mark(self, mark: Mark) -> None:
        for viewer in tuple(self._viewers):
            viewer.take_mark(mark)


@asynccontextmanager
async def watching(tab: Tab, viewer: TabWatcher) -> AsyncIterator[Screencast]:
    """Show a tab to a viewer during the block."""
    cast = tab.state(Screencast) or tab.set_state(Screencast(tab))
    try:
        await cast.join(viewer)
        yield cast
    finally:
        if cast.leave(viewer):
            # A viewer who comes now begins another stream, after the end of this one.
            tab.drop_state(Screencast)
            await cast.stop()


async def picture_of(tab: Tab) -> bytes:
    """Return a JPEG of the tab as it looks now; timeout if it draws nothing."""
    viewer = _OneFrame()
    try:
        async with asyncio.timeout(_PICTURE_S), watching(tab, viewer):
            frame = await viewer.frame
    except TimeoutError:
        raise OcdError("timeout", f"{tab.id} is not being drawn") from None
    return frame.partition(b"\n")[2]


class _OneFrame:
    """Watches a tab until it has received one frame."""

    def __init__(self) -> None:
        self.frame: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()

    def take_frame(self, frame: bytes) -> None:
        if not self.frame.done():
            self.frame.set_result(frame)

    def take_mark(self, mark: Mark) -> None:
        pass
