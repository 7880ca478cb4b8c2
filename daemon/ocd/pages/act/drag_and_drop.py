"""Dragging with the mouse: HTML5 drag and drop, and lists and sliders that follow the pointer.

Chromium runs a page's drag and drop from mouse events by itself, data transfer included.
"""

import asyncio
from dataclasses import dataclass, field, replace
from typing import Any

from ocd.api.errors import OcdError
from ocd.browser.tabs.tab import Tab
from ocd.pages.act import input_events
from ocd.pages.act.action_effects import ActionEffects
from ocd.pages.act.actionability import wait_ready
from ocd.pages.act.observation import ActionResult, perform
from ocd.pages.locate import hit_test
from ocd.pages.locate.locators import Locator
from ocd.pages.locate.target import ActionDeadline, Target, resolve_target

# The first moves, in pixels: libraries begin a drag only after some distance.
_FIRST_MOVES_PX = (4, 9)
STEPS = 10
# Frames in which moving elements come to rest, and how often that is checked at most.
_MAX_FRAMES = 60
_MAX_LOOKS = 4
_PLACE_MS = 500  # for lists that change only after the animation of the dropped item
_LOOK_S = 1.0  # within which an element that has not moved can be grabbed again, if at all
_WATCH = "function () { openchrome.watchDrag(this) }"
_DRAGGED = "function () { return openchrome.endDrag() }"
_FRAME = "function () { return openchrome.dragFrame() }"
_NUDGE = "function () { return openchrome.dropOffset(this) }"
_PLACE = "function (most) { return openchrome.droppedPlace(most) }"
_HOLD_PAGE = "function () { openchrome.stopTouchScroll(this) }"
_NOWHERE = Locator()


@dataclass(frozen=True, slots=True)
class DragEndpoint:
    """One end of a drag: an element, or a point of the window."""

    locator: Locator = field(default=_NOWHERE)
    point: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class DragMotion:
    """The number of mouse moves in a drag, and the seconds between them."""

    steps: int = STEPS
    delay_s: float = 0


