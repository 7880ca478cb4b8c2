"""The named actions on one element: wait until it is actionable, act, report."""

from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any

from ocd.api.errors import OcdError
from ocd.browser.tabs.dialogs import Dialog
from ocd.browser.tabs.tab import Tab
from ocd.pages.act import editors, form_fields, held_values, input_events, text_entry, toggles
from ocd.pages.act.action_effects import ActionEffects
from ocd.pages.act.actionability import Needs, unusable_error, wait_ready
from ocd.pages.act.observation import ActionResult, Given, Settling, observe, perform, settling_of
from ocd.pages.act.surroundings import settle_main_frame
from ocd.pages.locate.target import ActionDeadline, Target

_WRITES = ("check", "uncheck", "select", "press", "type", "clear")
_HAS_FOCUS = "function () { return openchrome.hasFocus(this) }"
_TAKE_FOCUS = "function () { return openchrome.takeFocus(this) }"


async def perform_action(
    target: Target,
    deadline: ActionDeadline,
    action_name: str,
    value: str = "",
    modifiers: tuple[str, ...] = (),
) -> ActionResult:
    """Perform the action once the element is actionable, and return what changed.

    `value` of the result is the control's new value, if it was written to or is checkable.

    Args:
        target: the element.
        deadline: when to give up.
        action_name: click, double_click, right_click, hover, focus, check, uncheck, select, press,
            type, clear or scroll_into_view.
        value: the option, key or text.
        modifiers: the modifier keys that are held down.

    Raises:
        OcdError: what wait_ready and form_fields raise.
    """
    action = await _prepare(target, deadline, action_name, value, modifiers)
    kind = target.about["kind"]
    # A control's value is not part of the DOM: its change is reported as `value`.
    reports_value = kind == "check" or (kind != "none" and action_name in _WRITES)
    async with ActionEffects(target.element.tab) as effects:
        writes = reports_value and action_name in _WRITES and action_name != "press"
        settling = settling_of(target, value=reports_value, writes=writes)
        done = await perform(target, deadline, effects, action, settling)
    held_values.check(target, value, done)
    return done


async def _prepare(
    target: Target,
    deadline: ActionDeadline,
    action_name: str,
    value: str,
    modifiers: tuple[str, ...],
) -> Callable[[], Coroutine[Any, Any, Any]]:
    """Wait until the element is actionable; return the coroutine function of the action."""
    tab = target.element.tab
    if action_name == "press":
        input_events.parse_chords(
            value
        )  # before anything is focused, so that an invalid key changes nothing
    if action_name == "hover":
        x, y = await wait_ready(target, deadline, enabled=False)
        return lambda: input_events.move_mouse(tab, x, y)
    if action_name in ("click", "double_click", "right_click"):
        return await _prepare_click(target, deadline, action_name, modifiers)
    if action_name in ("check", "uncheck"):
        return lambda: toggles.check(target, deadline, want=action_name == "check")
    if action_name == "select":
        return lambda: form_fields.choose(target, deadline, value)
    if action_name == "clear":
        return lambda: form_fields.clear(target, deadline)
    if action_name == "scroll_into_view":
        needs: Needs = {"point": False, "enabled": False, "empty": True, "unseen": True}
        scrolled: Needs = {**needs, "scroll": True}
        await wait_ready(target, deadline, **needs)
        return lambda: _scroll(target, deadline, scrolled)
    writes = action_name in ("type", "press")
    typed = action_name == "type" and target.about["kind"] in form_fields.TEXT_KINDS
    await wait_ready(target, deadline, point=False, enabled=writes, editable=typed, empty=True)
    return lambda: _keys(target, deadline, action_name, value)


async def _scroll(target: Target, deadline: ActionDeadline, needs: Needs) -> None:
    await wait_ready(target, deadline, **needs)


async def _prepare_click(
    target: Target, deadline: ActionDeadline, action_name: str, modifiers: tuple[str, ...]
) -> Callable[[], Coroutine[Any, Any, Any]]:
    tab, bits = target.element.tab, input_events.modifier_bits(modifiers)
    button: input_events.Button = "right" if action_name == "right_click" else "left"
    count = 2 if action_name == "double_click" else 1
    points = [await wait_ready(target, deadline, strike=True)]

    async def click() -> None:
        # The page may have changed it meanwhile: then it is waited for again.
        x, y = points.pop() if points else await wait_ready(target, deadline, strike=True)
        if target.about["kind"] == "check":
            await input_events.rest_mouse(target.element, x, y)
        await input_events.click(tab, x, y, button=button, count=count, modifiers=bits)

    return click


async def _keys(target: Target, deadline: ActionDeadline, action_name: str, value: str) -> Given:
    kind = target.about["kind"]
    types = action_name == "type" and kind in form_fields.TEXT_KINDS
    if types:
        await _focus_field(target, deadline)
    elif target.about["role"] != "html" and not await target.element.call(_TAKE_FOCUS):
        raise _focus_error(target)
    if action_name == "press":
        await input_events.press_as_person(target.element.tab, value)
    elif action_name == "type":
        await editors.type_text(target, value)
    # Editors complete and indent what is typed, and after Enter a field may be empty.
    return {"typed": value} if types and kind not in editors.KINDS and "\n" not in value else None


async def _focus_field(target: Target, deadline: ActionDeadline) -> None:
    """Focus a text field that does not have the focus, with the caret after its text."""
    if await target.element.call(_HAS_FOCUS):
        return
    await text_entry.caret_to_end(target)
    if target.about["kind"] in editors.KINDS or await target.element.call(_HAS_FOCUS):
        return
    # Something took the focus away; a click may bring it back.
    await input_events.click(target.element.tab, *await wait_ready(target, deadline))
    if not await target.element.call(_HAS_FOCUS):
        raise _focus_error(target)


def _focus_error(target: Target) -> OcdError:
    return unusable_error(target, {"why": "not_enabled", "text": "it cannot be focused"})


async def answer_dialog(
    tab: Tab, deadline: ActionDeadline, *, accept: bool, text: str = ""
) -> tuple[Dialog, ActionResult]:
    """Close the open dialog; return it, and what changed since the action that opened it."""
    answered: list[Dialog] = []

    async def act() -> None:
        answered.append(await tab.answer_dialog(accept=accept, text=text))
        await tab.title()  # once this returns, what the page does next has begun

    async with ActionEffects(tab) as effects:
        effects.dialog = None
        done = await observe(
            tab, deadline, effects, act, Settling(tab.main_frame, partial(settle_main_frame, tab))
        )
        return answered[0], done
