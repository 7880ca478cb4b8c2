"""Verbs that act on elements: interact, drag_drop, lightweight_scroll."""

import asyncio
from dataclasses import replace
from typing import Annotated, Any, Literal, NotRequired, TypedDict

from msgspec import Meta

from ocd.api.errors import OcdError
from ocd.browser.tabs.tab import Tab
from ocd.pages.act import drag_and_drop, element_actions, post_action_view
from ocd.pages.act.form_submission import check_submitted
from ocd.pages.act.scroll_until import scroll_until
from ocd.pages.locate import hit_test
from ocd.pages.locate.locators import LIST_ROLES, TEXT_FIELD_ROLES, Locator
from ocd.pages.locate.target import ActionDeadline, Target, resolve_target
from ocd.pages.locate.wait import WaitPolicy, resolve_when_present
from ocd.verb_api.action_results import (
    ActionReply,
    DragKeys,
    ElementName,
    OpenDialog,
    Picture,
    Position,
    ScrollSizes,
)
from ocd.verb_api.declaration import MAX_TIMEOUT_MS, UNLISTED, Image, Output, Params, tab_verb
from ocd.verb_api.element_params import (
    PAGE_KEYS,
    ElementParams,
    PollInterval,
    Timeout,
    WaitForMs,
    answer,
    page_text,
)

Action = Literal[
    "click", "double_click", "right_click", "hover", "focus", "check", "uncheck", "select",
    "press", "type", "clear", "scroll_into_view", "accept_dialog", "dismiss_dialog",
]  # fmt: skip
_CLICKED = {"texts": "exact", "among": "clickable"}
_LOCATOR_OPTIONS: dict[str, dict[str, Any]] = {
    "click": _CLICKED, "double_click": _CLICKED, "right_click": _CLICKED,
    "hover": {"texts": "any"}, "scroll_into_view": {"texts": "any"},
    "type": {"ties": TEXT_FIELD_ROLES}, "clear": {"ties": TEXT_FIELD_ROLES},
    "select": {"among": "fields", "ties": LIST_ROLES},
    "check": {"among": "ticks"}, "uncheck": {"among": "ticks"},
}  # fmt: skip
_NEEDS_VALUE = ("select", "press", "type")


class Interact(ElementParams):
    """Click a button or link, type, press a key or otherwise act on one element

    By one of ref, selector, query; press and type need none where something has the focus. Waits
    until it can be acted on, then for the effects, and reports what changed. Form fields:
    form_input, fill_form. No element, only a point: computer.
    """

    action: Annotated[Action, Meta(description="What to do")] = "click"
    value: Annotated[
        str | None, Meta(description="Option, key (Enter, Control+a), text, or answer of a prompt")
    ] = None
    modifiers: Annotated[
        tuple[Literal["Alt", "Control", "Meta", "Shift"], ...],
        Meta(description="Keys held down during a click", extra_json_schema=UNLISTED),
    ] = ()
    wait_for_ms: WaitForMs = 0
    poll_interval: PollInterval = None
    wait_after: Annotated[
        int,
        Meta(
            ge=0,
            le=10_000,
            description="ms to watch for changes afterwards",
            extra_json_schema=UNLISTED,
        ),
    ] = 0
    return_format: Annotated[
        post_action_view.Form,
        Meta(description="What changed, the page's state, or both", extra_json_schema=UNLISTED),
    ] = "dom_delta"
    verify: Annotated[bool, Meta(description="Add a screenshot", extra_json_schema=UNLISTED)] = (
        False
    )
    timeout_ms: Annotated[
        Annotated[int, Meta(ge=1, le=MAX_TIMEOUT_MS)] | None,
        Meta(description="Time limit in ms; default: 5000", extra_json_schema=UNLISTED),
    ] = None

    def __post_init__(self) -> None:
        if self.timeout_ms is None:
            self.timeout_ms = 5000 + self.wait_for_ms + self.wait_after


class DragDrop(Params):
    """Drag one element onto another, or from point to point

    HTML5 drag and drop, sortable lists and sliders, also across frames. Each end is a ref, a
    selector, words, or x and y in CSS pixels of the viewport. Reports where the item ends up.
    """

    source_ref: Annotated[str | None, Meta(description="Ref of the element to drag")] = None
    source_selector: Annotated[str | None, Meta(description="or its CSS selector")] = None
    source_query: Annotated[str | None, Meta(description="or words")] = None
    source_x: Annotated[float | None, Meta(description="or a point: x")] = None
    source_y: Annotated[float | None, Meta(description="or a point: y")] = None
    target_ref: Annotated[str | None, Meta(description="Ref of the drop target")] = None
    target_selector: Annotated[str | None, Meta(description="or its CSS selector")] = None
    target_query: Annotated[str | None, Meta(description="or words")] = None
    target_x: Annotated[float | None, Meta(description="or a point: x")] = None
    target_y: Annotated[float | None, Meta(description="or a point: y")] = None
    steps: Annotated[
        int, Meta(extra_json_schema=UNLISTED, ge=1, le=200, description="Number of mouse moves")
    ] = drag_and_drop.STEPS
    delay: Annotated[
        int, Meta(extra_json_schema=UNLISTED, ge=0, le=1000, description="ms between moves")
    ] = 0
    timeout_ms: Timeout = 10_000


