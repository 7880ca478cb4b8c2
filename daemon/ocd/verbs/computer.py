"""Coordinate-based input for agents that work from screenshots: the `computer` verb."""

import asyncio
from typing import Annotated, Any, Literal, Required

from msgspec import Meta

from ocd.api.errors import OcdError
from ocd.browser.tabs.tab import Tab
from ocd.pages.act import coordinate_input, drag_and_drop, element_actions, input_events
from ocd.pages.act.actionability import wait_ready
from ocd.pages.act.form_submission import check_submitted
from ocd.pages.locate.locators import Locator
from ocd.pages.locate.target import ActionDeadline, resolve_target
from ocd.verb_api.action_results import Changed, DragKeys, Picture, Position, ScrollSizes
from ocd.verb_api.declaration import MAX_TIMEOUT_MS, UNLISTED, Image, Output, Params, tab_verb
from ocd.verb_api.element_params import PAGE_KEYS, answer

Action = Literal[
    "screenshot", "zoom", "left_click", "right_click", "middle_click", "double_click",
    "triple_click", "left_click_drag", "left_mouse_down", "left_mouse_up", "mouse_move", "hover",
    "scroll", "scroll_to", "type", "key", "hold_key", "wait",
]  # fmt: skip
Point = Annotated[list[float], Meta(min_length=2, max_length=2)] | None
_WHERE_IT_IS = ("left_mouse_down", "left_mouse_up")
_TIMEOUT_MS = 5000
# Extra time so that the error can say what was waited for.
_GRACE_S = 0.5


class Computer(Params):
    """Use mouse, keyboard and screenshots by coordinates

    For canvases, maps and anything without a ref; with a ref, interact is more reliable.
    Coordinates are CSS pixels of the viewport, as in the image of `screenshot`; a zoomed image has
    `scale` pixels per CSS pixel.
    """

    action: Annotated[Action, Meta(description="What to do")]
    coordinate: Annotated[Point, Meta(description="[x, y]; drag: end point")] = None
    start_coordinate: Annotated[Point, Meta(description="drag: start point")] = None
    ref: Annotated[str | None, Meta(description="Element ref, instead of coordinate")] = None
    text: Annotated[str | None, Meta(description="Text, or keys: Enter, ctrl+a, Tab Tab")] = None
    modifiers: Annotated[
        tuple[Literal["Alt", "Control", "Meta", "Shift"], ...],
        Meta(description="Keys held down", extra_json_schema=UNLISTED),
    ] = ()
    scroll_direction: Annotated[
        Literal["up", "down", "left", "right"], Meta(description="Direction")
    ] = "down"
    scroll_amount: Annotated[
        float, Meta(ge=0, le=1000, description="Notches of 100 pixels")
    ] = 3  # fmt: skip
    duration: Annotated[float, Meta(ge=0, le=60, description="wait, hold_key: seconds")] = 1
    region: Annotated[
        Annotated[list[float], Meta(min_length=4, max_length=4)] | None,
        Meta(description="zoom: left, top, right, bottom"),
    ] = None
    screenshot_quality: Annotated[
        coordinate_input.Quality,
        Meta(description="high: PNG; otherwise JPEG", extra_json_schema=UNLISTED),
    ] = "normal"  # fmt: skip
    timeout_ms: Annotated[
        Annotated[int, Meta(ge=1, le=MAX_TIMEOUT_MS)] | None,
        Meta(description="Time limit in ms", extra_json_schema=UNLISTED),
    ] = None


class ComputerResult(DragKeys, total=False):
    """The result of the action: a screenshot's dimensions, or what has changed."""

    tab_id: Required[str]
    action: Required[str]
    now: Annotated[str, Meta(description="The topmost layer of the page, and the focused element")]
    changed: Changed
    content: Annotated[str, Meta(description="What changed, a line each, in the page's words")]
    waited_s: float
    url: str
    mime_type: str
    width: int
    height: int
    scale: float
    left: float
    top: float
    image: Picture
    direction: str
    position: Position
    dimensions: ScrollSizes
    at_end: bool
    coordinate: list[float]
    ref: str | None


@tab_verb(
    "computer",
    Computer,
    capability="core",
    tier=2,
    returns=ComputerResult,
    reads_page=True,
    page_keys=PAGE_KEYS,
    timeout_ms=70_000,
    removed_params={
        "force": "Leave it out: every screenshot is new and complete.",
        "include_user_agent_shadow_dom": "Leave it out: the inside of a native control (a video's "
        "buttons, a date's parts) is reached by coordinate, or by keys.",
    },
    example={"action": "left_click", "coordinate": [320, 200]},
)
async def computer(tab: Tab, params: Computer) -> Output:
    waits = params.action in ("wait", "hold_key")
    least = _TIMEOUT_MS + (params.duration * 1000 if waits else 0)
    timeout_ms = params.timeout_ms or round(least)
    deadline = ActionDeadline.of(timeout_ms)
    try:
        async with asyncio.timeout(deadline.seconds_left + _GRACE_S):
            return await _perform(tab, params, deadline)
    except TimeoutError:
        message = f"computer took longer than {timeout_ms / 1000:g} s"
        raise OcdError(
            "timeout", f"{message}: the page did not respond to {params.action}",
            hint="Raise timeout_ms, or close the tab: `tabs_close`",
        ) from None  # fmt: skip


