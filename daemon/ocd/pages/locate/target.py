"""The element that a call acts on, and the call's deadline."""

import asyncio
from dataclasses import dataclass, field
from typing import Any

from ocd import call_context
from ocd.browser.tabs.tab import Tab
from ocd.pages.engine.internal_roles import refresh_state
from ocd.pages.engine.refs import Element
from ocd.pages.locate.click_parts import click_parts
from ocd.pages.locate.locators import Locator, resolve
from ocd.pages.locate.matches import MAX_CANDIDATES, ambiguous_error

# Seconds, at most, before a call's end in which the page can still report what it waits for.
REPORT_S = 0.25
_ABOUT = "function (whole) { return openchrome.elementFacts(this, whole) }"


@dataclass(slots=True)
class ActionDeadline:
    """When a call must be done.

    Attributes:
        end: In seconds of the event loop's clock.
        watch_s: How long the page is watched after an action.
    """

    end: float
    watch_s: float = 0.0

    @classmethod
    def of(cls, timeout_ms: int) -> "ActionDeadline":
        """Return the deadline of a call that may take that many milliseconds from now.

        It is slightly earlier, so that the page can still report what it was waiting for.
        """
        return cls.after(timeout_ms / 1000 - min(REPORT_S, timeout_ms / 5000))

    @classmethod
    def after(cls, seconds: float) -> "ActionDeadline":
        """Return the deadline that many seconds from now."""
        return cls(asyncio.get_running_loop().time() + seconds)

    @property
    def seconds_left(self) -> float:
        """Seconds that are left, at least 0."""
        return max(self.end - asyncio.get_running_loop().time(), 0.0)


@dataclass(slots=True)
class Target:
    """The element of an action; `about` is the engine's description: role, name, kind, state.

    locator: how it was named, if it can be looked up again.
    """

    element: Element
    ref: str
    about: dict[str, Any] = field(default_factory=dict)
    locator: Locator | None = None

    def describe(self) -> dict[str, str]:
        """Return its role and name."""
        return {"role": self.about["role"], "name": self.about["name"]}

    def move_to(self, found: "Target") -> None:
        """Become the element that was found in place of one that is gone.

        Everything that holds this target then holds the new element.
        """
        self.element.release()
        self.element.frame, self.element.object_id = found.element.frame, found.element.object_id
        self.ref, self.about = found.ref, found.about


async def resolve_target(tab: Tab, locator: Locator) -> Target:
    """Return the one element that the locator names; raises what `locators.resolve` raises."""
    tab.check_usable()
    element, ref = await resolve(tab, locator)
    about = await element.call(_ABOUT, call_context.wants_identity())
    if about["internal"]:
        await refresh_state(element)
        about = await element.call(_ABOUT, call_context.wants_identity())
    if locator.among == "clickable" and about["compound"]:
        # A click on a box with several clickable parts is not meant for any one of them.
        found = await click_parts(element)
        if found.parts and not found.listens:
            element.release()
            if len(found.parts) > 1:
                lines = [part["line"] for part in found.parts]
                raise ambiguous_error(locator, lines[:MAX_CANDIDATES])
            return await resolve_target(tab, Locator(ref=found.parts[0]["ref"]))
    call_context.note_element(str(locator), about)
    return Target(element, ref, about, locator)


async def identify_element(tab: Tab, locator: Locator) -> dict[str, Any]:
    """Return what identifies the element in later loads; does not count as touching it.

    Raises what `resolve_target` raises.
    """
    tab.check_usable()
    element, _ = await resolve(tab, locator)
    about: dict[str, Any] = await element.call(_ABOUT, True)  # noqa: FBT003 - to JavaScript
    element.release()
    return about
