"""Leaving a page whose script never ends, which Chromium asks before it navigates."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from ocd.browser.cdp.connection import CdpSession, Result
from ocd.browser.tabs.page_target import PageTarget

# Seconds after which a page that is still there is probed, and that it has to answer.
_ASK_S = 1.0
_ANSWER_S = 2.0
# Seconds between two attempts to terminate its script, which may start again.
_AGAIN_S = 0.1


@contextmanager
def end_hung_script(tab: PageTarget, has_left: Callable[[], bool]) -> Iterator[None]:
    """Terminate the script of a page that stops answering while the block leaves the page.

    The tab emits "hung_page_ended", once.
    """
    watch = _HungPage(tab, has_left)
    watch.ask_later()
    try:
        yield
    finally:
        watch.stop()


class _HungPage:
    def __init__(self, tab: PageTarget, has_left: Callable[[], bool]) -> None:
        self._tab = tab
        self._has_left = has_left
        self._logged = False
        self._answers: list[tuple[CdpSession, Result]] = []
        self._timer: asyncio.TimerHandle | None = None

    def ask_later(self) -> None:
        self._later(_ASK_S, self._ask)

    def stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()

    def _later(self, seconds: float, then: Callable[[], None]) -> None:
        self._timer = asyncio.get_running_loop().call_later(seconds, then)

    def _is_over(self) -> bool:
        return self._tab.closed or self._tab.crashed or self._has_left()

    def _ask(self) -> None:
        if not self._is_over():
            question = ("Runtime.evaluate", {"expression": "0"})
            self._answers = [(session, session.send(*question)) for session in self._tab.sessions]
            self._later(_ANSWER_S, self._end)

    def _end(self) -> None:
        if self._is_over():
            return
        hung = [session for session, answer in self._answers if not answer.done()]
        if not hung:
            self.ask_later()
            return
        for session in hung:
            # It terminates the running script or the next one: the probe, if nothing runs.
            session.send_nowait("Runtime.terminateExecution")
        if not self._logged:
            self._logged = True
            self._tab.events.emit("hung_page_ended")
        self._later(_AGAIN_S, self._end)
