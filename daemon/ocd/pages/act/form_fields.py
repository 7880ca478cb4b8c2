"""Form fields: the values each kind of control accepts, entered as a person would."""

from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from typing import Any

from ocd.pages.act import (
    character_fields,
    editors,
    held_values,
    input_events,
    sliders,
    text_entry,
    toggles,
)
from ocd.pages.act.action_effects import ActionEffects
from ocd.pages.act.actionability import wait_ready
from ocd.pages.act.dates import date_pickers, segmented_fields
from ocd.pages.act.field_errors import difference, raise_refusal, value_error
from ocd.pages.act.field_values import Value, as_bool, as_text, as_values
from ocd.pages.act.lists import (
    calendars,
    choices,
    comboboxes,
    entered_values,
    several_values,
    suggestions,
)
from ocd.pages.act.observation import ActionResult, Given, perform, settling_of
from ocd.pages.locate.found_element import field_inside
from ocd.pages.locate.target import ActionDeadline, Target

MAX_VALUE = 500  # characters of what an editor holds, in a reply
# The kinds of controls that text is typed into.
TEXT_KINDS = ("text", "combo", *editors.KINDS)
_CHOOSE = "function (values, budget) { return openchrome.chooseInTime(this, values, budget) }"
_SET = "function (...args) { return openchrome.setDirectly(this, ...args) }"
_ABOUT = "function (whole) { return openchrome.elementFacts(this, whole) }"
_STATE = "function () { return openchrome.stateOf(this) }"


async def fill(
    target: Target,
    deadline: ActionDeadline,
    value: Value,
    *,
    keep: bool = False,
    describe_page: bool = True,
) -> ActionResult:
    """Fill the control, and return what changed and its new value.

    keep: append to the text of a text field. describe_page: include `now`, the state of the page.
    """
    async with _field_of(target, value) as field:
        return await _fill(field, deadline, value, keep=keep, describe_page=describe_page)


@asynccontextmanager
async def _field_of(target: Target, value: Value) -> AsyncIterator[Target]:
    """Yield the text field of a combobox that is not one itself; else the target."""
    about = target.about
    one = isinstance(value, str) and not about["several"]
    takes = about["kind"] == "custom" and (one or isinstance(value, (list, tuple)))
    field = await field_inside(target) if takes else None
    if field is None:
        yield target
        return
    async with field as element:
        yield Target(element, target.ref, await element.call(_ABOUT, True))  # noqa: FBT003


async def _fill(
    target: Target, deadline: ActionDeadline, value: Value, *, keep: bool, describe_page: bool
) -> ActionResult:
    adds = keep and target.about["kind"] in ("text", *editors.KINDS)

    held: list[str] = []

    async def act() -> Given:
        if target.about["kind"] in editors.KINDS and not _is_token_field(target, value):
            write = editors.append_text if adds else editors.replace_text
            held.append(await write(target, deadline, as_text(value)))
            return {"text": held[0]}
        if adds:
            return await text_entry.append_text(target, deadline, as_text(value))
        return await set_value(target, deadline, value)

    offers: list[str] = []

    async def choose_offered() -> None:
        offers.extend(as_values(value))
        await _choose_offered(target, deadline, value)

    typed = not adds and _may_be_offered(target, value)
    chooses = choose_offered if typed and value else None
    async with ActionEffects(target.element.tab) as effects:
        settling = replace(
            settling_of(target, value=True, writes=True),
            choose=chooses,
            in_page=True,
            describe_page=describe_page,
        )
        done = await perform(target, deadline, effects, act, settling)
        tokens = typed and not offers and done.instead is None
        dropped = not adds and done.instead is not None and target.about["kind"] == "text"
        again = await _other_way(target, deadline, value, tokens=tokens, dropped=dropped)
        if again is not None:
            done = await perform(target, deadline, effects, again, replace(settling, choose=None))
    if held:
        done.value = held[0][:MAX_VALUE]
    await _check_held(target, value, done, offered=bool(offers))
    return done


