"""A page's semantic summary and its pagination."""

from typing import Any

from ocd.api.errors import OcdError
from ocd.browser.tabs.tab import Tab
from ocd.pages.locate import locators


async def summarise(tab: Tab) -> str:
    """Return landmarks, headings, forms with refs and tables as text, frames included."""
    lines: list[str] = []
    links = 0

    def take(result: dict[str, Any]) -> bool:
        nonlocal links
        links += int(result["links"])
        for title, texts in result["about"]:
            is_single = len(texts) == 1 and title in ("description", "language")
            lines.extend([f"{title}: {texts[0]}"] if is_single else [f"{title}:", *_indent(texts)])
        return False

    await locators.call_in_frames(tab, "summarize", {}, take)
    return "\n".join([*lines, f"links: {links}"]) + "\n"


def _indent(lines: list[str]) -> list[str]:
    return [f"  {line}" for line in lines]


async def pagination(tab: Tab) -> dict[str, Any] | None:
    """Return the page's pagination, None if it has none.

    `type` is numbered, next_button, load_more, infinite_scroll, cursor or viewer. It has the
    current and the last page as far as the page shows them, and `next_step`, the call that
    opens the next page.
    """
    try:
        result = await locators.call_engine(tab, tab.main_frame, "pagination", {})
    except OcdError as error:
        if error.code != "script_error":  # a hint is not worth failing the reading
            raise
        return None
    if not result:
        return None
    ref, url = result.pop("ref", None), result.pop("url", None)
    known = {key: value for key, value in result.items() if value is not None}
    return {**known, **({"next_url": url} if url else {}), "next_step": _step(tab, ref, url)}


def _step(tab: Tab, ref: str | None, url: str | None) -> dict[str, Any]:
    if ref:
        return {"verb": "interact", "arguments": {"tab_id": tab.id, "ref": ref}}
    if url:
        return {"verb": "navigate", "arguments": {"tab_id": tab.id, "url": url}}
    return {"verb": "lightweight_scroll", "arguments": {"tab_id": tab.id, "direction": "down"}}