@dataclass(slots=True)
class DragResult:
    """The result of a drag; `place` is the dragged item's new position in its list.

    method: html5, pointer, or touch where the page only follows a finger.
    """

    source: dict[str, Any]
    target: dict[str, Any]
    method: str
    accepted: bool | None
    done: ActionResult
    place: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return the keys of the reply: `accepted` and `place` only where the page reveals them."""
        result = {"source": self.source, "target": self.target, "method": self.method}
        result |= {"place": self.place} if self.place else {}
        return result if self.accepted is None else {**result, "accepted": self.accepted}


async def drag(
    tab: Tab,
    deadline: ActionDeadline,
    source: DragEndpoint,
    target: DragEndpoint,
    motion: DragMotion | None = None,
) -> DragResult:
    """Press at one end, move to the other, release; scrolls to the target while dragging.

    Raises what resolve_target and wait_ready raise for either end, after releasing the button; and
    not_moved if the drop had no effect.
    """
    drop_target = await _find_drop_target(tab, target)
    dragged, start = await _start(tab, deadline, source)
    positions = {"end": start}
    places: list[str] = []
    by: list[str] = []
    goal, motion = drop_target or target.point, motion or DragMotion()

    async def act() -> None:
        await dragged.element.call(_WATCH)
        positions["end"] = await _drag_to_target(deadline, dragged, start, goal, motion, effects)
        place = await dragged.element.call(_PLACE, _PLACE_MS)
        if place["stays"] and await _can_be_touched(dragged):
            positions["end"] = await _drag_by_touch(deadline, dragged, goal, motion)
            place = await dragged.element.call(_PLACE, _PLACE_MS)
            by.extend(["touch"] * (not place["stays"]))
        places.append(place["words"])

    async with dragged.element, ActionEffects(tab) as effects:
        result = await perform(dragged, deadline, effects, act)
        outcome: dict[str, Any] = {"html5": False, "effect": None, "place": None, "stays": False}
        if not tab.closed and not effects.navigated and tab.opened_dialog is None:
            outcome = await dragged.element.call(_DRAGGED)
    if drop_target is not None:
        drop_target.element.release()
    accepted = outcome["effect"] != "none" if outcome["html5"] and outcome["effect"] else None
    place = outcome["place"] or "".join(places)
    if outcome["stays"] and drop_target is not None and source.point is None:
        in_list = bool(outcome["place"])
        _check_taken(dragged, result, effects, place, in_list=in_list, accepted=accepted)
    return DragResult(
        _endpoint_to_dict(dragged, start), _endpoint_to_dict(drop_target, positions["end"]),
        "html5" if outcome["html5"] else "".join(by) or "pointer", accepted, result, place,
    )  # fmt: skip


def _check_taken(
    dragged: Target,
    result: ActionResult,
    effects: ActionEffects,
    place: str,
    *,
    in_list: bool,
    accepted: bool | None,
) -> None:
    """Raise not_moved if the drag of an element that is still in its place has had no effect."""
    # A list that is put back into its old order is reported as moves.
    others = result.changed.keys() - ({"moved"} if in_list else set())
    if not (others or effects.requested or effects.dialog):
        why = "the page accepted the drop, but nothing changed" if accepted else "nothing took it"
        raise _refusal(dragged, place, why)


def _refusal(dragged: Target, place: str, why: str) -> OcdError:
    name = f"{dragged.about['role']} {dragged.about['name']!r} ({dragged.ref})"
    return OcdError(
        "not_moved", f"{place or f'{name} is where it was'}: {why}.",
        hint="The target may not accept it, or only a menu or keys may move it: look at the page.",
        ref=dragged.ref,
    )  # fmt: skip


async def _find_drop_target(tab: Tab, target: DragEndpoint) -> Target | None:
    """Return the target element, before the mouse is pressed, while nothing has changed yet.

    None for a point, which lies in the window.
    """
    if target.locator != _NOWHERE:
        return await resolve_target(tab, replace(target.locator, texts="any"))
    await hit_test.check_inside(tab, *(target.point or (-1, -1)))
    return None


async def _start(
    tab: Tab, deadline: ActionDeadline, source: DragEndpoint
) -> tuple[Target, tuple[float, float]]:
    if source.point is not None:
        return await hit_test.element_at_point(tab, *source.point), source.point
    dragged = await resolve_target(tab, replace(source.locator, texts="any"))
    return dragged, await wait_ready(dragged, deadline)


async def _drag_to_target(
    deadline: ActionDeadline,
    dragged: Target,
    start: tuple[float, float],
    goal: Target | tuple[float, float] | None,
    motion: DragMotion,
    effects: ActionEffects,
) -> tuple[float, float]:
    tab = dragged.element.tab
    x, y = start
    try:
        await input_events.move_mouse(tab, x, y)
        await _press(tab, x, y, effects)
        for away in _FIRST_MOVES_PX:
            await input_events.move_mouse(tab, x + away, y + away)
        native = (await dragged.element.call(_FRAME))["native"]
        end = await _drop_point(goal, deadline) if isinstance(goal, Target) else goal or start
        for step in range(1, motion.steps + 1):
            part = step / motion.steps
            await input_events.move_mouse(tab, x + (end[0] - x) * part, y + (end[1] - y) * part)
            if native:  # Chromium's own drags are not synchronised with the frames that pages draw
                await dragged.element.call(_FRAME)
            if motion.delay_s:
                await asyncio.sleep(motion.delay_s)
        await _rest_over(dragged, end)
        await input_events.button_up(tab, *end)
    except BaseException:  # cancellation, too: the button must not stay down
        input_events.release_button(tab, x, y)
        raise
    return end


async def _can_be_touched(dragged: Target) -> bool:
    """Whether an element that has not moved may follow a finger: some lists follow nothing else."""
    if (await dragged.element.call(_FRAME))["native"]:
        return False
    try:
        await wait_ready(dragged, ActionDeadline.after(_LOOK_S))
    except OcdError as error:
        # Whatever covers it now, such as a dialog about the drop, is reported as a change.
        if error.code not in ("covered", "not_visible", "not_enabled", "moving", "detached"):
            raise
        return False
    return True


async def _drag_by_touch(
    deadline: ActionDeadline,
    dragged: Target,
    goal: Target | tuple[float, float] | None,
    motion: DragMotion,
) -> tuple[float, float]:
    tab = dragged.element.tab
    await dragged.element.call(_HOLD_PAGE)
    start = await wait_ready(dragged, deadline)
    end = await _drop_point(goal, deadline) if isinstance(goal, Target) else goal or start
    try:
        await input_events.touch(tab, "touchStart", start)
        for step in range(1, motion.steps + 1):
            part = step / motion.steps
            way = (end[0] - start[0]) * part, (end[1] - start[1]) * part
            await input_events.touch(tab, "touchMove", (start[0] + way[0], start[1] + way[1]))
            await dragged.element.call(_FRAME)
    except BaseException:
        input_events.lift_finger(tab)
        raise
    await input_events.touch(tab, "touchEnd")
    return end


async def _press(tab: Tab, x: float, y: float, effects: ActionEffects) -> None:
    """Press, and hold for as long as the page requires before it takes a move for a drag."""
    if effects.pending is not None:
        await effects.pending.begin_hold()
    await input_events.button_down(tab, x, y)
    if effects.pending is not None:
        await effects.pending.wait_held()


async def _drop_point(goal: Target, deadline: ActionDeadline) -> tuple[float, float]:
    x, y = await wait_ready(goal, deadline, enabled=False, dragging=True)
    across, down = await goal.element.call(_NUDGE)
    return x + across, y + down


async def _rest_over(dragged: Target, end: tuple[float, float]) -> None:
    """Stay over the target until whatever makes room there has finished and seen the pointer."""
    for look in range(_MAX_LOOKS):
        # To and fro by a pixel: lists check the pointer only when it moves. An item that is still
        # moving would take this for a wish to move back.
        await _wait_calm(dragged)
        await input_events.move_mouse(dragged.element.tab, end[0], end[1] - 1 + look % 2)
        if (await dragged.element.call(_FRAME))["calm"]:
            break
    await _wait_calm(dragged)


async def _wait_calm(dragged: Target) -> None:
    for _ in range(_MAX_FRAMES):
        if (await dragged.element.call(_FRAME))["calm"]:
            return


def _endpoint_to_dict(target: Target | None, position: tuple[float, float]) -> dict[str, Any]:
    result: dict[str, Any] = {"position": [round(position[0], 1), round(position[1], 1)]}
    if target is not None:
        result |= {**target.describe(), **({"ref": target.ref} if target.ref else {})}
    return result
