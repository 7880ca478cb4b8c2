"""Dragging with the mouse: HTML5 drag and drop, and lists and sliders that follow the pointer.

Chromium runs a page's drag and drop from mouse events by itself, data transfer included.
"""

import asyncio
from dataclasses import dataclass, field, replace
from typing import Any

from ocd.browser.tabs.tab import Tab
from ocd.pages.act import input_events
from ocd.pages.act.action_effects import ActionEffects
from ocd.pages.act.actionability import ActionResult, perform, wait_ready
from ocd.pages.locate import hit_test
from ocd.pages.locate.locators import Locator
from ocd.pages.locate.target import ActionDeadline, Target, resolve_target

# Pixels of the first moves: libraries begin a drag only after some.
_FIRST_MOVES_PX = (4, 9)
STEPS = 10
_WATCH = "function () { openchrome.watchDrag(this) }"
_DRAGGED = "function () { return openchrome.dragged() }"
_NOWHERE = Locator()


@dataclass(frozen=True, slots=True)
class DragEndpoint:
    """One end of a drag: an element, or a point of the window."""

    aim: Locator = field(default=_NOWHERE)
    point: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class DragMotion:
    """In how many moves of the mouse a drag goes, and the seconds between them."""

    steps: int = STEPS
    delay_s: float = 0


@dataclass(slots=True)
class DragResult:
    """What a drag came to."""

    source: dict[str, Any]
    target: dict[str, Any]
    method: str
    accepted: bool | None
    done: ActionResult

    def to_dict(self) -> dict[str, Any]:
        """Return the keys of the reply; `accepted` where the page has said whether it is."""
        told = {"source": self.source, "target": self.target, "method": self.method}
        return told if self.accepted is None else {**told, "accepted": self.accepted}


async def drag(
    tab: Tab,
    clock: ActionDeadline,
    source: DragEndpoint,
    target: DragEndpoint,
    pace: DragMotion | None = None,
) -> DragResult:
    """Press at one end, move to the other, let go; the target is scrolled to while dragging.

    Raises what aiming and wait_ready raise for either end; the button is let go then.
    """
    if target.aim != _NOWHERE:  # before the mouse is down: words that fit nothing change nothing
        aimed: Target | None = await resolve_target(tab, replace(target.aim, texts="any"))
    else:
        aimed = None
        await hit_test.check_inside(tab, *(target.point or (-1, -1)))
    held, start = await _start(tab, clock, source)
    places_of = {"end": start}

    async def act() -> None:
        await held.element.call(_WATCH)
        places_of["end"] = await _drag_to_target(
            clock, held, start, aimed or target.point, pace or DragMotion()
        )

    async with held.element, ActionEffects(tab) as effects:
        done = await perform(held, clock, effects, act)
        how: dict[str, Any] = {"html5": False, "effect": None}
        if not tab.closed and not effects.navigated and tab.opened_dialog is None:
            how = await held.element.call(_DRAGGED)
    if aimed is not None:
        aimed.element.release()
    accepted = how["effect"] != "none" if how["html5"] and how["effect"] else None
    return DragResult(
        _endpoint_to_dict(held, start), _endpoint_to_dict(aimed, places_of["end"]),
        "html5" if how["html5"] else "pointer", accepted, done,
    )  # fmt: skip


async def _start(
    tab: Tab, clock: ActionDeadline, source: DragEndpoint
) -> tuple[Target, tuple[float, float]]:
    if source.point is not None:
        return await hit_test.element_at_point(tab, *source.point), source.point
    held = await resolve_target(tab, replace(source.aim, texts="any"))
    return held, await wait_ready(held, clock)


async def _drag_to_target(
    clock: ActionDeadline,
    held: Target,
    start: tuple[float, float],
    goal: Target | tuple[float, float] | None,
    pace: DragMotion,
) -> tuple[float, float]:
    tab = held.element.tab
    x, y = start
    try:
        await input_events.button_down(tab, x, y)
        for away in _FIRST_MOVES_PX:
            await input_events.drag_to(tab, x + away, y + away)
        if isinstance(goal, Target):
            end = await wait_ready(goal, clock, enabled=False)
        else:
            end = goal or start
        for step in range(1, pace.steps + 1):
            part = step / pace.steps
            await input_events.drag_to(tab, x + (end[0] - x) * part, y + (end[1] - y) * part)
            if pace.delay_s:
                await asyncio.sleep(pace.delay_s)
        # Over the target once more: what lies there has seen the pointer come, now it stays.
        await input_events.drag_to(tab, end[0], end[1])
        await input_events.button_up(tab, *end)
    except BaseException:
        input_events.release_button(tab, x, y)
        raise
    return end


def _endpoint_to_dict(target: Target | None, place: tuple[float, float]) -> dict[str, Any]:
    told: dict[str, Any] = {"position": [round(place[0], 1), round(place[1], 1)]}
    if target is not None:
        told |= {**target.describe(), **({"ref": target.ref} if target.ref else {})}
    return told
