"""What a tab looks like now: one stream of frames a tab, only while somebody looks."""

from base64 import b64decode
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any

import msgspec

from ocd.api.errors import OcdError
from ocd.browser.tabs.tab import Tab

_FRAME = "Page.screencastFrame"
_START = {"format": "jpeg", "quality": 60, "maxWidth": 1280, "maxHeight": 1280, "everyNthFrame": 1}

# Takes a frame: a line of JSON with the picture's size in CSS pixels and the pixels
# above its page, then the JPEG.
Take = Callable[[bytes], None]


class Screencast:
    """The frames of one tab, for all who look at it.

    Chromium sends a frame once the last one was acknowledged, which happens when the first viewer
    has taken it: nobody looks faster than that, and who is slower misses frames.
    """

    def __init__(self, tab: Tab) -> None:
        self._tab = tab
        self._viewers: list[Take] = []
        self._latest = b""
        self._waiting: int | None = None

    async def join(self, take: Take) -> None:
        """Show the tab to one more viewer, as it looks now and from now on."""
        self._viewers.append(take)
        if len(self._viewers) == 1:
            self._tab.cdp.on(_FRAME, self._on_frame)
            await self._tab.cdp.send("Page.startScreencast", _START)
        elif self._latest:
            take(self._latest)

    async def leave(self, take: Take) -> bool:
        """Let a viewer go; return whether it was the last one."""
        self._viewers.remove(take)
        if self._viewers:
            return False
        self._tab.cdp.off(_FRAME, self._on_frame)
        with suppress(OcdError):  # it may be closed, or have crashed
            await self._tab.cdp.send("Page.stopScreencast")
        return True

    def acknowledge(self) -> None:
        """Ask for the next frame: somebody has taken the last one."""
        if self._waiting is not None:
            number, self._waiting = self._waiting, None
            self._tab.cdp.send_nowait("Page.screencastFrameAck", {"sessionId": number})

    def _on_frame(self, event: dict[str, Any]) -> None:
        self.acknowledge()  # a frame that nobody has taken is over
        about = event["metadata"]
        size = {
            "width": about["deviceWidth"], "height": about["deviceHeight"],
            "top": about["offsetTop"],
        }  # fmt: skip
        self._waiting = event["sessionId"]
        self._latest = msgspec.json.encode(size) + b"\n" + b64decode(event["data"])
        for take in tuple(self._viewers):
            take(self._latest)


class Screencasts:
    """The screencasts of all tabs that somebody looks at."""

    def __init__(self) -> None:
        self._casts: dict[Tab, Screencast] = {}

    @asynccontextmanager
    async def watching(self, tab: Tab, take: Take) -> AsyncIterator[Screencast]:
        """Give a viewer the frames of a tab until left."""
        cast = self._casts.setdefault(tab, Screencast(tab))
        try:
            await cast.join(take)
            yield cast
        finally:
            if await cast.leave(take) and self._casts.get(tab) is cast:
                del self._casts[tab]