async def _perform(tab: Tab, params: Computer, deadline: ActionDeadline) -> Output:
    if params.action in ("screenshot", "zoom"):
        return await _picture(tab, params)
    if params.action == "wait":
        await coordinate_input.pause(deadline, params.duration)
        return Output(data={"tab_id": tab.id, "action": "wait", "waited_s": params.duration})
    if params.action in ("type", "key", "hold_key"):
        return await _keys(tab, params, deadline)
    if params.action == "scroll":
        return await _scroll(tab, params, deadline)
    if params.action == "left_click_drag":
        return await _drag(tab, params, deadline)
    return await _point(tab, params, deadline)


async def _picture(tab: Tab, params: Computer) -> Output:
    if params.action == "zoom" and params.region is None:
        raise _needs(params, "region")
    region = None
    if params.action == "zoom" and params.region:
        left, top, right, bottom = params.region
        region = (left, top, right, bottom)
    shot = await coordinate_input.scaled_screenshot(tab, params.screenshot_quality, region)
    data: dict[str, Any] = {
        "tab_id": tab.id, "action": params.action, "url": tab.url, "mime_type": shot.mime_type,
        "width": shot.width, "height": shot.height, "scale": shot.scale,
    }  # fmt: skip
    if region:
        data |= {"left": shot.left, "top": shot.top}
    return Output(data=data, image=Image(shot.data, shot.mime_type))


async def _keys(tab: Tab, params: Computer, deadline: ActionDeadline) -> Output:
    if not params.text:
        raise _needs(params, "text")
    hold = params.duration if params.action == "hold_key" else 0.0
    if params.ref is not None:
        target = await resolve_target(tab, Locator(ref=params.ref))
        async with target.element:
            await element_actions.perform_action(target, deadline, "focus")
    done = await coordinate_input.keys(tab, deadline, params.text, kind=params.action, hold_s=hold)
    check_submitted(done)
    return answer(tab, {"action": params.action}, done)


async def _scroll(tab: Tab, params: Computer, deadline: ActionDeadline) -> Output:
    at = await _place(tab, params, deadline) if params.coordinate or params.ref else None
    bits = input_events.modifier_bits(params.modifiers)
    way, much = params.scroll_direction, params.scroll_amount
    where, done = await coordinate_input.scroll(tab, at, deadline, way, much, bits)
    return answer(tab, {"action": "scroll", "direction": way, **where}, done)


async def _drag(tab: Tab, params: Computer, deadline: ActionDeadline) -> Output:
    if params.start_coordinate is None and params.ref is None:
        raise _needs(params, "start_coordinate")
    if params.coordinate is None:
        raise _needs(params, "coordinate")
    start = drag_and_drop.DragEndpoint(Locator(ref=params.ref), _pair(params.start_coordinate))
    end = drag_and_drop.DragEndpoint(point=_pair(params.coordinate))
    dragged = await drag_and_drop.drag(tab, deadline, start, end)
    return answer(tab, {"action": params.action, **dragged.to_dict()}, dragged.done)


async def _point(tab: Tab, params: Computer, deadline: ActionDeadline) -> Output:
    if params.action == "scroll_to":
        if params.ref is None:
            raise _needs(params, "ref")
        target = await resolve_target(tab, Locator(ref=params.ref))
        async with target.element:
            done = await element_actions.perform_action(target, deadline, "scroll_into_view")
        return answer(tab, {"action": "scroll_to", "ref": target.ref}, done)
    x, y = await _place(tab, params, deadline)
    if params.action in coordinate_input.CLICKS:
        bits = input_events.modifier_bits(params.modifiers)
        target, done = await coordinate_input.click(tab, (x, y), deadline, params.action, bits)
    else:
        target, done = await coordinate_input.move(tab, (x, y), deadline, params.action)
    check_submitted(done)
    details = {"coordinate": [round(x, 1), round(y, 1)], "target": target.describe()}
    return answer(tab, {"action": params.action, **details, "ref": target.ref or None}, done)


async def _place(tab: Tab, params: Computer, deadline: ActionDeadline) -> tuple[float, float]:
    """Return the point: that of the element, once it can be used, or the one that was given.

    Without either, actions that press or release a button do so where the mouse is.
    """
    here = tab.state(input_events.MousePlace)
    if params.action in _WHERE_IT_IS and here and not params.coordinate and not params.ref:
        return here.x, here.y
    if (params.ref is None) == (params.coordinate is None):
        raise _needs(params, "coordinate")
    place = _pair(params.coordinate)
    if place is not None:
        return place
    target = await resolve_target(tab, Locator(ref=params.ref))
    async with target.element:
        enabled = params.action not in ("mouse_move", "hover", "scroll")
        return await wait_ready(target, deadline, enabled=enabled)


def _pair(point: list[float] | None) -> tuple[float, float] | None:
    return (point[0], point[1]) if point else None


def _needs(params: Computer, name: str) -> OcdError:
    either = "exactly one of coordinate and ref" if name == "coordinate" else name
    return OcdError(
        "invalid_argument", f"computer: {params.action} needs {either}.", parameter=name
    )
