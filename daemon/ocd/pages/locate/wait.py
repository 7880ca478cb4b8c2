"""Waiting for a page to show something, checked again whenever the page changes."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, replace
from typing import TypeVar

from ocd.api.errors import OcdError
from ocd.api.waiting import wait_for_event
from ocd.browser.tabs.frames import frames_to_call
from ocd.browser.tabs.tab import Tab
from ocd.pages.engine import engine
from ocd.pages.locate.locators import Locator, call_engine, search
from ocd.pages.locate.matches import MIN_SCORE
from ocd.pages.locate.target import ActionDeadline, Target, resolve_target

_EVENTS = (
    "Network.responseReceived", "Network.loadingFailed", "Network.requestWillBeSent",
    "Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded",
    "Page.frameNavigated", "Page.navigatedWithinDocument", "Page.lifecycleEvent",
    "Page.javascriptDialogOpening", "Page.javascriptDialogClosed", "Inspector.targetCrashed",
)  # fmt: skip
# Seconds between checks, at most, because some changes (a metric, a canvas, a frame of another
# site) cause no event; and at least, whatever the page does.
_INTERVAL_S = 0.2
_MIN_INTERVAL_S = 0.03
# Seconds that a page may take to fetch what it shows, from the call on.
_LOADING_S = 3.0
_ALL_WORDS_SCORE = 60  # a match that scores this has all the words, not only some of them

T = TypeVar("T")
Find = Callable[[], Awaitable[T | None]]


@dataclass(frozen=True, slots=True)
class WaitPolicy:
    """How long to wait for something.

    Attributes:
        deadline: when to stop waiting for it.
        interval_s: the longest time between two checks in seconds.
        call: when the call must be done, if that is later.
    """

    deadline: ActionDeadline
    interval_s: float = _INTERVAL_S
    call: ActionDeadline | None = None

    @classmethod
    def of(
        cls, wait_ms: int, interval_ms: int | None = None, call: ActionDeadline | None = None
    ) -> "WaitPolicy":
        """Return the policy of waiting `wait_ms`, but no longer than the call has left."""
        own = ActionDeadline.after(wait_ms / 1000)
        earlier = own if call is None or own.end < call.end else call
        return cls(earlier, interval_ms / 1000 if interval_ms else _INTERVAL_S, call)


async def find_when_present(tab: Tab, policy: WaitPolicy, find: Find[T]) -> T | None:
    """Return what `find` returns, calling it again whenever the page changes.

    Returns:
        The first result that is not None; None if there was none in time.

    Raises:
        OcdError: what `find` raises, unless the page navigated and there is time left.
    """
    deadline = policy.deadline
    found = await _try(find, deadline)
    if found is not None or not deadline.seconds_left:
        return found
    async with _page_changes(tab) as changed:
        while True:
            await asyncio.sleep(min(_MIN_INTERVAL_S, deadline.seconds_left))
            await wait_for_event(changed, min(deadline.seconds_left, policy.interval_s))
            changed.clear()  # a change during the next check counts as one after it
            found = await _try(find, deadline)
            if found is not None or not deadline.seconds_left:
                return found


async def wait_until(tab: Tab, condition: Callable[[], Awaitable[bool]], seconds: float) -> None:
    """Wait until `condition` holds, for that many seconds at most; it is checked at least once."""

    async def holds() -> bool | None:
        return await condition() or None

    await find_when_present(tab, WaitPolicy(ActionDeadline.after(seconds), 0.5), holds)


async def resolve_when_present(
    tab: Tab,
    locator: Locator,
    policy: WaitPolicy,
    resolve: Callable[[Tab, Locator], Awaitable[Target]] = resolve_target,
) -> Target:
    """Return the element that the locator names, waiting for it; raises what `resolve` raises.

    A page that still loads what it consists of is also waited for. Of an element that is not found
    while a modal dialog is open, the hint names the dialog.
    """
    try:
        try:
            return await _resolve_in_time(tab, locator, policy, resolve)
        except OcdError as error:
            if error.code != "element_not_found" or tab.page_loads.current.is_idle:
                raise
        return await _resolve_while_loading(tab, locator, policy.call or policy.deadline, resolve)
    except OcdError as error:
        if error.code == "element_not_found" and (dialog := await _modal_dialog(tab)):
            error.hint = f"{dialog} is open, and what is behind it cannot be used: close it first."
        raise


async def _resolve_while_loading(
    tab: Tab,
    locator: Locator,
    call: ActionDeadline,
    resolve: Callable[[Tab, Locator], Awaitable[Target]],
) -> Target:
    """Return the element once it appears, on a page whose scripts still fetch what it shows."""

    async def find() -> Target | None:
        try:
            return await resolve(tab, locator)
        except OcdError as error:
            if error.code != "element_not_found" or tab.page_loads.current.is_idle:
                raise
            return None

    policy = WaitPolicy.of(round(_LOADING_S * 1000), call=call)
    return await find_when_present(tab, policy, find) or await resolve(tab, locator)


async def _modal_dialog(tab: Tab) -> str:
    """Return the line of the modal dialog on top of the page; "" if there is none."""
    with contextlib.suppress(OcdError):
        standing = await call_engine(tab, tab.main_frame, "describeLayers", {})
        return str(standing["layer"]) if standing["modal"] else ""
    return ""


async def _resolve_in_time(
    tab: Tab,
    locator: Locator,
    policy: WaitPolicy,
    resolve: Callable[[Tab, Locator], Awaitable[Target]],
) -> Target:
    async def find() -> Target | None:
        # A control that may still appear is preferred to a text with the same words.
        waits = policy.deadline.seconds_left > 0 and locator.texts == "exact"
        try:
            return await resolve(tab, replace(locator, texts="") if waits else locator)
        except OcdError as error:
            # The last attempt raises what is missing.
            if error.code != "element_not_found" or not policy.deadline.seconds_left:
                raise
            return None

    return await find_when_present(tab, policy, find) or await resolve(tab, locator)


async def wait_for_text(tab: Tab, words: str, deadline: ActionDeadline) -> bool:
    """Wait until the page or one of its frames shows the text; return whether it did in time."""

    async def find() -> bool | None:
        for frame in frames_to_call(tab.frames()):
            if await engine.call(tab, frame, "showsText", words):
                return True
        return None

    return bool(await find_when_present(tab, WaitPolicy(deadline), find))


async def relocate(target: Target, deadline: ActionDeadline) -> bool:
    """Look up a target again that is gone from the page; return whether it was found in time.

    Frameworks re-render a list or a form whenever something in it changes. A ref is found again if
    it is certain what has replaced it. Raises ambiguous.
    """
    locator = target.locator
    if locator is None:
        return False

    async def resolve(tab: Tab, _locator: Locator) -> Target:
        return await resolve_target(tab, locator)

    tab = target.element.tab
    try:
        found = await resolve_when_present(tab, locator, WaitPolicy(deadline), resolve)
    except OcdError as error:
        if error.code not in ("element_not_found", "stale_ref"):
            raise
        return False
    target.move_to(found)
    return True


async def is_present(tab: Tab, locator: Locator) -> bool:
    """Return whether the page contains what a ref, a selector or words name, even as text."""
    if locator.query is None:
        try:
            (await resolve_target(tab, locator)).element.release()
        except OcdError as error:
            if error.code == "ambiguous":
                return True
            if error.code in ("element_not_found", "stale_ref"):
                return False
            raise
        return True
    try:
        matches, _ = await search(tab, locator.query, 1)
    except OcdError as error:
        if error.details.get("navigated"):
            return False
        raise
    return bool(matches) and matches[0].score >= max(_ALL_WORDS_SCORE, MIN_SCORE)


async def _try(find: Find[T], deadline: ActionDeadline) -> T | None:
    try:
        return await find()
    except OcdError as error:
        if not error.details.get("navigated") or not deadline.seconds_left:
            raise
        return None


@contextlib.asynccontextmanager
async def _page_changes(tab: Tab) -> AsyncIterator[asyncio.Event]:
    """Yield an event that is set at each observable change of the page."""
    changed = asyncio.Event()

    def on_event(_event: object = None) -> None:
        changed.set()

    for name in _EVENTS:
        tab.cdp.on(name, on_event)
    try:
        async with asyncio.TaskGroup() as group:
            watcher = group.create_task(_watch_document(tab, changed))
            yield changed
            watcher.cancel()
    except* OcdError as errors:
        raise errors.exceptions[0] from None
    finally:
        for name in _EVENTS:
            tab.cdp.off(name, on_event)


async def _watch_document(tab: Tab, changed: asyncio.Event) -> None:
    """Set `changed` when the document changes; without an answer, events and time remain."""
    while True:
        try:
            await engine.call(tab, tab.main_frame, "viewport")  # installs the engine
            source = f"(most) => {engine.INSTALLED} ? openchrome.nextChange(most) : null"
            await tab.evaluate(source, args=(1000,), isolated=True)
        except OcdError:
            await asyncio.sleep(_INTERVAL_S)
        changed.set()
        await asyncio.sleep(_MIN_INTERVAL_S)
