"""The `act` verb: carries out a short English instruction."""

import json
from collections.abc import Iterator
from typing import Annotated, Any, Literal, NotRequired, Required

from msgspec import Meta

from ocd.browser.tabs.tab import Tab
from ocd.pages.act import post_action_view
from ocd.pages.instructions.executor import InstructionRunner, StepResult
from ocd.pages.instructions.parser import parse
from ocd.pages.locate.target import ActionDeadline
from ocd.safety.domain_policy import is_relative, resolve_in_page
from ocd.safety.session_taint import ANY_SITE, Egress, recipient
from ocd.verb_api.action_report import event_lines
from ocd.verb_api.action_results import (
    ActionReply,
    Changed,
    DragKeys,
    OpenDialog,
    Picture,
    Position,
)
from ocd.verb_api.declaration import (
    MAX_TIMEOUT_MS,
    UNLISTED,
    Image,
    Output,
    Params,
    Sending,
    tab_verb,
)
from ocd.verb_api.element_params import PAGE_KEYS, page_text


class Act(Params):
    """Carry out a short English instruction

    Steps joined by then, and, ; or newlines: click X, type "text" into X, select X in Y, check
    X, press Enter, search for X, scroll down, go back, wait for X, drag X to Y. Quote names and
    text. Parsed by rules, not by a model; nothing is done if a step is not understood. One step
    with a ref: interact.
    """

    instruction: Annotated[str, Meta(min_length=1, max_length=4000, description="What to do")]
    context: Annotated[
        str, Meta(max_length=500, description="Words that distinguish identical elements")
    ] = ""
    verify: Annotated[
        bool | Literal["none", "ax_diff", "screenshot", "both"],
        Meta(
            description="true, screenshot: add a screenshot; ax_diff: how the outline changed",
            extra_json_schema=UNLISTED,
        ),
    ] = False
    timeout_ms: Annotated[
        int, Meta(ge=1, le=MAX_TIMEOUT_MS, description="For all steps, in ms")
    ] = 30_000


def _egress(params: Act, tab_url: str) -> Iterator[Egress]:
    for step in parse(params.instruction):
        if step.kind != "navigate":
            tab_url = ""  # it may lead anywhere
            continue
        url = resolve_in_page(step.value, tab_url)
        if to := recipient(url):
            yield "address", to
        elif is_relative(url) and not {"?", "#"}.isdisjoint(url):
            yield "address", ANY_SITE
        tab_url = url


class ActStep(DragKeys, total=False):
    """One step of the instruction."""

    step: Required[int]
    action: Required[str]
    outcome: Required[str]
    changed: Required[Changed]
    ref: str
    position: Position
    at_end: bool
    dialog: OpenDialog


class ActResult(ActionReply):
    """The result of the instruction, step by step."""

    outcome: str
    steps: list[ActStep]
    image: NotRequired[Picture]


@tab_verb(
    "act",
    Act,
    capability="core",
    tier=2,
    returns=ActResult,
    reads_page=True,
    leaves_dialog=True,
    page_keys=PAGE_KEYS,
    sends=Sending(("instruction",), _egress),
    example={"instruction": 'type "Ada" into Name and press Enter'},
)
async def act(tab: Tab, params: Act) -> Output:
    steps = parse(params.instruction)
    compares = params.verify in ("ax_diff", "both")
    before = await post_action_view.outline(tab) if compares else None
    runner = InstructionRunner(tab, ActionDeadline.of(params.timeout_ms), params.context)
    await runner.run(steps)
    changed: dict[str, Any] = {}
    lines: list[str] = []
    for number, result in enumerate(runner.results, 1):
        changed |= result.done.changed
        events = event_lines({**result.more, "changed": result.done.changed})
        report_lines = (*_outcome(result), *events, *result.done.lines)
        lines += [f"step {number}: {line}" for line in report_lines]
    steps_done = [result.to_dict(number) for number, result in enumerate(runner.results, 1)]
    now = next((result.done.now for result in reversed(runner.results) if result.done.now), "")
    data = {
        "tab_id": tab.id,
        "now": now,
        "outcome": "SUCCESS",
        "steps": steps_done,
        "changed": changed,
    }
    if compares:
        lines += await post_action_view.differences(tab, before)
    shot = None
    if params.verify in (True, "screenshot", "both"):
        shot = await post_action_view.screenshot_after(tab, "normal")
    image = Image(shot.data, shot.mime_type) if shot else None
    return Output(data=data, image=image, **page_text(tab, lines))


def _outcome(result: StepResult) -> Iterator[str]:
    """Yield the result of a step that changes nothing on the page: a value, a position."""
    if result.done.value is not None and result.target:
        value = json.dumps(result.done.value, ensure_ascii=False)
        name = f' "{result.target["name"]}"' if result.target["name"] else ""
        yield f"{result.target['role']}{name} [ref={result.ref}] = {value}"
    if position := result.more.get("position"):
        end = ", at the end" if result.more["at_end"] else ""
        yield f"scrolled to {position['x']}, {position['y']}{end}"
