"""Verbs that act on a page as a person would: interact, lightweight_scroll."""

from collections.abc import Callable, Coroutine
from typing import Annotated, Any, Literal

from msgspec import Meta
from yarl import URL

from ocd.api.errors import OcdError
from ocd.browser import fields, pointing
from ocd.browser.acting import Clock, Done, Target, perform, take_aim, wait_ready
from ocd.browser.aiming import Aim
from ocd.browser.effects import Effects
from ocd.browser.tab import Tab
from ocd.verb import Output, Params, tab_verb

Action = Literal[
    "click", "double_click", "right_click", "hover", "focus", "check", "uncheck", "select",
    "press", "type", "clear", "scroll_into_view", "accept_dialog", "dismiss_dialog",
]  # fmt: skip
_NEEDS_VALUE = ("select", "press", "type")
_FOCUS = "function () { this.focus({ preventScroll: true }) }"


class Interact(Params):
    """Act on one element

    Waits until it is visible, still, enabled and not covered, acts, waits for what that sets off,
    and tells what changed. value: option, key (Enter, Control+a), text to type, prompt's answer.
    """

    ref: Annotated[str | None, Meta(description="Element ref (e12)")] = None
    selector: Annotated[str | None, Meta(description="CSS selector, instead of ref")] = None
    query: Annotated[str | None, Meta(description="Words as in find, instead of ref")] = None
    action: Annotated[Action, Meta(description="What to do")] = "click"
    value: Annotated[str | None, Meta(description="See above")] = None
    modifiers: Annotated[
        tuple[Literal["Alt", "Control", "Meta", "Shift"], ...],
        Meta(description="Keys held during a click"),
    ] = ()
    timeout_ms: Annotated[int, Meta(ge=1, le=600_000, description="Longest wait")] = 5000


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


def answer(tab: Tab, data: dict[str, Any], done: Done) -> Output:
    """Return the reply of an action: what changed as keys, the page's own words as text."""
    url = tab.url
    return Output(
        data={"tab_id": tab.id, **data, "changed": done.changed},
        content="".join(f"{line}\n" for line in done.lines) if done.lines else None,
        origin=str(URL(url).origin()) if url.startswith("http") else url,
    )


@tab_verb(
    "interact",
    Interact,
    capability="core",
    tier=1,
    reads_page=True,
    leaves_dialog=True,
    page_keys=("name", "title", "message", "value"),
)
async def interact(tab: Tab, params: Interact) -> Output:
    if params.action in ("accept_dialog", "dismiss_dialog"):
        return await _answer_dialog(tab, params)
    _refuse_behind_dialog(tab)
    if params.action in _NEEDS_VALUE and params.value is None:
        raise OcdError(
            "invalid_argument", f"interact: {params.action} needs a value", parameter="value"
        )
    clock = Clock.of(params.timeout_ms)
    at = Aim(params.ref, params.selector, params.query)
    if params.action == "press" and at == Aim():
        at = Aim(selector="html")
    target = await take_aim(tab, at)
    action = await _prepared(target, clock, params)
    async with target.element, Effects(tab) as effects:
        done = await perform(target, clock, effects, action)
    data = {"action": params.action, "ref": target.ref, "target": target.told()}
    return answer(tab, data, done)


async def _prepared(
    target: Target, clock: Clock, params: Interact
) -> Callable[[], Coroutine[Any, Any, Any]]:
    """Return what is to be done, once the element can be used."""
    tab, word, value = target.element.tab, params.action, params.value or ""
    if word in ("click", "double_click", "right_click", "hover"):
        x, y = await wait_ready(target, clock, enabled=word != "hover")
        if word == "hover":
            return lambda: pointing.hover(tab, x, y)
        bits = pointing.modifier_bits(params.modifiers)
        button: pointing.Button = "right" if word == "right_click" else "left"
        count = 2 if word == "double_click" else 1
        return lambda: pointing.click(tab, x, y, button=button, count=count, modifiers=bits)
    if word in ("check", "uncheck"):
        return lambda: fields.check(target, clock, want=word == "check")
    if word == "select":
        return lambda: fields.choose(target, clock, value)
    if word == "clear":
        return lambda: fields.clear(target, clock)
    await wait_ready(target, clock, point=False, enabled=word in ("type", "press"))
    if word == "scroll_into_view":
        return lambda: wait_ready(target, clock, point=False, enabled=False)
    return lambda: _keys(target, word, value)


async def _keys(target: Target, word: str, value: str) -> None:
    tab = target.element.tab
    if target.about["role"] != "html":
        await target.element.call(_FOCUS)
    if word == "press":
        await pointing.press(tab, value)
    elif word == "type":
        await pointing.write(tab, value)


def _refuse_behind_dialog(tab: Tab) -> None:
    dialog = tab.opened_dialog
    if dialog is not None:
        raise OcdError(
            "dialog_open", f'Tab {tab.id} shows a {dialog.kind} dialog: "{dialog.message}"',
            hint="Answer it: interact with action accept_dialog or dismiss_dialog.",
            tab_id=tab.id, dialog=dialog.message,
        )  # fmt: skip


async def _answer_dialog(tab: Tab, params: Interact) -> Output:
    clock = Clock.of(params.timeout_ms)
    async with Effects(tab) as effects:
        accept = params.action == "accept_dialog"
        dialog = await tab.answer_dialog(accept=accept, text=params.value or "")
        await tab.title()  # what the page does next has begun
        if effects.leaving:
            await effects.wait_loaded(clock.left)
        changed = await effects.told()
    told = {"type": dialog.kind, "message": dialog.message}
    return answer(tab, {"action": params.action, "dialog": told}, Done(changed, []))


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
