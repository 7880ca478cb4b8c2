"""Verbs that act on a page as a person would: interact, drag_drop, lightweight_scroll."""

from typing import Annotated, Literal

from msgspec import Meta

from ocd.actions import PAGE_KEYS, Aimed, Timeout, answer
from ocd.api.errors import OcdError
from ocd.browser import doing, dragging
from ocd.browser.acting import Clock, take_aim
from ocd.browser.aiming import Aim
from ocd.browser.tab import Tab
from ocd.verb import Output, Params, tab_verb

Action = Literal[
    "click", "double_click", "right_click", "hover", "focus", "check", "uncheck", "select",
    "press", "type", "clear", "scroll_into_view", "accept_dialog", "dismiss_dialog",
]  # fmt: skip
_NEEDS_VALUE = ("select", "press", "type")


class Interact(Aimed):
    """Act on one element

    Waits until it is visible, still, enabled and not covered, acts, waits for what that sets off,
    and tells what changed. value: option, key (Enter, Control+a), text to type, prompt's answer.
    """

    action: Annotated[Action, Meta(description="What to do")] = "click"
    value: Annotated[str | None, Meta(description="See above")] = None
    modifiers: Annotated[
        tuple[Literal["Alt", "Control", "Meta", "Shift"], ...],
        Meta(description="Keys held during a click"),
    ] = ()
    timeout_ms: Timeout = 5000


class DragDrop(Params):
    """Drag one element onto another, or from point to point

    Pages with HTML5 drag and drop, sortable lists and sliders; across frames, too. Each end is a
    ref, a selector, words, or x and y in CSS pixels of the window. method says how it went.
    """

    source_ref: Annotated[str | None, Meta(description="What to drag: its ref")] = None
    source_selector: Annotated[str | None, Meta(description="or its CSS selector")] = None
    source_query: Annotated[str | None, Meta(description="or words, as in find")] = None
    source_x: Annotated[float | None, Meta(description="or a point")] = None
    source_y: Annotated[float | None, Meta(description="with source_x")] = None
    target_ref: Annotated[str | None, Meta(description="Where to: a ref")] = None
    target_selector: Annotated[str | None, Meta(description="or a CSS selector")] = None
    target_query: Annotated[str | None, Meta(description="or words")] = None
    target_x: Annotated[float | None, Meta(description="or a point")] = None
    target_y: Annotated[float | None, Meta(description="with target_x")] = None
    steps: Annotated[int, Meta(ge=1, le=200, description="Moves of the mouse")] = dragging.STEPS
    delay: Annotated[int, Meta(ge=0, le=1000, description="ms between moves")] = 0
    timeout_ms: Timeout = 10_000


class LightweightScroll(Aimed):
    """Scroll the page, or the box that an element stands in

    Returns the position, the sizes and whether the end is reached.
    """

    direction: Annotated[
        Literal["up", "down", "left", "right", "top", "bottom"], Meta(description="Where to")
    ] = "down"
    amount: Annotated[
        Annotated[int, Meta(ge=1, le=1_000_000)] | None,
        Meta(description="Pixels; default: most of a screen"),
    ] = None


@tab_verb(
    "interact",
    Interact,
    capability="core",
    tier=1,
    reads_page=True,
    leaves_dialog=True,
    page_keys=PAGE_KEYS,
)
async def interact(tab: Tab, params: Interact) -> Output:
    clock = Clock.of(params.timeout_ms)
    if params.action in ("accept_dialog", "dismiss_dialog"):
        return await _answer_dialog(tab, clock, params)
    if params.action in _NEEDS_VALUE and params.value is None:
        raise OcdError(
            "invalid_argument", f"interact: {params.action} needs a value", parameter="value"
        )
    at = params.aim
    if params.action == "press" and at == Aim():
        at = Aim(selector="html")
    target = await take_aim(tab, at)
    async with target.element:
        done = await doing.do(target, clock, params.action, params.value or "", params.modifiers)
    data = {"action": params.action, "ref": target.ref, "target": target.told()}
    return answer(tab, data, done)


async def _answer_dialog(tab: Tab, clock: Clock, params: Interact) -> Output:
    accept = params.action == "accept_dialog"
    dialog, done = await doing.answer_dialog(tab, clock, accept=accept, text=params.value or "")
    told = {"type": dialog.kind, "message": dialog.message}
    return answer(tab, {"action": params.action, "dialog": told}, done)


@tab_verb("drag_drop", DragDrop, capability="core", tier=2, reads_page=True, page_keys=PAGE_KEYS)
async def drag_drop(tab: Tab, params: DragDrop) -> Output:
    dragged = await dragging.drag(
        tab,
        Clock.of(params.timeout_ms),
        _end(params, "source"),
        _end(params, "target"),
        dragging.Pace(params.steps, params.delay / 1000),
    )
    data = {"action": "drag_drop", **dragged.told(), "steps": params.steps}
    return answer(tab, data, dragged.done)


def _end(params: DragDrop, name: str) -> dragging.End:
    aim = Aim(*(getattr(params, f"{name}_{way}") for way in ("ref", "selector", "query")))
    x, y = getattr(params, f"{name}_x"), getattr(params, f"{name}_y")
    if (aim == Aim()) == (x is None or y is None):
        raise OcdError(
            "invalid_argument", f"drag_drop needs one of {name}_ref, {name}_selector, "
            f"{name}_query, or {name}_x with {name}_y.", parameter=f"{name}_ref",
        )  # fmt: skip
    return dragging.End(aim, None if x is None or y is None else (x, y))


_STEP = 0.85  # of a screen
_SCROLL = "function (x, y) { return openchrome.scrolled(this, x, y) }"
_FAR = 10_000_000


@tab_verb("lightweight_scroll", LightweightScroll, capability="core", tier=2)
async def lightweight_scroll(tab: Tab, params: LightweightScroll) -> Output:
    at = params.aim
    target = await take_aim(tab, Aim(selector="html") if at == Aim() else at)
    async with target.element as element:
        screen = await element.call("function () { return [innerWidth, innerHeight] }")
        across = params.direction in ("left", "right")
        step = params.amount or round(screen[0 if across else 1] * _STEP)
        if params.direction in ("top", "bottom"):
            step = _FAR
        if params.direction in ("up", "left", "top"):
            step = -step
        x, y = (step, 0) if across else (0, step)
        scrolled = await element.call(_SCROLL, x, y)
    return Output(data={"tab_id": tab.id, "direction": params.direction, **scrolled})
