"""The first line of an action's reply: what is on top of the page, and what has the focus."""

import asyncio
import contextlib
from collections.abc import Mapping
from typing import Any

from ocd.api.errors import OcdError
from ocd.api.spelling import truncate
from ocd.browser.tabs.tab import Tab
from ocd.pages.locate.locators import call_engine
from ocd.pages.locate.target import ActionDeadline
from ocd.pages.read.reader import on_top

MAX_CHARS = 200
# Seconds that a page which has just loaded may take to answer.
_ASK_S = 1.0
_MAX_TITLE = 50
_MAX_URL = 80


def describe(changed: Mapping[str, Any], standing: Mapping[str, Any]) -> str:
    """Return the current state of the page in at most MAX_CHARS characters.

    That is its dialog, tab, page (if new), fields that it rejects, top layer, toast and focus.

    standing: what the main frame reports about itself.
    """
    parts = [*_new_place(changed), *_rejected(changed), *on_top(standing)]
    line = " · ".join(parts) or "nothing on top, no focus"
    return truncate(line, MAX_CHARS)


def _new_place(changed: Mapping[str, Any]) -> list[str]:
    parts: list[str] = []
    if dialog := changed.get("dialog"):
        parts.append(f'{dialog["type"]} "{truncate(dialog["message"], _MAX_TITLE)}" is open')
    if "current_tab" in changed:
        parts.append(f"tab {changed['current_tab']} is current" if changed["current_tab"] else "")
    elif changed.get("closed"):
        parts.append("no tab is left")
    if "title" in changed:
        parts.append(f'page "{truncate(changed["title"], _MAX_TITLE)}"')
    if "url" in changed:
        parts.append(truncate(changed["url"], _MAX_URL))
    return [part for part in parts if part]


def _rejected(changed: Mapping[str, Any]) -> list[str]:
    count = len(changed.get("rejected", ()))
    return [f"{count} field{'s' if count > 1 else ''} rejected"] if count else []


async def ask(tab: Tab, deadline: ActionDeadline, *, rejected: bool) -> Mapping[str, Any]:
    """Return what the main frame reports about itself, empty if it cannot answer now.

    rejected: also ask which fields it marks as wrong.
    """
    if tab.closed or tab.crashed or tab.opened_dialog is not None:
        return {}
    with contextlib.suppress(OcdError, TimeoutError):
        async with asyncio.timeout(min(_ASK_S, deadline.seconds_left)):
            return await call_engine(tab, tab.main_frame, "describeLayers", {"rejected": rejected})
    return {}
