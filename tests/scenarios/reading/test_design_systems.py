"""Shapes of Carbon, Fluent, Material Web, AG Grid, FullCalendar, OpenLayers and Excalidraw."""

import re

import pytest

from ocd.browser.tabs.tab import Tab
from ocd.pages.read.reader import read
from support.site import Site

pytestmark = pytest.mark.asyncio(loop_scope="module")

OUTLINE = """\
- text: Layered words
- canvas (drawn, 300x80) [ref]
- switch "Dark mode" [ref] checked
- spinbutton "Beds" [ref] value="3"
- button (next) [ref] [aria-hidden]
- combobox "Country" [ref] collapsed value="Peru"
- combobox "Tree" [ref] collapsed
- textbox "Town" [ref]
- textbox "Filter plants" [ref] multiline
- button "Update all" [ref]
- grid "November"
  - headers: "Sunday" | "Monday"
  - row: gridcell "November 1, 2026" | gridcell "November 3, 2026": [aria-hidden] 20
- grid "Stock"
  - row [ref]: textbox "Make" [ref]
  - row [ref]: checkbox "Press Space to pick this row" [ref] | Oak
  - row [ref]: checkbox "…" [ref] | Elm
- button: (search-close) [ref] | (close-button) [ref] | (color) [ref] | (align) [ref]
- button "+" [ref] description="Zoom in"
- link "»" [ref] description="Next page" → /next
- text: November 2026
- text: Sun | Mon | 1 | 2 | 3 | 4 | 5 | 6
- table
  - row: Oak | (Watered)
  - row: Elm | (Dry)
- text: (Sold: 40 %)
- tablist > tab "Only" [ref]
"""


async def test_each_element_is_listed_once_by_its_name(tab: Tab, site: Site) -> None:
    """A hidden button by its label, a wordless thing by its tip, a field whatever its role."""
    await tab.navigate(site.url("reading/systems.html"))
    assert re.sub(r"\[ref=e\d+\]", "[ref]", (await read(tab)).text) == OUTLINE
