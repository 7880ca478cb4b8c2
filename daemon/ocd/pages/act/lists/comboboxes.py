"""Custom select controls: comboboxes, listboxes, buttons with a list."""

from collections.abc import Sequence
from typing import Any

from ocd.api.errors import OcdError
from ocd.pages.act import input_events
from ocd.pages.act.actionability import SELECT_ALL, wait_ready
from ocd.pages.locate.found_element import found_option
from ocd.pages.locate.target import ActionDeadline, Target

# Seconds to wait for a field's suggestions; without one, text stays as it was typed.
SUGGEST_S = 1.0
# The separator between the nested options that lead to one.
_PATH_MARKS = (" / ", " > ", " → ")
# Seconds to wait for a list to open again, to name its options.
LIST_S = 0.5
_BEFORE = "function (notes) { return openchrome.listState(this, notes) }"
_AWAIT = "function (value, budget) { return openchrome.awaitOption(this, value, budget) }"
_OPTIONS = "function (budget) { return openchrome.listedOptions(this, budget) }"
_FOCUS = "function () { return openchrome.takeFocus(this) }"
_SEVERAL = "function () { return openchrome.takesSeveral(this) }"
_CONFIRMATION = "function () { return openchrome.findConfirmation(this) }"
_OPENER = "function () { return openchrome.findOpener(this) }"
_MISSING = "function (values) { return openchrome.missingChoices(this, values) }"
_CLOSE_OPENED = "function () { openchrome.closeOpened(this) }"
_STAYS_OPEN = "function (leave) { return openchrome.listStaysOpen(this, leave) }"
_GAVE_UP = "() => openchrome.wasDeselected()"
_INSTEAD = "function (values, before) { return openchrome.textShownInstead(this, values, before) }"
_STATE = "function () { return openchrome.stateOf(this) }"
_EXTRA = "function (values) { return openchrome.findChosenBeside(this, values) }"


async def choose(target: Target, deadline: ActionDeadline, values: Sequence[str]) -> dict[str, Any]:
    """Open the control's list and click the options; return {}, or `why` that is not possible.

    `why` is option_not_found (with `options` and `total`), no_options, wrong_value or not_enabled.

    Raises:
        OcdError: value_differs if the control shows another option afterwards.
    """
    several = False
    for count, value in enumerate(values):
        opened = await _open(target, deadline, continues=count > 0)
        several = target.about["several"] or await takes_several(target)
        continues = opened or count > 0 or target.about["kind"] != "custom"
        option = await _await_path(target, deadline, value, continues=continues)
        if "why" not in option and len(values) > 1 and not several:
            several = await takes_several(target)  # the list has come by now
            option = (
                option if several else {"why": "wrong_value", "text": "it accepts only one option"}
            )
        if "why" in option:
            if opened:
                await close_list(target)
            return dict(option)
        if not option["chosen"] or not await _is_shown(target, value, several=several):
            await click_found(target, deadline, continues=continues)
            refusal = await _keep_chosen(target, deadline, value, option)
            if "why" in refusal:
                return refusal
    if values and target.about["kind"] == "custom" and not several:
        await confirm(target, deadline)
        await _verify_shown(target, values[-1])
    return {}


async def find_refusal(
    target: Target, deadline: ActionDeadline, values: Sequence[str]
) -> dict[str, Any]:
    """Open the list, and return `why` one of the values cannot be chosen from it; {} if all can.

    A value given as a path is not looked up, because its options appear only one after another. A
    disabled option is no refusal, because deselecting another one may enable it.
    """
    await open_list(target, deadline)
    for value in values:
        if len(split_path(value)) == 1:
            option = await target.element.call(_AWAIT, value, deadline.seconds_left / 2 * 1000)
            if option.get("why") in ("option_not_found", "no_options"):
                return dict(option)
    return {}


async def open_anew(target: Target, deadline: ActionDeadline) -> None:
    """Open the list if it is not open, and wait until it shows its options."""
    await open_list(target, deadline)
    await target.element.call(_OPTIONS, LIST_S * 1000)


