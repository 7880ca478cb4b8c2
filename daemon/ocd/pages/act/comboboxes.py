"""Custom select controls: comboboxes, listboxes, buttons with a list."""

from collections.abc import Sequence
from typing import Any

from ocd.pages.act import input_events
from ocd.pages.act.actionability import wait_ready
from ocd.pages.engine import engine
from ocd.pages.engine.refs import Element
from ocd.pages.locate.target import ActionDeadline, Target

# Seconds that the suggestions of a field may take; text without one stays as it was typed.
SUGGEST_S = 1.0
_BEFORE = "function () { return openchrome.listState(this) }"
_AWAIT = "function (value, budget) { return openchrome.awaitOption(this, value, budget) }"


async def choose(target: Target, deadline: ActionDeadline, values: Sequence[str]) -> dict[str, Any]:
    """Open the control's list and click the options; return {}, or `why` it cannot be done.

    why: option_not_found (with options and total), no_options, wrong_value, not_enabled.
    """
    if len(values) > 1:
        about = await target.element.call(_BEFORE)
        if not about["multiple"] and target.about["role"] != "listbox":
            return {"why": "wrong_value", "text": "it takes one option"}
    for value in values:
        before = await target.element.call(_BEFORE)
        if not before["open"] and target.about["kind"] == "custom":
            x, y = await wait_ready(target, deadline)
            await input_events.click(target.element.tab, x, y)
        option = await target.element.call(_AWAIT, value, deadline.seconds_left * 1000)
        if "why" in option:
            if not before["open"] and target.about["role"] != "listbox":
                await input_events.press(target.element.tab, "Escape")
            return dict(option)
        if not option["chosen"] or target.about["role"] != "listbox":
            await _click(target, deadline)
    return {}


async def suggest(target: Target, deadline: ActionDeadline, text: str) -> None:
    """Click the suggestion that is the text itself, if the field offers it in time."""
    if not text:
        return
    budget = min(deadline.seconds_left, SUGGEST_S) * 1000
    option = await target.element.call(_AWAIT, text, budget)
    if "why" not in option:
        await _click(target, deadline)


async def _click(target: Target, deadline: ActionDeadline) -> None:
    frame, tab = target.element.frame, target.element.tab
    object_id = await engine.handle(tab, frame, "openchrome.foundOption()")
    assert object_id is not None
    async with Element(tab, frame, object_id) as option_element:
        x, y = await wait_ready(Target(option_element, target.ref, target.about), deadline)
        await input_events.click(tab, x, y)
