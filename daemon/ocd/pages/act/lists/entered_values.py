"""Values that a text field takes one by one: from what it suggests, or as Enter makes them."""

from typing import Any

from ocd.api.errors import OcdError
from ocd.pages.act import text_entry
from ocd.pages.act.action_effects import ActionEffects
from ocd.pages.act.dates import date_pickers
from ocd.pages.act.field_errors import raise_refusal, value_error
from ocd.pages.act.lists import comboboxes, several_values, suggestions
from ocd.pages.locate.target import ActionDeadline, Target

_DRAWN = "function () { return openchrome.caretInMask(this) }"
_STATE = "function () { return openchrome.stateOf(this) }"
_HOLDS_SEVERAL = "function () { return openchrome.holdsSeveral(this) }"


def split_values(text: str) -> list[str]:
    """Return the values that a field of several makes of a text: commas separate them."""
    return [part.strip() for part in text.split(",") if part.strip()]


async def choose_suggestion(target: Target, deadline: ActionDeadline, values: list[str]) -> None:
    """Type the first value, and choose all of them from what is suggested for it, or offered."""
    await comboboxes.note_page(target)
    await text_entry.type_for_list(target, deadline, values[0])
    if len(values) == 1 and await suggestions.add_unlisted(target, deadline, values[0]):
        return
    answer = await comboboxes.choose(target, deadline, values)
    if answer.get("why") in ("no_options", "option_not_found") and not answer.get("options"):
        # The typed text matches no option: the whole list supplies the candidates.
        if await target.element.call(_STATE):
            await text_entry.type_for_list(target, deadline, "")
        answer = await suggestions.list_options(target, answer)
    raise_refusal(target, answer)


async def choose_or_enter(target: Target, text: str, deadline: ActionDeadline) -> None:
    """Choose what is suggested for a text; else Enter may take the text itself."""
    if await _enter_unsuggested(target, text, deadline):
        return
    try:
        await choose_suggestion(target, deadline, [text])
    except OcdError as error:
        if error.code not in ("option_not_found", "wrong_value"):
            raise
        await text_entry.type_for_list(target, deadline, text)
        await date_pickers.press_enter(target)
        if await _give_back(target, text):
            raise


async def _enter_unsuggested(target: Target, text: str, deadline: ActionDeadline) -> bool:
    """Type a value, and press Enter if the field has nothing to suggest; return whether it took it.

    All that the page does for a list is over by then: its timers and its requests.
    """
    element = target.element
    await comboboxes.note_page(target)
    async with ActionEffects(element.tab) as effects:
        await text_entry.type_for_list(target, deadline, text)
        await effects.wait_answers(element.frame, deadline.seconds_left)
        if effects.unanswered or await suggestions.offers_any(target, text):
            return False
    await date_pickers.press_enter(target)
    return not await several_values.missing(target, [text], known=True)


async def enter_token(target: Target, text: str, deadline: ActionDeadline) -> None:
    """Type a value, and choose what is offered for it, or press Enter."""
    await comboboxes.note_page(target)
    await text_entry.type_for_list(target, deadline, text)
    if await suggestions.click_suggestion(target, deadline, text):
        if not await several_values.missing(target, [text]):
            return
        await text_entry.type_for_list(target, deadline, text)
    await date_pickers.press_enter(target)
    if await _give_back(target, text):
        raise value_error(target, f"it does not show {text} as entered.")


async def _give_back(target: Target, text: str) -> bool:
    """Empty the field if it did not accept the text as a value; return whether it did not."""
    if not await several_values.missing(target, [text]):
        return False
    if await target.element.call(_STATE):
        await text_entry.replace_text(target, ActionDeadline.after(1), "")
    return True


async def take_suggestion(target: Target, deadline: ActionDeadline, text: str) -> dict[str, Any]:
    """Choose the suggestion for the typed text, or the offer to add it; return {} or `why`."""
    answer = await suggestions.suggest(target, deadline, text)
    if answer.pop("given_up", False):  # the list takes several, though it did not say so
        await text_entry.type_for_list(target, deadline, text)
        answer = await suggestions.suggest(target, deadline, text)
    if not answer.pop("addition", False):
        return answer
    await text_entry.type_for_list(
        target, deadline, text
    )  # the field was cleared when it lost the focus
    return await suggestions.add(target, deadline, text)


async def find_values_made(target: Target, text: str) -> list[str]:
    """Return the values that the field has made of a text when it was left, if it has."""
    if await target.element.call(_STATE) or not await target.element.call(_HOLDS_SEVERAL):
        return []
    for values in ([text], split_values(text)):
        found = await several_values.compare(target, values, fresh=True)
        if found["known"] and not found["missing"]:
            return values
    return []


async def was_taken(target: Target) -> bool:
    """Return whether a field is empty after Enter, as soon as the page has drawn that."""
    await target.element.call(_DRAWN)
    return not await target.element.call(_STATE)
