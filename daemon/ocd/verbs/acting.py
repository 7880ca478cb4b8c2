"""Verbs that act on a page as a person would: interact, lightweight_scroll."""

from typing import Annotated, Literal

from msgspec import Meta

from ocd.actions import PAGE_KEYS, Aimed, Timeout, answer
from ocd.api.errors import OcdError
from ocd.browser import doing
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


class LightweightScroll(Params):
    """Scroll the page or a box in it

    Returns the position, the sizes and whether the end is reached.
    """

    direction: Annotated[
        Literal["up", "down", "left", "right", "top", "bottom"], Meta(description="Where to")
    ] = "down"
    amount: Annotated[
        Annotated[int, Meta(ge=1, le=1_000_000)] | None,
        Meta(description="Pixels; default: most of a screen"),
    ] = None
    ref: Annotated[str | None, Meta(description="Scroll the box that this element stands in")] = (
        None
    )


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


_STEP = 0.85  # of a screen
_SCROLL = "function (x, y) { return openchrome.scrolled(this, x, y) }"
_FAR = 10_000_000


@tab_verb("lightweight_scroll", LightweightScroll, capability="core", tier=2)
async def lightweight_scroll(tab: Tab, params: LightweightScroll) -> Output:
    at = Aim(ref=params.ref) if params.ref else Aim(selector="html")
    target = await take_aim(tab, at)
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
