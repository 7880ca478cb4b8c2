"""What an action in a frame changes in the page around it.

A frame of another origin or process sends the page a message, and the page's scripts do the rest (a
payment form in a frame, a captcha): in the frame itself none of that is visible.
"""

import contextlib
from typing import Any

from ocd.api.errors import OcdError
from ocd.browser.tabs.frames import frames_to_call
from ocd.browser.tabs.tab import Frame, Tab
from ocd.pages.engine import engine

# A page on which nothing was done watches nothing, and has nothing to report.
_SETTLE = f"(options) => {engine.INSTALLED} && openchrome.settle?.(null, options) || null"


async def watch_around(tab: Tab, frame: Frame) -> bool:
    """Begin to watch the main frame, if it cannot see into `frame`; return whether that is so."""
    if not _is_apart(tab, frame):
        return False
    with contextlib.suppress(OcdError):  # the action goes ahead even if the page cannot be watched
        await engine.call(tab, tab.main_frame, "watchPage")
        return True
    return False


async def settle_main_frame(tab: Tab, options: dict[str, Any]) -> dict[str, Any] | None:
    """Return what has changed in the main frame since the watch began, once it is quiet."""
    found: dict[str, Any] | None = await tab.evaluate(_SETTLE, args=(options,), isolated=True)
    return found


def _is_apart(tab: Tab, frame: Frame) -> bool:
    frames = tab.frames()
    parents = {each.frame_id: each.parent_id for each in frames}
    alone = {each.frame_id for each in frames_to_call(frames)} - {tab.main_frame.frame_id}
    at: str | None = frame.frame_id
    while at is not None and at not in alone:
        at = parents.get(at)
    return at is not None
