"""Controls that a click ticks or chooses: checkboxes, radio buttons, and groups of them."""

from ocd.pages.act import input_events
from ocd.pages.act.actionability import wait_ready
from ocd.pages.act.field_errors import raise_refusal, value_error
from ocd.pages.act.observation import Given
from ocd.pages.engine.internal_roles import refresh_state
from ocd.pages.locate.found_element import found_option
from ocd.pages.locate.target import ActionDeadline, Target

_FIND_RADIO = "function (value) { return openchrome.findRadio(this, value) }"
_FIND_BOX = "function (values) { return openchrome.findBox(this, values) }"
_ABOUT = "function (whole) { return openchrome.elementFacts(this, whole) }"
_CHECKED = "function (want) { return openchrome.checkedInTime(this, want) }"


async def check(target: Target, deadline: ActionDeadline, *, want: bool) -> Given:
    """Check or uncheck by a click; return what must hold then.

    None if no click was needed, or if the control has no state that can be read.
    """
    option = target.about["role"] in ("option", "treeitem") and target.about["kind"] == "none"
    if target.about["kind"] != "check" and not option:
        raise value_error(target, "it cannot be checked.", "Use interact with action click.")
    if target.about["radio"] and not want:
        raise value_error(target, "a radio button is unchecked only by checking another one.")
    if bool(target.about["state"]) == want and target.about["state"] != "mixed":
        await wait_ready(target, deadline, point=False)
        return None
    x, y = await wait_ready(target, deadline, strike=True)
    await input_events.rest_mouse(target.element, x, y)
    await input_events.click(target.element.tab, x, y)
    if target.about["internal"]:
        await refresh_state(target.element)
    state = await target.element.call(_CHECKED, want)
    if (state is not None or option) and bool(state) != want:
        raise value_error(target, f"the click left it {'checked' if state else 'unchecked'}.")
    return None if state is None else {"state": state}


async def choose_radio(target: Target, deadline: ActionDeadline, values: list[str]) -> None:
    """Choose the radio button of a group."""
    if len(values) != 1:
        raise value_error(target, "it accepts only one option.")
    raise_refusal(target, await target.element.call(_FIND_RADIO, values[0]))
    async with await found_option(target) as element:
        radio = Target(element, target.ref, await element.call(_ABOUT, False))  # noqa: FBT003
        await check(radio, deadline, want=True)


async def tick(target: Target, deadline: ActionDeadline, values: list[str]) -> None:
    """Check exactly the requested boxes of a group."""
    clicks = 0
    while True:
        answer = await target.element.call(_FIND_BOX, values)
        raise_refusal(target, answer)
        if answer["want"] is None:
            return
        if clicks == answer["total"]:
            raise value_error(target, "it does not keep exactly these boxes checked.")
        async with await found_option(target) as element:
            box = Target(element, target.ref, await element.call(_ABOUT, False))  # noqa: FBT003
            await check(box, deadline, want=answer["want"])
        clicks += 1
