"""Fields of several values: afterwards they hold exactly those that were asked for."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from ocd.api.errors import OcdError
from ocd.pages.act import input_events
from ocd.pages.act.actionability import SELECT_ALL
from ocd.pages.act.field_errors import difference, value_error
from ocd.pages.act.lists import comboboxes
from ocd.pages.locate.target import ActionDeadline, Target

_COMPARE = "function (values, fresh) { return openchrome.compareChosen(this, values, fresh) }"
_REMOVER = "function (values, label) { return openchrome.findRemover(this, values, label) }"
_AFTER = "function (values, held) { return openchrome.otherValuesAfter(this, values, held) }"
_WORDS = "function () { return openchrome.wordsAround(this) }"
_STATE = "function () { return openchrome.stateOf(this) }"
# The errors of a field that takes no more values than it has.
_FULL = ("wrong_value", "not_enabled", "not_visible", "covered", "timeout")

Choose = Callable[[str, ActionDeadline], Awaitable[None]]


async def hold_exactly(
    target: Target, deadline: ActionDeadline, values: Sequence[str], choose: Choose
) -> None:
    """Choose what is missing of the values, and take away what is chosen besides.

    Raises what `choose` raises, wrong_value where the field does not show a value, and
    value_differs where it goes on to show others.
    """
    found = await _compare(target, values)
    if not values and not found["known"]:
        await _empty(target, deadline)
    for value in found["missing"]:
        seconds = deadline.seconds_left
        soon = ActionDeadline.after(seconds / 2) if found["others"] else deadline
        try:
            await choose(value, soon)
        except OcdError as error:
            if error.code not in _FULL or not found["others"]:
                raise
            await keep_only(target, deadline, values)
            found["others"] = []
            await choose(value, deadline)
    await keep_only(target, deadline, values)
    for value in await missing(target, values, known=found["known"]):
        await choose(value, deadline)  # it was taken away with those before it
    if lost := await missing(target, values, known=found["known"]):
        raise value_error(target, f"it does not show {', '.join(lost)} as selected.")


async def keep_only(target: Target, deadline: ActionDeadline, values: Sequence[str]) -> None:
    """Take away what a field shows besides the values, by its own means.

    Raises value_differs if that cannot be.
    """
    found = await _compare(target, values, fresh=True)
    wanted = [*values, *found["renamed"]]
    for take_away in (_click_remover, _click_option, _press_at_label, _press_backspace):
        fruitless = 0  # some fields mark a value at first, and take it away then
        while found["others"] and deadline.seconds_left:
            if not await take_away(target, deadline, wanted):
                break
            before, found = found, await target.element.call(_AFTER, wanted, found["held"])
            if len(found["held"]) < len(before["held"]):
                fruitless = 0
            elif (fruitless := fruitless + 1) > 1:
                break
    if found["others"]:
        raise difference(target, list(values), found["held"])


async def missing(target: Target, values: Sequence[str], *, known: bool = False) -> list[str]:
    """Return which of the values the field does not show as chosen.

    known: it shows them in a way that is understood, not just somewhere in its words.
    """
    found = await _compare(target, values, fresh=True)
    unseen: list[str] = found["missing"]
    if known or found["known"] or not unseen:
        return unseen
    return await comboboxes.missing_choices(target, unseen)


async def _empty(target: Target, deadline: ActionDeadline) -> None:
    """Take away what a field may show as chosen, though nothing tells what that is."""
    for take_away in (_click_option, _press_backspace):
        before = await target.element.call(_WORDS)
        while deadline.seconds_left and await take_away(target, deadline, ()):
            await target.element.call(_AFTER, [], [])
            now = await target.element.call(_WORDS)
            if now == before:
                break
            before = now


async def _compare(target: Target, values: Sequence[str], *, fresh: bool = False) -> dict[str, Any]:
    found: dict[str, Any] = await target.element.call(_COMPARE, list(values), fresh)
    return found


async def _click_remover(target: Target, deadline: ActionDeadline, values: Sequence[str]) -> bool:
    if not await target.element.call(_REMOVER, list(values), False):  # noqa: FBT003 - to JavaScript
        return False
    return await _click_found(target, deadline)


async def _click_found(target: Target, deadline: ActionDeadline) -> bool:
    soon = ActionDeadline.after(min(deadline.seconds_left, 1.0))
    try:
        await comboboxes.click_found(target, soon)
    except OcdError as error:
        if error.code not in ("covered", "not_visible", "not_enabled", "timeout", "detached"):
            raise
        return False
    return True


async def _click_option(target: Target, deadline: ActionDeadline, values: Sequence[str]) -> bool:
    return await comboboxes.click_other_option(target, deadline, values)


async def _press_at_label(target: Target, deadline: ActionDeadline, values: Sequence[str]) -> bool:
    """Click the label of a value, which selects it in many fields, and press Backspace."""
    if not await target.element.call(_REMOVER, list(values), True):  # noqa: FBT003 - to JavaScript
        return False
    if not await _click_found(target, deadline):
        return False
    await input_events.press(target.element.tab, "Backspace")
    return True


async def _press_backspace(target: Target, deadline: ActionDeadline, values: Sequence[str]) -> bool:
    """Press Backspace in the empty field, which takes away the last value."""
    if target.about["kind"] == "custom":
        return False
    await target.element.call(SELECT_ALL)
    if await target.element.call(_STATE):
        await input_events.insert_text(target.element.tab, "")
    await input_events.press(target.element.tab, "Backspace")
    return bool(deadline.seconds_left)
