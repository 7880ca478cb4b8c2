"""Acting on one element: wait until it can be used, do it, and tell what changed."""

import asyncio
import contextlib
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any

from ocd import call_context
from ocd.api.errors import OcdError
from ocd.pages.act.action_effects import ActionEffects
from ocd.pages.engine.refs import refs_of
from ocd.pages.locate.geometry import frame_element
from ocd.pages.locate.target import ActionDeadline, Target

MAX_CHANGE_LINES = 15
# ms without a change after which a page has come to rest, and what is waited for it at most.
QUIET_MS = 10
MAX_MS = 100
# Seconds that input may still take once the page has begun to leave.
LEAVING_S = 0.3
_READY = "function (o) { return openchrome.ready(this, o) }"
_SETTLE = "function (o) { return openchrome.settle(this, o) }"
_THROUGH = "function (x, y) { return openchrome.throughFrame(this, x, y) }"
_TAB_ENDED = ("tab_gone", "tab_crashed", "browser_gone")
_REASONS = {
    "not_visible": ("is not visible", "Read the page: something may have to be opened first."),
    "not_enabled": ("cannot be used", "Fill what it depends on first, or wait_for it."),
    "moving": ("does not stop moving", "Wait until the page has come to rest."),
    "covered": ("is covered", "Close or act on what covers it, then try again."),
    "detached": ("was removed from the page", "Read the page again and use the new ref."),
}


@dataclass(slots=True)
class ActionResult:
    """What an action came to: `changed` for the reply, `lines` about the page, the value now."""

    changed: dict[str, Any]
    lines: list[str]
    value: Any = None


async def wait_ready(
    target: Target,
    clock: ActionDeadline,
    *,
    point: bool = True,
    editable: bool = False,
    enabled: bool = True,
) -> tuple[float, float]:
    """Wait until the element can be used; return the point of the tab's window to click at.

    Raises detached, not_visible, not_enabled, moving, covered, timeout (a page that hangs).
    """
    options = {"point": point, "editable": editable, "enabled": enabled}
    while True:
        budget = clock.seconds_left
        try:
            async with asyncio.timeout(budget + 0.5):
                found = await target.element.call(_READY, {**options, "budget": budget * 1000})
                if "why" in found:
                    raise unusable_error(target, found)
                if found["sends"]:
                    call_context.current().may_send("form", found["sends"])
                if not point:
                    return 0.0, 0.0
                x, y, covered = await _to_tab_coordinates(target, found["x"], found["y"])
        except TimeoutError:
            raise OcdError(
                "timeout", f"The page did not answer about {target.ref} in time.",
                hint="The page is busy: give it more with timeout_ms.", ref=target.ref,
            ) from None  # fmt: skip
        if not covered:
            return x, y
        if clock.seconds_left == 0:
            raise unusable_error(target, {"why": "covered", "text": covered})
        await asyncio.sleep(0.02)


def unusable_error(target: Target, found: dict[str, Any]) -> OcdError:
    """Return the error of an element that cannot be used, by the engine's word for it."""
    why = found["why"]
    words, hint = _REASONS[why]
    name = f"{target.about['role']} {target.about['name']!r} ({target.ref})"
    text = found.get("text", "")
    details: dict[str, Any] = {"ref": target.ref}
    if why == "covered":
        words, details["covered_by"] = f"is covered by {text}", text
    elif text:
        words = f"{words}: {text}"
    return OcdError(why, f"{name} {words}.", hint=hint, **details)


async def _to_tab_coordinates(target: Target, x: float, y: float) -> tuple[float, float, str]:
    """Return the point in the tab's own window, and what covers its frame there."""
    tab, frame = target.element.tab, target.element.frame
    covered = ""
    while frame.parent_id is not None:
        parent = next((f for f in tab.frames() if f.frame_id == frame.parent_id), None)
        if parent is None:
            raise unusable_error(target, {"why": "detached"})
        owner = await frame_element(tab, parent, frame)
        async with owner:
            found = await owner.call(_THROUGH, x, y)
        x, y, covered = found["x"], found["y"], covered or found["covered"]
        frame = parent
    return x, y, covered


async def perform(
    target: Target,
    clock: ActionDeadline,
    effects: ActionEffects,
    action: Callable[[], Coroutine[Any, Any, Any]],
    *,
    value: bool = False,
) -> ActionResult:
    """Do it, wait for what it sets off, and return what changed.

    value: the control's value afterwards is of interest.
    """
    tab = target.element.tab
    lines: list[str] = []
    changed: dict[str, Any] = {}
    settled: dict[str, Any] | None = None
    try:
        await effects.unless_navigating(action(), LEAVING_S)
        settled = await _wait_stable(target, clock, effects, value=value)
    except OcdError as error:
        # A dialog keeps the page from answering, and so does its leaving, or its frame's.
        silent = error.code == "dialog_open" or effects.leaving or error.details.get("navigated")
        if error.code in _TAB_ENDED or not silent:
            if not (error.code == "tab_gone" and tab.closed):
                raise
            changed["closed"] = True
    if settled and settled["closing"]:
        await effects.wait_closed()
        changed |= {"closed": True} if tab.closed else {}
    if effects.leaving and effects.dialog is None and not tab.closed:
        with contextlib.suppress(OcdError):
            if not await effects.wait_loaded(clock.seconds_left):
                changed["loading"] = True
    await effects.wait_popups(clock.seconds_left)
    await effects.wait_downloads(clock.seconds_left)
    changed = {**await effects.to_dict(), **changed} if not tab.closed else changed
    if settled and not effects.navigated:
        lines = _change_lines(settled, changed)
    return ActionResult(changed, lines, settled["value"] if settled else None)


async def _wait_stable(
    target: Target, clock: ActionDeadline, effects: ActionEffects, *, value: bool
) -> dict[str, Any] | None:
    book = refs_of(target.element.tab)
    wait = min(clock.watch_s, clock.seconds_left) * 1000
    options = {
        "quiet": QUIET_MS,
        "most": MAX_MS + wait,
        "lines": MAX_CHANGE_LINES,
        "next": book.next,
    }
    options["wait"] = wait
    if effects.leaving:
        return None
    # A round trip: what the page's scripts have sent by now is told before its answer comes.
    await effects.unless_navigating(target.element.call("function () {}"))
    await effects.wait_answers(clock.seconds_left)
    call = target.element.call(_SETTLE, {**options, "value": value})
    reply = await effects.unless_navigating(call)
    if reply is None or effects.leaving:
        return None
    book.note(target.element.frame.frame_id, reply)
    result: dict[str, Any] = reply["result"]
    return result


def _change_lines(settled: dict[str, Any], changed: dict[str, Any]) -> list[str]:
    marked = [
        f"{mark} {line}"
        for mark, key in (("+", "added"), ("-", "removed"), ("~", "attributes"))
        for line in settled[key]
    ]
    if settled["title"] is not None:
        changed["title"] = settled["title"]
    for key in ("added", "removed", "attributes"):
        if settled[key]:
            changed[key] = len(settled[key])
    if len(marked) > MAX_CHANGE_LINES:
        more = len(marked) - MAX_CHANGE_LINES
        return [
            *marked[:MAX_CHANGE_LINES],
            f"… {more} more changes; read_page shows the page as it is now",
        ]
    return marked
