"""Form fields: the values each kind of control accepts, entered as a person would."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

from ocd.api.errors import OcdError
from ocd.pages.act import comboboxes, date_pickers, editors, input_events, sliders
from ocd.pages.act.action_effects import ActionEffects
from ocd.pages.act.actionability import (
    SELECT_ALL,
    ActionResult,
    perform,
    settling_of,
    unusable_error,
    wait_ready,
    wait_selected,
)
from ocd.pages.act.pending_work import PendingWork
from ocd.pages.locate.target import ActionDeadline, Target

Value = str | bool | int | float | Sequence[str] | None

MAX_VALUE = 500  # characters of what an editor holds, in a reply
# Kinds of controls that text is typed into.
TEXT_KINDS = ("text", "combo", *editors.KINDS)
_TRUE_WORDS = {"true", "yes", "on", "1", "checked", "y"}
_FALSE_WORDS = {"false", "no", "off", "0", "unchecked", "n", ""}
_TO_END = "function () { return openchrome.caretToEnd(this) }"
_CHOOSE = "function (values, budget) { return openchrome.chooseInTime(this, values, budget) }"
_SET = "function (value) { return openchrome.setDirectly(this, value) }"
_FIND_RADIO = "function (value) { return openchrome.findRadio(this, value) }"
_FIND_BOX = "function (values) { return openchrome.findBox(this, values) }"
_ABOUT = "function (whole) { return openchrome.elementFacts(this, whole) }"
_STATE = "function () { return openchrome.stateOf(this) }"
_CHECKED = "function (want) { return openchrome.checkedInTime(this, want) }"


def value_error(target: Target, message: str, hint: str = "", **details: Any) -> OcdError:  # noqa: ANN401
    """Return the error of a value that the control does not accept."""
    name = f"{target.about['role']} {target.about['name']!r} ({target.ref})"
    return OcdError("wrong_value", f"{name}: {message}", hint=hint, ref=target.ref, **details)


async def fill(
    target: Target,
    deadline: ActionDeadline,
    value: Value,
    *,
    keep: bool = False,
    tells_now: bool = True,
) -> ActionResult:
    """Fill the control, and return what changed and its new value.

    keep: append to the text of a text field. tells_now: with the first line about the page.
    """
    async with _field_of(target, value) as field:
        return await _fill(field, deadline, value, keep=keep, tells_now=tells_now)


@asynccontextmanager
async def _field_of(target: Target, value: Value) -> AsyncIterator[Target]:
    """Yield the text field of a combobox that is none itself, for one text; else the target."""
    takes = target.about["kind"] == "custom" and isinstance(value, str)
    field = await comboboxes.field_inside(target) if takes else None
    if field is None:
        yield target
        return
    async with field as element:
        yield Target(element, target.ref, await element.call(_ABOUT, True))  # noqa: FBT003


async def _fill(
    target: Target, deadline: ActionDeadline, value: Value, *, keep: bool, tells_now: bool
) -> ActionResult:
    adds = keep and target.about["kind"] in ("text", *editors.KINDS)

    held: list[str] = []

    async def act() -> None:
        if target.about["kind"] in editors.KINDS:
            write = editors.append_text if adds else editors.replace_text
            held.append(await write(target, deadline, as_text(value)))
        elif adds:
            await _append_text(target, deadline, as_text(value))
        else:
            await set_value(target, deadline, value)

    offers: list[str] = []

    async def choose_offered() -> None:
        offers.extend(_as_values(value))
        await _choose_offered(target, deadline, value)

    typed = (
        target.about["kind"] == "text"
        and not adds
        and not date_pickers.is_date_or_time(as_text(value))
    )
    chooses = choose_offered if typed and value else None
    async with ActionEffects(target.element.tab) as effects:
        settling = replace(
            settling_of(target, value=True), choose=chooses, in_page=True, tells_now=tells_now
        )
        done = await perform(target, deadline, effects, act, settling)
    if held:
        done.value = held[0][:MAX_VALUE]
    if done.value == "" and value and (offers or target.about["kind"] in ("combo", "custom")):
        # Many empty what was typed and show what was chosen beside it.
        done.value = await comboboxes.shown_choice(target, _as_values(value))
    return done


async def _choose_offered(target: Target, deadline: ActionDeadline, value: Value) -> None:
    """Choose from the list that has opened beside a text field, unless it takes any text."""
    several = isinstance(value, (list, tuple))
    for text in _as_values(value):
        if several:  # they were typed as one text
            await _type_for_list(target, deadline, text)
        answer = await _take_suggestion(target, deadline, text)
        if "why" in answer:
            nothing = {"options": [], "total": 0}
            answer = {**nothing, **answer, "why": "option_not_found"}
        _raise_refusal(target, answer)
    if several:
        await comboboxes.close_list(target)


async def set_value(target: Target, deadline: ActionDeadline, value: Value) -> None:
    """Set the control's value, and verify it.

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
        await check(target, deadline, want=_as_bool(target, value))
    elif kind in ("select", "custom", "radios", "boxes"):
        await choose(target, deadline, value)
    elif kind == "combo":
        await _fill_combobox(target, deadline, value)
    elif kind == "slider":
        await sliders.slide(target, deadline, as_text(value))
    elif kind == "direct":
        await wait_ready(target, deadline, point=False, editable=True)
        _raise_refusal(target, await target.element.call(_SET, as_text(value)))
    else:
        await _type_text(target, deadline, as_text(value))


