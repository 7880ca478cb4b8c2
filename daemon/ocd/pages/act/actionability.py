"""Acting on one element: wait until it is actionable, act, and report what changed."""

import asyncio
import contextlib
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any, TypedDict, Unpack

from ocd import call_context
from ocd.api.errors import OcdError
from ocd.browser.tabs.tab import Frame, Tab
from ocd.oversight.approvals import ConsentNeededError
from ocd.pages.act import input_events, page_now
from ocd.pages.act.action_effects import ActionEffects
from ocd.pages.act.pending_work import PendingWork
from ocd.pages.act.surroundings import settle_main_frame, watch_around
from ocd.pages.engine.refs import refs_of
from ocd.pages.locate.geometry import frame_element
from ocd.pages.locate.target import ActionDeadline, Target
from ocd.pages.locate.wait import relocate

MAX_CHANGE_LINES = 20
# ms without a change after which a page has come to rest, and what is waited for it at most.
QUIET_MS = 10
MAX_MS = 100
# Seconds that input may still take once the page has begun to leave.
LEAVING_S = 0.3
SELECT_ALL = "function () { return openchrome.selectAll(this) }"
_READY = "function (o) { return openchrome.ready(this, o) }"
_SETTLE = "function (o) { return openchrome.settle(this, o) }"
_THROUGH = "function (x, y) { return openchrome.throughFrame(this, x, y) }"
_TAB_ENDED = ("tab_gone", "tab_crashed", "browser_gone")
_REASONS = {
    "not_visible": ("is not visible", "Read the page: something may have to be opened first."),
    "not_enabled": (
        "cannot be used",
        "Fill in what it depends on first, or wait for it: `wait_for`.",
    ),
    "moving": ("does not stop moving", "Wait until the page stops moving."),
    "covered": ("is covered", "Close what covers it, then try again."),
    "detached": ("was removed from the page", "Read the page again and use the new ref."),
}

# What an element must hold once the page has done with it, if that can be told: `state` as the
# engine says it, `text`, or `typed`.
Given = dict[str, Any] | None


@dataclass(slots=True)
class ActionResult:
    """The result of an action: `changed` for the reply, `lines` about the page, the new value.

    now: what is on top of the page after it, and what has the focus. given: what the element must
    hold now; instead: what it holds in its place, in `held`.
    """

    changed: dict[str, Any]
    lines: list[str]
    value: Any = None
    now: str = ""
    given: Given = None
    instead: dict[str, Any] | None = None


class Needs(TypedDict, total=False):
    """What an element has to fulfil before it is acted on.

    point: a place to click (default). editable, enabled (default). strike: the next thing is a
    click, which the page is to get only if it reaches the element. empty: an element without
    contents will do, which has a place and nothing to see. dragging: what is dragged there may
    cover it, and its list may take the pointer for it. unseen: so will one that is invisible, or
    that only its children show. scroll: all of it is to be in sight. select: what the field holds
    is to be selected. goes_on: what has changed since the action's last element is told, too.
    """

    point: bool
    editable: bool
    enabled: bool
    strike: bool
    empty: bool
    dragging: bool
    unseen: bool
    scroll: bool
    select: bool
    goes_on: bool


Action = Callable[[], Coroutine[Any, Any, Given]]
_DEFAULT_NEEDS: Needs = {
    "point": True, "editable": False, "enabled": True, "strike": False, "empty": False,
    "dragging": False, "unseen": False, "scroll": False, "select": False,
}  # fmt: skip


async def wait_ready(
    target: Target, deadline: ActionDeadline, **needs: Unpack[Needs]
) -> tuple[float, float]:
    """Wait until the element is actionable; return the point of the tab's window to click.

    One that the page replaces in the meantime is looked up again.

    Raises detached, not_visible, not_enabled, moving, covered, timeout (a page that hangs).
    """
    x, y, _ = await _wait_ready(target, deadline, **needs)
    return x, y


async def wait_selected(target: Target, deadline: ActionDeadline) -> bool:
    """Wait until a field takes text, and select what it holds; whether it kept the focus then.

    Raises what `wait_ready` raises.
    """
    *_, found = await _wait_ready(target, deadline, point=False, editable=True, select=True)
    selected = found["selected"]
    return bool(await target.element.call(SELECT_ALL) if selected is None else selected)


