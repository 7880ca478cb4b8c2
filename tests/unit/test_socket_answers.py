"""Which WebSockets an action waits for, and how long."""

import asyncio
from typing import Any, cast

from ocd.browser.cdp.emitter import Emitter
from ocd.browser.network.socket_answers import ANSWER_S, SocketAnswers
from ocd.browser.tabs.tab import Tab


class _FakeTab:
    """Has what SocketAnswers asks of a tab."""

    def __init__(self) -> None:
        self.cdp = Emitter()
        self._states: dict[type, Any] = {}

    def state(self, kind: type) -> Any:  # noqa: ANN401
        return self._states.get(kind)

    def set_state(self, value: Any) -> Any:  # noqa: ANN401
        self._states[type(value)] = value
        return value

    def frame(self, way: str) -> None:
        self.cdp.emit(f"Network.webSocketFrame{way}", {"requestId": "s1"})


def _answers(tab: _FakeTab) -> SocketAnswers:
    answers = SocketAnswers(cast(Tab, tab))
    for emitter, event, listener in answers.listeners(cast(Tab, tab)):
        emitter.on(event, listener)
    return answers


async def test_an_answer_is_waited_for_until_it_is_complete() -> None:
    tab = _FakeTab()
    answers = _answers(tab)
    tab.frame("Sent")
    assert answers.requested
    assert answers.unanswered
    loop = asyncio.get_running_loop()
    loop.call_later(0.01, tab.frame, "Received")
    loop.call_later(0.04, tab.frame, "Received")
    await answers.wait_answered()
    assert not answers.unanswered
    assert _answers(tab).requested is False  # of another action


async def _wait_late(tab: _FakeTab) -> None:
    """Send without an answer."""
    answers = _answers(tab)
    tab.frame("Sent")
    await answers.wait_answered()
    assert not answers.unanswered


async def test_a_silent_socket_is_waited_for_twice() -> None:
    tab = _FakeTab()
    loop = asyncio.get_running_loop()
    begun = loop.time()
    await _wait_late(tab)
    assert loop.time() - begun >= ANSWER_S
    await _wait_late(tab)
    third = _answers(tab)
    tab.frame("Sent")
    assert not third.requested


async def test_a_socket_that_was_late_once_is_waited_for() -> None:
    tab = _FakeTab()
    await _wait_late(tab)
    answers = _answers(tab)
    tab.frame("Sent")
    asyncio.get_running_loop().call_later(0.01, tab.frame, "Received")
    await answers.wait_answered()
    await _wait_late(tab)
    later = _answers(tab)
    tab.frame("Sent")
    assert later.requested


async def test_a_socket_that_is_never_quiet_is_waited_for_once() -> None:
    tab = _FakeTab()
    answers = _answers(tab)
    tab.frame("Sent")
    for count in range(100):
        asyncio.get_running_loop().call_later(count * 0.01, tab.frame, "Received")
    await answers.wait_answered()
    later = _answers(tab)
    tab.frame("Sent")
    assert not later.requested


async def test_messages_that_nobody_asked_for_are_not_waited_for() -> None:
    tab = _FakeTab()
    answers = _answers(tab)
    tab.frame("Received")
    assert not answers.requested
    await answers.wait_answered()
