"""Verbs that fill forms: form_input, fill_form."""

from dataclasses import dataclass, replace
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from ocd.api.errors import OcdError
from ocd.browser.tabs.tab import Tab
from ocd.pages.act import form_fields as fields
from ocd.pages.act import input_events
from ocd.pages.act.action_effects import ActionEffects
from ocd.pages.act.actionability import ActionResult, perform, wait_ready
from ocd.pages.locate.locators import TEXT_FIELD_ROLES, Locator
from ocd.pages.locate.target import ActionDeadline, Target, resolve_target
from ocd.pages.locate.wait import WaitPolicy, resolve_when_present
from ocd.verb_api.declaration import MAX_TIMEOUT_MS, PAYLOAD, UNLISTED, Output, Params, tab_verb
from ocd.verb_api.element_params import (
    PAGE_KEYS,
    ElementParams,
    PollInterval,
    Timeout,
    WaitForMs,
    answer,
)

Value = str | bool | int | float | tuple[str, ...]
FieldValue = Annotated[Value, Meta(description="Text, true/false, option, date")]


class FormInput(ElementParams):
    """Set the value of one form field

    Text, checkboxes, radios, selects (option's label or value), dates (2031-12-24), times
    (18:30), colours (#rrggbb), ranges, editable text. Replaces the current value. Several
    fields: fill_form.
    """

    value: Annotated[Value, Meta(description="Text, true/false, option, date", extra=PAYLOAD)]
    timeout_ms: Timeout = 5000


class Field(msgspec.Struct, forbid_unknown_fields=True):
    """One field to fill."""

    value: FieldValue
    ref: Annotated[str | None, Meta(description="Element ref")] = None
    selector: Annotated[str | None, Meta(description="CSS selector")] = None
    label: Annotated[str | None, Meta(description="Label")] = None


class FillForm(Params):
    """Fill several form fields at once and optionally submit

    If a field fails, the others are still filled, but nothing is submitted.
    """

    fields: Annotated[
        Annotated[tuple[Field, ...], Meta(min_length=1, max_length=200)]
        | Annotated[dict[str, Value], Meta(min_length=1, max_length=200)],
        Meta(
            description="{label or ref: value}, or a list; values as in form_input", extra=PAYLOAD
        ),
    ]
    submit: Annotated[str | bool, Meta(description="true, or the button's ref or words")] = False
    clear_first: Annotated[
        bool, Meta(description="false: append to the existing text", extra_json_schema=UNLISTED)
    ] = True
    wait_for_ms: WaitForMs = 1500
    poll_interval: PollInterval = None
    timeout_ms: Annotated[
        Annotated[int, Meta(ge=1, le=MAX_TIMEOUT_MS)] | None,
        Meta(description="Time limit in ms; default: 10000", extra_json_schema=UNLISTED),
    ] = None

    def __post_init__(self) -> None:
        if self.timeout_ms is None:
            self.timeout_ms = 10_000 + self.wait_for_ms


@tab_verb(
    "form_input",
    FormInput,
    capability="core",
    tier=1,
    reads_page=True,
    page_keys=PAGE_KEYS,
    example={"query": "Email", "value": "ada@example.com"},
)
async def form_input(tab: Tab, params: FormInput) -> Output:
    deadline = ActionDeadline.of(params.timeout_ms)
    target = await resolve_target(tab, replace(Locator.of(params), ties=TEXT_FIELD_ROLES))
    async with target.element:
        done = await fields.fill(target, deadline, params.value)
    data = {"ref": target.ref, "target": target.describe(), "value": done.value}
    return answer(tab, data, done)


@tab_verb(
    "fill_form",
    FillForm,
    capability="core",
    tier=1,
    reads_page=True,
    page_keys=PAGE_KEYS,
    example={"fields": {"Email": "ada@example.com", "Remember me": True}, "submit": True},
)
async def fill_form(tab: Tab, params: FillForm) -> Output:
    assert params.timeout_ms is not None
    deadline = ActionDeadline.of(params.timeout_ms)
    options = _FillOptions(deadline, params)
    results: list[dict[str, Any]] = []
    filled: list[Target] = []
    changed: dict[str, Any] = {}
    lines: list[str] = []
    for wanted in _wanted_fields(params):
        result, target, done = await _fill_one(tab, wanted, options)
        results.append(result)
        filled += [target] if target else []
        changed |= done.changed
        lines += done.lines
    failed = [result for result in results if "error" in result]
    data: dict[str, Any] = {"fields": results, "filled": len(results) - len(failed)}
    if params.submit is not False:
        data["submitted"] = False
        if not failed:
            done = await _submit(tab, filled[-1], params.submit, deadline)
            data["submitted"] = True
            changed, lines = changed | done.changed, lines + done.lines
    for target in filled:
        target.element.release()
    return answer(tab, data, ActionResult(changed, lines[:30]))


def _wanted_fields(params: FillForm) -> list[Field]:
    if isinstance(params.fields, dict):
        return [_named_field(name, value) for name, value in params.fields.items()]
    return list(params.fields)


def _named_field(name: str, value: Value) -> Field:
    # A ref as readings show it is taken for one: fields without a label have nothing else.
    bare = name.removeprefix("@")
    is_ref = bare[:1] == "e" and bare[1:].isdecimal()
    return Field(value, ref=name) if is_ref else Field(value, label=name)


@dataclass(frozen=True, slots=True)
class _FillOptions:
    """How fields are filled: in what time, how long each is waited for, whether its text stays."""

    deadline: ActionDeadline
    params: FillForm

    def patience(self) -> WaitPolicy:
        """Return the patience with one field: the one before may have used up its own."""
        return WaitPolicy.of(self.params.wait_for_ms, self.params.poll_interval, self.deadline)


async def _fill_one(
    tab: Tab, wanted: Field, options: _FillOptions
) -> tuple[dict[str, Any], Target | None, ActionResult]:
    locator = Locator(wanted.ref, wanted.selector, wanted.label, ties=TEXT_FIELD_ROLES)
    named = {"field": str(locator)}
    try:
        target = await resolve_when_present(tab, locator, options.patience())
        done = await fields.fill(
            target, options.deadline, wanted.value, keep=not options.params.clear_first
        )
    except OcdError as error:
        if error.code in ("tab_gone", "tab_crashed", "browser_gone", "dialog_open"):
            raise
        return {**named, "error": error.body()}, None, ActionResult({}, [])
    return {**named, "ref": target.ref, "target": target.describe()}, target, done


async def _submit(
    tab: Tab, last: Target, submit: str | bool, deadline: ActionDeadline
) -> ActionResult:
    if isinstance(submit, str):
        is_ref = submit.lstrip("@")[:1] == "e" and submit.lstrip("@")[1:].isdigit()
        button = await resolve_target(tab, Locator(ref=submit) if is_ref else Locator(query=submit))
    else:
        button = last
    async with ActionEffects(tab) as effects:
        if button is last:
            return await perform(last, deadline, effects, lambda: _enter(tab, last))
        x, y = await wait_ready(button, deadline)
        return await perform(button, deadline, effects, lambda: input_events.click(tab, x, y))


async def _enter(tab: Tab, last: Target) -> None:
    # As a person who is done with the last field: its form's own listeners decide.
    submitted = await last.element.call(
        "function () { const f = (this.control || this).form; if (!f) return false;"
        " const b = openchrome.submitter(this); b ? f.requestSubmit(b) : f.requestSubmit();"
        " return true }"
    )
    if not submitted:
        await input_events.press(tab, "Enter")
