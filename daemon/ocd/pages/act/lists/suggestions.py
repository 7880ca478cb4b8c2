"""What text fields with a list suggest for a text that was typed into them."""

from typing import Any

from ocd.pages.act import input_events
from ocd.pages.act.lists.comboboxes import (
    LIST_S,
    SUGGEST_S,
    click_found,
    follow_path,
    retype,
    split_path,
)
from ocd.pages.locate.target import ActionDeadline, Target

_AWAIT = "function (value, budget) { return openchrome.awaitOption(this, value, budget) }"
_OPTIONS = "function (budget) { return openchrome.listedOptions(this, budget) }"
_KEEPS = "function (key) { return openchrome.keepsText(this, key) }"
_ADDITION = "function (value) { return openchrome.findAddition(this, value) }"
_GAVE_UP = "() => openchrome.wasDeselected()"
_HOLDS = """function (value) {
  const { known, missing } = openchrome.compareChosen(this, [value]);
  return !openchrome.takesOne(this) && known && !missing.length;
}"""
_ONE = "function () { return openchrome.takesOne(this) }"


async def suggest(target: Target, deadline: ActionDeadline, text: str) -> dict[str, Any]:
    """Click the suggestion that equals the text, if the field offers it in time.

    Returns:
        {}, or an object with one of these keys.
        `why`: the field accepts only suggestions, and not this text.
        `addition`: it offers to add the text, until focus leaves it.
        `given_up`: the suggestion was chosen, and is deselected again.
    """
    if not text:
        return {}
    budget = min(deadline.seconds_left, SUGGEST_S) * 1000
    option = await target.element.call(_AWAIT, text, budget)
    if "why" in option and len(split_path(text)) > 1:
        option = await _look_up_path(target, deadline, text)
    if "why" not in option:
        if option.get("chosen") and await target.element.call(_HOLDS, text):
            await retype(target, "")  # a click would give it up
            return {}
        only_one = await target.element.call(_ONE)
        await click_found(target, deadline)
        gave_up = option.get("chosen") and not only_one and await target.element.call(_GAVE_UP)
        return {"given_up": True} if gave_up else {}
    addition = bool(await target.element.call(_ADDITION, text))
    if await _keeps_text(target):
        return {}
    return {"addition": True} if addition else dict(option)


async def _look_up_path(target: Target, deadline: ActionDeadline, text: str) -> dict[str, Any]:
    """Wait for an option given as a path, where the typed text left none."""
    names = split_path(text)
    soon = ActionDeadline.after(min(deadline.seconds_left, len(names) * SUGGEST_S))
    await retype(target, "")
    option = await follow_path(target, soon, names)
    if option is not None and "why" not in option:
        return option
    offered: list[str] = await target.element.call(_OPTIONS, 0)
    await retype(target, text)
    found = {"text": text, "options": offered[:50], "total": len(offered)}
    return {"why": "option_not_found", **found}


async def offers_any(target: Target, text: str) -> bool:
    """Return whether the field offers any options, or to add the text, by now."""
    options = await target.element.call(_OPTIONS, 0)
    return bool(options) or bool(await target.element.call(_ADDITION, text))


async def click_suggestion(target: Target, deadline: ActionDeadline, text: str) -> bool:
    """Click the option for a text, or the offer to add it, once it appears; False without one."""
    budget = min(deadline.seconds_left, SUGGEST_S) * 1000
    answer = await target.element.call(_AWAIT, text, budget)
    if "why" in answer and not await target.element.call(_ADDITION, text):
        return False
    await click_found(target, deadline)
    return True


async def _keeps_text(target: Target) -> bool:
    """Whether the field keeps the typed text when left; by Tab if its list stays open otherwise."""
    tab = target.element.tab
    answer = await target.element.call(_KEEPS, "")
    if answer["kept"] and answer["open"]:
        await input_events.press(tab, "Tab")
        answer = await target.element.call(_KEEPS, "Tab")
        if answer["kept"] and answer["open"]:
            if answer["modal"]:
                return False  # what it offers is something else, and nothing else can tell
            await input_events.press(tab, "Escape")
            answer = await target.element.call(_KEEPS, "Escape")
    return bool(answer["kept"])


async def add(target: Target, deadline: ActionDeadline, text: str) -> dict[str, Any]:
    """Click the offer to add the text that was typed; return {}, or `why` there is none."""
    if await click_suggestion(target, deadline, text):
        return {}
    return {"why": "option_not_found", "text": text, "options": [], "total": 0}


async def add_unlisted(target: Target, deadline: ActionDeadline, text: str) -> bool:
    """Click the offer to add the typed text, if no option equals it; return whether it was."""
    budget = min(deadline.seconds_left, SUGGEST_S) * 1000
    listed = "why" not in await target.element.call(_AWAIT, text, budget)
    if listed or not await target.element.call(_ADDITION, text):
        return False
    await click_found(target, deadline)
    return True


async def list_options(target: Target, refusal: dict[str, Any]) -> dict[str, Any]:
    """Return the refusal of a choice with the options that the field offers, if any."""
    await input_events.press(target.element.tab, "ArrowDown")
    options: list[str] = await target.element.call(_OPTIONS, LIST_S * 1000)
    await input_events.press(target.element.tab, "Escape")
    if not options:
        return refusal
    found = {"text": refusal["text"], "options": options[:50], "total": len(options)}
    return {"why": "option_not_found", **found}
