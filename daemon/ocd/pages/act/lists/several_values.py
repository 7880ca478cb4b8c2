"""Fields with several values: afterwards they hold exactly the requested ones."""

from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

from ocd.api.errors import OcdError
from ocd.pages.act import input_events
from ocd.pages.act.actionability import SELECT_ALL
from ocd.pages.act.field_errors import difference, raise_refusal, value_error
from ocd.pages.act.lists import comboboxes
from ocd.pages.locate.target import ActionDeadline, Target

_COMPARE = "function (values, fresh) { return openchrome.compareChosen(this, values, fresh) }"
_REMOVER = "function (values, label) { return openchrome.findRemover(this, values, label) }"
_AFTER = "function (values, held) { return openchrome.otherValuesAfter(this, values, held) }"
_SHOWN = "function (values) { return openchrome.valuesOnceShown(this, values) }"
_WORDS = "function () { return openchrome.wordsAround(this) }"
_STATE = "function () { return openchrome.stateOf(this) }"
# The errors of a field that takes no more values than it has.
_FULL = ("wrong_value", "not_enabled", "not_visible", "covered", "timeout")

Choose = Callable[[str, ActionDeadline], Awaitable[None]]


async def hold_exactly(
    target: Target, deadline: ActionDeadline, values: Sequence[str], choose: Choose
) -> None:
    """Choose the values that are missing, and remove all others.

    Raises what `choose` raises, wrong_value if the field does not show a value, and value_differs
    if it still shows others. The earlier choice is then restored, as far as the field allows.
    """
    found = await compare(target, values)
    if not found["known"]:
        found["absent"] = await comboboxes.missing_choices(target, values)
    try:
        await _hold(target, deadline, values, choose, found)
    except OcdError as error:
        await put_back(target, deadline, error, found, choose)
        raise


async def hold_in_list(target: Target, deadline: ActionDeadline, values: Sequence[str]) -> None:
    """Choose these options and no others; if that fails, choose those from before again.

    The list is open meanwhile: the control's box may not show all of them.
    """
    await comboboxes.open_anew(target, deadline)
    before = await compare(target, values)
    try:
        raise_refusal(target, await comboboxes.find_refusal(target, deadline, values))
        raise_refusal(target, await comboboxes.choose(target, deadline, values))
        await comboboxes.open_list(target, deadline)
        await keep_only(target, deadline, values)
        await _choose_lost(target, deadline, values)
        await comboboxes.open_anew(target, deadline)  # some draw all of it anew after each click
        await keep_only(target, deadline, values)
        await _check_all_shown(target, values)
    except OcdError as error:
        await put_back(target, deadline, error, before, partial(_choose_listed, target))
        with suppress(OcdError):
            await comboboxes.close_several(target)
        raise
    await comboboxes.close_several(target)


async def _choose_listed(target: Target, value: str, deadline: ActionDeadline) -> None:
    raise_refusal(target, await comboboxes.choose(target, deadline, [value]))


async def _choose_lost(target: Target, deadline: ActionDeadline, values: Sequence[str]) -> None:
    """Choose values again that the control refused or dropped while it held others."""
    if not await missing(target, values):
        return
    raise_refusal(target, await comboboxes.choose(target, deadline, values))
    await _check_all_shown(target, values)


async def _check_all_shown(target: Target, values: Sequence[str]) -> None:
    if lost := await missing(target, values):
        raise value_error(target, f"it does not show {', '.join(lost)} as selected.")


async def put_back(
    target: Target,
    deadline: ActionDeadline,
    error: OcdError,
    before: dict[str, Any],
    choose: Choose,
) -> None:
    """Choose what a field held before an action that failed, and add to the error what it holds.

    before: what `compare` returned then. If that was not understood, `absent` are the values that
    were not shown anywhere near the field.
    """
    values = before["held"]
    if not before["known"]:
        absent = {value.casefold() for value in before.get("absent", ())}
        shown = (await compare(target, [*absent]))["held"]
        values = [value for value in shown if value.casefold() not in absent]
    if not values:
        return
    with suppress(OcdError):  # the first error is the one to tell
        await keep_only(target, deadline, values)
        for value in await missing(target, values, known=True):
            await choose(value, deadline)
    with suppress(OcdError):
        held: list[str] = await target.element.call(_SHOWN, list(values))
        error.details["held"] = held
        when = "still" if sorted(held) == sorted(values) else "now"
        error.message = f"{error.message} It {when} holds {', '.join(held) or 'nothing'}."