class LightweightScroll(ElementParams):
    """Scroll the page, or the scrollable area around an element

    Returns the position, the sizes and whether the end is reached; with until, the line with the
    text and its ref.
    """

    direction: Annotated[
        Literal["up", "down", "left", "right", "top", "bottom"], Meta(description="Direction")
    ] = "down"
    amount: Annotated[
        Annotated[int, Meta(ge=1, le=1_000_000)] | None,
        Meta(description="Pixels; default: most of a screen"),
    ] = None
    until: Annotated[
        Annotated[str, Meta(min_length=1, max_length=500)] | None,
        Meta(description="Scroll until this text appears, also in virtual lists"),
    ] = None
    scroll_to_end: Annotated[
        bool, Meta(description="Scroll to the end in that direction", extra_json_schema=UNLISTED)
    ] = False
    smooth: Annotated[
        bool, Meta(description="Animate the scrolling", extra_json_schema=UNLISTED)
    ] = False
    wait_after_ms: Annotated[
        int,
        Meta(
            ge=0, le=30_000, description="ms to wait for more to load", extra_json_schema=UNLISTED
        ),
    ] = 0
    timeout_ms: Annotated[
        int,
        Meta(
            ge=1,
            le=MAX_TIMEOUT_MS,
            description="Time limit of until in ms",
            extra_json_schema=UNLISTED,
        ),
    ] = 30_000


class InteractResult(ActionReply):
    """The result of the action."""

    action: str
    ref: NotRequired[str]
    target: NotRequired[ElementName]
    value: NotRequired[Annotated[Any, Meta(description="The control's current value")]]
    dialog: NotRequired[Annotated[OpenDialog, Meta(description="The dialog that was answered")]]
    image: NotRequired[Picture]


@tab_verb(
    "interact",
    Interact,
    capability="core",
    tier=1,
    returns=InteractResult,
    reads_page=True,
    leaves_dialog=True,
    page_keys=PAGE_KEYS,
    example={"ref": "e12", "action": "click"},
)
async def interact(tab: Tab, params: Interact) -> Output:
    assert params.timeout_ms is not None
    deadline = ActionDeadline.of(params.timeout_ms)
    deadline.watch_s = params.wait_after / 1000
    if params.action in ("accept_dialog", "dismiss_dialog"):
        return await _answer_dialog(tab, deadline, params)
    if params.action in _NEEDS_VALUE and params.value is None:
        raise OcdError(
            "invalid_argument", f"interact: {params.action} needs a value", parameter="value"
        )
    target = await _target(tab, params, deadline)
    async with target.element:
        done = await element_actions.perform_action(
            target, deadline, params.action, params.value or "", params.modifiers
        )
    check_submitted(done)
    done.lines = await post_action_view.view_after_action(tab, done, params.return_format)
    data = {"action": params.action, "ref": target.ref, "target": target.describe()}
    data |= {} if done.value is None else {"value": done.value}
    screenshot = await post_action_view.screenshot_after(tab) if params.verify else None
    image = Image(screenshot.data, screenshot.mime_type) if screenshot else None
    return replace(answer(tab, data, done), image=image)


async def _target(tab: Tab, params: Interact, deadline: ActionDeadline) -> Target:
    """Return the named element; without a name, what receives the keys of press and type."""
    at = replace(Locator.of(params), **_LOCATOR_OPTIONS.get(params.action, {}))
    if Locator.of(params) == Locator():
        if params.action == "press":
            at = _PAGE
        if params.action == "type":
            return await _focused_field(tab)
    wait_policy = WaitPolicy.of(params.wait_for_ms, params.poll_interval, deadline)
    return await resolve_when_present(tab, at, wait_policy)


async def _focused_field(tab: Tab) -> Target:
    target = await hit_test.focused_field(tab)
    if target is None:
        raise OcdError(
            "element_not_found", "No field has the focus.",
            hint="Name the field: ref, selector or query. To send keys to the page "
            "itself, use `computer` with action type.",
        )  # fmt: skip
    return target


async def _answer_dialog(tab: Tab, deadline: ActionDeadline, params: Interact) -> Output:
    accept = params.action == "accept_dialog"
    dialog, done = await element_actions.answer_dialog(
        tab, deadline, accept=accept, text=params.value or ""
    )
    details = {"type": dialog.kind, "message": dialog.message}
    return answer(tab, {"action": params.action, "dialog": details}, done)


class DragDropResult(ActionReply, DragKeys):
    """The result of the drag."""

    action: str
    steps: int


