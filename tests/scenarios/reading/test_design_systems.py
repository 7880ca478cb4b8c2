"""Shapes of Carbon, Fluent, Material Web, AG Grid, FullCalendar, OpenLayers, Quill and Excalidraw."""

import re

import pytest

from ocd.browser.tabs.tab import Tab
from ocd.pages.read.reader import read
from support.site import Site

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest.mark.parametrize(
    "lines",
    [
        # Canvases of one drawing are one; what stands on a higher layer is not covered by them.
        "- text: Layered words\n- canvas (drawn, 300x80) [ref]\n",
        # A hidden button goes by its label, a field stays one whatever role it was given.
        '- switch "Dark mode" [ref] checked\n- spinbutton "Beds" [ref] value="3"\n',
        # A button that only assistive software is not told of.
        "- button (next) [ref] [aria-hidden]\n",
        # What a field shows in its shadow tree is its value; boxes around a field are one with it.
        '- combobox "Country" [ref] collapsed value="Peru"\n- combobox "Tree" [ref] collapsed\n',
        # Words beside a field that are its name, icons that are drawn for words; a day's number and short form.
        '- textbox "Town" [ref]\n- textbox "Filter plants" [ref] multiline\n- button "Update all" [ref]\n'
        '- grid "November"\n  - headers: "Sunday" | "Monday"\n'
        '  - row: gridcell "November 1, 2026" | gridcell "November 3, 2026": [aria-hidden] 20\n',
        # A row with a field in it needs no hint; the same long name in each row is told once.
        '- grid "Stock"\n  - row [ref]: textbox "Make" [ref]\n'
        '  - row [ref]: checkbox "Press Space to pick this row" [ref] | Oak\n'
        '  - row [ref]: checkbox "…" [ref] | Elm\n',
        # Hints from classes that are made of parts, and from the box around where others have the same.
        "- button: (search-close) [ref] | (close-button) [ref] | (color) [ref] | (align) [ref]\n",
        # A sign for a name says little without its tip.
        '- button "+" [ref] description="Zoom in"\n'
        '- link "»" [ref] description="Next page" → /next\n',
        # Many short words are one line; an attribute with the word undefined is none.
        '- text: November 2026\n- text: Sun | Mon | 1 | 2 | 3 | 4 | 5 | 6\n- tablist > tab "Only" [ref]\n',
    ],
)  # fmt: skip
async def test_each_thing_is_told_once(tab: Tab, site: Site, lines: str) -> None:
    await tab.navigate(site.url("reading/systems.html"))
    text = re.sub(r"\[ref=e\d+\]", "[ref]", (await read(tab)).text)
    assert lines in text, text
