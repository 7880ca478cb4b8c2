"""A tab's content, frames included, as input for extraction."""

from typing import Any

from ocd.api.errors import OcdError
from ocd.browser.tabs.tab import Tab
from ocd.extraction.node_tree import PageCapture
from ocd.pages.locate import locators


async def capture_page(tab: Tab, selector: str | None, max_nodes: int) -> PageCapture:
    """Return the page and its frames, or each match of `selector` as a scope of its own.

    Raises element_not_found, invalid_argument (invalid selector).
    """
    tab.check_usable()
    capture = PageCapture(tab.url)
    options = {"selector": selector, "most": max_nodes}

    def take(result: dict[str, Any]) -> bool:
        capture.scopes += result["scopes"]
        capture.lang = capture.lang or str(result["lang"])
        capture.title = capture.title or str(result["title"])
        capture.metas += [(str(key), str(value)) for key, value in result["meta"]]
        capture.cut = capture.cut or bool(result.get("cut"))
        return False

    await locators.call_in_frames(tab, "capturePage", options, take)
    if selector is not None and not capture.scopes:
        raise OcdError(
            "element_not_found", f"No visible element matches {selector!r}.",
            hint="`read_page` and `inspect` show what is there.", selector=selector,
        )  # fmt: skip
    return capture
