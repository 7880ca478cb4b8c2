"""Running the steps of an instruction with the functions behind the single-action verbs."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from ocd.api.errors import OcdError
from ocd.browser.tabs.tab import Tab
from ocd.pages.act import (
    coordinate_input,
    drag_and_drop,
    element_actions,
    form_fields,
    page_now,
)
from ocd.pages.act.form_submission import check_submitted, submit_form
from ocd.pages.act.observation import ActionResult
from ocd.pages.instructions.grammar import Step
from ocd.pages.locate import hit_test
from ocd.pages.locate.locators import FIELD_ROLES, TEXT_FIELD_ROLES, Locator, search
from ocd.pages.locate.target import ActionDeadline, Target, resolve_target
from ocd.pages.locate.wait import WaitPolicy, find_when_present, is_present, resolve_when_present
from ocd.safety.domain_policy import parse_url_argument, resolve_in_page

# Milliseconds that a step's element may take to appear after an earlier step.
APPEAR_MS = 2000
_CHECKABLE_ROLES = frozenset(("checkbox", "radio", "switch", "menuitemcheckbox", "menuitemradio"))
_TEXTS: dict[str, Literal["exact", "any"]] = {
    "click": "exact", "double_click": "exact", "right_click": "exact",
    "hover": "any", "scroll_into_view": "any",
}  # fmt: skip
_CHOICE_ROLES = frozenset(("combobox", "listbox", "radiogroup"))
_OPTION_ROLES = frozenset(("option", "radio", "checkbox", "menuitem", "menuitemradio", "tab"))
_BOXES = frozenset(
    ("grid", "table", "list", "box", "area", "panel", "pane", "region", "sidebar", "menu", "dialog")
)


@dataclass(slots=True)
class StepResult:
    """The result of a step: the element it acted on, if any, and what changed."""

    step: Step
    done: ActionResult
    ref: str = ""
    target: dict[str, str] = field(default_factory=dict)
    more: dict[str, Any] = field(default_factory=dict)

    def to_dict(self, number: int) -> dict[str, Any]:
        """Return the step for the reply, without the typed text."""
        result: dict[str, Any] = {"step": number, "action": self.step.kind}
        if self.ref:
            result |= {"target": self.target, "ref": self.ref}
        return {**result, **self.more, "outcome": "SUCCESS", "changed": self.done.changed}


class InstructionRunner:
    """Runs the steps of one instruction."""

    def __init__(self, tab: Tab, deadline: ActionDeadline, context: str = "") -> None:
        self.tab = tab
        self.deadline = deadline
        self.context = context
        self.results: list[StepResult] = []

    async def run(self, steps: list[Step]) -> None:
        """Run the steps in order; an error names the one that failed, and what was done before."""
        for step in steps:
            try:
                result = await _handlers()[step.kind](self, step)
                check_submitted(result.done)
            except OcdError as error:
                raise await self._step_error(steps, error) from None
            self.results.append(result)

    async def _step_error(self, steps: list[Step], error: OcdError) -> OcdError:
        """Return the error for the step that failed.

        It lists what was done and what was not, and where the page is now.
        """
        number = len(self.results) + 1
        earlier = [result.to_dict(index) for index, result in enumerate(self.results, 1)]
        return OcdError(
            error.code, f"Step {number} ({steps[number - 1].kind}): {error.message}",
            hint=error.hint,
            **{
                **error.details, "step": number, "steps": earlier,
                "not_done": [step.words for step in steps[number - 1 :]],
                "now": page_now.describe(
                    {}, await page_now.ask(self.tab, self.deadline, rejected=False)
                ),
            },
        )  # fmt: skip

    async def resolve_element(self, step: Step, roles: frozenset[str] = frozenset()) -> Target:
        """Return the step's element, waiting for it if there was an earlier step."""
        self.tab.check_usable()
        if _means_focused(step.place):
            return await _focused_element(self.tab)
        locator = replace(
            self.locator(step.place, roles),
            texts=_TEXTS.get(step.kind, ""),
            among="clickable" if _TEXTS.get(step.kind) == "exact" else "acting",
            ties=roles & TEXT_FIELD_ROLES,
        )
        policy = WaitPolicy.of(APPEAR_MS if self.results else 1, call=self.deadline)
        return await resolve_when_present(self.tab, locator, policy, self._resolve_in_context)

    async def _resolve_in_context(self, tab: Tab, locator: Locator) -> Target:
        try:
            return await resolve_target(tab, locator)
        except OcdError as error:
            if error.code != "ambiguous" or not self.context or locator.query is None:
                raise
        return await resolve_target(tab, replace(locator, query=f"{locator.query} {self.context}"))

    def locator(self, words: str, roles: frozenset[str] = frozenset()) -> Locator:
        """Return the locator for a step's words: a ref, a CSS selector, or a query."""
        text = words.strip()
        ref = text.removeprefix("[ref=").removesuffix("]").lstrip("@")
        if ref[:1] == "e" and ref[1:].isdecimal():
            return Locator(ref=ref)
        if text[:1] in "#.[" and " " not in text and len(text) > 1:
            return Locator(selector=text)
        return Locator(query=text, roles=roles)