def _may_be_offered(target: Target, value: Value) -> bool:
    """Whether a list may open beside a text field for a value that is typed."""
    is_text = target.about["kind"] == "text" and not target.about["several"]
    return is_text and not date_pickers.is_date_or_time(as_text(value))


async def _other_way(
    target: Target, deadline: ActionDeadline, value: Value, *, tokens: bool, dropped: bool
) -> Callable[[], Coroutine[Any, Any, Given]] | None:
    """Return how to enter a value that has been typed again, if it has to be.

    tokens: several values may have to be made one by one. dropped: the page has put back what was
    there.
    """
    if isinstance(value, str):
        if await date_pickers.is_rejected(target, value):
            return partial(_write_in_own_form, target, deadline, value)
        masked = dropped and await text_entry.has_mask(target)
        retries = masked or (dropped and calendars.is_date(value))
        return (
            partial(_enter_otherwise, target, deadline, value, by_keys=masked) if retries else None
        )
    several = tokens and isinstance(value, (list, tuple))
    return partial(_type_tokens, target, deadline, as_values(value)) if several else None


async def _write_in_own_form(target: Target, deadline: ActionDeadline, date: str) -> Given:
    """Write a date that the page rejects as the field itself writes dates; else empty the field."""
    for form in await date_pickers.own_forms(target, date):
        await set_value(target, deadline, form)
        await date_pickers.press_enter(target)
        if await date_pickers.is_taken(target, date):
            return {"text": form}
    await text_entry.replace_text(target, deadline, str(target.about["state"] or ""))
    raise value_error(target, f"the page does not accept {date!r}.", "Look how it writes dates.")


async def _enter_otherwise(
    target: Target, deadline: ActionDeadline, text: str, *, by_keys: bool
) -> Given:
    """Type what the page did not take key by key, or pick a date in the field's calendar."""
    if by_keys:
        if not await calendars.type_parts(target, deadline, text):
            await text_entry.type_keys(target, deadline, text)
        instead = await held_values.instead_of(target, {"text": text})
        if instead is None or not calendars.is_date(text):
            return {"text": text}
    await date_pickers.leave(target)
    await calendars.open_by_click(target, deadline)
    return await calendars.pick(target, deadline, [text])


async def _check_held(target: Target, value: Value, done: ActionResult, *, offered: bool) -> None:
    """Raise an error unless the control holds the value, as text or as a choice shown beside it."""
    emptied = done.instead is not None and done.instead["held"] == ""
    several = isinstance(value, (list, tuple))
    if done.value == "" and value and (emptied or offered or several or _offers_list(target)):
        # Many clear the typed text and show the chosen option beside it.
        values = _parts(value) if emptied else as_values(value)
        done.value = await comboboxes.shown_choice(target, values)
        if not (done.value or emptied):
            done.value = await comboboxes.shown_choice(target, _parts(value))
        # Calendars show the day under the mouse.
        elsewhere = not calendars.is_date(as_text(value)) and _is_shown_elsewhere(done, values)
        if done.value or elsewhere:
            done.instead = None
    held_values.check(target, value, done)
    if _has_put_back(target, value, done):
        raise difference(target, value, done.value)


def _has_put_back(target: Target, value: Value, done: ActionResult) -> bool:
    """Whether a field with suggestions shows what it held before, and not what it was given."""
    before = target.about["state"]
    if target.about["kind"] != "combo" or not isinstance(value, str) or not (value and before):
        return False
    held, given = str(before).casefold(), value.casefold()
    if date_pickers.is_date_or_time(value):  # it may be written otherwise
        return False
    return done.value == before and given not in held and held not in given


def _offers_list(target: Target) -> bool:
    return target.about["kind"] in ("combo", "custom")


def _is_shown_elsewhere(done: ActionResult, values: Sequence[str]) -> bool:
    """Whether the page now shows the typed text somewhere else."""
    lines = [line.casefold() for line in done.lines if line.startswith("+ ")]
    return all(any(text.casefold() in line for line in lines) for text in values)


