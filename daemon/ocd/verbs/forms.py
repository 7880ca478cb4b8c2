"""Verbs that fill forms: form_input, fill_form."""

import asyncio
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, NotRequired, TypedDict

import msgspec
from msgspec import Meta

from ocd import call_context
from ocd.api.errors import OcdError
from ocd.browser.tabs.tab import Tab
from ocd.pages.act import element_actions, form_submission, held_values, input_events
from ocd.pages.act import form_fields as fields
from ocd.pages.act.action_effects import ActionEffects
from ocd.pages.act.field_errors import difference
from ocd.pages.act.field_values import is_bool
from ocd.pages.act.observation import ActionResult, Given, perform
from ocd.pages.locate.locators import TEXT_FIELD_ROLES, TICK_ROLES, Locator
from ocd.pages.locate.target import ActionDeadline, Target, resolve_target
from ocd.pages.locate.wait import WaitPolicy, resolve_when_present
from ocd.verb_api import change_lines
from ocd.verb_api.action_results import ActionReply, ElementName, InvalidField
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
FIELD_WAIT_MS = 1500  # a field may come with an answer to the previous action
_FIELD_S = 1.5  # that a field leaves each one after it, where there is so much time


class FormInput(ElementParams):
    """Set the value of one form field

    Text, checkboxes, radios, selects (option's label or value), dates (2031-12-24), times
    (18:30), colours (#rrggbb), ranges, editable text. Replaces the current value. Several
    fields: fill_form.
    """

    value: Annotated[Value, Meta(description="Text, true/false, option, date", extra=PAYLOAD)]
    wait_for_ms: WaitForMs = FIELD_WAIT_MS
    poll_interval: PollInterval = None
    timeout_ms: Timeout = 5000


class Field(msgspec.Struct, forbid_unknown_fields=True):
    """One field to fill."""

    value: Annotated[Value, Meta(description="As in form_input")]
    ref: Annotated[str | None, Meta(description="Element ref")] = None
    selector: Annotated[str | None, Meta(description="CSS selector")] = None
    query: Annotated[str | None, Meta(description="Words, as its label")] = None
    label: Annotated[
        str | None, Meta(description="The same as query", extra_json_schema=UNLISTED)
    ] = None


class FillForm(Params):
    """Fill several form fields at once and optionally submit

    If a field fails, the others are still filled, nothing is submitted, and the call fails
    (fields_failed).
    """

    fields: Annotated[
        Annotated[tuple[Field, ...], Meta(min_length=1, max_length=200)]
        | Annotated[dict[str, Value], Meta(min_length=1, max_length=200)],
        Meta(
            description="{ref, words or selector: value}, or [{value, ref, selector or query}]",
            extra=PAYLOAD,
        ),
    ]
    submit: Annotated[str | bool, Meta(description="true, or the button's ref or words")] = False
    clear_first: Annotated[
        bool, Meta(description="false: append to the existing text", extra_json_schema=UNLISTED)
    ] = True
    wait_for_ms: WaitForMs = FIELD_WAIT_MS
    poll_interval: PollInterval = None
    timeout_ms: Annotated[
        Annotated[int, Meta(ge=1, le=MAX_TIMEOUT_MS)] | None,
        Meta(description="Time limit in ms; default: 10000", extra_json_schema=UNLISTED),
    ] = None

    def __post_init__(self) -> None:
        if self.timeout_ms is None:
            self.timeout_ms = 10_000 + self.wait_for_ms


class FormInputResult(ActionReply):
    """The field's current state."""

    ref: str
    target: ElementName
    value: Annotated[Any, Meta(description="Its current value")]


class FilledField(TypedDict):
    """One field that was filled."""

    field: Annotated[str, Meta(description="As the caller named it")]
    ref: str
    target: ElementName
    value: Annotated[Any, Meta(description="Its current value")]


class FillFormResult(ActionReply):
    """The fields' current state."""

    fields: list[FilledField]
    filled: int
    submitted: NotRequired[bool]


@tab_verb(
    "form_input",
    FormInput,
    capability="core",
    tier=1,
    returns=FormInputResult,
    reads_page=True,
    page_keys=PAGE_KEYS,
    example={"query": "Email", "value": "ada@example.com"},
)
async def form_input(tab: Tab, params: FormInput) -> Output:
    deadline = ActionDeadline.of(params.timeout_ms)
    locator = _field_locator(Locator.of(params), params.value)
    target = await _resolve_field(tab, locator, params, deadline)
    async with target.element:
        done = await fields.fill(target, deadline, params.value)
    data = {"ref": target.ref, "target": target.describe(), "value": done.value}
    return answer(tab, data, done)


