"""Icons, wrappers and pickers of widget libraries: each is listed once, by its visible text."""

import re

import pytest

from ocd.browser.tabs.tab import Tab
from ocd.pages.read.reader import read
from support.site import Site

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def outline(tab: Tab, site: Site) -> str:
    await tab.navigate(site.url("reading/icons.html"))
    return re.sub(r"\[ref=e\d+\]", "[ref]", (await read(tab)).text)


@pytest.mark.parametrize(
    "lines",
    [
        "- text: red\n- button (plain-remove) [ref] [aria-hidden]\n",
        "- text: green\n- button (plain-clear) [ref] [aria-hidden]\n",
        '- textbox "Secret" [ref]\n- img (eye) [ref] [aria-hidden]\n- textbox "Plain" [ref]\n',
        "- clickable (wipe) [ref] [aria-hidden]\n",
        '- radio "1 star" [ref]\n- switch "Dark" [ref]\n',
        '- button "Due" [ref]\n  - text: Pick a date\n',
        '- button "Select month" [ref]\n  - text: Nov\n- button "Close" [ref]\n- combobox',
        '- combobox "City" [ref] collapsed value="Oslo"\n- button "Marker"',
        '- button "Marker" [ref] description="Bakery"\n',
        '- grid "Owner"\n  - clickable "Rows" [ref]\n    - row: First cell\n  - text: Footer of',
        "- button: (previous) [ref] | (chevron-down) [ref]\n",
        '- text: As on the card\n- textbox "Name" [ref] invalid\n- text: Too short\n',
        '- textbox "Street" [ref]\n- alert: Without a number\n',
    ],
)
async def test_each_element_is_listed_once_by_its_visible_text(
    tab: Tab, site: Site, lines: str
) -> None:
    text = await outline(tab, site)
    assert text.count(lines) == 1, text


async def test_icons_that_only_decorate_have_no_line(tab: Tab, site: Site) -> None:
    text = await outline(tab, site)
    assert "ghost" not in text
    assert "star)" not in text
    assert text.count("[ref]") == 19, text
