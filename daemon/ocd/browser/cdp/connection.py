"""Chrome DevTools Protocol: one connection, flat sessions, one decode per message."""

import asyncio
import contextlib
import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Protocol

import msgspec
from msgspec import Raw

from ocd.api.errors import OcdError
from ocd.browser.cdp.emitter import Emitter, call_each
from ocd.browser.cdp.messages import (
    ANSWER,
    UNREADABLE,
    Failure,
    Incoming,
    decode,
    decode_params,
    encode,
    unreadable,
)

logger = logging.getLogger(__name__)

Event = dict[str, Any]
Result = asyncio.Future[dict[str, Any]]
# Called with an event's name and its parameters as they came: undecoded JSON.
Tap = Callable[[str, Raw], None]
# Called with the answer to a call that was forwarded, as it came.
Answered = Callable[[Incoming], None]

ANOTHER_BROWSER = "Run `ocd doctor`, or name another browser with --browser."

# Calls that only the page's renderer can answer.
_RENDERER = (
    "Runtime.", "DOM.", "DOMSnapshot.", "CSS.", "Accessibility.", "Input.", "Overlay.",
    "Page.captureScreenshot", "Page.createIsolatedWorld", "Page.getLayoutMetrics",
    "Page.printToPDF",
)  # fmt: skip

# CDP's error code for a session that is gone.
_NO_SESSION = -32001
# And for an unknown method; these methods it only rejects for a page that is closing.
_NO_METHOD = -32601
_ALWAYS_THERE = ("Runtime.evaluate", "Runtime.callFunctionOn")
# The browser's message about a tab that it has closed.
_NO_TARGET = "No target with given id found"
# Chromium's message about a page whose renderer has gone, before it reports the crash.
_NO_RENDERER = "Not attached to an active page"


class CallResult(dict[str, Any]):
    """A call's result; reading a key that is missing raises browser_failed."""

    def __init__(self, method: str, result: dict[str, Any]) -> None:
        super().__init__(result)
        self._method = method

    def __missing__(self, key: str) -> Any:  # noqa: ANN401 - none is returned
        raise OcdError(
            "browser_failed", f"The browser's reply to {self._method} has no {key!r}.",
            hint=ANOTHER_BROWSER,
        )  # fmt: skip


class Transport(Protocol):
    """Sends messages as JSON bytes; received ones go to the connection's `receive`."""

    url: str

    def write(self, message: bytes) -> None:
        """Send one message; never blocks, buffers what the other side is slow to read."""

    def close(self) -> None:
        """End the connection; the receiver's `on_lost` is called afterwards."""


