"""Where a tab shows fields for passwords, in whatever frames: films cover them."""

import asyncio
from collections.abc import Sequence

from ocd.api.errors import OcdError
from ocd.browser.injected import script
from ocd.browser.tabs.frames import Frame
from ocd.browser.tabs.tab import Tab
from ocd.pages.locate.geometry import frame_box
from ocd.recording.film.picture import Box

_ASK_S = 2.0
_WINDOW = (float("inf"), float("inf"))


async def password_boxes(tab: Tab) -> list[Box] | None:
    """Return the boxes in CSS pixels of the tab's window; None if that cannot be known now."""
    try:
        async with asyncio.timeout(_ASK_S), asyncio.TaskGroup() as group:
            asked = [group.create_task(_boxes_in(tab, frame)) for frame in tab.frames()]
    except TimeoutError:
        return None
    answers = [task.result() for task in asked]
    found: list[Box] = []
    for boxes in answers:
        if boxes is None:
            return None
        found += boxes
    return found


async def _boxes_in(tab: Tab, frame: Frame) -> Sequence[Box] | None:
    try:
        boxes = await tab.evaluate(script("password_fields"), isolated=True, frame=frame)
        if not boxes or frame.parent_id is None:
            return [(x, y, width, height) for x, y, width, height in boxes]
        place = await frame_box(tab, frame, _WINDOW)
    except OcdError:
        return None  # it goes on to another document, say, or stands still in a dialog
    if place is None:
        return None
    return [
        (x * place.scale + place.x, y * place.scale + place.y, w * place.scale, h * place.scale)
        for x, y, w, h in boxes
    ]
