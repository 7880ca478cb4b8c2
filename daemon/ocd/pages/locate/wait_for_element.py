"""Whether something is on a page, and waiting for the page to change."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import TypeVar

from ocd.api.errors import OcdError
from ocd.browser.tabs.tab import Tab
from ocd.pages.act.actionability import ActionDeadline, Target, resolve_target
from ocd.pages.engine import engine
from ocd.pages.locate.locators import GOOD_ENOUGH, Locator, search

# How long one look at a page waits for its next change, in ms: frames change unseen by it.
_LOOK_MS = 200
_SURELY = 60  # a score: the words are there, and not only some of them


# Two looks lie at least so far apart on a page that changes all the time.
_GAP_S = 0.05

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class WaitPolicy:
    """Until when something is waited for, and after how many ms it is looked for again at least.

    A change of the page is a reason to look at once.
    """

    clock: ActionDeadline
    look_ms: int = _LOOK_MS

    @classmethod
    def of(
        cls, wait_ms: int, look_ms: int | None, clock: ActionDeadline | None = None
    ) -> "WaitPolicy":
        """Return the patience of so many ms, which ends with the clock."""
        own = ActionDeadline.lasting(wait_ms / 1000)
        return cls(own if clock is None or own.end < clock.end else clock, look_ms or _LOOK_MS)


async def until_there(
    tab: Tab, patience: WaitPolicy, look: Callable[[], Awaitable[T | None]]
) -> T | None:
    """Return what `look` finds, looking again whenever the page changes; None: nothing in time."""
    while True:
        try:
            found = await look()
        except OcdError as error:
            if not error.details.get("navigated") or not patience.clock.left:
                raise
            found = None
        if found is not None or not patience.clock.left:
            return found
        await asyncio.sleep(min(_GAP_S, patience.clock.left))
        await wait_altered(tab, patience.clock, patience.look_ms)


async def take_when_there(tab: Tab, at: Locator, patience: WaitPolicy) -> Target:
    """Return what the caller means, once it is there; raises what take_aim raises."""

    async def look() -> Target | None:
        # A control that is still to come goes before a text that says the same.
        waits = patience.clock.left > 0 and at.texts == "exact"
        try:
            return await resolve_target(tab, replace(at, texts="") if waits else at)
        except OcdError as error:
            # The last look says what is missing.
            if error.code != "element_not_found" or not patience.clock.left:
                raise
            return None

    return await until_there(tab, patience, look) or await resolve_target(tab, at)


async def wait_altered(tab: Tab, clock: ActionDeadline, most_ms: int = _LOOK_MS) -> None:
    """Wait for the page's next change, at most for a look."""
    try:
        await engine.call(tab, tab.main_frame, "altered", min(clock.left * 1000, most_ms))
    except OcdError as error:
        if not error.details.get("navigated"):
            raise


async def is_there(tab: Tab, at: Locator) -> bool:
    """Return whether the page shows what a ref, a selector or words mean; text counts, too."""
    if at.query is None:
        try:
            (await resolve_target(tab, at)).element.release()
        except OcdError as error:
            if error.code == "ambiguous":
                return True
            if error.code in ("element_not_found", "stale_ref"):
                return False
            raise
        return True
    try:
        found, _ = await search(tab, at.query, 1)
    except OcdError as error:
        if error.details.get("navigated"):
            return False
        raise
    return bool(found) and found[0].score >= max(_SURELY, GOOD_ENOUGH)
