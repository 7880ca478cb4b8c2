"""The actions that a caller names by a word, on one element, from its readiness to the answer."""

from collections.abc import Callable, Coroutine
from typing import Any

from ocd.browser.tabs.dialogs import Dialog
from ocd.browser.tabs.tab import Tab
from ocd.pages.act import form_fields, input_events
from ocd.pages.act.action_effects import ActionEffects
from ocd.pages.act.actionability import ActionResult, perform, wait_ready
from ocd.pages.locate.target import ActionDeadline, Target

_WRITES = ("check", "uncheck", "select", "press", "type", "clear")
_FOCUS = "function () { this.focus({ preventScroll: true }) }"


async def perform_action(
    target: Target,
    clock: ActionDeadline,
    word: str,
    value: str = "",
    modifiers: tuple[str, ...] = (),
) -> ActionResult:
    """Do it once the element can be used, and tell what changed.

    Done.value is what a control has then that was written to, or can be checked.
    word: click, double_click, right_click, hover, focus, check, uncheck, select, press, type,
    clear or scroll_into_view. value: the option, key or text.
    Raises what wait_ready and fields raise.
    """
    action = await _prepare(target, clock, word, value, modifiers)
    kind = target.about["kind"]
    # What a control holds is no node of the page: that it has changed is told by its value.
    told = kind == "check" or (kind != "none" and word in _WRITES)
    async with ActionEffects(target.element.tab) as effects:
        return await perform(target, clock, effects, action, value=told)


async def _prepare(
    target: Target, clock: ActionDeadline, word: str, value: str, modifiers: tuple[str, ...]
) -> Callable[[], Coroutine[Any, Any, Any]]:
    """Return what is to be done, once the element can be used."""
    tab = target.element.tab
    if word in ("click", "double_click", "right_click", "hover"):
        x, y = await wait_ready(target, clock, enabled=word != "hover")
        if word == "hover":
            return lambda: input_events.hover(tab, x, y)
        bits = input_events.modifier_bits(modifiers)
        button: input_events.Button = "right" if word == "right_click" else "left"
        count = 2 if word == "double_click" else 1
        return lambda: input_events.click(tab, x, y, button=button, count=count, modifiers=bits)
    if word in ("check", "uncheck"):
        return lambda: form_fields.check(target, clock, want=word == "check")
    if word == "select":
        return lambda: form_fields.choose(target, clock, value)
    if word == "clear":
        return lambda: form_fields.clear(target, clock)
    await wait_ready(target, clock, point=False, enabled=word in ("type", "press"))
    if word == "scroll_into_view":
        return lambda: wait_ready(target, clock, point=False, enabled=False)
    return lambda: _keys(target, word, value)


async def _keys(target: Target, word: str, value: str) -> None:
    tab = target.element.tab
    if target.about["role"] != "html":
        await target.element.call(_FOCUS)
    if word == "press":
        await input_events.press(tab, value)
    elif word == "type":
        await input_events.type_text(tab, value)


async def answer_dialog(
    tab: Tab, clock: ActionDeadline, *, accept: bool, text: str = ""
) -> tuple[Dialog, ActionResult]:
    """Close the dialog that is open; return what it was and what came of it."""
    async with ActionEffects(tab) as effects:
        dialog = await tab.answer_dialog(accept=accept, text=text)
        await tab.title()  # what the page does next has begun
        if effects.leaving:
            await effects.wait_loaded(clock.seconds_left)
        return dialog, ActionResult(await effects.to_dict(), [])
