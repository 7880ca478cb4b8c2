"""Recorded elements, found again by role and name once the page has them."""

from dataclasses import dataclass

from ocd.api.errors import OcdError
from ocd.browser.process.chromium import Chromium
from ocd.browser.tabs.tab import Tab
from ocd.pages.locate.locators import search
from ocd.pages.locate.wait import wait_until

# The scores of matching lines: by role and name alone, and with most words of the row.
_SAME, _SAME_ROW = 80, 92


@dataclass(frozen=True, slots=True)
class RecordedElement:
    """An element as a query: its line in the outline. in_row: the words of its row count, too."""

    query: str
    in_row: bool


async def wait_for_recorded(
    chromium: Chromium, tab: Tab, elements: list[RecordedElement], seconds: float
) -> None:
    """Wait until the page has all these elements; element_not_found names a missing one."""
    missing = list(elements)

    async def all_found() -> bool:
        while missing and await _is_there(tab, missing[0]):
            del missing[0]
        return not missing

    with chromium.hold():
        async with tab.lock:
            if tab.opened_dialog is not None:
                return  # the next action reports it
            await wait_until(tab, all_found, seconds)
    if missing:
        raise OcdError(
            "element_not_found", f"The page no longer has {missing[0].query}",
            hint="Read the page: it may have another name now.", query=missing[0].query,
        )  # fmt: skip


async def _is_there(tab: Tab, element: RecordedElement) -> bool:
    matches, _ = await search(tab, element.query, 1, among="acting")
    if not matches:
        matches, _ = await search(tab, element.query, 1)
    return bool(matches) and matches[0].score >= (_SAME_ROW if element.in_row else _SAME)