async def _wait_ready(
    target: Target, deadline: ActionDeadline, **needs: Unpack[Needs]
) -> tuple[float, float, dict[str, Any]]:
    options: dict[str, Any] = {**_DEFAULT_NEEDS, **needs}
    while True:
        budget = deadline.seconds_left
        try:
            async with asyncio.timeout(budget + 0.5):
                options["budget"] = budget * 1000
                found = await target.element.call(_READY, options)
                if found.get("why") == "detached" and await relocate(target, deadline):
                    continue
                x, y, covered = await _clickable_point(target, found)
                if found.get("stir"):
                    await input_events.stir_mouse(target.element.tab)
        except ConsentNeededError as needed:
            # In place: what the call has done before must not be done twice.
            await call_context.current().obtain_consent(needed)
            continue
        except TimeoutError:
            raise OcdError(
                "timeout", f"The page did not respond in time (element {target.ref}).",
                hint="The page is busy: raise timeout_ms.", ref=target.ref,
            ) from None  # fmt: skip
        if not covered:
            return x, y, found
        if deadline.seconds_left == 0:
            raise unusable_error(target, {"why": "covered", "text": covered})
        await asyncio.sleep(0.02)


def unusable_error(target: Target, refusal: dict[str, Any]) -> OcdError:
    """Return the error of an element that is not actionable, by the engine's reason."""
    reason = refusal["why"]
    words, hint = _REASONS[reason]
    hint = refusal.get("hint", hint)
    name = f"{target.about['role']} {target.about['name']!r} ({target.ref})"
    text = refusal.get("text", "")
    details: dict[str, Any] = {"ref": target.ref}
    if reason == "covered":
        words, details["covered_by"] = f"is covered by {text}", text
    elif text:
        words = f"{words}: {text}"
    return OcdError(reason, f"{name} {words}.", hint=hint, **details)


async def _clickable_point(target: Target, found: dict[str, Any]) -> tuple[float, float, str]:
    """Return the point that was found in the tab's own window, and what covers it there."""
    if "why" in found:
        raise unusable_error(target, found)
    if found["sends"]:
        call_context.current().may_send("form", found["sends"])
    if "x" not in found:
        return 0.0, 0.0, ""
    return await _to_tab_coordinates(target, found["x"], found["y"])


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
            point = await owner.call(_THROUGH, x, y)
        x, y, covered = point["x"], point["y"], covered or point["covered"]
        frame = parent
    return x, y, covered


async def perform(
    target: Target,
    deadline: ActionDeadline,
    effects: ActionEffects,
    action: Action,
    settling: "Settling | None" = None,
) -> ActionResult:
    """Run the action, wait for what it triggers, and return what changed.

    Again if it clicks, and something came between: the page got nothing of that click.
    """
    tab = target.element.tab
    tab.events.emit("acting", target.element)
    return await observe(tab, deadline, effects, action, settling or settling_of(target))


def settling_of(target: Target, *, value: bool = False) -> "Settling":
    """Return how the target's frame is asked; value: with what the control holds afterwards."""

    async def settle(options: dict[str, Any]) -> Any:  # noqa: ANN401 - the engine's reply
        return await target.element.call(_SETTLE, {**options, "value": value})

    def missed(why: str, text: str) -> OcdError:
        return unusable_error(target, {"why": why, "text": text})

    return Settling(target.element.frame, settle, missed)


@dataclass(frozen=True, slots=True)
class Settling:
    """How a frame is asked for its changes, once it is quiet.

    missed: makes the error for a click that the element did not get, by its reason. choose: what
    follows where a list has opened beside what was typed into, though the field says nothing of
    having one. in_page: the action begins by asking the page's scripts, not by a press.
    tells_now: whether what is on top of the page is asked for, too.
    """

    frame: Frame
    ask: Callable[[dict[str, Any]], Coroutine[Any, Any, Any]]
    missed: Callable[[str, str], OcdError] | None = None
    choose: Action | None = None
    in_page: bool = False
    tells_now: bool = True


async def observe(
    tab: Tab,
    deadline: ActionDeadline,
    effects: ActionEffects,
    action: Action,
    settling: Settling,
) -> ActionResult:
    """Run the action, wait for what it triggers, and return what changed in the tab and the frame.

    Raises what the action raises, unless the page cannot answer because of the action itself.
    """
    lines: list[str] = []
    settled: dict[str, Any] | None = None
    given: Given = None
    around = await watch_around(tab, settling.frame)
    try:
        settled, given = await _act_and_settle(tab, deadline, effects, action, settling)
    except OcdError as error:
        # A dialog keeps the page from answering, and so does its leaving, or its frame's.
        silent = error.code == "dialog_open" or effects.navigating or error.details.get("navigated")
        if error.code == "tab_gone":
            await effects.wait_closed()
        closed_itself = error.code == "tab_gone" and tab.closed
        if not closed_itself and (error.code in _TAB_ENDED or not silent):
            raise
    if settled and around and not effects.navigating:
        await _add_changes_around(tab, effects, settled)
    if settled and settled["closing"]:
        await effects.wait_closed()
    changed = await _wait_effects(tab, deadline, effects)
    if settled and not effects.navigated:
        lines = _change_lines(settled, changed)
    known = settled["standing"] if settled and settling.frame is tab.main_frame else None
    now = await page_now.describe(tab, deadline, changed, known) if settling.tells_now else ""
    value, instead = (settled["value"], settled["instead"]) if settled else (None, None)
    return ActionResult(changed, lines, value, now, given, instead)


