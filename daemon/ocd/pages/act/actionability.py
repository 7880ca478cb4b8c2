"""Waiting until an element can be acted on, and where it can be clicked."""

import asyncio
from typing import Any, TypedDict, Unpack

from ocd import call_context
from ocd.api.errors import OcdError
from ocd.oversight.approvals import ConsentNeededError
from ocd.pages.act import input_events
from ocd.pages.locate.geometry import frame_element
from ocd.pages.locate.target import ActionDeadline, Target
from ocd.pages.locate.wait import relocate

SELECT_ALL = "function () { return openchrome.selectAll(this) }"
_READY = "function (o) { return openchrome.ready(this, o) }"
_THROUGH = "function (x, y) { return openchrome.throughFrame(this, x, y) }"
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


class Needs(TypedDict, total=False):
    """What an element must fulfil before it is acted on.

    Attributes:
        point: there is a point to click (default).
        editable: it takes text.
        enabled: it is enabled (default).
        strike: the next step is a click, which the page must only get if it reaches the element.
        empty: an element without contents will do, which has a position but nothing visible.
        dragging: what is being dragged there may cover it, and its list may take the pointer
            instead of it.
        unseen: an element that is invisible, or that only its children show, will do.
        scroll: all of it must be in view.
        select: select what the field holds.
        continues: the action has already used another element; report what changed since.
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
    continues: bool


_DEFAULT_NEEDS: Needs = {
    "point": True, "editable": False, "enabled": True, "strike": False, "empty": False,
    "dragging": False, "unseen": False, "scroll": False, "select": False,
}  # fmt: skip


async def wait_ready(
    target: Target, deadline: ActionDeadline, **needs: Unpack[Needs]
) -> tuple[float, float]:
    """Wait until the element is actionable; return the point of the tab's window to click.

    If the page replaces it meanwhile, it is looked up again.

    Raises:
        OcdError: detached, not_visible, not_enabled, moving, covered, timeout (the page hangs).
    """
    x, y, _ = await _wait_ready(target, deadline, **needs)
    return x, y


async def wait_selected(target: Target, deadline: ActionDeadline) -> bool:
    """Wait until a field takes text, and select its text; return whether it kept the focus then.

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
            # Asked here, so that what the call has already done is not done twice.
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
    """Return the error for an element that is not actionable, by the engine's reason."""
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
    """Return the point in the tab's own window, and what covers it there."""
    if "why" in found:
        raise unusable_error(target, found)
    if found["sends"]:
        call_context.current().may_send("form", found["sends"])
    if "x" not in found:
        return 0.0, 0.0, ""
    return await _to_tab_coordinates(target, found["x"], found["y"])


async def _to_tab_coordinates(target: Target, x: float, y: float) -> tuple[float, float, str]:
    """Convert a frame's point to the tab's own window; also return what covers the frame there."""
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
