"""Date and time pickers that a page opens beside a text field."""

import re

from ocd.api.errors import OcdError
from ocd.pages.act import input_events
from ocd.pages.act.actionability import wait_ready
from ocd.pages.locate.found_element import found_option
from ocd.pages.locate.target import ActionDeadline, Target

ISO_DATE = re.compile(r"(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::\d\d)?)?")
_OPENS_PICKER = "function () { return openchrome.opensPicker(this) }"
_BUTTON = "function () { return openchrome.findPickerButton(this) }"
_FORMS = "function (iso) { return openchrome.dateForms(this, iso) }"
_REJECTED = "function () { return openchrome.isMarkedInvalid(this) }"
_MEANS = "function (iso) { return openchrome.meansDate(this, iso) }"
_KEPT = "function () { openchrome.closeOpened(this); return openchrome.stateOf(this) }"
_LEAVE = "function () { openchrome.closeOpened(this) }"
_GUARD_ENTER = "function () { openchrome.guardEnter(this) }"
_END_GUARD = "function () { return openchrome.endGuard(this) }"
_UNREACHED = ("covered", "not_visible", "not_enabled", "moving", "detached", "timeout")
_MAX_DATE = 40  # characters
# Numbers and their separators; words (a weekday, a month), not joined to a number.
# No part is tried again: "amamam" and so on would cost the square of its length.
_DATE_PARTS = re.compile(
    r"(?:\d++(?:st|nd|rd|th)?|(?<!\d)[^\W\d_]{2,}+\.?(?!\d)|[ap]\.?m\.?|(?<=\d)[tz](?=\d|$)"
    r"|(?<=\d)[年月日時时分秒년월일시분초]|[\s/.,:+\u2013-])++"
)
_WORD = re.compile(r"(?<!\d)[^\W\d_]{3,}+")
_MAX_WORDS = 2
_NUMBER = re.compile(r"\d+")
_DATE_LETTERS = set("0123456789-/.:,\u2013 apm")  # of dates and times as pickers write them


def is_date_or_time(text: str) -> bool:
    """Return whether a text may be a date or a time, however it is written."""
    lower = text.strip().lower()
    return (
        len(text) <= _MAX_DATE
        and len(_NUMBER.findall(text)) > 1
        and _DATE_PARTS.fullmatch(lower) is not None
        and len(_WORD.findall(lower)) <= _MAX_WORDS
    )


async def bring_mouse(target: Target, typed: str) -> None:
    """Move the mouse onto a field that is about to get a date, as a person would to click it.

    Some calendars write the date under the mouse into the field, over what is typed. Nothing
    happens if the mouse has not been used in the tab, or if the field cannot be reached now.
    """
    tab = target.element.tab
    if not is_date_or_time(typed) or tab.state(input_events.MousePlace) is None:
        return
    try:
        place = await wait_ready(target, ActionDeadline.after(0))
    except OcdError as error:
        # Whether it takes text is checked next, and what covers it does not matter for that.
        if error.code not in _UNREACHED:
            raise
        return
    await input_events.move_mouse(tab, *place)


async def confirm(target: Target, typed: str, holds: str, *, opened: bool) -> str | None:
    """Press Enter where a calendar or clock has opened beside the field, which then takes the text.

    No form is submitted.

    Args:
        target: The text field.
        typed: The text that was typed into it.
        holds: What it held right after that.
        opened: A click has opened the picker before.

    Returns:
        What the field holds, if the picker has changed the date or time; else None.
    """
    if not is_date_or_time(typed) or not set(holds.lower()) <= _DATE_LETTERS:
        return None
    if not opened and not await target.element.call(_OPENS_PICKER):
        return None
    now = await press_enter(target)
    if _numbers(typed) <= _numbers(now) or await means(target, typed):
        await press_button(target)
        return None
    return now


async def means(target: Target, typed: str) -> bool:
    """Return whether the field holds the date that was typed, with the month as a word."""
    written = ISO_DATE.fullmatch(typed.strip())
    return written is not None and bool(await target.element.call(_MEANS, typed.strip()))


async def keeps(target: Target, typed: str) -> bool:
    """Leave the field after a date was typed; return whether it holds that date then."""
    now = str(await target.element.call(_KEPT))
    return _numbers(typed) <= _numbers(now) or await means(target, typed)


async def press_button(target: Target) -> None:
    """Click the OK of a calendar or clock that is still open, if it has one."""
    if not await target.element.call(_BUTTON):
        return
    async with await found_option(target) as element:
        button = Target(element, target.ref, target.about)
        try:
            place = await wait_ready(button, ActionDeadline.after(1), continues=True)
        except OcdError as error:
            if error.code not in _UNREACHED:  # else it is closing by itself
                raise
            return
        await input_events.click(target.element.tab, *place)


async def leave(target: Target) -> None:
    """Leave a field, so that its picker closes."""
    await target.element.call(_LEAVE)


async def press_enter(target: Target) -> str:
    """Press Enter in a field without submitting its form; return what it holds then."""
    await target.element.call(_GUARD_ENTER)
    await input_events.press(target.element.tab, "Enter")
    return str(await target.element.call(_END_GUARD))


def _numbers(text: str) -> set[int]:
    """Return the numbers in a text, whatever separates them."""
    return set(map(int, _NUMBER.findall(text)))


async def is_rejected(target: Target, text: str) -> bool:
    """Return whether the page marks the field as invalid since it was given a date or a time."""
    return is_date_or_time(text) and bool(await target.element.call(_REJECTED))


async def own_forms(target: Target, text: str) -> list[str]:
    """Return other ways to write an ISO date, those first that the field says it takes."""
    if not ISO_DATE.fullmatch(text.strip()):
        return []
    return list(await target.element.call(_FORMS, text.strip()))


async def is_taken(target: Target, text: str) -> bool:
    """Return whether the field holds the date now, and no other one that is written alike."""
    if await target.element.call(_REJECTED):
        return False
    return bool(await target.element.call(_MEANS, text.strip()))
