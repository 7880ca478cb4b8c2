"""Choosing values in lists, whatever the control that opens them."""

from functools import partial

from ocd.pages.act.actionability import wait_ready
from ocd.pages.act.field_errors import raise_refusal, value_error
from ocd.pages.act.field_values import Value, as_values
from ocd.pages.act.lists import comboboxes, entered_values, several_values, sheets
from ocd.pages.locate.target import ActionDeadline, Target

_STATE = "function () { return openchrome.stateOf(this) }"


async def hold_several(target: Target, deadline: ActionDeadline, value: Value) -> None:
    """Choose these values and no others. Raises what `several_values` and `comboboxes` raise."""
    values = as_values(value) if value not in ("", None) else []
    if target.about["kind"] == "custom":
        await _choose_in_list(target, deadline, values)
        return

    choose_one = (
        entered_values.choose_or_enter
        if target.about["kind"] == "combo"
        else entered_values.enter_token
    )
    await wait_ready(target, deadline, point=False, editable=True)
    choose_one = partial(choose_one, target)
    await several_values.hold_exactly(target, deadline, values, choose_one)
    if not await comboboxes.close_list(target) or not await several_values.missing(target, values):
        return
    # Escape gives up what was chosen since the list was opened.
    await several_values.hold_exactly(target, deadline, values, choose_one)
    await comboboxes.leave_list(target)
    if lost := await several_values.missing(target, values):
        raise value_error(target, f"it gave up {', '.join(lost)} when its list was closed.")


async def _choose_in_list(target: Target, deadline: ActionDeadline, values: list[str]) -> None:
    several = target.about["several"] or await comboboxes.takes_several(target)
    sheet = several or await sheets.may_open(target)
    if sheet or len(values) != 1:
        await comboboxes.open_list(target, deadline)
    if sheet and await sheets.opens(target):
        raise_refusal(target, await sheets.tick(target, deadline, values))
        return
    if several or (len(values) != 1 and await comboboxes.takes_several(target)):
        await several_values.hold_in_list(target, deadline, values)
        return
    if not values:
        await comboboxes.close_several(target)
        raise value_error(target, "it has an option chosen in any case.", "Pass one of them.")
    raise_refusal(target, await comboboxes.choose(target, deadline, values))
    if await comboboxes.takes_several(target):  # its list has come by now
        await several_values.hold_in_list(target, deadline, values)
    elif await target.element.call(_STATE) != values[0]:
        # A field that is not read-only any more once it is open may be one of several values.
        await several_values.keep_only(target, deadline, values)
