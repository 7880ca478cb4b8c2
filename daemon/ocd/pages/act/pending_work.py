"""Work that a page defers when it is acted on: its listeners' timers and animation frames."""

import asyncio
from typing import Any

from ocd.api.errors import OcdError
from ocd.browser.injected import script
from ocd.browser.tabs import evaluate
from ocd.browser.tabs.frames import Frame

# Added to the page's own limit, which decides unless its clocks are replaced and stand still: the
# answer of a busy machine may be late.
MAX_WORK_S = 1.5
MAX_PATIENT_WORK_S = 2.0


class PendingWork:
    """The work that the listeners of one action defer, as far as it is due soon.

    It is watched in the world of the page's own scripts, so only in documents whose world CDP
    reaches at no cost: those with a process of their own.
    """

    def __init__(self, frame: Frame, *, patient: bool = False) -> None:
        self._frame = frame
        self._patient = patient
        self._begun: asyncio.Future[dict[str, Any]] | None = None
        self._object_id = ""

    def begin(self) -> None:
        """Start the watch, before the action: Chromium runs what it is sent in order."""
        if self._frame.frame_id == self._frame.cdp.target_id:
            limit = ".withLongerLimit()" if self._patient else ""
            params = {"expression": script("tabs/pending_work") + limit}
            self._begun = self._frame.cdp.send("Runtime.evaluate", params)

    async def wait_begun(self) -> None:
        """Wait until the watch has begun; returns at once for a page that cannot be watched."""
        begun, self._begun = self._begun, None
        if begun is None:
            return
        try:
            reply = await begun
        except OcdError as error:
            left = evaluate.script_error(error).details.get("navigated")
            if not left and error.code != "dialog_open":
                raise
        else:
            ours = (
                "exceptionDetails" not in reply
            )  # otherwise the page has broken what the watch needs
            self._object_id = str(reply["result"].get("objectId", "")) if ours else ""

    async def wait_done(self) -> bool:
        """Wait for the work, and stop watching; return whether there is known to be none.

        It takes at least one round trip: what the page's scripts have sent by then is reported
        before. Raises script_error for a page that navigates meanwhile.
        """
        await self.wait_begun()
        if not self._object_id:
            await evaluate.evaluate_isolated(self._frame, "0")
            return False
        had_work: bool | None = None
        try:
            had_work = evaluate.value_of(await self._call("resultIfIdle"))
            if had_work is None:
                async with asyncio.timeout(MAX_PATIENT_WORK_S if self._patient else MAX_WORK_S):
                    await self._call("waitDone")
        except TimeoutError:
            self._frame.cdp.send_nowait("Runtime.callFunctionOn", self._params("stop"))
        except OcdError as error:
            raise evaluate.script_error(error) from None
        self._frame.cdp.send_nowait("Runtime.releaseObject", {"objectId": self._object_id})
        return had_work is False

    async def begin_hold(self) -> None:
        """Watch longer timers for a while, before a press that some pages require to be held."""
        await self.wait_begun()
        if self._object_id:
            await self._call("beginHold")

    async def wait_held(self) -> None:
        """Wait until the press has been held for as long as the page's listeners require."""
        if self._object_id:
            await self._call("waitHeld")

    async def _call(self, name: str) -> dict[str, Any]:
        return await self._frame.cdp.send("Runtime.callFunctionOn", self._params(name))

    def _params(self, name: str) -> dict[str, Any]:
        return {
            "objectId": self._object_id,
            "functionDeclaration": f"function () {{ return this.{name}() }}",
            "awaitPromise": True,
            "returnByValue": True,
        }
