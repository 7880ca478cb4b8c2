"""Acting, waiting for what the action triggers, and reporting what changed."""

import contextlib
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass
from typing import Any

from ocd.api.errors import OcdError
from ocd.browser.tabs.tab import Frame, Tab
from ocd.pages.act import browser_prompts, page_now
from ocd.pages.act.action_effects import ActionEffects
from ocd.pages.act.actionability import unusable_error
from ocd.pages.act.pending_work import PendingWork
from ocd.pages.act.surroundings import settle_main_frame, watch_around
from ocd.pages.engine.refs import refs_of
from ocd.pages.locate.target import ActionDeadline, Target

MAX_CHANGE_LINES = 20
MAX_ERROR_CHARS = 300
# ms without a change after which a page is at rest, and the longest wait for that.
QUIET_MS = 10
MAX_MS = 100
# Seconds that input may still take once the page has begun to navigate.
LEAVING_S = 0.3
_SETTLE = "function (o) { return openchrome.settle(this, o) }"
_TAB_ENDED = ("tab_gone", "tab_crashed", "browser_gone")
# What an action may say of an element where the page heard nothing of its keys and clicks.
_WITHOUT_EFFECT = ("wrong_value", "option_not_found")

# What an element must hold once the page has done with it, if that can be told: `state` as the
# engine says it, `text`, or `typed`.
Given = dict[str, Any] | None


@dataclass(slots=True)
class ActionResult:
    """The result of an action.

    Attributes:
        changed: the keys of the reply's `changed`.
        lines: what changed on the page, line by line.
        value: the control's new value.
        now: what is on top of the page, and what has the focus.
        given: what the element must hold now, if that is known.
        instead: what it holds instead, in `held`.
    """

    changed: dict[str, Any]
    lines: list[str]
    value: Any = None
    now: str = ""
    given: Given = None
    instead: dict[str, Any] | None = None


Action = Callable[[], Coroutine[Any, Any, Given]]


@dataclass(frozen=True, slots=True)
class Settling:
    """How a frame is asked for its changes, once it is quiet.

    Attributes:
        missed: returns the error for a click that the element did not get, given the reason.
        choose: runs where typing has opened a list that the field does not declare.
        in_page: the action begins by calling the page's scripts, not with an input event.
        describe_page: also ask what is on top of the page.
        writes: the action writes to a field; the browser's complaints about its value are reported.
    """

    frame: Frame
    ask: Callable[[dict[str, Any]], Coroutine[Any, Any, Any]]
    missed: Callable[[str, str], OcdError] | None = None
    choose: Action | None = None
    in_page: bool = False
    describe_page: bool = True
    writes: bool = False

    @property
    def is_patient(self) -> bool:
        """Whether to wait longer: pages validate a field once nobody has typed for a while.

        Not if another field is filled right after this one.
        """
        return self.writes and self.describe_page


async def perform(
    target: Target,
    deadline: ActionDeadline,
    effects: ActionEffects,
    action: Action,
    settling: Settling | None = None,
) -> ActionResult:
    """Run the action, wait for what it triggers, and return what changed.

    A click that another element intercepted is made again: the page has seen nothing of it.
    """
    tab = target.element.tab
    tab.events.emit("acting", target.element)
    return await observe(tab, deadline, effects, action, settling or settling_of(target))


def settling_of(target: Target, *, value: bool = False, writes: bool = False) -> Settling:
    """Return how to ask the target's frame for its changes.

    Args:
        target: the element.
        value: also ask what the control holds afterwards.
        writes: as in Settling.
    """

    async def settle(options: dict[str, Any]) -> Any:  # noqa: ANN401 - the engine's reply
        return await target.element.call(_SETTLE, {**options, "value": value, "writes": writes})

    def missed(why: str, text: str) -> OcdError:
        return unusable_error(target, {"why": why, "text": text})

    return Settling(target.element.frame, settle, missed, writes=writes)


