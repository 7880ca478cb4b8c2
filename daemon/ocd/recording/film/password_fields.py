"""Where a tab shows password fields, in any frame; videos mask them."""

import asyncio
from collections.abc import Sequence

from ocd.api.errors import OcdError
from ocd.browser.cdp.connection import CdpSession, Result
from ocd.browser.injected import script
from ocd.browser.tabs import evaluate
from ocd.browser.tabs.frames import Frame
from ocd.browser.tabs.tab import Tab
from ocd.pages.locate.geometry import frame_box
from ocd.recording.film.picture import Box

_ASK_S = 2.0
_WINDOW = (float("inf"), float("inf"))
_SEARCH = {"query": "input[type=password]"}
_MAX_FOUND = 100
_GROUP = "openchrome-password-fields"
_ADOPT = "function (...others) { return openchromePasswordFields.adopt([this, ...others]) }"


async def password_boxes(tab: Tab) -> list[Box] | None:
    """Return the boxes in CSS pixels of the tab's window; None if that cannot be known now."""
    try:
        async with asyncio.timeout(_ASK_S):
            boxes = await _boxes(tab)
            if boxes is not None and await _adopt_closed_trees(tab):
                boxes = await _boxes(tab)
    except (TimeoutError, OcdError):
        return None
    return boxes


async def _boxes(tab: Tab) -> list[Box] | None:
    async with asyncio.TaskGroup() as group:
        asked = [group.create_task(_boxes_in(tab, frame)) for frame in tab.frames()]
    answers = [task.result() for task in asked]
    found: list[Box] = []
    for boxes in answers:
        if boxes is None:
            return None
        found += boxes
    return found


async def _boxes_in(tab: Tab, frame: Frame) -> Sequence[Box] | None:
    try:
        boxes = await tab.evaluate(script("tabs/password_fields"), isolated=True, frame=frame)
        if not boxes or frame.parent_id is None:
            return [(x, y, width, height) for x, y, width, height in boxes]
        place = await frame_box(tab, frame, _WINDOW)
    except OcdError:
        return None  # for example, it is navigating, or a dialog blocks it
    if place is None:
        return None
    return [
        (x * place.scale + place.x, y * place.scale + place.y, w * place.scale, h * place.scale)
        for x, y, w, h in boxes
    ]


async def _adopt_closed_trees(tab: Tab) -> bool:
    """Have scripts look into closed shadow trees with such fields; return whether any is new."""
    new = False
    # Only CDP can search closed trees.
    for cdp in {frame.cdp for frame in tab.frames()}:
        try:
            found = await _search(cdp)
            for frame in tab.frames() if found else ():
                if frame.cdp is cdp and await _adopt(frame, found):
                    new = True
        finally:
            cdp.send_nowait("Runtime.releaseObjectGroup", {"objectGroup": _GROUP})
            cdp.send_nowait("DOM.disable")
    return new


async def _search(cdp: CdpSession) -> list[int]:
    """Return CDP's ids of the fields for passwords in all trees of a target."""
    await cdp.send("DOM.getDocument", {"depth": 0})
    found = await cdp.send("DOM.performSearch", _SEARCH)
    if not found["resultCount"]:
        return []
    last = min(found["resultCount"], _MAX_FOUND)
    some = {"searchId": found["searchId"], "fromIndex": 0, "toIndex": last}
    return [int(node) for node in (await cdp.send("DOM.getSearchResults", some))["nodeIds"]]


async def _adopt(frame: Frame, nodes: Sequence[int]) -> bool:
    context = {"executionContextId": await evaluate.isolated_context(frame), "objectGroup": _GROUP}
    # Sent at once, answered in order.
    calls = [frame.cdp.send("DOM.resolveNode", {"nodeId": node, **context}) for node in nodes]
    objects = [one for call in calls if (one := await _object_id(call)) is not None]
    if not objects:
        return False
    call = {
        "functionDeclaration": _ADOPT, "objectId": objects[0], "returnByValue": True,
        "arguments": [{"objectId": object_id} for object_id in objects[1:]],
    }  # fmt: skip
    return bool(evaluate.value_of(await frame.cdp.send("Runtime.callFunctionOn", call)))


async def _object_id(resolved: Result) -> str | None:
    try:
        return str((await resolved)["object"]["objectId"])
    except OcdError as error:
        if error.code != "cdp_error":
            raise
        return None  # another frame's, or gone
