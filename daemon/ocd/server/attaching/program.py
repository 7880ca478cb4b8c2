"""One attached program: its calls, its events, and its end.

It has its own CDP session on the browser, and through it one on each tab: what it enables,
intercepts or emulates is separate from our sessions on the same tabs, and ends with its session.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Coroutine, Iterator
from dataclasses import dataclass
from typing import Any, Literal

import msgspec
from aiohttp import WSMsgType, web
from msgspec import Raw

from ocd.api.errors import OcdError
from ocd.api.timestamps import rfc3339
from ocd.api.waiting import wait_for_event
from ocd.browser.cdp.connection import CdpSession
from ocd.browser.cdp.messages import Incoming
from ocd.browser.emulation.emulation import Emulation
from ocd.browser.tabs.tab import Tab
from ocd.calls.services import CallServices
from ocd.oversight.approvals import ConsentNeededError
from ocd.oversight.leases import lease_of
from ocd.server.attaching.call_rules import CallRules, visible_cookies
from ocd.server.attaching.channels import Channel
from ocd.server.attaching.commands import Commands, not_allowed_error
from ocd.server.attaching.messages import (
    NO_SESSION,
    Outgoing,
    ProgramCall,
    answer_of,
    decode,
    decode_object,
    refusal_of,
)
from ocd.server.attaching.methods import ACTING, ALLOWED
from ocd.server.attaching.targets import ProgramTargets

# What may wait for a program that does not read.
MAX_WAITING_BYTES = 256 << 20
_COMMANDS = ("Target.", "Browser.", "Storage.")
_COOKIES = ("Network.getCookies", "Network.getAllCookies")
_FLUSH_S = 1.0

EndReason = Literal["program", "key", "session", "browser", "setting", "daemon", "too_slow"]


@dataclass(frozen=True, slots=True, kw_only=True)
class AttachGrant:
    """What a key allows: working on this session, with files of that folder.

    until: when it ends, by the monotonic clock.
    """

    session: str
    until: float
    cwd: str = ""


class _OutgoingQueue:
    """Messages still to be sent to a program, in order."""

    def __init__(self, socket: web.WebSocketResponse) -> None:
        self._socket = socket
        self._messages: asyncio.Queue[bytes] = asyncio.Queue()
        self.waiting_bytes = 0

    def put(self, message: bytes) -> None:
        self.waiting_bytes += len(message)
        self._messages.put_nowait(message)

    async def send_all(self) -> None:
        with contextlib.suppress(ConnectionError):  # the program has gone
            while True:
                message = await self._messages.get()
                self.waiting_bytes -= len(message)
                await self._socket.send_frame(message, WSMsgType.TEXT)
                self._messages.task_done()

    async def wait_sent(self) -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_FLUSH_S):
                await self._messages.join()


class Program:
    """One program, from its connection to its end."""

    def __init__(
        self, socket: web.WebSocketResponse, services: CallServices, grant: AttachGrant
    ) -> None:
        self._socket = socket
        self._services = services
        self._grant = grant
        self._session = services.sessions.get(grant.session)
        self._outgoing = _OutgoingQueue(socket)
        self._rules = CallRules(services, grant.session, grant.cwd)
        self._running: set[asyncio.Task[None]] = set()
        self._ended = asyncio.Event()
        self._reason: EndReason = "program"

    # --- its life ----------------------------------------------------------------------------

    async def serve(self) -> None:
        """Work until the program, its key, its session or the browser ends."""
        chromium = self._services.chromium
        with chromium.hold():
            browser = await (await chromium.ensure()).attach_to_browser()
            self._targets = ProgramTargets(
                self._session, Channel("", self._send, cdp=browser), self._spawn
            )
            self._commands = Commands(self._targets, self._rules, lambda: self.end("program"))
            self._report("program_attached")
            try:
                with self._listening(browser), self._targets.listening():
                    await self._run()
            finally:
                await asyncio.shield(self._leave(browser))
                self._report("program_detached", reason=self._reason)

    @contextlib.contextmanager
    def _listening(self, browser: CdpSession) -> Iterator[None]:
        closed = self._session.events.on("closed", lambda: self.end("session"))
        browser.on("disconnected", lambda: self.end("browser"))
        try:
            yield
        finally:
            self._session.events.off("closed", closed)

    async def _run(self) -> None:
        async with asyncio.TaskGroup() as self._group:
            self._spawn(self._outgoing.send_all())
            self._spawn(self._receive())
            if not await wait_for_event(self._ended, self._grant.until - time.monotonic()):
                self.end("key")
            await self._outgoing.wait_sent()
            for task in self._running:
                task.cancel()

    async def _leave(self, browser: CdpSession) -> None:
        with contextlib.suppress(OcdError):  # the browser has gone
            await browser.detach()
        await self._targets.close_contexts()
        for tab in list(self._session.tabs):
            restore(tab)

    def end(self, reason: EndReason) -> None:
        """End the program's connection; only the first reason counts."""
        if not self._ended.is_set():
            self._reason = reason
            self._ended.set()

    def _spawn(self, coroutine: Coroutine[Any, Any, None]) -> None:
        task = self._group.create_task(coroutine)
        self._running.add(task)
        task.add_done_callback(self._running.discard)

    def _report(self, event: str, **more: object) -> None:
        entry = {"event": event, "ts": rfc3339(time.time()), "session": self._grant.session}
        self._services.journal.record_event({**entry, **more})

    # --- messages ----------------------------------------------------------------------------

    def _send(self, message: bytes) -> None:
        self._outgoing.put(message)
        if self._outgoing.waiting_bytes > MAX_WAITING_BYTES:
            self.end("too_slow")

    async def _receive(self) -> None:
        try:
            async for message in self._socket:
                if message.type is not WSMsgType.TEXT:
                    break
                await self._handle_message(message.data)
        finally:
            self.end("program")

    async def _handle_message(self, text: str) -> None:
        try:
            call = decode(text)
        except (msgspec.DecodeError, RecursionError):
            self.end("program")  # not a client of this protocol
            return
        channel = self._targets.channels.get(call.session)
        if channel is None or channel.nested:
            gone = OcdError("tab_gone", "Session with given id not found.")
            self._targets.root.write(refusal_of(call.id, gone, NO_SESSION))
            return
        await self._call(channel, call)

    async def _call(self, channel: Channel, call: ProgramCall) -> None:
        method = call.method
        if method == "Target.sendMessageToTarget":
            await self._call_nested(channel, call)
        elif method.startswith(_COMMANDS):
            self._spawn(self._command(channel, call))
        elif method not in ALLOWED or channel.tab is None:
            self._refuse(channel, call, not_allowed_error(method))
        elif channel.cdp is None:
            self._answer_stand_in(channel, call)
        else:
            await self._call_tab(channel, channel.cdp, channel.tab, call)

    async def _call_nested(self, channel: Channel, call: ProgramCall) -> None:
        try:
            inner, nested = self._unwrap(channel, call)
        except OcdError as error:
            self._refuse(channel, call, error)
        else:
            channel.write(Outgoing(id=call.id, result={}))
            await self._call(inner, nested)

    def _unwrap(self, channel: Channel, call: ProgramCall) -> tuple[Channel, ProgramCall]:
        """Return the call that travels inside another one, and its channel."""
        params = decode_object(call.params)
        inner = self._targets.channels.get(str(params.get("sessionId")))
        if inner is None or not inner.nested or inner.parent is not channel:
            raise OcdError("tab_gone", "No session with given id")
        try:
            return inner, decode(str(params.get("message", "")))
        except (msgspec.DecodeError, RecursionError):
            raise OcdError("bad_request", "The message is not a call") from None

    def _refuse(
        self, channel: Channel, call: ProgramCall, error: OcdError, about: Tab | None = None
    ) -> None:
        self._journal(about or channel.tab, call.method, error.code)
        channel.write(refusal_of(call.id, error))

    def _journal(self, tab: Tab | None, method: str, error: str | None = None) -> None:
        about: dict[str, object] = {"method": method[:200]}
        if tab is not None:
            about["tab_id"] = tab.id
        if error is not None:
            about["error"] = error
        self._report("program_call", **about)

    # --- commands ----------------------------------------------------------------------------

    async def _command(self, channel: Channel, call: ProgramCall) -> None:
        about = channel.tab
        try:
            params = decode_object(call.params)
            about = self._targets.find(params.get("targetId")) or about
            result = await self._commands.run(channel, call.method, params)
        except OcdError as error:
            self._refuse(channel, call, error, about)
        else:
            self._journal(about, call.method)
            channel.write(Outgoing(id=call.id, result=result))

    def _answer_stand_in(self, channel: Channel, call: ProgramCall) -> None:
        # Around a page there is nothing to do; clients resume it like any other target.
        if call.method == "Runtime.runIfWaitingForDebugger":
            channel.write(Outgoing(id=call.id, result={}))
        else:
            self._refuse(channel, call, not_allowed_error(call.method))

    # --- calls on tabs -----------------------------------------------------------------------

    async def _call_tab(
        self, channel: Channel, cdp: CdpSession, tab: Tab, call: ProgramCall
    ) -> None:
        if call.method in ACTING and (channel.waiting or lease_of(tab)):
            self._spawn(self._call_later(channel, cdp, tab, call))
            return
        try:
            params = await self._rules.apply(tab, call.method, call.params)
            self._forward(channel, cdp, call, params)
        except ConsentNeededError:
            self._spawn(self._call_later(channel, cdp, tab, call))
        except OcdError as error:
            self._refuse(channel, call, error)

    async def _call_later(
        self, channel: Channel, cdp: CdpSession, tab: Tab, call: ProgramCall
    ) -> None:
        """Make a call, in order, once people allow it."""
        channel.waiting += 1
        try:
            async with channel.turn:
                await self._rules.wait_free(tab)
                params = await self._rules.apply_with_consent(tab, call.method, call.params)
                self._forward(channel, cdp, call, params)
        except OcdError as error:
            self._refuse(channel, call, error)
        finally:
            channel.waiting -= 1

    def _forward(
        self, channel: Channel, cdp: CdpSession, call: ProgramCall, params: Raw | dict[str, Any]
    ) -> None:
        def answer(message: Incoming) -> None:
            if call.method in _COOKIES and message.result is not None:
                policy = self._services.chromium.guard.policy
                message.result = visible_cookies(policy.allows, message.result)
            channel.write(answer_of(call.id, message))

        cdp.forward(call.method, params, answer)
        if call.method == "Debugger.enable":
            # A paused script would be paused for the session's agent, too.
            cdp.send_nowait("Debugger.setSkipAllPauses", {"skip": True})
        self._journal(channel.tab, call.method)


def restore(tab: Tab) -> None:
    """Restore the tab's settings that a program may have replaced."""
    if (emulation := tab.state(Emulation)) is not None:
        emulation.apply_again()
    tab.request_log.apply_again()
    _ = tab.emulate_focus()