# Phrases for the focused element.
_FOCUSED_KINDS = frozenset(
    ("element", "field", "input", "box", "control", "textbox", "area", "editor", "cell", "one")
)


def _means_focused(words: str) -> bool:
    """Whether words mean the focused element: `focused field`."""
    first, _, kind = words.lower().removeprefix("currently ").partition(" ")
    return first == "focused" and (not kind or kind in _FOCUSED_KINDS)


async def _focused_element(tab: Tab) -> Target:
    target = await hit_test.focused_element(tab)
    if not target.ref:
        target.element.release()
        raise OcdError(
            "element_not_found", "Nothing on the page has the focus.",
            hint='Name the element: type "Ada" into Name.',
        )  # fmt: skip
    return target


async def _perform(
    runner: InstructionRunner, step: Step, action: str, target: Target
) -> StepResult:
    async with target.element:
        result = await element_actions.perform_action(target, runner.deadline, action, step.value)
    return StepResult(step, result, target.ref, target.describe())


async def _act(runner: InstructionRunner, step: Step) -> StepResult:
    roles = _CHECKABLE_ROLES if step.kind in ("check", "uncheck") else frozenset[str]()
    roles = FIELD_ROLES if step.kind in ("clear", "focus") else roles
    return await _perform(runner, step, step.kind, await runner.resolve_element(step, roles))


async def _select(runner: InstructionRunner, step: Step) -> StepResult:
    target = await runner.resolve_element(step, _CHOICE_ROLES)
    if target.about["kind"] in ("select", "custom", "combo"):
        return await _perform(runner, step, "select", target)
    # The words name a group: its option is a radio button, a tab or a menu item.
    target.element.release()
    inner = replace(step, place=f"{step.value} {step.place}")
    return await _pick(runner, inner)


async def _pick(runner: InstructionRunner, step: Step) -> StepResult:
    target = await runner.resolve_element(step, _OPTION_ROLES)
    if target.about["role"] == "option" and target.about["kind"] == "option":
        return await _perform(runner, replace(step, value=target.about["name"]), "select", target)
    word = "check" if target.about["kind"] == "check" else "click"
    return await _perform(runner, step, word, target)


async def _fill(runner: InstructionRunner, step: Step) -> StepResult:
    target = await runner.resolve_element(step, FIELD_ROLES)
    async with target.element:
        if step.kind == "append":
            result = await element_actions.perform_action(
                target, runner.deadline, "type", step.value
            )
        else:
            result = await form_fields.fill(target, runner.deadline, step.value)
    return StepResult(step, result, target.ref, target.describe())


