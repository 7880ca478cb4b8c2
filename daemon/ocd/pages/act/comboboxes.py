"""Choosing from lists that pages build themselves: comboboxes, listboxes, buttons with a list."""

from collections.abc import Sequence
from typing import Any

from ocd.pages.act import input_events
from ocd.pages.act.actionability import wait_ready
from ocd.pages.engine import engine
from ocd.pages.engine.refs import Element
from ocd.pages.locate.target import ActionDeadline, Target

# Seconds that the suggestions of a field may take; text without one stays as it was typed.
SUGGEST_S = 1.0
_BEFORE = "function () { return openchrome.beforeOpening(this) }"
_AWAIT = "function (value, budget) { return openchrome.awaitOption(this, value, budget) }"


async def choose(target: Target, clock: ActionDeadline, values: Sequence[str]) -> dict[str, Any]:
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
            x, y = await wait_ready(target, clock)
            await input_events.click(target.element.tab, x, y)
        found = await target.element.call(_AWAIT, value, clock.seconds_left * 1000)
        if "why" in found:
            if not before["open"] and target.about["role"] != "listbox":
                await input_events.press(target.element.tab, "Escape")
            return dict(found)
        if not found["chosen"] or target.about["role"] != "listbox":
            await _click(target, clock)
    return {}


async def suggest(target: Target, clock: ActionDeadline, text: str) -> None:
    """Click the suggestion that is the text itself, if the field offers it in time."""
    if not text:
        return
    budget = min(clock.seconds_left, SUGGEST_S) * 1000
    found = await target.element.call(_AWAIT, text, budget)
    if "why" not in found:
        await _click(target, clock)


async def _click(target: Target, clock: ActionDeadline) -> None:
    frame, tab = target.element.frame, target.element.tab
    object_id = await engine.handle(tab, frame, "openchrome.foundOption()")
    assert object_id is not None
    async with Element(tab, frame, object_id) as held:
        x, y = await wait_ready(Target(held, target.ref, target.about), clock)
        await input_events.click(tab, x, y)
