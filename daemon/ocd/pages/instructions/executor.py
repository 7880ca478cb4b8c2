"""Doing the steps of an instruction, each by the same means as the verbs that do one thing."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from yarl import URL

from ocd.api.errors import OcdError
from ocd.browser.tabs.tab import Tab
from ocd.pages.act import coordinate_input, drag_and_drop, element_actions, form_fields
from ocd.pages.act.actionability import ActionDeadline, ActionResult, Target, resolve_target
from ocd.pages.instructions.grammar import Step
from ocd.pages.locate import hit_test, wait_for_element
from ocd.pages.locate.locators import FIELDS, WRITTEN, Locator, search
from ocd.safety.domain_policy import parse_url_argument

# Seconds that a step's element may take to come, once something was done before it.
COMES_S = 2.0
_CHECKS = frozenset(("checkbox", "radio", "switch", "menuitemcheckbox", "menuitemradio"))
_TEXTS: dict[str, Literal["exact", "any"]] = {
    "click": "exact", "double_click": "exact", "right_click": "exact",
    "hover": "any", "scroll_into_view": "any",
}  # fmt: skip
_CHOICES = frozenset(("combobox", "listbox", "radiogroup"))
_OPTIONS = frozenset(("option", "radio", "checkbox", "menuitem", "menuitemradio", "tab"))
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

    def __init__(self, tab: Tab, clock: ActionDeadline, context: str = "") -> None:
        self.tab = tab
        self.clock = clock
        self.context = context
        self.taken: list[StepResult] = []

    async def follow(self, steps: list[Step]) -> None:
        """Take the steps in order; an error says which one failed and what was done before it."""
        for step in steps:
            try:
                self.taken.append(await _ways()[step.kind](self, step))
            except OcdError as error:
                raise self._step_error(step, error) from None

    def _step_error(self, step: Step, error: OcdError) -> OcdError:
        number = len(self.taken) + 1
        before = [taken.to_dict(at) for at, taken in enumerate(self.taken, 1)]
        return OcdError(
            error.code, f"Step {number} ({step.kind}): {error.message}", hint=error.hint,
            **{**error.details, "step": number, "steps": before},
        )  # fmt: skip

    async def resolve_element(self, step: Step, roles: frozenset[str] = frozenset()) -> Target:
        """Return the step's element; after another step it is waited for."""
        self.tab.check_usable()
        at = replace(
            self.aim(step.place, roles, step.nth),
            texts=_TEXTS.get(step.kind, ""),
            ties=roles & WRITTEN,
        )
        now = replace(at, texts="") if at.texts == "exact" else at
        end = ActionDeadline.lasting(COMES_S if self.taken else 0.001)
        while True:
            last = not end.left or not self.clock.left
            try:
                return await self._find_or_none(at if last else now)
            except OcdError as error:
                if error.code != "element_not_found" or last:
                    raise
            await wait_for_element.wait_altered(self.tab, self.clock)

    async def _find_or_none(self, at: Locator) -> Target:
        try:
            return await resolve_target(self.tab, at)
        except OcdError as error:
            if error.code != "ambiguous" or not self.context or at.query is None:
                raise
        return await resolve_target(self.tab, replace(at, query=f"{at.query} {self.context}"))

    def aim(
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


async def _on(it: InstructionRunner, step: Step, word: str, target: Target) -> StepResult:
    async with target.element:
        done = await element_actions.do(target, it.clock, word, step.value)
    return StepResult(step, done, target.ref, target.describe())


async def _act(it: InstructionRunner, step: Step) -> StepResult:
    roles = _CHECKS if step.kind in ("check", "uncheck") else frozenset[str]()
    roles = FIELDS if step.kind in ("clear", "focus") else roles
    return await _on(it, step, step.kind, await it.resolve_element(step, roles))


async def _select(it: InstructionRunner, step: Step) -> StepResult:
    target = await it.resolve_element(step, _CHOICES)
    if target.about["kind"] in ("select", "custom", "combo"):
        return await _on(it, step, "select", target)
    # The words name a group: its option is a radio button, a tab or an entry of a menu.
    target.element.release()
    inner = replace(step, place=f"{step.value} {step.place}")
    return await _pick(it, inner)


async def _pick(it: InstructionRunner, step: Step) -> StepResult:
    target = await it.resolve_element(step, _OPTIONS)
    if target.about["role"] == "option" and target.about["kind"] == "option":
        return await _on(it, replace(step, value=target.about["name"]), "select", target)
    word = "check" if target.about["kind"] == "check" else "click"
    return await _on(it, step, word, target)


async def _fill(it: InstructionRunner, step: Step) -> StepResult:
    target = await it.resolve_element(step, FIELDS)
    async with target.element:
        if step.kind == "append":
            done = await element_actions.do(target, it.clock, "type", step.value)
        else:
            done = await form_fields.fill(target, it.clock, step.value)
    return StepResult(step, done, target.ref, target.describe())


async def _search(it: InstructionRunner, step: Step) -> StepResult:
    try:
        taken = await _fill(it, replace(step, place=step.place or "search"))
    except OcdError as error:
        if not step.place or error.code not in ("element_not_found", "wrong_value", "ambiguous"):
            raise
        taken = await _fill(it, replace(step, place="search"))
    done = await coordinate_input.keys(it.tab, it.clock, "Enter", kind="key")
    both = ActionResult({**taken.done.changed, **done.changed}, done.lines or taken.done.lines)
    return StepResult(step, both, taken.ref, taken.target)


async def _type(it: InstructionRunner, step: Step) -> StepResult:
    target = await hit_test.with_focus(it.tab)
    async with target.element as element:
        if not await element.call(_TYPING):
            raise OcdError(
                "not_understood", "It is not said where to type, and no field has the focus.",
                hint=f'Say: type "{step.value[:40]}" into Name.', words=step.words,
            )  # fmt: skip
    done = await coordinate_input.keys(it.tab, it.clock, step.value, kind="type")
    return StepResult(step, done, target.ref, target.describe())


async def _press(it: InstructionRunner, step: Step) -> StepResult:
    if step.kind == "press_or_click":
        found, _ = await search(it.tab, step.value, 3, acts=True)
        called = [one for one in found if one.name.strip().lower() == step.value.lower()]
        if called and len(step.value) > 1:
            raise OcdError(
                "ambiguous", f"{step.words!r} can mean the key, or the {called[0].role} "
                f"{called[0].name!r}.", hint=f"Say: click {called[0].name}, or: press the "
                f"{step.value} key.", candidates=[one.line for one in called],
            )  # fmt: skip
        if called:
            return await _act(it, replace(step, kind="click", place=step.value))
    if step.place:
        target = await it.resolve_element(step, FIELDS)
        return await _on(it, replace(step, kind="press"), "press", target)
    chords = " ".join([step.value] * int(step.amount or 1))
    done = await coordinate_input.keys(it.tab, it.clock, chords, kind="key")
    return StepResult(replace(step, kind="press"), done)


async def _submit(it: InstructionRunner, step: Step) -> StepResult:
    target = await hit_test.with_focus(it.tab)
    sent: list[bool] = []

    async def send() -> None:
        sent.append(await target.element.call(_SUBMIT))

    async with target.element:
        done = await coordinate_input.on(it.tab, target, it.clock, send)
    if sent == [False]:
        return await _act(it, replace(step, kind="click", place="submit"))
    return StepResult(step, done)


async def _scroll(it: InstructionRunner, step: Step) -> StepResult:
    way = {"top": "up", "bottom": "down"}.get(step.value, step.value)
    seen = await hit_test.screen(it.tab)
    screenful = seen["height" if way in ("up", "down") else "width"] * 0.85
    much = (step.amount or 1) * (screenful if step.other == "screens" or not step.amount else 1)
    if step.value in ("top", "bottom"):
        where, done = await coordinate_input.scroll_far(it.tab, it.clock, way)
    else:
        where, done = await coordinate_input.scroll(
            it.tab, None, it.clock, way, much / coordinate_input.NOTCH
        )
    return StepResult(step, done, more={"position": where["position"], "at_end": where["at_end"]})


async def _drag(it: InstructionRunner, step: Step) -> StepResult:
    source, goal = (drag_and_drop.DragEndpoint(it.aim(words)) for words in (step.place, step.other))
    dragged = await drag_and_drop.drag(it.tab, it.clock, source, goal)
    return StepResult(step, dragged.done, more=dragged.to_dict())


def destination(address: str, here: str) -> str:
    """Return the address that a step goes to from a page; a path alone is one of its site."""
    if address.startswith("/") and here.startswith("http"):
        return str(URL(here).join(URL(address)))
    return address


async def _go(it: InstructionRunner, step: Step) -> StepResult:
    tab = it.tab
    if step.kind == "navigate":
        url = parse_url_argument(destination(step.value, tab.url))
        arriving: Awaitable[Any] = tab.navigate(url)
    elif step.kind == "reload":
        arriving = tab.reload()
    else:
        arriving = tab.back() if step.kind == "back" else tab.forward()
    try:
        async with asyncio.timeout(it.clock.left):
            at = await arriving
    except TimeoutError:
        raise _late("The page has not loaded") from None
    changed = {"url": at.url, "navigated": True, "title": at.title, "status": at.status}
    return StepResult(step, ActionResult(changed, []))


async def _wait(it: InstructionRunner, step: Step) -> StepResult:
    gone = step.kind == "wait_gone"
    at = it.aim(step.place)
    while True:
        if await wait_for_element.is_there(it.tab, at) != gone:
            return StepResult(step, ActionResult({}, []))
        if not it.clock.left:
            raise _late(f"{step.place!r} {'is still' if gone else 'has not come to be'} there")
        await wait_for_element.wait_altered(it.tab, it.clock)


async def _wait_load(it: InstructionRunner, step: Step) -> StepResult:
    await it.tab.wait_for("load", timeout_s=max(it.clock.left, 0.05))
    return StepResult(step, ActionResult({}, []))


async def _pause(it: InstructionRunner, step: Step) -> StepResult:
    await coordinate_input.pause(it.clock, step.amount or 0)
    return StepResult(step, ActionResult({}, []))


async def _answer(it: InstructionRunner, step: Step) -> StepResult:
    accept = step.kind == "accept_dialog"
    dialog, done = await element_actions.answer_dialog(
        it.tab, it.clock, accept=accept, text=step.value
    )
    return StepResult(step, done, more={"dialog": {"type": dialog.kind, "message": dialog.message}})


def _late(what: str) -> OcdError:
    return OcdError("timeout", f"{what}.", hint="Give it more with timeout_ms, or read the page.")


def _ways() -> dict[str, Callable[[InstructionRunner, Step], Awaitable[StepResult]]]:
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