@tab_verb(
    "drag_drop",
    DragDrop,
    capability="core",
    tier=2,
    returns=DragDropResult,
    reads_page=True,
    page_keys=PAGE_KEYS,
    example={"source_query": "Task A", "target_query": "Done"},
)
async def drag_drop(tab: Tab, params: DragDrop) -> Output:
    dragged = await drag_and_drop.drag(
        tab,
        ActionDeadline.of(params.timeout_ms),
        _endpoint(params, "source"),
        _endpoint(params, "target"),
        drag_and_drop.DragMotion(params.steps, params.delay / 1000),
    )
    data = {"action": "drag_drop", **dragged.to_dict(), "steps": params.steps}
    return answer(tab, data, dragged.done)


def _endpoint(params: DragDrop, name: str) -> drag_and_drop.DragEndpoint:
    locator = Locator(*(getattr(params, f"{name}_{way}") for way in ("ref", "selector", "query")))
    x, y = getattr(params, f"{name}_x"), getattr(params, f"{name}_y")
    if (locator == Locator()) == (x is None or y is None):
        raise OcdError(
            "invalid_argument", f"drag_drop needs one of {name}_ref, {name}_selector, "
            f"{name}_query, or {name}_x with {name}_y.", parameter=f"{name}_ref",
        )  # fmt: skip
    return drag_and_drop.DragEndpoint(locator, None if x is None or y is None else (x, y))


_SCREEN_SHARE = 0.85  # of a screen
# The page itself, not those in its frames.
_PAGE = Locator(selector=":root", nth=1)
_SCROLL = "function (x, y, smooth) { return openchrome.scrollElement(this, x, y, smooth) }"
_WHERE = "function (across, way) { return openchrome.waitScrollEnd(this, across, way, 0) }"
_IN_BOX = "function (across) { return openchrome.isInBox(this, across) }"
_TO_END_PX = 10_000_000


class LightweightScrollResult(TypedDict):
    """The area's scroll position."""

    tab_id: str
    direction: str
    scrolled: NotRequired[str]
    ref: NotRequired[Annotated[str, Meta(description="until: what showed")]]
    position: NotRequired[Position]
    dimensions: NotRequired[ScrollSizes]
    at_end: NotRequired[bool]
    content: NotRequired[Annotated[str, Meta(description="until: the line that showed")]]


@tab_verb(
    "lightweight_scroll",
    LightweightScroll,
    capability="core",
    tier=3,
    returns=LightweightScrollResult,
    reads_page=True,
    example={"direction": "down", "amount": 800},
)
async def lightweight_scroll(tab: Tab, params: LightweightScroll) -> Output:
    if params.until is not None:
        return await _scroll_until(tab, params, params.until)
    named = Locator.of(params)
    at = _PAGE if named == Locator() else replace(named, texts="any")
    target = await resolve_target(tab, at)
    async with target.element as element:
        screen = await element.call("function () { return [innerWidth, innerHeight] }")
        horizontal = params.direction in ("left", "right")
        step = params.amount or round(screen[0 if horizontal else 1] * _SCREEN_SHARE)
        if params.scroll_to_end or params.direction in ("top", "bottom"):
            step = _TO_END_PX
        if params.direction in ("up", "left", "top"):
            step = -step
        x, y = (step, 0) if horizontal else (0, step)
        where = await element.call(_SCROLL, x, y, params.smooth)
        if params.wait_after_ms:
            await asyncio.sleep(params.wait_after_ms / 1000)
            where = await element.call(_WHERE, horizontal, step)
    place = "{x}, {y}".format(**where["position"])
    details = {"direction": params.direction, "scrolled": f"{params.direction} to {place}"}
    return Output(data={"tab_id": tab.id, **details, **where})


async def _middle(tab: Tab, *, across: bool) -> Target:
    """Return the scrollable element in the middle of the window, or the page itself."""
    window = await hit_test.window_metrics(tab)
    middle = window["width"] / 2, window["height"] / 2
    target = await hit_test.element_at_point(tab, *middle)
    if await target.element.call(_IN_BOX, across):
        return target
    target.element.release()
    return await resolve_target(tab, _PAGE)


async def _scroll_until(tab: Tab, params: LightweightScroll, words: str) -> Output:
    deadline = ActionDeadline.of(params.timeout_ms)
    at = Locator.of(params)
    across = params.direction in ("left", "right")
    if at == Locator():
        target = await _middle(tab, across=across)
    else:
        target = await resolve_target(tab, replace(at, texts="any"))
    way = -1 if params.direction in ("up", "left", "top") else 1
    async with target.element as element:
        match, where = await scroll_until(element, words, deadline, across=across, way=way)
    data = {"tab_id": tab.id, "direction": params.direction, "ref": match.ref, **where}
    return Output(data=data, **page_text(tab, [f"- {match.line}"]))
