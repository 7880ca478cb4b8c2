"""A tab's screencast, shared by all viewers."""

import asyncio
from base64 import b64encode
from typing import Any

import pytest

from ocd.browser.cdp.emitter import Emitter
from ocd.browser.tabs.page_target import PageTarget
from ocd.pages.read import screencast
from ocd.pages.read.screencast import Mark, watching


class Cdp(Emitter):
    """A tab's connection: it notes what it is told, and `started` each start of a stream."""

    def __init__(self) -> None:
        super().__init__()
        self.calls: list[str] = []
        self.started = asyncio.Event()

    def send_nowait(self, method: str, _params: dict[str, Any] | None = None) -> None:
        self.calls.append(method)
        if method == "Page.startScreencast":
            self.started.set()

    async def send(self, method: str, params: dict[str, Any] | None = None) -> None:
        self.send_nowait(method, params)


class Tab:
    def __init__(self, cdp: Cdp) -> None:
        self.cdp = cdp
        self.events = Emitter()
        self._states: dict[type, Any] = {}

    state, set_state, drop_state = PageTarget.state, PageTarget.set_state, PageTarget.drop_state


class Viewer:
    def __init__(self) -> None:
        self.frames: list[bytes] = []

    def take_frame(self, frame: bytes) -> None:
        self.frames.append(frame)

    def take_mark(self, mark: Mark) -> None:
        raise AssertionError(mark)


def frame(number: int) -> dict[str, Any]:
    size = {"deviceWidth": 10, "deviceHeight": 10, "offsetTop": 0}
    return {"sessionId": 1, "metadata": size, "data": b64encode(bytes([number])).decode()}


async def test_a_burst_pauses_and_restarts_the_stream(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each frame costs the page time, and Chromium drops the last frame of a burst."""
    monkeypatch.setattr(screencast, "_BURST_S", 3600)  # a machine may stand still between two
    cdp, viewer = Cdp(), Viewer()
    tab: Any = Tab(cdp)
    async with watching(tab, viewer):
        cdp.started.clear()
        for number in range(3):
            cdp.emit("Page.screencastFrame", frame(number))
        assert [one[-1] for one in viewer.frames] == [0, 1], "what was on its way is left out"
        await cdp.started.wait()
        monkeypatch.setattr(screencast, "_BURST_S", 0)
        cdp.emit("Page.screencastFrame", frame(3))
        assert viewer.frames[-1][-1] == 3
    starts = [call for call in cdp.calls if not call.endswith("Ack")]
    assert starts == ["Page.startScreencast", "Page.stopScreencast"] * 2
