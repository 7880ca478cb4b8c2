"""What a tab shows, frames included, as data for extraction."""

from typing import Any

from ocd.api.errors import OcdError
from ocd.browser.tabs.tab import Tab
from ocd.extraction.page_capture import PageCapture
from ocd.pages.locate import locators


async def capture_page(tab: Tab, selector: str | None, most: int) -> PageCapture:
    """Return the page and its frames, or each match of `selector` as a scope of its own.

    Raises element_not_found, invalid_argument (no selector).
    """
    tab.check_usable()
    found = PageCapture(tab.url)
    options = {"selector": selector, "most": most}

    def take(result: dict[str, Any]) -> bool:
        found.scopes += result["scopes"]
        found.lang = found.lang or str(result["lang"])
        found.title = found.title or str(result["title"])
        found.metas += [(str(key), str(value)) for key, value in result["meta"]]
        found.cut = found.cut or bool(result.get("cut"))
        return False

    await locators.call_in_frames(tab, "harvest", options, take)
    if selector is not None and not found.scopes:
        raise OcdError(
            "element_not_found", f"Nothing that shows matches {selector!r}.",
            hint="Look what is there: read_page or inspect.", selector=selector,
        )  # fmt: skip
    return found
