"""Form fields: what each kind of control takes, and how it is given that as a person would."""

from collections.abc import Sequence
from typing import Any

from ocd.api.errors import OcdError
from ocd.pages.act import comboboxes, input_events
from ocd.pages.act.action_effects import ActionEffects
from ocd.pages.act.actionability import ActionResult, perform, unusable_error, wait_ready
from ocd.pages.locate.target import ActionDeadline, Target

Value = str | bool | int | float | Sequence[str] | None

_TRUE_WORDS = {"true", "yes", "on", "1", "checked", "y"}
_FALSE_WORDS = {"false", "no", "off", "0", "unchecked", "n", ""}
_SELECT_ALL = "function () { return openchrome.selectAll(this) }"
_TO_END = "function () { return openchrome.toEnd(this) }"
_CHOOSE = "function (values) { return openchrome.choose(this, values) }"
_SET = "function (value) { return openchrome.setDirectly(this, value) }"
_STATE = "function () { return openchrome.stateOf(this) }"


def value_error(target: Target, message: str, hint: str = "", **details: Any) -> OcdError:  # noqa: ANN401
    """Return the error of a value that the control does not take."""
    name = f"{target.about['role']} {target.about['name']!r} ({target.ref})"
    return OcdError("wrong_value", f"{name}: {message}", hint=hint, ref=target.ref, **details)


async def fill(
    target: Target, clock: ActionDeadline, value: Value, *, keep: bool = False
) -> ActionResult:
    """Give the control a value, and tell what changed and what it has now.

    keep: text is added to what a text field has.
    """
    adds = keep and target.about["kind"] in ("text", "rich")

    async def act() -> None:
        await (
            _append_text(target, clock, as_text(value)) if adds else set_value(target, clock, value)
        )

    async with ActionEffects(target.element.tab) as effects:
        return await perform(target, clock, effects, act, value=True)


async def set_value(target: Target, clock: ActionDeadline, value: Value) -> None:
    """Give the control a value, and see that it has it.

    Raises wrong_value, option_not_found, and what wait_ready raises.
    """
    kind = target.about["kind"]
    if kind == "file":
        hint = "Files are given with file_upload."
        raise value_error(target, "a file cannot be written into it.", hint)
    if kind in ("none", "option"):
        hint = "Use interact to click it; find names the fields of the page."
        raise value_error(target, "it is not a field.", hint)
    if kind == "check":
        await check(target, clock, want=_as_bool(target, value))
    elif kind in ("select", "custom"):
        await choose(target, clock, value)
    elif kind == "combo":
        await _replace_text(target, clock, as_text(value))
        await comboboxes.suggest(target, clock, as_text(value))
    elif kind == "direct":
        await wait_ready(target, clock, point=False, editable=True)
        _raise_refusal(target, await target.element.call(_SET, as_text(value)))
    else:
        await _replace_text(target, clock, as_text(value))


def as_text(value: Value) -> str:
    """Return a value as the text that a field takes."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return ", ".join(value)
    return "" if value is None else str(value)


def _as_bool(target: Target, value: Value) -> bool:
    word = as_text(value).strip().lower()
    if word in _TRUE_WORDS or word in _FALSE_WORDS:
        return word in _TRUE_WORDS
    raise value_error(target, f"it takes true or false, not {word!r}.", "Pass true or false.")


async def check(target: Target, clock: ActionDeadline, *, want: bool) -> None:
    """Check or uncheck by a click, if it is not so already."""
    if target.about["kind"] != "check":
        raise value_error(target, "it cannot be checked.", "Use interact with action click.")
    if target.about["radio"] and not want:
        raise value_error(target, "a radio button is only unchecked by another one.")
    if bool(target.about["state"]) == want and target.about["state"] != "mixed":
        await wait_ready(target, clock, point=False)
        return
    x, y = await wait_ready(target, clock)
    await input_events.click(target.element.tab, x, y)
    state = await target.element.call(_STATE)
    if state is not None and bool(state) != want:
        raise value_error(target, f"the click left it {'checked' if state else 'unchecked'}.")


async def choose(target: Target, clock: ActionDeadline, value: Value) -> None:
    """Choose an option by value or label; several where the control takes several."""
    kind = target.about["kind"]
    values = list(value) if isinstance(value, (list, tuple)) else [as_text(value)]
    if kind == "combo":
        await _replace_text(target, clock, values[0])
    if kind in ("custom", "combo"):
        _raise_refusal(target, await comboboxes.choose(target, clock, values))
        return
    if kind not in ("select", "option"):
        hint = "Click it, then click the option that appears."
        raise value_error(target, "it has no options to choose by value.", hint)
    await wait_ready(target, clock, point=False)
    _raise_refusal(target, await target.element.call(_CHOOSE, values))


async def clear(target: Target, clock: ActionDeadline) -> None:
    """Empty a text field."""
    if target.about["kind"] not in ("text", "rich", "combo"):
        raise value_error(
            target, "there is no text in it to clear.", "Use form_input for its value."
        )
    await _replace_text(target, clock, "")


async def _append_text(target: Target, clock: ActionDeadline, text: str) -> None:
    most = target.about["most"]
    await wait_ready(target, clock, point=False, editable=True)
    has = await target.element.call(_TO_END)
    if most is not None and has + len(text.encode("utf-16-le")) // 2 > most:
        raise value_error(
            target, f"it takes at most {most} characters.", "Shorten the text.", most=most
        )
    # Number and mail fields let scripts place no caret.
    await input_events.press(target.element.tab, "Control+End")
    await input_events.insert_text(target.element.tab, text)


async def _replace_text(target: Target, clock: ActionDeadline, text: str) -> None:
    most = target.about["most"]
    if most is not None and len(text.encode("utf-16-le")) > 2 * most:
        raise value_error(
            target, f"it takes at most {most} characters.", "Shorten the text.", most=most
        )
    await wait_ready(target, clock, point=False, editable=True)
    if not await target.element.call(_SELECT_ALL):
        # Something takes the focus away; a person's click may bring it back.
        x, y = await wait_ready(target, clock, editable=True)
        await input_events.click(target.element.tab, x, y)
        await target.element.call(_SELECT_ALL)
    await input_events.insert_text(target.element.tab, text)
    if target.about["secret"] or target.about["kind"] == "rich":
        return
    if text and not await target.element.call(_STATE):
        raise value_error(
            target, "it did not take the text.", "Is it a number field, or too short?"
        )


def _raise_refusal(target: Target, answer: dict[str, Any]) -> None:
    why = answer.get("why")
    if why is None:
        return
    if why == "option_not_found":
        name = f"{target.about['role']} {target.about['name']!r} ({target.ref})"
        raise OcdError(
            "option_not_found", f"{name} has no option {answer['text']!r}.",
            hint="Choose one of its options, by label or value.",
            ref=target.ref, options=answer["options"], total=answer["total"],
        )  # fmt: skip
    if why == "no_options":
        raise value_error(
            target, "it opened no list of options.", "Click it, and read what appears."
        )
    if why == "wrong_value":
        raise value_error(target, f"{answer['text']}.", "Pass the value in that form.")
    raise unusable_error(target, answer)
