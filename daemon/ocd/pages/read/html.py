"""A page or an element of it as HTML: what a person sees of it, and nothing that runs."""

from dataclasses import replace
from html import escape

from ocd.browser.tabs.tab import Tab
from ocd.pages.read.reader import Reading, read


async def content(
    tab: Tab, *, selector: str | None = None, ref: str | None = None, outer: bool = True
) -> Reading:
    """Return the HTML; `outer` False leaves the element's own tag out.

    The errors are those of reading.read.
    """
    found = await read(tab, mode="html", selector=selector, ref=ref)
    if selector is None and ref is None:
        head = f"<head><title>{escape(found.title)}</title></head>"
        return replace(found, text=f"<!doctype html>\n<html>{head}{found.text}</html>")
    return found if outer else replace(found, text=_inner(found.text))


def _inner(html: str) -> str:
    # The serialiser writes > as &gt; everywhere else, and closes every tag that it opens.
    start, end = html.find(">") + 1, html.rstrip().rfind("</")
    return html[start:end] if start <= end else ""
