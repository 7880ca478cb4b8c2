"""Waiting until a page has become what somebody looks for, by whatever of it changes."""

import asyncio
import time
from collections.abc import Awaitable, Callable

from ocd.api.errors import OcdError
from ocd.browser.tabs.tab import Tab
from ocd.pages.engine import engine

_EVENTS = (
    "Network.responseReceived", "Network.loadingFailed", "Network.requestWillBeSent",
    "Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded",
    "Page.frameNavigated", "Page.navigatedWithinDocument", "Page.lifecycleEvent",
    "Page.javascriptDialogOpening", "Page.javascriptDialogClosed", "Inspector.targetCrashed",
)  # fmt: skip
# What no event shows (a metric, a canvas) is looked at so often, in seconds; and never more often
# than the other, whatever a page does.
_LOOK_S = 0.5
_BREATH_S = 0.03


async def look_until(tab: Tab, look: Callable[[], Awaitable[bool]], most_s: float) -> None:
    """Look, and again after each change of the page, until `look` is content or time is up."""
    end = time.monotonic() + most_s
    changed = asyncio.Event()

    def wake(_event: object = None) -> None:
        changed.set()

    for name in _EVENTS:
        tab.cdp.on(name, wake)
    try:
        async with asyncio.TaskGroup() as group:
            watcher = group.create_task(_watch(tab, changed))
            while not await _content(look, changed) and (left := end - time.monotonic()) > 0:
                await _next(changed, min(left, _LOOK_S))
            watcher.cancel()
    except* OcdError as errors:
        raise errors.exceptions[0] from None
    finally:
        for name in _EVENTS:
            tab.cdp.off(name, wake)


async def _content(look: Callable[[], Awaitable[bool]], changed: asyncio.Event) -> bool:
    # What changes while we look counts as a change after it.
    changed.clear()
    return await look()


async def _next(changed: asyncio.Event, most_s: float) -> None:
    try:
        async with asyncio.timeout(most_s):
            await changed.wait()
    except TimeoutError:
        return


async def _watch(tab: Tab, changed: asyncio.Event) -> None:
    """Wake at the document's own changes; one that cannot be asked leaves events and clock."""
    while True:
        try:
            await engine.call(tab, tab.main_frame, "viewport")  # the engine is there now
            source = "(most) => globalThis.openchrome?.nextChange(most)"
            await tab.evaluate(source, args=(_LOOK_S * 1000,), isolated=True)
        except OcdError:
            await asyncio.sleep(_LOOK_S)
        changed.set()
        await asyncio.sleep(_BREATH_S)