async def _keep_chosen(
    target: Target, deadline: ActionDeadline, value: str, option: dict[str, Any]
) -> dict[str, Any]:
    """Choose an option again if the click has deselected it: the list takes several after all.

    Return {}, or `why` the list does not have it any more.
    """
    if not option["chosen"] or not await target.element.call(_GAVE_UP):
        return {}
    await _open(target, deadline, continues=True)
    again = await _await_path(target, deadline, value, continues=True)
    if "why" in again:
        return again
    await click_found(target, deadline)
    return {}


async def _verify_shown(target: Target, value: str) -> None:
    names = [value, split_path(value)[-1]]
    instead = await target.element.call(_INSTEAD, names, target.about["state"])
    if instead is None:
        return
    await close_list(target)
    name = f"{target.about['role']} {target.about['name']!r} ({target.ref})"
    shown = repr(instead) if instead else "nothing"
    raise OcdError(
        "value_differs", f"{name} shows {shown} after its option {value!r} was clicked.",
        hint="Look at its list: the option may not be selectable.",
        ref=target.ref, expected=value, held=instead,
    )  # fmt: skip


async def _await_path(
    target: Target, deadline: ActionDeadline, value: str, *, continues: bool
) -> dict[str, Any]:
    """Wait for the option; for a path such as `A / B`, click through its levels."""
    option = await target.element.call(_AWAIT, value, deadline.seconds_left * 1000)
    names = split_path(value)
    if option.get("why") != "option_not_found" or len(names) == 1:
        return dict(option)
    last = await follow_path(target, deadline, names, continues=continues)
    return dict(option) if last is None else last


async def follow_path(
    target: Target, deadline: ActionDeadline, names: Sequence[str], *, continues: bool = True
) -> dict[str, Any] | None:
    """Click the options above the last one, and wait for that; None if one is missing."""
    for name in names[:-1]:
        above = await target.element.call(_AWAIT, name, deadline.seconds_left * 1000)
        if "why" in above:
            return None
        await click_found(target, deadline, continues=continues)
    return dict(await target.element.call(_AWAIT, names[-1], deadline.seconds_left * 1000))


async def retype(target: Target, text: str) -> None:
    """Type a text in place of what the field holds."""
    await target.element.call(SELECT_ALL)
    await input_events.insert_text(target.element.tab, text)


async def shown_choice(target: Target, values: Sequence[str]) -> str:
    """Return the chosen options, as far as the control shows them beside its own text.

    Of an option given as a path, some controls show the last name only.
    """
    names = {value: split_path(value)[-1] for value in values}
    missing = await missing_choices(target, [*names, *names.values()])
    texts = [value if value not in missing else last for value, last in names.items()]
    return ", ".join(name for name in texts if name not in missing)


def split_path(value: str) -> list[str]:
    """Return the names of nested options in a path such as `A / B`."""
    return next((parts for mark in _PATH_MARKS if len(parts := value.split(mark)) > 1), [value])


async def _is_shown(target: Target, value: str, *, several: bool) -> bool:
    """Whether an option marked as chosen really is: some lists mark the highlighted one."""
    if target.about["role"] == "listbox":
        return True
    return several and (
        target.about["kind"] == "custom" or not await missing_choices(target, [value])
    )


async def note_page(target: Target) -> None:
    """Record what the page shows before the control opens its list."""
    await target.element.call(_BEFORE, True)  # noqa: FBT003 - to JavaScript


async def missing_choices(target: Target, values: Sequence[str]) -> list[str]:
    """Return those of the chosen options that the control does not show."""
    return list(await target.element.call(_MISSING, list(values)))


async def _open(target: Target, deadline: ActionDeadline, *, continues: bool) -> bool:
    """Open the list if it is closed; return whether this opened it, and it closes again."""
    opens = target.about["kind"] == "custom"  # a text field has opened its list by now
    before = await target.element.call(_BEFORE, opens)
    if not before["open"] and opens:
        if await target.element.call(_OPENER):
            await click_found(target, deadline, continues=continues)
        else:
            x, y = await wait_ready(target, deadline, continues=continues)
            await input_events.click(target.element.tab, x, y)
    return not before["open"] and target.about["role"] != "listbox"


async def choose_opened(target: Target, deadline: ActionDeadline, value: str) -> bool:
    """Click an option of what a click on the control has opened; return whether there is one.

    Raises value_differs if the control does not show it afterwards.
    """
    option = await _await_path(target, deadline, value, continues=True)
    if "why" in option:
        return False
    await click_found(target, deadline)
    await confirm(target, deadline)
    await _verify_shown(target, value)
    return True


