"""Fields that nobody can type into: a click opens a calendar or a list to pick from."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from ocd.pages.act import input_events
from ocd.pages.act.actionability import SELECT_ALL, wait_ready, wait_selected
from ocd.pages.act.dates import date_pickers
from ocd.pages.act.field_errors import difference, value_error
from ocd.pages.act.lists import comboboxes
from ocd.pages.act.observation import Given
from ocd.pages.locate.found_element import found_option
from ocd.pages.locate.target import ActionDeadline, Target

_READ_ONLY = "function () { return openchrome.isReadOnlyField(this) }"
_DAY = "function (...date) { return openchrome.findDay(this, ...date) }"
_MONTH = "function (before, budget) { return openchrome.waitForMonth(this, before, budget) }"
_TIME_FIELD = "function (kind) { return openchrome.findTimeField(this, kind) }"
_HALF = "function () { return openchrome.findHalf(this) }"
_MASK = "function () { return openchrome.caretInMask(this) }"
_SHOWS = "function (...date) { return openchrome.showsPicked(this, ...date) }"
_STATE = "function () { return openchrome.stateOf(this) }"
_OPENING_S = 1.0
_MAX_STEPS = 600  # months, or years, that are stepped through
_DOTTED = re.compile(r"(\d{1,2})\.(\d{1,2})\.(\d{4})(?:,? (\d\d):(\d\d)(?::\d\d)?)?")
_PARTS = re.compile(r"y{2,4}|Y{2,4}|M{1,2}|m{1,2}|d{1,2}|D{1,2}|h{1,2}|H{1,2}|s{1,2}")
_NUMBER = re.compile(r"\d+")
_MIN_PARTS = 3
_NOON = 12
_FORM = "Pass a date as 2031-12-24, with a time as 2031-12-24 18:30."


@dataclass(frozen=True, slots=True)
class _Moment:
    day: date
    time: tuple[str, str] | None

    @property
    def parts(self) -> tuple[int, int, int]:
        return self.day.year, self.day.month, self.day.day


def is_date(text: str) -> bool:
    """Return whether a text is a date that can be picked in a calendar."""
    return (
        date_pickers.ISO_DATE.fullmatch(text.strip()) is not None
        or _DOTTED.fullmatch(text.strip()) is not None
    )


async def is_read_only(target: Target) -> bool:
    """Return whether the target is a text field that the page alone writes into."""
    return target.about["kind"] == "text" and bool(await target.element.call(_READ_ONLY))


async def type_parts(target: Target, deadline: ActionDeadline, text: str) -> bool:
    """Type the parts of a date where the field shows what they are, such as `dd.mm.yyyy`.

    Return whether it does. Raises wrong_value for a date that does not exist.
    """
    mask = str(await target.element.call(_STATE))
    moment = _moment(target, text)
    spans = [match.span() for match in _PARTS.finditer(mask)]
    parts = [mask[start:end] for start, end in spans]
    if moment is None or len(parts) < _MIN_PARTS or _PARTS.sub("", mask).strip(" -/.:,"):
        return False
    hour, minute = moment.time or ("00", "00")
    numbers = {"y": f"{moment.day:%Y}", "M": f"{moment.day:%m}", "d": f"{moment.day:%d}"}
    numbers |= {"h": hour, "m": minute, "s": "00"}
    await wait_selected(target, deadline)
    for _ in parts:
        await _press_in_mask(target, "ArrowLeft")
    typed: list[str] = []
    for at, part in enumerate(parts):
        is_month = part[0] == "M" or (part == "mm" and at < _MIN_PARTS and "M" not in mask)
        kind = "M" if is_month else part[0].lower()
        typed.append(kind)
        caret = 0
        for digit in numbers[kind][-len(part) :].zfill(len(part)):
            caret = await _press_in_mask(target, digit)
        if at + 1 < len(parts) and caret < spans[at + 1][0]:  # else it has gone on by itself
            await _press_in_mask(target, "ArrowRight")
    held = str(await target.element.call(_STATE))
    if set(map(int, _NUMBER.findall(held))) != {int(numbers[kind]) for kind in typed}:
        raise difference(target, text, held)
    return True


async def _press_in_mask(target: Target, key: str) -> int:
    await input_events.press(target.element.tab, key)
    return int(await target.element.call(_MASK) or 0)


async def open_by_click(target: Target, deadline: ActionDeadline) -> bool:
    """Click a read-only field; return whether that made it take text."""
    await comboboxes.note_page(target)
    x, y = await wait_ready(target, deadline)
    await input_events.click(target.element.tab, x, y)
    await target.element.call(_MONTH, 0, min(_OPENING_S, deadline.seconds_left) * 1000)
    return not await target.element.call(_READ_ONLY)


async def pick(target: Target, deadline: ActionDeadline, values: Sequence[str]) -> Given:
    """Pick dates in the calendar that has opened, or options in the list.

    Raises wrong_value, value_differs, and not_enabled where nothing has opened.
    """
    moments = [_moment(target, value) for value in values]
    dated = [one for one in moments if one is not None]
    if await target.element.call(_MONTH, 0, 0):
        if len(dated) < len(values):
            await _close(target)
            raise value_error(target, "it takes what is picked in its calendar.", _FORM)
        await _pick_dates(target, deadline, dated)
        return {"text": values[0]} if len(values) == 1 else None
    if len(values) == 1 and await comboboxes.choose_opened(target, deadline, values[0]):
        return None
    await wait_ready(target, deadline, point=False, editable=True)
    return None


def _moment(target: Target, text: str) -> _Moment | None:
    written, dotted = date_pickers.ISO_DATE.fullmatch(text.strip()), _DOTTED.fullmatch(text.strip())
    if written is not None:
        year, month, day, *time = written.groups()
    elif dotted is not None:
        day, month, year, *time = dotted.groups()
    else:
        return None
    try:
        return _Moment(date(int(year), int(month), int(day)), tuple(time) if time[0] else None)  # type: ignore[arg-type]
    except ValueError:
        raise value_error(target, f"there is no such date: {text!r}.", _FORM) from None


async def _pick_dates(target: Target, deadline: ActionDeadline, moments: Sequence[_Moment]) -> None:
    try:
        for moment in moments:
            await _pick_day(target, deadline, moment)
        await date_pickers.press_button(target)
    finally:
        await _close(target)
    if not all([await target.element.call(_SHOWS, *one.parts) for one in moments]):
        wanted = ", ".join(str(one.day) for one in moments)
        raise difference(target, wanted, await target.element.call(_STATE))


async def _close(target: Target) -> None:
    """Close a calendar that is still open, and would cover the page."""
    if await target.element.call(_MONTH, 0, 0):
        await input_events.press(target.element.tab, "Escape")


async def _pick_day(target: Target, deadline: ActionDeadline, moment: _Moment) -> None:
    for _ in range(_MAX_STEPS):
        found: dict[str, Any] = await target.element.call(_DAY, *moment.parts)
        if "why" in found or not found:
            raise value_error(target, f"its calendar does not offer {moment.day}.", "Look at it.")
        await comboboxes.click_found(target, deadline)
        if "day" in found:
            break
        moved = await target.element.call(_MONTH, found["step"], _OPENING_S * 1000)
        if not (moved and deadline.seconds_left):
            raise value_error(target, f"its calendar did not get to {moment.day}.", "Look at it.")
    if moment.time is not None:
        await _pick_time(target, deadline, *moment.time)


async def _pick_time(target: Target, deadline: ActionDeadline, hour: str, minute: str) -> None:
    half = await target.element.call(_HALF)
    if half and half != ("pm" if int(hour) >= _NOON else "am"):
        await comboboxes.click_found(target, deadline)
    await _set_time(target, "hour", str(int(hour) % _NOON or _NOON) if half else hour)
    await _set_time(target, "minute", minute)


async def _set_time(target: Target, kind: str, text: str) -> None:
    if not await target.element.call(_TIME_FIELD, kind):
        raise value_error(target, f"its calendar has no field for the {kind}.", "Look at it.")
    async with await found_option(target) as field:
        await field.call(SELECT_ALL)
        await input_events.insert_text(target.element.tab, text)
        await input_events.press(target.element.tab, "Tab")  # Enter closes some calendars