async def _search(runner: InstructionRunner, step: Step) -> StepResult:
    try:
        filled = await _fill(runner, replace(step, place=step.place or "search"))
    except OcdError as error:
        if not step.place or error.code not in ("element_not_found", "wrong_value", "ambiguous"):
            raise
        filled = await _fill(runner, replace(step, place="search"))
    submitted = await coordinate_input.keys(runner.tab, runner.deadline, "Enter", kind="key")
    combined = ActionResult(
        {**filled.done.changed, **submitted.changed},
        submitted.lines or filled.done.lines,
        now=submitted.now,
    )
    return StepResult(step, combined, filled.ref, filled.target)


async def _type(runner: InstructionRunner, step: Step) -> StepResult:
    target = await hit_test.focused_field(runner.tab)
    if target is None:
        raise OcdError(
            "not_understood",
            "The instruction does not say where to type, and no field has the focus.",
            hint=f'Say: type "{step.value[:40]}" into Name.', words=step.words,
        )  # fmt: skip
    target.element.release()
    result = await coordinate_input.keys(runner.tab, runner.deadline, step.value, kind="type")
    return StepResult(step, result, target.ref, target.describe())


async def _press(runner: InstructionRunner, step: Step) -> StepResult:
    if step.kind == "press_or_click":
        matches, _ = await search(runner.tab, step.value, 3, among="acting")
        named = [match for match in matches if match.name.strip().lower() == step.value.lower()]
        if named and len(step.value) > 1:
            raise OcdError(
                "ambiguous", f"{step.words!r} can mean the key, or the {named[0].role} "
                f"{named[0].name!r}.", hint=f"Say: click {named[0].name}, or: press the "
                f"{step.value} key.", candidates=[match.line for match in named],
            )  # fmt: skip
        if named:
            return await _act(runner, replace(step, kind="click", place=step.value))
    if step.place:
        target = await runner.resolve_element(step, FIELD_ROLES)
        return await _perform(runner, replace(step, kind="press"), "press", target)
    chords = " ".join([step.value] * int(step.amount or 1))
    result = await coordinate_input.keys(runner.tab, runner.deadline, chords, kind="key")
    return StepResult(replace(step, kind="press"), result)


async def _submit(runner: InstructionRunner, step: Step) -> StepResult:
    target = await hit_test.focused_element(runner.tab)
    sent: list[bool] = []

    async def send() -> None:
        sent.append(await submit_form(target, runner.deadline, only_form=True))

    async with target.element:
        result = await coordinate_input.perform_at(runner.tab, target, runner.deadline, send)
    if sent == [False]:
        return await _act(runner, replace(step, kind="click", place="submit"))
    return StepResult(step, result)


async def _scroll(runner: InstructionRunner, step: Step) -> StepResult:
    direction = {"top": "up", "bottom": "down"}.get(step.value, step.value)
    if step.place:
        return await _scroll_inside(runner, step, direction)
    window = await hit_test.window_metrics(runner.tab)
    screenful = window["height" if direction in ("up", "down") else "width"] * 0.85
    pixels = (step.amount or 1) * (screenful if step.other == "screens" or not step.amount else 1)
    if step.value in ("top", "bottom"):
        position, result = await coordinate_input.scroll_to_end(
            runner.tab, runner.deadline, direction
        )
    else:
        position, result = await coordinate_input.scroll(
            runner.tab, None, runner.deadline, direction, pixels / coordinate_input.NOTCH
        )
    return StepResult(
        step, result, more={"position": position["position"], "at_end": position["at_end"]}
    )


async def _scroll_inside(runner: InstructionRunner, step: Step, direction: str) -> StepResult:
    box = await _box(runner, replace(step, kind="scroll_into_view"))
    async with box.element:
        position, result = await coordinate_input.scroll_box(
            box, runner.deadline, direction, pixels=_pixels(step), screens=step.amount or 1
        )
    more = {"position": position["position"], "at_end": position["at_end"]}
    return StepResult(step, result, box.ref, box.describe(), more)


