"""Custom select controls: comboboxes, listboxes, buttons with a list."""

from collections.abc import Sequence
from typing import Any

from ocd.api.errors import OcdError
from ocd.pages.act import input_events
from ocd.pages.act.actionability import SELECT_ALL, wait_ready
from ocd.pages.locate.found_element import found_option
from ocd.pages.locate.target import ActionDeadline, Target

# Seconds to wait for a field's suggestions; without one, text stays as it was typed.
SUGGEST_S = 1.0
# The separator between the nested options that lead to one.
_PATH_MARKS = (" / ", " > ", " → ")
# Seconds to wait for a list to open again, to name its options.
_LIST_S = 0.5
_BEFORE = "function (notes) { return openchrome.listState(this, notes) }"
_AWAIT = "function (value, budget) { return openchrome.awaitOption(this, value, budget) }"
_OPTIONS = "function (budget) { return openchrome.listedOptions(this, budget) }"
_SEVERAL = "function () { return openchrome.takesSeveral(this) }"
_ONE = "function () { return openchrome.takesOne(this) }"
_CONFIRMATION = "function () { return openchrome.findConfirmation(this) }"
_OPENER = "function () { return openchrome.findOpener(this) }"
_MISSING = "function (values) { return openchrome.missingChoices(this, values) }"
_KEEPS = "function (key) { return openchrome.keepsText(this, key) }"
_CLOSE_OPENED = "function () { openchrome.closeOpened(this) }"
_STAYS_OPEN = "function (leave) { return openchrome.listStaysOpen(this, leave) }"
_ADDITION = "function (value) { return openchrome.findAddition(this, value) }"
_GAVE_UP = "() => openchrome.wasDeselected()"
_INSTEAD = "function (values, before) { return openchrome.textShownInstead(this, values, before) }"
_HOLDS = """function (value) {
  const { known, missing } = openchrome.compareChosen(this, [value]);
  return !openchrome.takesOne(this) && known && !missing.length;
}"""
_STATE = "function () { return openchrome.stateOf(this) }"
_EXTRA = "function (values) { return openchrome.findChosenBeside(this, values) }"


async def choose(target: Target, deadline: ActionDeadline, values: Sequence[str]) -> dict[str, Any]:
    """Open the control's list and click the options; return {}, or `why` that is not possible.

    `why` is option_not_found (with `options` and `total`), no_options, wrong_value or not_enabled.

    Raises:
        OcdError: value_differs if the control shows another option afterwards.
    """
    several = False
    for count, value in enumerate(values):
        opened = await _open(target, deadline, continues=count > 0)
        several = target.about["several"] or await takes_several(target)
        continues = opened or count > 0 or target.about["kind"] != "custom"
        option = await _await_path(target, deadline, value, continues=continues)
        if "why" not in option and len(values) > 1 and not several:
            several = await takes_several(target)  # the list has come by now
            option = (
                option if several else {"why": "wrong_value", "text": "it accepts only one option"}
            )
        if "why" in option:
            if opened:
                await close_list(target)
            return dict(option)
        if not option["chosen"] or not await _is_shown(target, value, several=several):
            await click_found(target, deadline, continues=continues)
            refusal = await _keep_chosen(target, deadline, value, option)
            if "why" in refusal:
                return refusal
    if values and target.about["kind"] == "custom" and not several:
        await _confirm(target, deadline)
        await _verify_shown(target, values[-1])
    return {}


async def find_refusal(
    target: Target, deadline: ActionDeadline, values: Sequence[str]
) -> dict[str, Any]:
    """Open the list, and return `why` one of the values cannot be chosen from it; {} if all can.

    A value given as a path is not looked up, because its options appear only one after another. A
    disabled option is no refusal, because deselecting another one may enable it.
    """
    await open_list(target, deadline)
    for value in values:
        if len(_split_path(value)) == 1:
            option = await target.element.call(_AWAIT, value, deadline.seconds_left / 2 * 1000)
            if option.get("why") in ("option_not_found", "no_options"):
                return dict(option)
    return {}


async def open_anew(target: Target, deadline: ActionDeadline) -> None:
    """Open the list if it is not open, and wait until it shows its options."""
    await open_list(target, deadline)
    await target.element.call(_OPTIONS, _LIST_S * 1000)


async def _keep_chosen(
    target: Target, deadline: ActionDeadline, value: str, option: dict[str, Any]
) -> dict[str, Any]:
    """Choose an option again if the click has deselected it: the list takes several after all.

    Return {}, or `why` the list does not have it any more.
    """
    if not option["chosen"] or not await target.element.call(_GAVE_UP):
        return {}
    await _open(target, deadline, continues=True)
    again = await _await_path(target, deadline, value, continues=True)
    if "why" in again:
        return again
    await click_found(target, deadline)
    return {}