async def _add_changes_around(tab: Tab, effects: ActionEffects, settled: dict[str, Any]) -> None:
    registry, main_id = refs_of(tab), tab.main_frame.frame_id
    options = {
        "quiet": QUIET_MS, "most": MAX_MS, "lines": MAX_CHANGE_LINES, **registry.numbering(main_id),
    }  # fmt: skip
    reply = None
    with contextlib.suppress(OcdError):  # it shows a dialog, or has gone: `changed` tells that
        reply = await effects.unless_navigating(settle_main_frame(tab, options))
    if not reply:
        return
    registry.record(main_id, reply)
    found = reply["result"]
    for key in {key for _, key in _CHANGES} | {"invalid"}:
        settled[key] = [*settled[key], *found[key]]
    settled["title"] = found["title"]


async def _wait_effects(
    tab: Tab, deadline: ActionDeadline, effects: ActionEffects
) -> dict[str, Any]:
    """Wait for what the action has set off beyond the page's own changes; return `changed`."""
    loading = False
    if effects.navigating and effects.dialog is None and not tab.closed:
        with contextlib.suppress(OcdError):
            loading = not await effects.wait_loaded(deadline.seconds_left)
        if tab.opener is not None and not tab.closed:
            await effects.wait_closed_by_page()
    await effects.wait_popups(deadline.seconds_left)
    await effects.wait_downloads(deadline.seconds_left)
    return {**await effects.to_dict(), **({"loading": True} if loading else {})}


async def _act_and_settle(
    tab: Tab,
    deadline: ActionDeadline,
    effects: ActionEffects,
    action: Action,
    settling: Settling,
) -> tuple[dict[str, Any] | None, Given]:
    """Return what the page says of it, and what the action has given the element to hold."""
    choose = settling.choose
    while True:
        pending = effects.pending = PendingWork(settling.frame)
        pending.begin()
        if not settling.in_page:
            await pending.wait_begun()
        given = await effects.unless_navigating(action(), LEAVING_S)
        asked = {"offers": choose is not None, "given": given}
        settled = await _wait_stable(tab, deadline, effects, settling, pending, asked)
        if settled and choose and settled.get("offers"):
            action, choose = choose, None
            continue
        if not settled or settling.missed is None:
            return settled, given
        _check_click(settled, settling.missed)
        if not settled["missed"]:
            return settled, given
        if not deadline.seconds_left:
            raise settling.missed("covered", settled["missed"])


def _check_click(settled: dict[str, Any], missed: Callable[[str, str], OcdError]) -> None:
    """Raise the error of a click that cannot be taken back, nor made again."""
    if settled["swallowed"]:
        raise missed("covered", settled["swallowed"])
    if settled["fled"]:
        raise missed("moving", "the first of two clicks moved it")


async def _wait_stable(
    tab: Tab,
    deadline: ActionDeadline,
    effects: ActionEffects,
    settling: Settling,
    pending: PendingWork,
    asked: dict[str, Any],
) -> dict[str, Any] | None:
    registry = refs_of(tab)
    wait = min(deadline.watch_s, deadline.seconds_left) * 1000
    options: dict[str, Any] = {
        "quiet": QUIET_MS,
        "most": MAX_MS + wait,
        "lines": MAX_CHANGE_LINES,
        **registry.numbering(settling.frame.frame_id),
        "wait": wait,
        **asked,
        "tells_now": settling.tells_now,
    }
    if effects.navigating:
        return None
    # A round trip: what the page's scripts have sent so far arrives before its reply.
    calm = await effects.unless_navigating(pending.wait_done())
    answered = await effects.wait_answers(settling.frame, deadline.seconds_left)
    reply = await effects.unless_navigating(
        settling.ask({**options, "calm": calm and not answered})
    )
    if reply is None or effects.navigating:
        return None
    registry.record(settling.frame.frame_id, reply)
    result: dict[str, Any] = reply["result"]
    return result


# Kinds of changes: their marks, and what they are called in `changed`.
_CHANGES = (
    ("+", "added"), ("-", "removed"), (">", "moved"), ("~", "values"), ("~", "attributes"),
)  # fmt: skip


def _change_lines(settled: dict[str, Any], changed: dict[str, Any]) -> list[str]:
    marked = [f"{mark} {line}" for mark, key in _CHANGES for line in settled[key]]
    if settled["title"] is not None:
        changed["title"] = settled["title"]
    if settled["invalid"]:
        changed["invalid"] = settled["invalid"]
    changed |= {key: len(settled[key]) for _, key in _CHANGES if settled[key]}
    if len(marked) > MAX_CHANGE_LINES:
        more = len(marked) - MAX_CHANGE_LINES
        return [
            *marked[:MAX_CHANGE_LINES],
            f"… {more} more changes; read_page shows the page as it is now",
        ]
    return marked