def _parts(value: Value) -> list[str]:
    return [part for text in as_values(value) for part in entered_values.split_values(text)]


async def _choose_offered(target: Target, deadline: ActionDeadline, value: Value) -> None:
    """Choose from the list that has opened beside a text field, unless it accepts any text."""
    several = isinstance(value, (list, tuple))
    for text in as_values(value):
        if several:  # the values were typed as one text
            await text_entry.type_for_list(target, deadline, text)
        answer = await entered_values.take_suggestion(target, deadline, text)
        if "why" in answer:
            nothing = {"options": [], "total": 0}
            answer = {**nothing, **answer, "why": "option_not_found"}
        raise_refusal(target, answer)
    if several:
        await comboboxes.close_list(target)


async def set_value(target: Target, deadline: ActionDeadline, value: Value) -> Given:
    """Set the control's value and verify it; return what it must hold then, if that is known.

    Raises wrong_value, option_not_found, and what wait_ready raises.
    """
    kind = target.about["kind"]
    if kind == "file":
        hint = "Use `file_upload` for files."
        raise value_error(target, "it is a file input.", hint)
    if kind in ("none", "option"):
        hint = "Use `interact` to click it; `find` names the fields of the page."
        raise value_error(target, "it is not a field.", hint)
    if kind == "check":
        return await toggles.check(target, deadline, want=as_bool(target, value))
    if _is_several(target, value) or _is_token_field(target, value):
        await choices.hold_several(target, deadline, value)
        return None
    if kind in ("select", "custom", "radios", "boxes"):
        return await choose(target, deadline, value)
    if kind == "combo":
        await _fill_combobox(target, deadline, value)
        is_date = date_pickers.is_date_or_time(as_text(value))
        return {"text": as_text(value)} if is_date and isinstance(value, str) else None
    return await _write(target, deadline, value)


async def _write(target: Target, deadline: ActionDeadline, value: Value) -> Given:
    text = as_text(value)
    if value and await calendars.is_read_only(target):
        typable = await calendars.open_by_click(target, deadline)
        if not typable or isinstance(value, (list, tuple)):
            return await calendars.pick(target, deadline, as_values(value))
        return await _type_text(target, deadline, text, opened=True)
    if character_fields.stands_for_row(target, text):
        return await character_fields.fill(target, deadline, text)
    write = {
        "slider": _slide, "segments": segmented_fields.fill, "direct": _set_directly,
    }.get(target.about["kind"], _type_text)  # fmt: skip
    return await write(target, deadline, text)


async def _slide(target: Target, deadline: ActionDeadline, text: str) -> Given:
    await sliders.slide(target, deadline, text)
    return {"state": await target.element.call(_STATE)}


async def _set_directly(target: Target, deadline: ActionDeadline, text: str) -> Given:
    await wait_ready(target, deadline, point=False, editable=True)
    answer = await target.element.call(_SET, text)
    raise_refusal(target, answer)
    if answer.get("key"):
        await input_events.press(target.element.tab, answer["key"])
        if await target.element.call(_STATE) != answer["held"]:  # the page has keys of its own
            await target.element.call(_SET, text, True)  # noqa: FBT003 - to JavaScript
    return {"state": answer["held"]}


async def _type_text(
    target: Target, deadline: ActionDeadline, text: str, *, opened: bool = False
) -> Given:
    """Type a text. opened: a click on the field has opened a picker, if it has one."""
    await date_pickers.bring_mouse(target, text)
    if not opened:
        await comboboxes.open_by_click(target, deadline)
    holds = await text_entry.replace_text(target, deadline, text)
    now = await date_pickers.confirm(target, text, holds, opened=opened)
    if now is not None:
        # Enter took the day on which the picker's cursor was: keys tell some that a date is typed.
        await text_entry.type_keys(target, deadline, text)
        await date_pickers.press_enter(target)
        if await date_pickers.keeps(target, text):
            return {"text": text}
        if await date_pickers.own_forms(target, text):
            return await _write_in_own_form(target, deadline, text)
        hint = "Choose in the picker."
        raise value_error(target, f"the page's picker turned it into {now!r}.", hint)
    return {"text": text}


