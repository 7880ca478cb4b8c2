"""Views of a page after an action: state summary, screenshot, outline diff."""

import contextlib
from typing import Literal

from ocd.api.errors import OcdError
from ocd.browser.tabs.tab import Tab
from ocd.pages.act import coordinate_input
from ocd.pages.act.coordinate_input import Quality, ScaledScreenshot
from ocd.pages.act.observation import ActionResult
from ocd.pages.read import filters_and_deltas, page_state, reader

MAX_DIFFERENCE_LINES = 60
Form = Literal["dom_delta", "state_summary", "both"]


async def view_after_action(tab: Tab, result: ActionResult, form: Form) -> list[str]:
    """Return the lines to report: what changed, the page state as in `inspect`, or both.

    A page that is gone or shows a dialog has no state to report; `changed` then says so.
    """
    lines = [] if form == "state_summary" else result.lines
    if form == "dom_delta" or not _can_answer(tab):
        return lines
    report = await page_state.read_page_state(tab, "", "visible")
    text = page_state.format_page_state(report, "", await tab.title(), tab.url)
    return [*lines, *text.splitlines()]


async def screenshot_after(tab: Tab, quality: Quality = "low") -> ScaledScreenshot | None:
    """Return a screenshot of the window, or None if none can be taken now."""
    if _can_answer(tab):
        with contextlib.suppress(OcdError):
            return await coordinate_input.scaled_screenshot(tab, quality)
    return None


async def outline(tab: Tab) -> str | None:
    """Return the page's outline, to compare with a later one; None if it cannot be read now."""
    if _can_answer(tab):
        with contextlib.suppress(OcdError):
            return (await reader.read(tab)).text
    return None


async def differences(tab: Tab, before: str | None) -> list[str]:
    """Return the lines of the outline that have changed, at most MAX_DIFFERENCE_LINES."""
    from ocd.content.line_diff import difference  # only for callers who ask for it

    after = await outline(tab)
    if before is None or after is None:
        return ["outline: cannot be compared: there is no page to read"]
    old, new = before, after
    size = len(old) + len(new)
    change = await filters_and_deltas.compute_beside(size, lambda: difference(old, new))
    lines = change.text().splitlines()
    more = (
        [f"… {len(lines) - MAX_DIFFERENCE_LINES} more differences"]
        if len(lines) > MAX_DIFFERENCE_LINES
        else []
    )
    return ["outline:", *(lines[:MAX_DIFFERENCE_LINES] or ["no differences"]), *more]


def _can_answer(tab: Tab) -> bool:
    return not tab.closed and not tab.crashed and tab.opened_dialog is None