async def _type_text(target: Target, deadline: ActionDeadline, text: str) -> None:
    await date_pickers.bring_mouse(target, text)
    await comboboxes.open_by_click(target, deadline)
    holds = await _replace_text(target, deadline, text)
    now = await date_pickers.confirm(target, text, holds)
    if now is not None:
        hint = "Choose in the picker."
        raise value_error(target, f"the page's picker turned it into {now!r}.", hint)


async def _fill_combobox(target: Target, deadline: ActionDeadline, value: Value) -> None:
    if isinstance(value, (list, tuple)):
        for one in value:  # each is chosen from what is suggested for it
            await _choose_unless_shown(target, deadline, one)
        await comboboxes.close_list(target)
        if missing := await comboboxes.missing_choices(target, value):
            raise value_error(target, f"it does not show {', '.join(missing)} as selected.")
        return
    text = as_text(value)
    await comboboxes.note_page(target)
    await _type_for_list(target, deadline, text)
    answer = await _take_suggestion(target, deadline, text)
    if "why" in answer:
        answer = await comboboxes.list_options(target, answer)
    _raise_refusal(target, answer)


async def _take_suggestion(target: Target, deadline: ActionDeadline, text: str) -> dict[str, Any]:
    """Choose what is suggested for the text that was typed, or the offer to add it; {} or `why`."""
    answer = await comboboxes.suggest(target, deadline, text)
    if answer.pop("given_up", False):  # one of several, though nothing said so
        await _type_for_list(target, deadline, text)
        answer = await comboboxes.suggest(target, deadline, text)
    if not answer.pop("addition", False):
        return answer
    await _type_for_list(target, deadline, text)  # it was emptied as it was left
    return await comboboxes.add(target, deadline, text)


async def _type_for_list(target: Target, deadline: ActionDeadline, text: str) -> None:
    """Type into a field, and wait for what its listeners put off: most filter their list late."""
    pending = PendingWork(target.element.frame)
    pending.begin()
    await _replace_text(target, deadline, text)
    await pending.wait_done()


async def _choose_unless_shown(target: Target, deadline: ActionDeadline, value: str) -> None:
    try:
        await choose(target, deadline, value)
    except OcdError as error:
        # What has been chosen already is offered no more.
        missing = await comboboxes.missing_choices(target, [value])
        if error.code != "option_not_found" or missing:
            raise