async def _box(runner: InstructionRunner, step: Step) -> Target:
    """Return the element to scroll: `Orders grid` may only be called Orders in the page."""
    try:
        return await runner.resolve_element(step)
    except OcdError as error:
        name, _, kind = step.place.rpartition(" ")
        if error.code != "element_not_found" or kind.lower() not in _BOXES:
            raise
        by_role = f"[role={kind.lower()}]"
        return await runner.resolve_element(replace(step, place=name or by_role))


def _pixels(step: Step) -> float:
    """Return the number of pixels to scroll a box; 0 if the step gives screens."""
    if step.value in ("top", "bottom"):
        return coordinate_input.FAR
    return step.amount if step.amount and step.other == "pixels" else 0


async def _drag(runner: InstructionRunner, step: Step) -> StepResult:
    source, target = (
        drag_and_drop.DragEndpoint(runner.locator(words)) for words in (step.place, step.other)
    )
    result = await drag_and_drop.drag(runner.tab, runner.deadline, source, target)
    return StepResult(step, result.done, more=result.to_dict())


async def _go(runner: InstructionRunner, step: Step) -> StepResult:
    tab = runner.tab
    if step.kind == "navigate":
        url = parse_url_argument(resolve_in_page(step.value, tab.url))
        loading: Awaitable[Any] = tab.navigate(url)
    elif step.kind == "reload":
        loading = tab.reload()
    else:
        loading = tab.back() if step.kind == "back" else tab.forward()
    try:
        async with asyncio.timeout(runner.deadline.seconds_left):
            page = await loading
    except TimeoutError:
        raise _timeout_error("The page has not loaded") from None
    changed = {"url": page.url, "navigated": True, "title": page.title, "status": page.status}
    return StepResult(step, ActionResult(changed, []))


async def _wait(runner: InstructionRunner, step: Step) -> StepResult:
    until_gone = step.kind == "wait_gone"
    locator = runner.locator(step.place)

    async def check() -> bool | None:
        return await is_present(runner.tab, locator) != until_gone or None

    if not await find_when_present(runner.tab, WaitPolicy(runner.deadline), check):
        raise _timeout_error(
            f"{step.place!r} {'is still there' if until_gone else 'did not appear'}"
        )
    return StepResult(step, ActionResult({}, []))


async def _wait_load(runner: InstructionRunner, step: Step) -> StepResult:
    await runner.tab.wait_for("load", timeout_s=max(runner.deadline.seconds_left, 0.05))
    return StepResult(step, ActionResult({}, []))


async def _pause(runner: InstructionRunner, step: Step) -> StepResult:
    await coordinate_input.pause(runner.deadline, step.amount or 0)
    return StepResult(step, ActionResult({}, []))


async def _answer(runner: InstructionRunner, step: Step) -> StepResult:
    accept = step.kind == "accept_dialog"
    dialog, result = await element_actions.answer_dialog(
        runner.tab, runner.deadline, accept=accept, text=step.value
    )
    return StepResult(
        step, result, more={"dialog": {"type": dialog.kind, "message": dialog.message}}
    )


def _timeout_error(what: str) -> OcdError:
    return OcdError("timeout", f"{what}.", hint="Raise timeout_ms, or read the page.")


def _handlers() -> dict[str, Callable[[InstructionRunner, Step], Awaitable[StepResult]]]:
    """Return the handler of each kind of step."""
    acts = (
        "click", "double_click", "right_click", "hover", "focus", "check", "uncheck", "clear",
        "scroll_into_view",
    )  # fmt: skip
    return {
        **dict.fromkeys(acts, _act),
        **dict.fromkeys(("fill", "append"), _fill),
        **dict.fromkeys(("press", "press_or_click"), _press),
        **dict.fromkeys(("navigate", "back", "forward", "reload"), _go),
        **dict.fromkeys(("wait", "wait_gone"), _wait),
        **dict.fromkeys(("accept_dialog", "dismiss_dialog"), _answer),
        "select": _select, "pick": _pick, "search": _search, "type": _type, "submit": _submit,
        "scroll": _scroll, "drag": _drag, "wait_load": _wait_load, "pause": _pause,
    }  # fmt: skip