async def _verify_shown(target: Target, value: str) -> None:
    names = [value, _split_path(value)[-1]]
    if not (instead := await target.element.call(_INSTEAD, names, target.about["state"])):
        return
    await close_list(target)
    name = f"{target.about['role']} {target.about['name']!r} ({target.ref})"
    raise OcdError(
        "value_differs", f"{name} shows {instead!r} after its option {value!r} was clicked.",
        hint="Look at its list: the option may not be selectable.",
        ref=target.ref, expected=value, held=instead,
    )  # fmt: skip


async def _await_path(
    target: Target, deadline: ActionDeadline, value: str, *, continues: bool
) -> dict[str, Any]:
    """Wait for the option; for a path such as `A / B`, click through its levels."""
    option = await target.element.call(_AWAIT, value, deadline.seconds_left * 1000)
    names = _split_path(value)
    if option.get("why") != "option_not_found" or len(names) == 1:
        return dict(option)
    last = await _follow_path(target, deadline, names, continues=continues)
    return dict(option) if last is None else last


async def _follow_path(
    target: Target, deadline: ActionDeadline, names: Sequence[str], *, continues: bool = True
) -> dict[str, Any] | None:
    """Click the options above the last one, and wait for that; None if one is missing."""
    for name in names[:-1]:
        above = await target.element.call(_AWAIT, name, deadline.seconds_left * 1000)
        if "why" in above:
            return None
        await click_found(target, deadline, continues=continues)
    return dict(await target.element.call(_AWAIT, names[-1], deadline.seconds_left * 1000))


async def _look_up_path(target: Target, deadline: ActionDeadline, text: str) -> dict[str, Any]:
    """Wait for an option given as a path, where the typed text left none."""
    names = _split_path(text)
    soon = ActionDeadline.after(min(deadline.seconds_left, len(names) * SUGGEST_S))
    await _retype(target, "")
    option = await _follow_path(target, soon, names)
    if option is not None and "why" not in option:
        return option
    offered: list[str] = await target.element.call(_OPTIONS, 0)
    await _retype(target, text)
    found = {"text": text, "options": offered[:50], "total": len(offered)}
    return {"why": "option_not_found", **found}


async def _retype(target: Target, text: str) -> None:
    await target.element.call(SELECT_ALL)
    await input_events.insert_text(target.element.tab, text)


async def shown_choice(target: Target, values: Sequence[str]) -> str:
    """Return the chosen options, as far as the control shows them beside its own text.

    Of an option given as a path, some controls show the last name only.
    """
    names = {value: _split_path(value)[-1] for value in values}
    missing = await missing_choices(target, [*names, *names.values()])
    texts = [value if value not in missing else last for value, last in names.items()]
    return ", ".join(name for name in texts if name not in missing)


def _split_path(value: str) -> list[str]:
    return next((parts for mark in _PATH_MARKS if len(parts := value.split(mark)) > 1), [value])


async def _is_shown(target: Target, value: str, *, several: bool) -> bool:
    """Whether an option marked as chosen really is: some lists mark the highlighted one."""
    if target.about["role"] == "listbox":
        return True
    return several and (
        target.about["kind"] == "custom" or not await missing_choices(target, [value])
    )


async def note_page(target: Target) -> None:
    """Record what the page shows before the control opens its list."""
    await target.element.call(_BEFORE, True)  # noqa: FBT003 - to JavaScript


async def missing_choices(target: Target, values: Sequence[str]) -> list[str]:
    """Return those of the chosen options that the control does not show."""
    return list(await target.element.call(_MISSING, list(values)))


async def _open(target: Target, deadline: ActionDeadline, *, continues: bool) -> bool:
    """Open the list if it is closed; return whether this opened it, and it closes again."""
    opens = target.about["kind"] == "custom"  # a text field has opened its list by now
    before = await target.element.call(_BEFORE, opens)
    if not before["open"] and opens:
        if await target.element.call(_OPENER):
            await click_found(target, deadline, continues=continues)
        else:
            x, y = await wait_ready(target, deadline, continues=continues)
            await input_events.click(target.element.tab, x, y)
    return not before["open"] and target.about["role"] != "listbox"


async def open_list(target: Target, deadline: ActionDeadline) -> None:
    """Open the list of a control that is no text field, if it is not open."""
    await _open(target, deadline, continues=True)