class CdpSession(Emitter):
    """One attached target; `send` starts the call at once and returns a future of its result.

    relay: called with every event, undecoded, in a session that serves an attached program.
    """

    def __init__(
        self,
        connection: "Connection | None",
        session_id: str,
        target: dict[str, Any],
        parent: "CdpSession | None" = None,
    ) -> None:
        super().__init__()
        self._connection = connection
        self.session_id = session_id
        self.target = target
        self.parent = parent
        self._calls: dict[int, tuple[Result, str]] = {}
        self._futures: set[asyncio.Future[Any]] = set()
        self._taps: dict[str, tuple[Tap, ...]] = {}
        self._forwarded: dict[int, Answered] = {}
        self.relay: Tap | None = None
        self._ended: OcdError | None = None
        self._halted: OcdError | None = None

    @property
    def target_id(self) -> str:
        """The target's id; for a page and an out-of-process frame also its frame id."""
        return str(self.target.get("targetId", ""))

    @property
    def kind(self) -> str:
        """The target's type: page, iframe, worker, browser, ..."""
        return str(self.target.get("type", ""))

    @property
    def connection(self) -> "Connection":
        """The connection that carries this session; browser_gone or tab_gone after its end."""
        if self._connection is None:
            raise (
                _copy_error(self._ended)
                if self._ended
                else OcdError("browser_gone", "No connection.")
            )
        return self._connection

    def send(self, method: str, params: dict[str, Any] | None = None) -> Result:
        """Call `method`. The future raises cdp_error, browser_gone, tab_gone or an interruption."""
        if self._connection is None:
            return self._call_error(self._ended)
        if self._halted is not None and method.startswith(_RENDERER):
            return self._call_error(self._halted)
        future: Result = self._connection.loop.create_future()
        number = self._connection.write(method, params or {}, self.session_id)
        self._calls[number] = (future, method)
        return future

    def send_nowait(self, method: str, params: dict[str, Any] | None = None) -> None:
        """Call `method` without waiting for its result; errors are ignored."""
        _ = self.send(method, params)

    def forward(self, method: str, params: dict[str, Any] | Raw, answered: Answered) -> None:
        """Pass on another program's call; browser_gone or tab_gone after the session's end."""
        number = self.connection.write(method, params, self.session_id)
        self._forwarded[number] = answered

    def _call_error(self, error: OcdError | None) -> asyncio.Future[Any]:
        future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        _fail(future, error or OcdError("browser_gone", "The browser's connection ended."))
        return future

    def create_future(self) -> asyncio.Future[Any]:
        """Return a future for the caller to resolve; it fails whenever this session's calls do."""
        if self._connection is None or self._halted is not None:
            return self._call_error(self._halted or self._ended)
        future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._futures.add(future)
        future.add_done_callback(self._futures.discard)
        return future

    def interrupt(self, error: OcdError) -> None:
        """Fail all calls in flight with this error; later calls are sent as usual."""
        calls, self._calls = self._calls, {}
        expected, self._futures = self._futures, set()
        for future in [call for call, _ in calls.values()] + list(expected):
            _fail(future, error)

    def halt(self, error: OcdError) -> None:
        """Fail all calls in flight, and until `resume` all that need the page's renderer."""
        self._halted = error
        self.interrupt(error)

    def resume(self) -> None:
        """Undo `halt`: the renderer answers again."""
        self._halted = None

    def end(self, code: str, message: str) -> None:
        """Fail all calls in flight, and all later ones; ending it again has no effect."""
        if self._ended is not None:
            return
        self._connection = None
        self._ended = OcdError(code, message)
        self.interrupt(self._ended)
        forwarded, self._forwarded = self._forwarded, {}
        for answered in forwarded.values():
            answered(Incoming(error=Failure(_NO_SESSION, message)))
        self.emit("disconnected")

    def resolve(self, message: Incoming) -> None:
        """Resolve the call that `message` answers; late answers are dropped."""
        if answered := self._forwarded.pop(message.id, None):
            answered(message)
            return
        future, method = self._calls.pop(message.id, (None, ""))
        if future is None or future.done():
            return
        if message.error is None:
            future.set_result(CallResult(method, message.result or {}))
        else:
            _fail(future, _cdp_error(method, message.error))

    def tap(self, tap: Tap, methods: Iterable[str]) -> None:
        """Pass the events of these names to `tap` undecoded, as they arrive."""
        for method in methods:
            self._taps[method] = (*self._taps.get(method, ()), tap)

    @contextlib.contextmanager
    def suppress_taps(self, *methods: str) -> Iterator[None]:
        """Keep these events from the taps during the block, in which the browser repeats them."""
        suppressed = {method: self._taps.pop(method) for method in methods if method in self._taps}
        try:
            yield
        finally:
            self._taps |= suppressed

    def dispatch_event(self, method: str, params: Raw) -> None:
        """Dispatch an event; it is decoded only if there are listeners."""
        call_each(self._taps.get(method, ()), method, method, params)
        if self.relay is not None:
            self.relay(method, params)
        if method in self._listeners:
            self.emit(method, decode_params(params))

    async def detach(self) -> None:
        """Detach from the target."""
        await (self.parent or self.connection).send(
            "Target.detachFromTarget", {"sessionId": self.session_id}
        )

    def __repr__(self) -> str:
        return f"CdpSession({self.kind} {self.target_id[:8]}, {len(self._calls)} calls)"