async def _type_tokens(target: Target, deadline: ActionDeadline, values: Sequence[str]) -> Given:
    """Enter each value separately where Enter makes a token of it; else type them as one text."""
    for count, value in enumerate(values):
        await text_entry.replace_text(target, deadline, value)
        await date_pickers.press_enter(target)
        if not count and not await entered_values.was_taken(target):
            return await _type_text(target, deadline, as_text(values))
    if missing := await comboboxes.missing_choices(target, values):
        raise value_error(target, f"it does not show {', '.join(missing)} as entered.")
    return None


async def _fill_combobox(target: Target, deadline: ActionDeadline, value: Value) -> None:
    text = as_text(value)
    await comboboxes.note_page(target)
    await text_entry.type_for_list(target, deadline, text)
    answer = await entered_values.take_suggestion(target, deadline, text)
    values = await entered_values.find_values_made(target, text) if "why" in answer else [text]
    if not values:
        if await _is_date_taken(target, text):
            return
        answer = await suggestions.list_options(target, answer)
        raise_refusal(target, answer)
    if text and (not await target.element.call(_STATE) or await comboboxes.takes_several(target)):
        await several_values.keep_only(target, deadline, values)
        if await several_values.missing(target, values):  # taken away with those before it
            await entered_values.choose_suggestion(target, deadline, values)


async def _is_date_taken(target: Target, text: str) -> bool:
    """Return whether a combobox with a calendar in place of a list takes the date on Enter."""
    if not date_pickers.is_date_or_time(text):
        return False
    held = str(await target.element.call(_STATE) or "")
    return await date_pickers.confirm(target, text, held, opened=False) is None and (
        await date_pickers.keeps(target, text)
    )


def _is_token_field(target: Target, value: Value) -> bool:
    """Whether an editable element takes several values one by one, as tag fields do."""
    return target.about["kind"] == "rich" and isinstance(value, (list, tuple))


def _is_several(target: Target, value: Value) -> bool:
    lists = isinstance(value, (list, tuple)) and target.about["kind"] in ("combo", "custom")
    return bool(target.about["several"]) or lists


async def choose(target: Target, deadline: ActionDeadline, value: Value) -> Given:
    """Choose an option by value or label; several where the control accepts several.

    Return what must hold then, if that is known.
    """
    kind = target.about["kind"]
    values = as_values(value)
    if kind in ("radios", "boxes"):
        await (toggles.choose_radio if kind == "radios" else toggles.tick)(target, deadline, values)
        return {"state": await target.element.call(_STATE)}
    if target.about["several"] or kind == "custom":
        await choices.hold_several(target, deadline, values)
        return None
    if kind == "combo":
        await entered_values.choose_suggestion(target, deadline, values)
        return None
    if kind not in ("select", "option") and not target.about["suggests"]:
        hint = "Click it, then click the option that appears."
        raise value_error(target, "it has no options to choose by value.", hint)
    while True:
        await wait_ready(target, deadline, point=False)
        answer = await target.element.call(_CHOOSE, values, deadline.seconds_left * 1000)
        if answer.get("why") != "detached" or not deadline.seconds_left:
            break
    raise_refusal(target, answer)
    if "enter" in answer:
        return await set_value(target, deadline, answer["enter"])
    return {"state": answer["held"]}


async def clear(target: Target, deadline: ActionDeadline) -> Given:
    """Empty a text field; return what must hold then."""
    if target.about["kind"] not in TEXT_KINDS:
        raise value_error(target, "it has no text to clear.", "Use `form_input` to set its value.")
    await text_entry.replace_text(target, deadline, "")
    return {"text": ""}