def as_text(value: Value) -> str:
    """Return a value as the text that a field takes."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return ", ".join(value)
    return "" if value is None else str(value)


def _as_values(value: Value) -> list[str]:
    return list(value) if isinstance(value, (list, tuple)) else [as_text(value)]


def _as_bool(target: Target, value: Value) -> bool:
    word = as_text(value).strip().lower()
    if word in _TRUE_WORDS or word in _FALSE_WORDS:
        return word in _TRUE_WORDS
    raise value_error(target, f"it accepts true or false, not {word!r}.", "Pass true or false.")


async def check(target: Target, deadline: ActionDeadline, *, want: bool) -> None:
    """Check or uncheck by a click, if necessary."""
    option = target.about["role"] in ("option", "treeitem") and target.about["kind"] == "none"
    if target.about["kind"] != "check" and not option:
        raise value_error(target, "it cannot be checked.", "Use interact with action click.")
    if target.about["radio"] and not want:
        raise value_error(target, "a radio button is unchecked only by checking another one.")
    if bool(target.about["state"]) == want and target.about["state"] != "mixed":
        await wait_ready(target, deadline, point=False)
        return
    x, y = await wait_ready(target, deadline, strike=True)
    await input_events.click(target.element.tab, x, y)
    state = await target.element.call(_CHECKED, want)
    if (state is not None or option) and bool(state) != want:
        raise value_error(target, f"the click left it {'checked' if state else 'unchecked'}.")


async def choose(target: Target, deadline: ActionDeadline, value: Value) -> None:
    """Choose an option by value or label; several where the control accepts several."""
    kind = target.about["kind"]
    values = _as_values(value)
    if kind == "radios":
        await _choose_radio(target, deadline, values)
        return
    if kind == "boxes":
        await _tick(target, deadline, values)
        return
    if kind == "combo":
        await _choose_suggestion(target, deadline, values)
        return
    if kind == "custom":
        _raise_refusal(target, await comboboxes.choose(target, deadline, values))
        return
    if kind not in ("select", "option"):
        hint = "Click it, then click the option that appears."
        raise value_error(target, "it has no options to choose by value.", hint)
    while True:
        await wait_ready(target, deadline, point=False)
        answer = await target.element.call(_CHOOSE, values, deadline.seconds_left * 1000)
        if answer.get("why") != "detached" or not deadline.seconds_left:
            break
    _raise_refusal(target, answer)


async def _choose_radio(target: Target, deadline: ActionDeadline, values: list[str]) -> None:
    if len(values) != 1:
        raise value_error(target, "it accepts only one option.")
    _raise_refusal(target, await target.element.call(_FIND_RADIO, values[0]))
    async with await comboboxes.found_option(target) as element:
        radio = Target(element, target.ref, await element.call(_ABOUT, False))  # noqa: FBT003
        await check(radio, deadline, want=True)


async def _tick(target: Target, deadline: ActionDeadline, values: list[str]) -> None:
    """Check exactly the requested boxes of a group."""
    clicks = 0
    while True:
        answer = await target.element.call(_FIND_BOX, values)
        _raise_refusal(target, answer)
        if answer["want"] is None:
            return
        if clicks == answer["total"]:
            raise value_error(target, "it does not keep exactly these boxes checked.")
        async with await comboboxes.found_option(target) as element:
            box = Target(element, target.ref, await element.call(_ABOUT, False))  # noqa: FBT003
            await check(box, deadline, want=answer["want"])
        clicks += 1


async def _choose_suggestion(target: Target, deadline: ActionDeadline, values: list[str]) -> None:
    await comboboxes.note_page(target)
    await _type_for_list(target, deadline, values[0])
    if len(values) == 1 and await comboboxes.add_unlisted(target, deadline, values[0]):
        return
    answer = await comboboxes.choose(target, deadline, values)
    if "why" in answer and not answer.get("options"):
        # What was typed leaves nothing to choose from: the whole list names the candidates.
        if await target.element.call(_STATE):
            await _type_for_list(target, deadline, "")
        answer = await comboboxes.list_options(target, answer)
    _raise_refusal(target, answer)


async def clear(target: Target, deadline: ActionDeadline) -> None:
    """Empty a text field."""
    if target.about["kind"] not in TEXT_KINDS:
        raise value_error(target, "it has no text to clear.", "Use `form_input` to set its value.")
    await _replace_text(target, deadline, "")


async def caret_to_end(target: Target) -> int:
    """Focus a text field with the caret behind its text; return how long that is, if known."""
    caret = await target.element.call(_TO_END)
    if not caret["placed"]:
        await input_events.press(target.element.tab, editors.END)
    return int(caret["length"])


async def _append_text(target: Target, deadline: ActionDeadline, text: str) -> None:
    max_length = target.about["most"]
    await wait_ready(target, deadline, point=False, editable=True)
    length = await caret_to_end(target)
    if max_length is not None and length + len(text.encode("utf-16-le")) // 2 > max_length:
        hint = "Shorten the text."
        raise value_error(
            target, f"it accepts at most {max_length} characters.", hint, most=max_length
        )
    await input_events.insert_text(target.element.tab, text)


async def _replace_text(target: Target, deadline: ActionDeadline, text: str) -> str:
    """Put the text in the place of what the field holds; return what it holds then, if told."""
    if target.about["kind"] in editors.KINDS:
        await editors.replace_text(target, deadline, text)
        return ""
    max_length = target.about["most"]
    if max_length is not None and len(text.encode("utf-16-le")) > 2 * max_length:
        hint = "Shorten the text."
        raise value_error(
            target, f"it accepts at most {max_length} characters.", hint, most=max_length
        )
    if not await wait_selected(target, deadline):
        # Something takes the focus away; a person's click may bring it back.
        x, y = await wait_ready(target, deadline, editable=True)
        await input_events.click(target.element.tab, x, y)
        await target.element.call(SELECT_ALL)
    await input_events.insert_text(target.element.tab, text)
    if target.about["secret"] or not text:
        return ""
    state = await target.element.call(_STATE)
    if not state:
        hint = "Is it a number field, or too short?"
        raise value_error(target, "it did not accept the text.", hint)
    return str(state)


def _raise_refusal(target: Target, answer: dict[str, Any]) -> None:
    reason = answer.get("why")
    if reason is None:
        return
    if reason == "option_not_found":
        name = f"{target.about['role']} {target.about['name']!r} ({target.ref})"
        raise OcdError(
            "option_not_found", f"{name} has no option {answer['text']!r}.",
            hint="Choose one of its options, by label or value.",
            ref=target.ref, options=answer["options"], total=answer["total"],
        )  # fmt: skip
    if reason == "no_options":
        raise value_error(
            target, "it did not open a list of options.", "Click it, and read what appears."
        )
    if reason == "wrong_value":
        raise value_error(target, f"{answer['text']}.", "Pass the value in that form.")
    raise unusable_error(target, answer)