async def open_list(target: Target, deadline: ActionDeadline) -> None:
    """Open the list of a control that is no text field, if it is not open."""
    await _open(target, deadline, continues=True)


async def click_other_option(
    target: Target, deadline: ActionDeadline, values: Sequence[str]
) -> bool:
    """Click an option that is chosen and not among the values; False if the list shows none."""
    if target.about["kind"] == "custom":
        await open_list(target, deadline)
    else:
        await note_page(target)
        if await target.element.call(_STATE):
            await retype(target, "")
        if await target.element.call(_OPTIONS, 0):
            await target.element.call(_OPTIONS, LIST_S * 1000)
        else:
            await read_options(target)
    if not await target.element.call(_EXTRA, list(values)):
        return False
    await click_found(target, deadline)
    return True


async def click_distant_option(target: Target, deadline: ActionDeadline, name: str) -> bool:
    """Click a chosen option that the open list shows once it is scrolled to; False without one."""
    option = await target.element.call(_AWAIT, name, deadline.seconds_left / 2 * 1000)
    if not option.get("chosen"):
        return False
    await click_found(target, deadline)
    return True


async def read_options(target: Target) -> list[str]:
    """Open the list of a text field, and return what it offers before anything is typed."""
    await note_page(target)
    await target.element.call(SELECT_ALL)
    await input_events.press(target.element.tab, "ArrowDown")
    options: list[str] = await target.element.call(_OPTIONS, LIST_S * 1000)
    return options


async def open_by_click(target: Target, deadline: ActionDeadline) -> None:
    """Click a text field that seems to search a list, as a person does before typing."""
    if target.about["by_click"]:
        await target.element.call(_CLOSE_OPENED)
        x, y = await wait_ready(target, deadline)
        await input_events.click(target.element.tab, x, y)


async def close_list(target: Target) -> bool:
    """Close a list that stays open after several choices and would cover the page.

    By Escape; in a dialog, which Escape may close, by leaving the field. Return whether it was
    open.
    """
    answer = await target.element.call(_STAYS_OPEN, False)  # noqa: FBT003 - to JavaScript
    was_open = bool(answer["open"])
    if answer["open"] and answer["byKey"]:
        await input_events.press(target.element.tab, "Escape")
        answer = await target.element.call(_STAYS_OPEN, False)  # noqa: FBT003
    if answer["open"]:
        await leave_list(target)
    return was_open


async def leave_list(target: Target) -> None:
    """Close a list by leaving its field."""
    await target.element.call(_STAYS_OPEN, True)  # noqa: FBT003 - to JavaScript


async def confirm(target: Target, deadline: ActionDeadline) -> None:
    """Press the button of the dialog that the list stands in, if there is one."""
    if await target.element.call(_CONFIRMATION):
        await click_found(target, deadline)


async def close_several(target: Target) -> None:
    """Close the list of a control that is no text field, if it is still open."""
    if target.about["role"] == "listbox":
        return
    for focuses in (False, True):
        answer = await target.element.call(_STAYS_OPEN, False)  # noqa: FBT003 - to JavaScript
        if not answer["open"]:
            return
        if focuses:  # a click on an option may have taken the focus to the list
            await target.element.call(_FOCUS)
        await input_events.press(target.element.tab, "Escape")
    if (await target.element.call(_STAYS_OPEN, False))["open"]:  # noqa: FBT003
        await _click_again(target)


async def _click_again(target: Target) -> None:
    """Click a control whose list no key closes, which does."""
    x, y = await wait_ready(target, ActionDeadline.after(LIST_S), continues=True)
    await input_events.click(target.element.tab, x, y)


async def takes_several(target: Target) -> bool:
    """Return whether the control, or its list, says that several options can be chosen."""
    return bool(await target.element.call(_SEVERAL))


async def click_found(target: Target, deadline: ActionDeadline, *, continues: bool = True) -> None:
    """Click what the engine has found. continues: the action has begun, with the control itself."""
    async with await found_option(target) as option:
        found = Target(option, target.ref, target.about)
        x, y = await wait_ready(found, deadline, continues=continues)
        await input_events.click(target.element.tab, x, y)
