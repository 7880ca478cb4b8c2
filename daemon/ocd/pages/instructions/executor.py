"""Doing the steps of an instruction, each by the same means as the verbs that do one thing."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from yarl import URL

from ocd.api.errors import OcdError
from ocd.browser.tabs.tab import Tab
from ocd.pages.act import coordinate_input, drag_and_drop, element_actions, form_fields
from ocd.pages.act.actionability import ActionResult
from ocd.pages.instructions.grammar import Step
from ocd.pages.locate import hit_test
from ocd.pages.locate.locators import FIELD_ROLES, TEXT_FIELD_ROLES, Locator, search
from ocd.pages.locate.target import ActionDeadline, Target, resolve_target
from ocd.pages.locate.wait import WaitPolicy, find_when_present, is_present, resolve_when_present
from ocd.safety.domain_policy import parse_url_argument

# Milliseconds that a step's element may take to appear, once something was done before it.
APPEAR_MS = 2000
_CHECKABLE_ROLES = frozenset(("checkbox", "radio", "switch", "menuitemcheckbox", "menuitemradio"))
_TEXTS: dict[str, Literal["exact", "any"]] = {
    "click": "exact", "double_click": "exact", "right_click": "exact",
    "hover": "any", "scroll_into_view": "any",
}  # fmt: skip
_CHOICE_ROLES = frozenset(("combobox", "listbox", "radiogroup"))
_OPTION_ROLES = frozenset(("option", "radio", "checkbox", "menuitem", "menuitemradio", "tab"))
_SUBMIT = "function () { return openchrome.submitFocused(this) }"
_TYPING = "function () { return openchrome.isTyping(this) }"


@dataclass(slots=True)
class StepResult:
    """A step that was taken: what it acted on, if on anything, and what that changed."""

    step: Step
    done: ActionResult
    ref: str = ""
    target: dict[str, str] = field(default_factory=dict)
    more: dict[str, Any] = field(default_factory=dict)

    def to_dict(self, number: int) -> dict[str, Any]:
        """Return the step as the reply says it; what was typed is not repeated."""
        told: dict[str, Any] = {"step": number, "action": self.step.kind}
        if self.ref:
            told |= {"target": self.target, "ref": self.ref}
        return {**told, **self.more, "outcome": "SUCCESS", "changed": self.done.changed}


class InstructionRunner:
    """One instruction's way through its steps."""

    def __init__(self, tab: Tab, deadline: ActionDeadline, context: str = "") -> None:
        self.tab = tab
        self.deadline = deadline
        self.context = context
        self.results: list[StepResult] = []

    async def follow(self, steps: list[Step]) -> None:
        """Take the steps in order; an error says which one failed and what was done before it."""
        for step in steps:
            try:
                self.results.append(await _handlers()[step.kind](self, step))
            except OcdError as error:
                raise self._step_error(step, error) from None

    def _step_error(self, step: Step, error: OcdError) -> OcdError:
        number = len(self.results) + 1
        before = [taken.to_dict(at) for at, taken in enumerate(self.results, 1)]
        return OcdError(
            error.code, f"Step {number} ({step.kind}): {error.message}", hint=error.hint,
            **{**error.details, "step": number, "steps": before},
        )  # fmt: skip

    async def resolve_element(self, step: Step, roles: frozenset[str] = frozenset()) -> Target:
        """Return the step's element; after another step it is waited for."""
        self.tab.check_usable()
        locator = replace(
            self.locator(step.place, roles, step.nth),
            texts=_TEXTS.get(step.kind, ""),
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

    def locator(
        self, words: str, roles: frozenset[str] = frozenset(), nth: int | None = None
    ) -> Locator:
        """Return what words mean: a ref, a CSS selector, or words."""
        plain = words.strip()
        bare = plain.removeprefix("[ref=").removesuffix("]").lstrip("@")
        if bare[:1] == "e" and bare[1:].isdigit():
            return Locator(ref=bare)
        if plain[:1] in "#.[" and " " not in plain and len(plain) > 1:
            return Locator(selector=plain)
        return Locator(query=plain, roles=roles, nth=nth)


async def _perform(runner: InstructionRunner, step: Step, word: str, target: Target) -> StepResult:
    async with target.element:
        done = await element_actions.perform_action(target, runner.deadline, word, step.value)
    return StepResult(step, done, target.ref, target.describe())


async def _act(runner: InstructionRunner, step: Step) -> StepResult:
    roles = _CHECKABLE_ROLES if step.kind in ("check", "uncheck") else frozenset[str]()
    roles = FIELD_ROLES if step.kind in ("clear", "focus") else roles
    return await _perform(runner, step, step.kind, await runner.resolve_element(step, roles))


async def _select(runner: InstructionRunner, step: Step) -> StepResult:
    target = await runner.resolve_element(step, _CHOICE_ROLES)
    if target.about["kind"] in ("select", "custom", "combo"):
        return await _perform(runner, step, "select", target)
    # The words name a group: its option is a radio button, a tab or an entry of a menu.
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
            done = await element_actions.perform_action(target, runner.deadline, "type", step.value)
        else:
            done = await form_fields.fill(target, runner.deadline, step.value)
    return StepResult(step, done, target.ref, target.describe())


async def _search(runner: InstructionRunner, step: Step) -> StepResult:
    try:
        taken = await _fill(runner, replace(step, place=step.place or "search"))
    except OcdError as error:
        if not step.place or error.code not in ("element_not_found", "wrong_value", "ambiguous"):
            raise
        taken = await _fill(runner, replace(step, place="search"))
    done = await coordinate_input.keys(runner.tab, runner.deadline, "Enter", kind="key")
    both = ActionResult({**taken.done.changed, **done.changed}, done.lines or taken.done.lines)
    return StepResult(step, both, taken.ref, taken.target)


async def _type(runner: InstructionRunner, step: Step) -> StepResult:
    target = await hit_test.focused_element(runner.tab)
    async with target.element as element:
        if not await element.call(_TYPING):
            raise OcdError(
                "not_understood", "It is not said where to type, and no field has the focus.",
                hint=f'Say: type "{step.value[:40]}" into Name.', words=step.words,
            )  # fmt: skip
    done = await coordinate_input.keys(runner.tab, runner.deadline, step.value, kind="type")
    return StepResult(step, done, target.ref, target.describe())


async def _press(runner: InstructionRunner, step: Step) -> StepResult:
    if step.kind == "press_or_click":
        found, _ = await search(runner.tab, step.value, 3, acts=True)
        called = [one for one in found if one.name.strip().lower() == step.value.lower()]
        if called and len(step.value) > 1:
            raise OcdError(
                "ambiguous", f"{step.words!r} can mean the key, or the {called[0].role} "
                f"{called[0].name!r}.", hint=f"Say: click {called[0].name}, or: press the "
                f"{step.value} key.", candidates=[one.line for one in called],
            )  # fmt: skip
        if called:
            return await _act(runner, replace(step, kind="click", place=step.value))
    if step.place:
        target = await runner.resolve_element(step, FIELD_ROLES)
        return await _perform(runner, replace(step, kind="press"), "press", target)
    chords = " ".join([step.value] * int(step.amount or 1))
    done = await coordinate_input.keys(runner.tab, runner.deadline, chords, kind="key")
    return StepResult(replace(step, kind="press"), done)


async def _submit(runner: InstructionRunner, step: Step) -> StepResult:
    target = await hit_test.focused_element(runner.tab)
    sent: list[bool] = []

    async def send() -> None:
        sent.append(await target.element.call(_SUBMIT))

    async with target.element:
        done = await coordinate_input.perform_at(runner.tab, target, runner.deadline, send)
    if sent == [False]:
        return await _act(runner, replace(step, kind="click", place="submit"))
    return StepResult(step, done)


async def _scroll(runner: InstructionRunner, step: Step) -> StepResult:
    way = {"top": "up", "bottom": "down"}.get(step.value, step.value)
    seen = await hit_test.window_metrics(runner.tab)
    screenful = seen["height" if way in ("up", "down") else "width"] * 0.85
    much = (step.amount or 1) * (screenful if step.other == "screens" or not step.amount else 1)
    if step.value in ("top", "bottom"):
        where, done = await coordinate_input.scroll_to_end(runner.tab, runner.deadline, way)
    else:
        where, done = await coordinate_input.scroll(
            runner.tab, None, runner.deadline, way, much / coordinate_input.NOTCH
        )
    return StepResult(step, done, more={"position": where["position"], "at_end": where["at_end"]})


async def _drag(runner: InstructionRunner, step: Step) -> StepResult:
    source, goal = (
        drag_and_drop.DragEndpoint(runner.locator(words)) for words in (step.place, step.other)
    )
    dragged = await drag_and_drop.drag(runner.tab, runner.deadline, source, goal)
    return StepResult(step, dragged.done, more=dragged.to_dict())


def resolve_address(address: str, here: str) -> str:
    """Return the address that a step goes to from a page; a path alone is one of its site."""
    if address.startswith("/") and here.startswith("http"):
        return str(URL(here).join(URL(address)))
    return address


async def _go(runner: InstructionRunner, step: Step) -> StepResult:
    tab = runner.tab
    if step.kind == "navigate":
        url = parse_url_argument(resolve_address(step.value, tab.url))
        arriving: Awaitable[Any] = tab.navigate(url)
    elif step.kind == "reload":
        arriving = tab.reload()
    else:
        arriving = tab.back() if step.kind == "back" else tab.forward()
    try:
        async with asyncio.timeout(runner.deadline.seconds_left):
            at = await arriving
    except TimeoutError:
        raise _timeout_error("The page has not loaded") from None
    changed = {"url": at.url, "navigated": True, "title": at.title, "status": at.status}
    return StepResult(step, ActionResult(changed, []))


async def _wait(runner: InstructionRunner, step: Step) -> StepResult:
    gone = step.kind == "wait_gone"
    locator = runner.locator(step.place)

    async def check() -> bool | None:
        return await is_present(runner.tab, locator) != gone or None

    if not await find_when_present(runner.tab, WaitPolicy(runner.deadline), check):
        raise _timeout_error(f"{step.place!r} {'is still there' if gone else 'did not appear'}")
    return StepResult(step, ActionResult({}, []))


async def _wait_load(runner: InstructionRunner, step: Step) -> StepResult:
    await runner.tab.wait_for("load", timeout_s=max(runner.deadline.seconds_left, 0.05))
    return StepResult(step, ActionResult({}, []))


async def _pause(runner: InstructionRunner, step: Step) -> StepResult:
    await coordinate_input.pause(runner.deadline, step.amount or 0)
    return StepResult(step, ActionResult({}, []))


async def _answer(runner: InstructionRunner, step: Step) -> StepResult:
    accept = step.kind == "accept_dialog"
    dialog, done = await element_actions.answer_dialog(
        runner.tab, runner.deadline, accept=accept, text=step.value
    )
    return StepResult(step, done, more={"dialog": {"type": dialog.kind, "message": dialog.message}})


def _timeout_error(what: str) -> OcdError:
    return OcdError("timeout", f"{what}.", hint="Give it more with timeout_ms, or read the page.")


def _handlers() -> dict[str, Callable[[InstructionRunner, Step], Awaitable[StepResult]]]:
    """Return what does each kind of step."""
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
