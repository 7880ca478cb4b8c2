"""A program that attaches with raw CDP, and every reply and event that it gets."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Coroutine
from types import TracebackType
from typing import Any, TypeVar

import aiohttp

from support.daemon import Daemon
from support.wire import JSON_BODY, Reply

T = TypeVar("T")
DEADLINE_S = 120.0


def ask_address(daemon: Daemon, session: str = "default", **more: object) -> Reply:
    """Ask for an address as `oc attach` does."""
    body = json.dumps({"session": session, **more}).encode()
    return daemon.request("POST", "/v1/attach", body, JSON_BODY)


def address(daemon: Daemon, session: str = "default", **more: object) -> str:
    """Return an address at which one program may attach."""
    url: str = ask_address(daemon, session, **more).result["url"]
    return url


def run(scenario: Coroutine[Any, Any, T]) -> T:
    """Run a program to its end."""

    async def in_time() -> T:
        async with asyncio.timeout(DEADLINE_S):
            return await scenario

    return asyncio.run(in_time())


class CdpError(Exception):
    """An error that a call was answered with."""


class CdpProgram:
    """`async with CdpProgram(url) as program:` is attached; `heard` has every message."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.heard: list[str] = []
        self._number = 0
        self._http = aiohttp.ClientSession()

    async def __aenter__(self) -> CdpProgram:
        try:
            self._socket = await self._http.ws_connect(self.url, max_msg_size=0)
        except BaseException:  # nobody would close it
            await self._http.close()
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:  # fmt: skip
        await self._socket.close()
        await self._http.close()

    async def start(self, method: str, session: str = "", /, **params: object) -> int:
        """Send a call, and return its number."""
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": params}
        if session:
            message["sessionId"] = session
        await self._socket.send_json(message)
        return self._number

    async def call(self, method: str, session: str = "", /, **params: object) -> dict[str, Any]:
        """Send a call, and return its result; raises CdpError."""
        return await self.answer(await self.start(method, session, **params))

    async def answer(self, number: int) -> dict[str, Any]:
        """Return the result of the call of this number."""
        message = await self.message(lambda one: one.get("id") == number)
        if "error" in message:
            raise CdpError(f"{message['error']['message']} [{message['error'].get('data', '')}]")
        result: dict[str, Any] = message["result"]
        return result

    async def message(self, fits: Any) -> dict[str, Any]:  # noqa: ANN401 - a predicate
        """Return the next message that fits."""
        while True:
            received = await self._socket.receive()
            assert received.type is aiohttp.WSMsgType.TEXT, f"the connection ended: {received}"
            self.heard.append(received.data)
            message: dict[str, Any] = json.loads(received.data)
            if fits(message):
                return message

    async def wait_closed(self) -> None:
        """Return once the daemon has ended the connection."""
        async for message in self._socket:
            self.heard.append(str(message.data))

    async def targets(self) -> list[dict[str, Any]]:
        """Return the pages that it sees."""
        found: list[dict[str, Any]] = (await self.call("Target.getTargets"))["targetInfos"]
        return found

    async def page(self) -> str:
        """Attach to the first page, and return the session."""
        first = (await self.targets())[0]["targetId"]
        reply = await self.call("Target.attachToTarget", targetId=first, flatten=True)
        session: str = reply["sessionId"]
        return session