@tab_verb(
    "fill_form",
    FillForm,
    capability="core",
    tier=1,
    returns=FillFormResult,
    reads_page=True,
    page_keys=PAGE_KEYS,
    example={"fields": {"Email": "ada@example.com", "Remember me": True}, "submit": True},
)
async def fill_form(tab: Tab, params: FillForm) -> Output:
    assert params.timeout_ms is not None
    deadline = ActionDeadline.of(params.timeout_ms)
    form = _FormFill(tab, deadline, params)
    limit = asyncio.timeout(call_context.seconds_left(MAX_TIMEOUT_MS / 1000))
    try:
        async with limit:
            data = await _fill_form(form, params)
    except TimeoutError:
        if not limit.expired():
            raise
        raise form.timeout_error() from None
    for target in form.targets:
        target.element.release()
    return answer(tab, data, form.result)


async def _fill_form(form: "_FormFill", params: FillForm) -> dict[str, Any]:
    wanted = _wanted_fields(params)
    for count, one in enumerate(wanted):
        await form.fill(one, after=len(wanted) - count - 1)
    await form.check_again()
    if form.failed:
        raise form.error()
    data: dict[str, Any] = {"fields": form.filled, "filled": len(form.filled)}
    if params.submit is False:
        return data
    form.at = "the submission"
    try:
        form.note(await _submit(form.tab, form.targets[-1], params.submit, form.deadline))
    except OcdError as error:
        error.details |= {**data, "submitted": False}
        raise
    if invalid := form.result.changed.get("invalid"):
        form.refuse(invalid)
        raise form.error()
    return {**data, "submitted": True}


def _wanted_fields(params: FillForm) -> list[Field]:
    if isinstance(params.fields, dict):
        return [_named_field(name, value) for name, value in params.fields.items()]
    return list(params.fields)


def _named_field(name: str, value: Value) -> Field:
    # A ref as readings show it is taken for one: fields without a label have nothing else.
    bare = name.removeprefix("@")
    is_ref = bare[:1] == "e" and bare[1:].isdecimal()
    return Field(value, ref=name) if is_ref else Field(value, query=name)