class Connection(CdpSession):
    """The browser's own session and access to all others; `url` is pipe: or the ws:// address.

    `protocol_error` describes received data that was not a message, if there was any.
    """

    def __init__(self, transport: Transport) -> None:
        super().__init__(self, "", {"type": "browser"})
        self.loop = asyncio.get_running_loop()
        self._transport = transport
        self.url = transport.url
        self._number = 0
        self._sessions: dict[str, CdpSession] = {"": self}
        self._closed = asyncio.Event()
        self.protocol_error: OcdError | None = None

    @property
    def closed(self) -> bool:
        """Whether the connection has ended."""
        return self._closed.is_set()

    async def wait_closed(self) -> None:
        """Wait until the connection has ended."""
        await self._closed.wait()

    def write(self, method: str, params: dict[str, Any] | Raw, session_id: str) -> int:
        """Write one call and return its number; the answer goes to that session."""
        self._number += 1
        self._transport.write(encode(self._number, method, params, session_id))
        return self._number

    def session(self, session_id: str) -> CdpSession:
        """Return the attached session with that id, else raise tab_gone."""
        try:
            return self._sessions[session_id]
        except KeyError:
            raise OcdError("tab_gone", "That target is no longer attached.") from None

    async def attach(self, target_id: str) -> CdpSession:
        """Attach to a target again and return the new session."""
        reply = await self.send("Target.attachToTarget", {"targetId": target_id, "flatten": True})
        return self.session(reply["sessionId"])

    async def attach_to_browser(self) -> CdpSession:
        """Return another session of the browser itself, with which all that it attaches ends."""
        reply = await self.send("Target.attachToBrowserTarget")
        return self.session(reply["sessionId"])

    def receive(self, messages: Sequence[bytes | Incoming]) -> None:
        """Deliver what the transport has read, or already decoded."""
        for raw in messages:
            try:
                self._deliver(raw if isinstance(raw, Incoming) else decode(raw))
            except (msgspec.MsgspecError, ValueError, LookupError):
                self._not_understood(raw)
            except MemoryError as error:
                self._no_room(raw, error)

    def _no_room(self, raw: bytes | Incoming, error: MemoryError) -> None:
        # A bad reply costs its call, a bad event its listeners, but not the connection.
        if isinstance(raw, bytes) and raw.startswith(ANSWER):
            self._on_unreadable(unreadable(raw, error))
        else:
            logger.error("an event of the browser is lost: %s", error)

    def _not_understood(self, raw: object) -> None:
        # It may have been an answer that a call here is waiting for; that cannot be known.
        logger.error("The browser sent something that is not a DevTools message: %.200r", raw)
        self.protocol_error = OcdError(
            "browser_failed", "The browser sent something that is not a DevTools message.",
            hint=ANOTHER_BROWSER,
        )  # fmt: skip
        self.interrupt(self.protocol_error)

    def _deliver(self, message: Incoming) -> None:
        if message.error is not None and message.error.code == UNREADABLE:
            self._on_unreadable(message)
            return
        session = self._sessions.get(message.session)
        if session is None:
            return
        if message.id:
            session.resolve(message)
        elif message.method == "Target.attachedToTarget":
            self._on_attached(session, decode_params(message.params))
        elif message.method == "Target.detachedFromTarget":
            self._on_detached(session, decode_params(message.params))
        else:
            session.dispatch_event(message.method, message.params)

    def _on_unreadable(self, message: Incoming) -> None:
        # Its session id is at the end of the answer, which has not been read.
        for session in list(self._sessions.values()):
            session.resolve(message)

    def _on_attached(self, parent: CdpSession, params: Event) -> None:
        number = params["sessionId"]
        self._sessions.setdefault(number, CdpSession(self, number, params["targetInfo"], parent))
        parent.emit("Target.attachedToTarget", params)

    def _on_detached(self, parent: CdpSession, params: Event) -> None:
        session = self._sessions.pop(params["sessionId"], None)
        if session is not None:
            for child in [child for child in self._sessions.values() if child.parent is session]:
                ended = {"sessionId": child.session_id, "targetId": child.target_id}
                self._on_detached(session, ended)
            session.end("tab_gone", "The tab was closed.")
        parent.emit("Target.detachedFromTarget", params)

    def on_lost(self) -> None:
        """Notify all sessions that the browser is gone; called once by the transport."""
        if self.closed:
            return
        self._closed.set()
        for session in list(self._sessions.values()):
            session.end("browser_gone", "The browser's connection ended.")
        self._sessions.clear()

    def close(self) -> None:
        """End the connection; every call in flight fails with browser_gone."""
        self._transport.close()
        self.on_lost()

    def __repr__(self) -> str:
        return f"Connection({self.url!r}, {len(self._sessions)} sessions)"


def _copy_error(error: OcdError) -> OcdError:
    """Return a copy of this error."""
    # Raising an error adds to its traceback, so each receiver gets its own copy.
    details: dict[str, Any] = error.details
    return OcdError(error.code, error.message, hint=error.hint, **details)


def _fail(future: asyncio.Future[Any], error: OcdError) -> None:
    """End a call's future with the error, if it has not ended yet."""
    if not future.done():
        future.set_exception(_copy_error(error))
        # Marks it as retrieved: many calls are sent without waiting for the result.
        future.exception()


def _cdp_error(method: str, failure: Failure) -> OcdError:
    """Return the error for Chromium's refusal of a call: tab_gone, tab_crashed or cdp_error."""
    detail = f" {failure.data}" if failure.data else ""
    if failure.code == UNREADABLE:
        return OcdError(
            "browser_failed",
            f"The browser's answer to {method} cannot be read: {failure.message}.",
            hint="It may be too large: request less of the page.",
            method=method,
        )
    unknown = failure.code == _NO_METHOD and method in _ALWAYS_THERE
    if failure.code == _NO_SESSION or failure.message == _NO_TARGET or unknown:
        return OcdError("tab_gone", f"{method}: the tab is gone.", method=method)
    if failure.message == _NO_RENDERER:
        return OcdError(
            "tab_crashed",
            f"{method}: the page has no renderer at the moment.",
            hint="Call `page_reload`, or navigate.",
            method=method,
        )
    return OcdError("cdp_error", f"{method}: {failure.message}{detail}", method=method)
