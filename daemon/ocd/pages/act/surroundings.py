"""What an action in a frame changes in the page around it.

A frame of another origin or process tells the page by a message, and the page's scripts do the rest
(a payment form in a frame, a captcha): the frame itself sees nothing of that.
"""

import contextlib
from typing import Any

from ocd.api.errors import OcdError
from ocd.browser.tabs.frames import apart
from ocd.browser.tabs.tab import Frame, Tab
from ocd.pages.engine import engine

# A page that nothing was done to watches nothing, and has nothing to tell.
_SETTLE = f"(options) => {engine.INSTALLED} && openchrome.settle?.(null, options) || null"


async def watch_around(tab: Tab, frame: Frame) -> bool:
    """Begin to watch the main frame if `frame` is not seen from there; return whether it is so."""
    if not _is_apart(tab, frame):
        return False
    with contextlib.suppress(OcdError):  # a page that cannot be watched does not stop the action
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
    alone = {each.frame_id for each in apart(frames)} - {tab.main_frame.frame_id}
    at: str | None = frame.frame_id
    while at is not None and at not in alone:
        at = parents.get(at)
    return at is not None
