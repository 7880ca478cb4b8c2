"""The only importer of pyppeteer: its keyboard over our CDP sessions.

The product uses `Keyboard` and the key table. `PyppeteerConnection` lets code that wants
pyppeteer's Browser and Page drive the same Chromium.
"""

import asyncio
import inspect
import warnings
from collections.abc import Callable, Collection
from typing import Any, cast

from ocd.browser.cdp.connection import CdpSession, Connection, Result
from ocd.browser.cdp.emitter import Listener

with warnings.catch_warnings():
    # An old library, whose imports are deprecated: our users need no warning about that.
    warnings.simplefilter("ignore")
    from pyppeteer.input import Keyboard
    from pyppeteer.us_keyboard_layout import keyDefinitions

__all__ = [
    "Keyboard",
    "PyppeteerConnection",
    "PyppeteerSession",
    "key_code",
    "key_names",
    "keyboard",
]

# Its table has no side for the modifier keys, and four characters on the number pad only.
_CORRECTIONS = {
    "Shift": {"keyCode": 16, "key": "Shift", "code": "ShiftLeft", "location": 1},
    "Control": {"keyCode": 17, "key": "Control", "code": "ControlLeft", "location": 1},
    "Alt": {"keyCode": 18, "key": "Alt", "code": "AltLeft", "location": 1},
    "Meta": {"keyCode": 91, "key": "Meta", "code": "MetaLeft", "location": 1},
    "MetaLeft": {"keyCode": 91, "key": "Meta", "code": "MetaLeft", "location": 1},
    "MetaRight": {"keyCode": 92, "key": "Meta", "code": "MetaRight", "location": 2},
    "+": {"keyCode": 187, "key": "+", "code": "Equal"},
    "-": {"keyCode": 189, "key": "-", "code": "Minus", "shiftKey": "_"},
    "*": {"keyCode": 56, "key": "*", "code": "Digit8"},
    "/": {"keyCode": 191, "key": "/", "code": "Slash", "shiftKey": "?"},
}
keyDefinitions.update(_CORRECTIONS)


def key_names() -> Collection[str]:
    """Return the names of all keys that the keyboard knows."""
    return cast("dict[str, Any]", keyDefinitions).keys()


def key_code(name: str) -> str:
    """Return the code of a key (KeyA for a), which is a name of it, too; "" for one without."""
    code = cast("dict[str, dict[str, Any]]", keyDefinitions)[name].get("code", "")
    return code if code in key_names() else ""


def keyboard(cdp: CdpSession) -> Keyboard:
    """Return a keyboard that types into the session's page."""
    return Keyboard(cast(Any, cdp))


class PyppeteerSession:
    """A `CdpSession` by the names that pyppeteer calls its CDPSession's methods."""

    def __init__(self, session: CdpSession) -> None:
        self._session = session
        self._loop = asyncio.get_running_loop()
        self._wrappers: dict[tuple[str, Listener], Listener] = {}
        self._tasks: set[asyncio.Task[object]] = set()

    @property
    def _connection(self) -> "PyppeteerConnection":
        return PyppeteerConnection(self._session.connection)

    def send(self, method: str, params: dict[str, Any] | None = None) -> Result:
        """Call `method`; pyppeteer knows nested sessions only in their old, non-flat form."""
        if method == "Target.setAutoAttach":
            params = {**(params or {}), "flatten": True}
        return self._session.send(method, params)

    def on(self, event: str, listener: Listener | None = None) -> Any:  # noqa: ANN401 - pyee's
        """Call `listener` for every `event`, a coroutine as a task; without one, a decorator."""
        if listener is None:
            return lambda function: self.on(event, function)

        def call(*args: object) -> None:
            result = listener(*args)
            if inspect.iscoroutine(result):
                # Nobody waits for pyppeteer's listeners.
                task = self._loop.create_task(result)
                self._tasks.add(task)
                task.add_done_callback(self._tasks.discard)

        self._wrappers[event, listener] = self._session.on(event, call)
        return listener

    def once(self, event: str, listener: Listener) -> Listener:
        """Call `listener` for the next `event` only."""

        def call_once(*args: object) -> object:
            self.remove_listener(event, call_once)
            return listener(*args)

        self.on(event, call_once)
        return listener

    def remove_listener(self, event: str, listener: Listener) -> None:
        """Remove a listener that `on` added."""
        wrapper = self._wrappers.pop((event, listener), None)
        if wrapper is not None:
            self._session.off(event, wrapper)

    def _createSession(self, target_type: str, session_id: str) -> "PyppeteerSession":
        return PyppeteerSession(self._session.connection.session(session_id))

    async def detach(self) -> None:
        """Detach from the target."""
        await self._session.detach()


class PyppeteerConnection(PyppeteerSession):
    """A `Connection` by the names that pyppeteer's Browser calls its own connection's methods."""

    def __init__(self, connection: Connection) -> None:
        super().__init__(connection)
        self._browser = connection

    @property
    def url(self) -> str:
        """The connection's address."""
        return self._browser.url

    def setClosedCallback(self, callback: Callable[[], None]) -> None:
        """Call `callback()` when the connection ends."""
        self._browser.once("disconnected", callback)

    async def createSession(self, targetInfo: dict[str, Any]) -> PyppeteerSession:
        """Attach to a target for pyppeteer's Page."""
        return PyppeteerSession(await self._browser.attach(targetInfo["targetId"]))

    async def dispose(self) -> None:
        """Close the connection."""
        self._browser.close()