async def observe(
    tab: Tab,
    deadline: ActionDeadline,
    effects: ActionEffects,
    action: Action,
    settling: Settling,
) -> ActionResult:
    """Run the action, wait for what it triggers, and return what changed in the tab and the frame.

    Raises what the action raises, unless the page cannot answer because of the action itself.
    """
    lines: list[str] = []
    settled: dict[str, Any] | None = None
    given: Given = None
    logged = tab.console.log.end
    around = await watch_around(tab, settling.frame)
    try:
        settled, given = await _act_and_settle(tab, deadline, effects, action, settling)
    except OcdError as error:
        # A dialog keeps the page from answering, and so does its leaving, or its frame's.
        silent = error.code == "dialog_open" or effects.navigating or error.details.get("navigated")
        if error.code == "tab_gone":
            await effects.wait_closed()
        closed_itself = error.code == "tab_gone" and tab.closed
        if not closed_itself and (error.code in _TAB_ENDED or not silent):
            raise
    if settled and around and not effects.navigating:
        await _add_changes_around(tab, effects, settled)
    if settled and settled["closing"]:
        await effects.wait_closed()
    changed = await _wait_effects(tab, deadline, effects)
    if settled and not effects.navigated:
        lines = _change_lines(settled, changed)
        if not lines and not changed:
            changed |= _explain_nothing(settled, effects) | _script_error(tab, logged)
    known = settled["standing"] if settled and settling.frame is tab.main_frame else None
    now = (
        await _describe_page(tab, deadline, effects, changed, known)
        if settling.describe_page
        else ""
    )
    value, instead = (settled["value"], settled["instead"]) if settled else (None, None)
    return ActionResult(changed, lines, value, now, given, instead)


async def _describe_page(
    tab: Tab,
    deadline: ActionDeadline,
    effects: ActionEffects,
    changed: dict[str, Any],
    known: dict[str, Any] | None,
) -> str:
    """Return the first line of the reply; add to `changed` what the page rejects of a form."""
    answers_form = effects.navigated and effects.sent_form
    standing: Mapping[str, Any] = (
        await page_now.ask(tab, deadline, rejected=answers_form) if known is None else known
    )
    if rejected := standing.get("rejected"):
        changed["rejected"] = rejected
    return page_now.describe(changed, standing)


def _explain_nothing(settled: dict[str, Any], effects: ActionEffects) -> dict[str, Any]:
    """Return the keys of `changed` for an action that has changed nothing so far."""
    if settled["kept"] and not effects.asked_for_more:
        return {"link_kept": True}
    request = effects.describe_unanswered()
    return {"unanswered": request} if request else {}


def _script_error(tab: Tab, logged: int) -> dict[str, str]:
    """Return the first exception that no script of the page has caught since then.

    logged: a position in the console's log.
    """
    for message in tab.console.since(logged):
        if message.source == "exception":
            text = message.text.partition("\n")[0][:MAX_ERROR_CHARS]
            place = message.location
            line = f" ({place['url']}:{place['line']}:{place['column']})" if place["url"] else ""
            return {"script_error": text + line}
    return {}


async def _add_changes_around(tab: Tab, effects: ActionEffects, settled: dict[str, Any]) -> None:
    registry, main_id = refs_of(tab), tab.main_frame.frame_id
    options = {
        "quiet": QUIET_MS, "most": MAX_MS, "lines": MAX_CHANGE_LINES, **registry.numbering(main_id),
    }  # fmt: skip
    reply = None
    with contextlib.suppress(OcdError):  # it shows a dialog, or has gone: `changed` tells that
        reply = await effects.unless_navigating(settle_main_frame(tab, options))
    if not reply:
        return
    registry.record(main_id, reply)
    found = reply["result"]
    for key in {key for _, key in _CHANGES} | {"invalid", "taken_back"}:
        settled[key] = [*settled[key], *found[key]]
    settled["title"] = found["title"]


async def _wait_effects(
    tab: Tab, deadline: ActionDeadline, effects: ActionEffects
) -> dict[str, Any]:
    """Wait for what the action has set off beyond the page's own changes; return `changed`."""
    loading = False
    if effects.navigating and effects.dialog is None and not tab.closed:
        with contextlib.suppress(OcdError):
            loading = not await effects.wait_loaded(deadline.seconds_left)
        if tab.opener is not None and not tab.closed:
            await effects.wait_closed_by_page()
    await effects.wait_popups(deadline.seconds_left)
    await effects.wait_downloads(deadline.seconds_left)
    return {**await effects.to_dict(), **({"loading": True} if loading else {})}


