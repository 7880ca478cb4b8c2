"""Dialogs in which the options of a control are ticked, and taken over by a button."""

from collections.abc import Sequence
from typing import Any

from ocd.pages.act import input_events, toggles
from ocd.pages.act.lists import comboboxes
from ocd.pages.locate.found_element import found_option
from ocd.pages.locate.target import ActionDeadline, Target

_OPENING_S = 0.5
_MAY_OPEN = "function () { return openchrome.opensChoices(this) }"
_SHEET = "function (budget) { return openchrome.hasSheet(this, budget) }"
_SHEET_BOX = "function (values) { return openchrome.findSheetBox(this, values) }"
_ABOUT = "function (whole) { return openchrome.elementFacts(this, whole) }"


async def may_open(target: Target) -> bool:
    """Return whether the control is a button that opens a dialog, by what it says of itself."""
    return bool(await target.element.call(_MAY_OPEN))


async def opens(target: Target) -> bool:
    """Return whether the control has opened a dialog in which options are ticked."""
    return bool(await target.element.call(_SHEET, _OPENING_S * 1000))


async def tick(target: Target, deadline: ActionDeadline, values: Sequence[str]) -> dict[str, Any]:
    """Tick exactly these options in the open dialog, and confirm; return {}, or `why` not."""
    while True:
        box = await target.element.call(_SHEET_BOX, list(values))
        if "why" in box:
            await input_events.press(target.element.tab, "Escape")
            return dict(box)
        if not box["found"]:
            break
        if not deadline.seconds_left:
            return {"why": "wrong_value", "text": "it does not keep exactly these options ticked"}
        async with await found_option(target) as element:
            about = await element.call(_ABOUT, False)  # noqa: FBT003 - to JavaScript
            await toggles.check(Target(element, target.ref, about), deadline, want=box["want"])
    await comboboxes.confirm(target, deadline)
    return {}