async def click_other_option(
    target: Target, deadline: ActionDeadline, values: Sequence[str]
) -> bool:
    """Click an option that is chosen and not among the values; False if the list shows none."""
    if target.about["kind"] == "custom":
        await open_list(target, deadline)
    else:
        await note_page(target)
        if await target.element.call(_STATE):
            await _retype(target, "")
        if await target.element.call(_OPTIONS, 0):
            await target.element.call(_OPTIONS, _LIST_S * 1000)
        else:
            await read_options(target)
    if not await target.element.call(_EXTRA, list(values)):
        return False
    await click_found(target, deadline)
    return True


async def click_distant_option(target: Target, deadline: ActionDeadline, name: str) -> bool:
    """Click a chosen option that the open list shows once it is scrolled to; False without one."""
    option = await target.element.call(_AWAIT, name, deadline.seconds_left / 2 * 1000)
    if not option.get("chosen"):
        return False
    await click_found(target, deadline)
    return True


async def read_options(target: Target) -> list[str]:
    """Open the list of a text field, and return what it offers before anything is typed."""
    await note_page(target)
    await target.element.call(SELECT_ALL)
    await input_events.press(target.element.tab, "ArrowDown")
    options: list[str] = await target.element.call(_OPTIONS, _LIST_S * 1000)
    return options


async def open_by_click(target: Target, deadline: ActionDeadline) -> None:
    """Click a text field that seems to search a list, as a person does before typing."""
    if target.about["by_click"]:
        await target.element.call(_CLOSE_OPENED)
        x, y = await wait_ready(target, deadline)
        await input_events.click(target.element.tab, x, y)


async def close_list(target: Target) -> bool:
    """Close a list that stays open after several choices and would cover the page.

    By Escape; in a dialog, which Escape may close, by leaving the field. Return whether it was
    open.
    """
    answer = await target.element.call(_STAYS_OPEN, False)  # noqa: FBT003 - to JavaScript
    was_open = bool(answer["open"])
    if answer["open"] and answer["byKey"]:
        await input_events.press(target.element.tab, "Escape")
        answer = await target.element.call(_STAYS_OPEN, False)  # noqa: FBT003
    if answer["open"]:
        await target.element.call(_STAYS_OPEN, True)  # noqa: FBT003
    return was_open


async def _confirm(target: Target, deadline: ActionDeadline) -> None:
    """Press the button of the dialog that the list stands in, if there is one."""
    if await target.element.call(_CONFIRMATION):
        await click_found(target, deadline)


async def close_several(target: Target) -> None:
    """Close the list of a control that is no text field, if it is still open."""
    if target.about["role"] == "listbox":
        return
    answer = await target.element.call(_STAYS_OPEN, False)  # noqa: FBT003 - to JavaScript
    if answer["open"]:
        await input_events.press(target.element.tab, "Escape")


async def list_options(target: Target, refusal: dict[str, Any]) -> dict[str, Any]:
    """Return the refusal of a choice with the options that the field offers, if any."""
    await input_events.press(target.element.tab, "ArrowDown")
    options: list[str] = await target.element.call(_OPTIONS, _LIST_S * 1000)
    await input_events.press(target.element.tab, "Escape")
    if not options:
        return refusal
    found = {"text": refusal["text"], "options": options[:50], "total": len(options)}
    return {"why": "option_not_found", **found}


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
    if "why" in option and len(_split_path(text)) > 1:
        option = await _look_up_path(target, deadline, text)
    if "why" not in option:
        if option.get("chosen") and await target.element.call(_HOLDS, text):
            await _retype(target, "")  # a click would give it up
            return {}
        only_one = await target.element.call(_ONE)
        await click_found(target, deadline)
        gave_up = option.get("chosen") and not only_one and await target.element.call(_GAVE_UP)
        return {"given_up": True} if gave_up else {}
    addition = bool(await target.element.call(_ADDITION, text))
    if await _keeps_text(target):
        return {}
    return {"addition": True} if addition else dict(option)


async def offers_any(target: Target, text: str) -> bool:
    """Return whether the field offers any options, or to add the text, by now."""
    options = await target.element.call(_OPTIONS, 0)
    return bool(options) or bool(await target.element.call(_ADDITION, text))


async def takes_several(target: Target) -> bool:
    """Return whether the control, or its list, says that several options can be chosen."""
    return bool(await target.element.call(_SEVERAL))


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


async def click_found(target: Target, deadline: ActionDeadline, *, continues: bool = True) -> None:
    """Click what the engine has found. continues: the action has begun, with the control itself."""
    async with await found_option(target) as option:
        found = Target(option, target.ref, target.about)
        x, y = await wait_ready(found, deadline, continues=continues)
        await input_events.click(target.element.tab, x, y)