async def _act_and_settle(
    tab: Tab,
    deadline: ActionDeadline,
    effects: ActionEffects,
    action: Action,
    settling: Settling,
) -> tuple[dict[str, Any] | None, Given]:
    """Act, and return what has changed once the page is quiet, and what the element was given.

    What has changed is None if the page did not answer, for example because it was left.
    """
    choose = settling.choose
    while True:
        pending = effects.pending = PendingWork(settling.frame, patient=settling.is_patient)
        pending.begin()
        if not settling.in_page:
            await pending.wait_begun()
        given = await _act(tab, effects, action)
        asked = {"offers": choose is not None, "given": given}
        settled = await _wait_stable(tab, deadline, effects, settling, pending, asked)
        if settled and choose and settled.get("offers"):
            action, choose = choose, None
            continue
        if not settled or settling.missed is None:
            return settled, given
        _check_click(settled, settling.missed, effects)
        if not settled["missed"]:
            return settled, given
        if not deadline.seconds_left:
            raise settling.missed("covered", settled["missed"])


async def _act(tab: Tab, effects: ActionEffects, action: Action) -> Given:
    try:
        return await effects.unless_navigating(action(), LEAVING_S)
    except OcdError as error:
        if error.code in _WITHOUT_EFFECT and effects.sent_input:
            await browser_prompts.check_heard(tab)
        raise


def _check_click(
    settled: dict[str, Any], missed: Callable[[str, str], OcdError], effects: ActionEffects
) -> None:
    """Raise the error of a click that did not arrive and must not be repeated."""
    if settled["unclicked"] and not effects.any_so_far:
        raise missed(settled["unclicked"]["why"], settled["unclicked"]["text"])
    if settled["swallowed"]:
        raise missed("covered", settled["swallowed"])
    if settled["fled"]:
        raise missed("moving", "the first of two clicks moved it")


async def _wait_stable(
    tab: Tab,
    deadline: ActionDeadline,
    effects: ActionEffects,
    settling: Settling,
    pending: PendingWork,
    asked: dict[str, Any],
) -> dict[str, Any] | None:
    registry = refs_of(tab)
    wait = min(deadline.watch_s, deadline.seconds_left) * 1000
    options: dict[str, Any] = {
        "quiet": QUIET_MS,
        "most": MAX_MS + wait,
        "lines": MAX_CHANGE_LINES,
        **registry.numbering(settling.frame.frame_id),
        "wait": wait,
        **asked,
        "describe_page": settling.describe_page,
    }
    if effects.navigating:
        return None
    # A round trip: what the page's scripts have sent so far arrives before its reply.
    calm = await effects.unless_navigating(pending.wait_done())
    answered = await effects.wait_answers(
        settling.frame, deadline.seconds_left, patient=settling.is_patient
    )
    reply = await effects.unless_navigating(
        settling.ask({**options, "calm": calm and not answered})
    )
    if reply is None or effects.navigating:
        return None
    registry.record(settling.frame.frame_id, reply)
    result: dict[str, Any] = reply["result"]
    if result.get("unheard") and effects.sent_input and not effects.any_so_far:
        await browser_prompts.check_heard(tab)
    return result


# Kinds of changes: their marks, and what they are called in `changed`.
_CHANGES = (
    ("+", "added"), ("-", "removed"), (">", "moved"), ("~", "values"), ("~", "attributes"),
)  # fmt: skip


def _change_lines(settled: dict[str, Any], changed: dict[str, Any]) -> list[str]:
    marked = [f"{mark} {line}" for mark, key in _CHANGES for line in settled[key]]
    if settled["title"] is not None:
        changed["title"] = settled["title"]
    if settled["invalid"]:
        changed["invalid"] = settled["invalid"]
    elif settled["not_valid"]:
        changed["not_valid"] = [settled["not_valid"]]
    if settled["taken_back"]:
        changed["taken_back"] = settled["taken_back"]
    changed |= {key: len(settled[key]) for _, key in _CHANGES if settled[key]}
    if len(marked) > MAX_CHANGE_LINES:
        more = len(marked) - MAX_CHANGE_LINES
        return [
            *marked[:MAX_CHANGE_LINES],
            f"… {more} more changes; read_page shows the page as it is now",
        ]
    return marked