async def _hold(
    target: Target,
    deadline: ActionDeadline,
    values: Sequence[str],
    choose: Choose,
    found: dict[str, Any],
) -> None:
    if not values and not found["known"]:
        await _empty(target, deadline)
    for value in await _unlisted_first(target, found["missing"]):
        began = deadline.seconds_left
        # A field that is full may open no list at all, which costs as long as is waited for one.
        soon = ActionDeadline.after(began / 4) if found["others"] else deadline
        try:
            await choose(value, soon)
        except OcdError as error:
            spent = began - deadline.seconds_left
            # To take away others is no use if there is no time to choose then, or to put them back.
            hopeless = error.code == "wrong_value" and deadline.seconds_left < spent / 2
            if error.code not in _FULL or not found["others"] or hopeless:
                raise
            await keep_only(target, deadline, values)
            found["others"] = []
            await choose(value, deadline)
    await keep_only(target, deadline, values)
    for value in await missing(target, values, known=found["known"]):
        await choose(value, deadline)  # it was taken away with those before it
    if lost := await missing(target, values, known=found["known"]):
        raise value_error(target, f"it does not show {', '.join(lost)} as selected.")


async def _unlisted_first(target: Target, values: list[str]) -> list[str]:
    """Return the values, those first that the list does not have: nothing has changed yet then."""
    if len(values) < 2 or target.about["kind"] != "combo":
        return values
    listed = {option.casefold() for option in await comboboxes.read_options(target)}
    return sorted(values, key=lambda value: value.casefold() in listed)


async def keep_only(target: Target, deadline: ActionDeadline, values: Sequence[str]) -> None:
    """Remove what the field holds besides the values, with its own controls.

    Raises value_differs if it still holds others.
    """
    found = await compare(target, values, fresh=True)
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
    found = await compare(target, values, fresh=True)
    unseen: list[str] = found["missing"]
    if known or found["known"] or not unseen:
        return unseen
    return await comboboxes.missing_choices(target, unseen)


async def _empty(target: Target, deadline: ActionDeadline) -> None:
    """Remove what a field may show as chosen where its values cannot be recognised."""
    for take_away in (_click_option, _press_backspace):
        before = await target.element.call(_WORDS)
        while deadline.seconds_left and await take_away(target, deadline, ()):
            await target.element.call(_AFTER, [], [])
            now = await target.element.call(_WORDS)
            if now == before:
                break
            before = now


async def compare(target: Target, values: Sequence[str], *, fresh: bool = False) -> dict[str, Any]:
    """Return what a field shows as chosen (`held`), and what of it is not among the values.

    Returns:
        `missing`, `others`, `held`, `renamed` (shown in other words) and `known`: whether it shows
        any in a way that is understood.
    """
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
    if await comboboxes.click_other_option(target, deadline, values):
        return True
    others = (await compare(target, values))["others"] if target.about["kind"] == "custom" else []
    return bool(others) and await comboboxes.click_distant_option(target, deadline, others[0])


async def _press_at_label(target: Target, deadline: ActionDeadline, values: Sequence[str]) -> bool:
    """Click a value's label, which selects it in many fields, and press Backspace.

    Returns False if there is no label to click.
    """
    if not await target.element.call(_REMOVER, list(values), True):  # noqa: FBT003 - to JavaScript
        return False
    if not await _click_found(target, deadline):
        return False
    await input_events.press(target.element.tab, "Backspace")
    return True


async def _press_backspace(target: Target, deadline: ActionDeadline, values: Sequence[str]) -> bool:
    """Press Backspace in the emptied field, which removes the last value.

    Returns False for controls that are no text field, and once the deadline has passed.
    """
    if target.about["kind"] == "custom":
        return False
    await target.element.call(SELECT_ALL)
    if await target.element.call(_STATE):
        await input_events.insert_text(target.element.tab, "")
    await input_events.press(target.element.tab, "Backspace")
    return bool(deadline.seconds_left)