@dataclass(slots=True)
class _FormFill:
    """The fields of a form as they are filled: which were, which were not, and what changed.

    at: the field being filled, or the step that follows, for a timeout's message.
    """

    tab: Tab
    deadline: ActionDeadline
    params: FillForm
    filled: list[dict[str, Any]] = field(default_factory=list)
    failed: list[dict[str, Any]] = field(default_factory=list)
    targets: list[Target] = field(default_factory=list)
    given: list[Given] = field(default_factory=list)
    result: ActionResult = field(default_factory=lambda: ActionResult({}, []))
    at: str = ""

    async def fill(self, field: Field, *, after: int) -> None:
        """Fill one field; a failure is noted, unless the page itself is gone or waits.

        after: the number of fields that follow, for which time is reserved.
        """
        words = field.label if field.query is None else field.query
        locator = _field_locator(Locator(field.ref, field.selector, words), field.value)
        named = {"field": str(locator)}
        self.at = repr(named["field"])
        try:
            target = await _resolve_field(self.tab, locator, self.params, self.deadline)
            left = self.deadline.seconds_left
            deadline = ActionDeadline.after(max(left / (after + 1), left - _FIELD_S * after))
            done = await fields.fill(
                target,
                deadline,
                field.value,
                keep=not self.params.clear_first,
                describe_page=not after and not self.params.submit,
            )
        except OcdError as error:
            if error.code in ("tab_gone", "tab_crashed", "browser_gone", "dialog_open"):
                raise
            self.failed.append({**named, "error": error.body()})
            return
        self.note(done)
        self.result.lines = change_lines.without_values_of(target.ref, self.result.lines)
        self.targets.append(target)
        self.given.append(done.given)
        ref = {"ref": target.ref, "target": target.describe()}
        self.filled.append({**named, **ref, "value": done.value})

    async def check_again(self) -> None:
        """Count fields as failed that no longer hold their value since they were left."""
        if self.tab.opened_dialog is not None or self.result.changed.get("navigated"):
            return
        lost: list[dict[str, Any]] = []
        for target, given, one in list(zip(self.targets, self.given, self.filled, strict=True))[
            :-1
        ]:
            instead = await held_values.instead_of(target, given) if given else None
            if instead is not None:
                error = difference(target, one["value"], instead["held"])
                self.failed.append({"field": one["field"], "error": error.body()})
                lost.append(one)
        self.filled = [field for field in self.filled if field not in lost]
        await self._check_validity()

    async def _check_validity(self) -> None:
        """Drop complaints about values that have become valid because of other fields."""
        if "not_valid" not in self.result.changed:
            return
        invalid = [target.ref for target in self.targets if await held_values.is_invalid(target)]
        reported = [field for field in self.result.changed["not_valid"] if field["ref"] in invalid]
        self.result.changed["not_valid"] = reported

    def note(self, done: ActionResult) -> None:
        """Add the result of an action."""
        changed = {**self.result.changed, **done.changed}
        for key in ("not_valid", "taken_back"):
            if reported := [*self.result.changed.get(key, ()), *done.changed.get(key, ())]:
                changed[key] = reported
        lines = change_lines.join(self.result.lines, done.lines)[:30]
        self.result = ActionResult(changed, lines, now=done.now)

    def refuse(self, invalid: list[InvalidField]) -> None:
        """Count fields as failed that the browser finds invalid and therefore does not submit."""
        fields = {field["ref"]: field["field"] for field in self.filled}
        self.failed += form_submission.refusals(invalid, fields)
        refs = {field["ref"] for field in invalid}
        self.filled = [field for field in self.filled if field["ref"] not in refs]

    def error(self) -> OcdError:
        """Return the error of a form with fields that failed."""
        first, count = self.failed[0], len(self.filled) + len(self.failed)
        return OcdError(
            "fields_failed",
            f"{len(self.failed)} of {count} fields failed"
            f"{'' if self.params.submit is False else ', so nothing was submitted'}: "
            f"{first['field']!r}: {first['error']['message']}",
            hint=f"{self._filled_names()}{self._advice()}",
            **self._details(),
        )

    def timeout_error(self) -> OcdError:
        """Return the error of a form that took too long, on a page that does not respond."""
        assert self.params.timeout_ms is not None
        failed = ", ".join(repr(field["field"]) for field in self.failed)
        return OcdError(
            "timeout",
            f"fill_form took longer than {self.params.timeout_ms / 1000:g} s: the page stopped "
            f"responding at {self.at}.{f' Failed before: {failed}.' if failed else ''}",
            hint=f"{self._filled_names()}Raise timeout_ms, or read the page again.",
            **self._details(),
        )

    def _filled_names(self) -> str:
        names = ", ".join(repr(field["field"]) for field in self.filled)
        return f"Filled: {names}. " if names else ""

    def _advice(self) -> str:
        own = {field["error"].get("hint", "") for field in self.failed} - {""}
        rest = "Fill the rest by refs from `read_page` or `find`."
        return f"{own.pop()} {rest}" if len(own) == 1 else rest

    def _details(self) -> dict[str, Any]:
        details: dict[str, Any] = {"filled": len(self.filled), "failed": self.failed}
        details |= {"fields": self.filled, "changed": self.result.changed}
        return details if self.params.submit is False else {**details, "submitted": False}


def _field_locator(at: Locator, value: Value) -> Locator:
    """Return the locator of a field for a value.

    Of what fits equally well, true and false mean a box to tick, and any other value a text field.
    """
    ties = TICK_ROLES if is_bool(value) else TEXT_FIELD_ROLES
    typed = None if is_bool(value) or isinstance(value, list | tuple) else str(value)
    return replace(at, ties=ties, among="fields", value=typed)


async def _resolve_field(
    tab: Tab, locator: Locator, params: FormInput | FillForm, deadline: ActionDeadline
) -> Target:
    # The previous field may have used up its own time: each has a new wait.
    policy = WaitPolicy.of(params.wait_for_ms, params.poll_interval, deadline)
    return await resolve_when_present(tab, locator, policy)


async def _submit(
    tab: Tab, last: Target, submit: str | bool, deadline: ActionDeadline
) -> ActionResult:
    if isinstance(submit, str):
        is_ref = submit.lstrip("@")[:1] == "e" and submit.lstrip("@")[1:].isdecimal()
        # Pages often have a link of the same name, to where the form is.
        words = Locator(query=submit, ties=frozenset({"button"}))
        button = await resolve_target(tab, Locator(ref=submit) if is_ref else words)
        return await element_actions.perform_action(button, deadline, "click")
    async with ActionEffects(tab) as effects:
        return await perform(last, deadline, effects, lambda: _enter(tab, last, deadline))


async def _enter(tab: Tab, last: Target, deadline: ActionDeadline) -> None:
    # As a person who is done with the last field: its form's own listeners decide.
    if not await form_submission.submit_form(last, deadline):
        await input_events.press(tab, "Enter")
