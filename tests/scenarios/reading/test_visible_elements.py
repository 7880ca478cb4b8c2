"""Every element that a person can see and use is in the outline, however it is built."""

import re

import pytest

from ocd.browser.tabs.tab import Tab
from ocd.pages.read.reader import read
from support.site import Site

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def outline(tab: Tab, site: Site, name: str) -> list[str]:
    await tab.navigate(site.url(f"reading/{name}.html"))
    return await again(tab)


async def again(tab: Tab) -> list[str]:
    text = (await read(tab)).text
    return [re.sub(r"\[ref=e\d+\]", "[ref]", line).strip() for line in text.splitlines()]


@pytest.mark.parametrize(
    "line",
    [
        '- textbox "fixed in a box without height" [ref]',
        "- text: Go to line",
        '- button "Placed outside" [ref]',
        '- slider "Level of detail" [ref] value="10"',
        '- checkbox "Show code" [ref]',
        '- checkbox "Send news" [ref]',
        "- text: Letters every week",
        '- heading "Seen by people" [level=1] [aria-hidden]',
        '- button "Pay now" [ref] [aria-hidden]',
        "- text: Costs [aria-hidden] five euros a day",
        '- button "Close" [ref]',
        '- clickable "Next month" [ref]',
        "- clickable [ref]: Like this",
        "- text: Only an anchor",
        "- draggable [ref]: Drag me",
        "- droppable [ref]",
        "- clickable [ref]: Angular way",
        "- canvas (drawn, 300x150) [ref]",
        "- text: Console | Far down in a list | Far down the page",
    ],
)
async def test_visible_elements_have_a_line(tab: Tab, site: Site, line: str) -> None:
    lines = await outline(tab, site, "seen")
    assert lines.count(line) == 1, "\n".join(lines)


@pytest.mark.parametrize(
    "words",
    [
        "ut off",
        "Placed inside",
        "Held by a transform",
        "Trap",
        "Snare",
        "Not seen",
        "Another slide",
        "Card beside it",
        "Pinned outside",
    ],
)
async def test_invisible_elements_have_no_line(tab: Tab, site: Site, words: str) -> None:
    assert words not in "\n".join(await outline(tab, site, "seen"))


async def test_empty_boxes_that_listen_to_clicks_have_refs(tab: Tab, site: Site) -> None:
    lines = await outline(tab, site, "listeners")
    assert f"- clickable: {' | '.join(['[ref]'] * 9)}" in lines, "\n".join(lines)
    assert "- row: cell (free) [ref] |" in "\n".join(lines)
    # A box around one of them is told with it.
    assert lines[-1] == "- clickable: (trash) [ref] | (more) [ref] | (less) [ref]"
    assert len(lines) == 4, "\n".join(lines)
    await tab.evaluate("document.querySelectorAll('#board div')[4].click()")
    assert "- clickable [ref]: X" in await again(tab)


async def test_layers_in_zero_size_boxes_are_visible(tab: Tab, site: Site) -> None:
    """Applications render dialogs and messages in such boxes at the edges of the window."""
    lines = await outline(tab, site, "edges")
    assert [line for line in lines if "page " not in line] == [
        "- text: Ground",
        *(f'- button "{name}" [ref]' for name in ("Skip", "Later", "Undo", "Reopen")),
    ]
