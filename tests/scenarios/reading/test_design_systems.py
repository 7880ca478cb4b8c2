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


async def test_icons_in_a_control_that_act_by_themselves_have_a_line(tab: Tab, site: Site) -> None:
    """The cross of a chip: the hand shows over it alone."""
    await tab.navigate(site.url("article.html"))
    icon = "<svg aria-hidden=true {} width=20 height=20><path d='M0 0h20v20z'/></svg>"
    chip = icon.format("data-testid=CancelIcon style='cursor: pointer'")
    body = (
        f"<div role=button tabindex=0 style='cursor: default'><b>Chip</b>{chip}</div>"
        f"<button style='cursor: pointer'>Plain{icon.format('')}</button>"
    )
    await tab.evaluate(f'document.body.innerHTML = "{body}"')
    text = re.sub(r" \[ref=e\d+\]", "", (await read(tab)).text)
    assert text == ('- button "Chip"\n  - img (CancelIcon) [aria-hidden]\n- button "Plain"\n')


async def test_an_item_and_its_words_that_are_clicked_are_one_line(tab: Tab, site: Site) -> None:
    await tab.navigate(site.url("article.html"))
    body = (
        "<div role=tree><div role=treeitem tabindex=0 aria-expanded=true>"
        "<div style='cursor: pointer'>Documents</div><div role=group>"
        "<div role=treeitem tabindex=-1><div style='cursor: pointer'>CV.pdf</div></div>"
        "</div></div></div>"
    )
    await tab.evaluate(f'document.body.innerHTML = "{body}"')
    text = re.sub(r" \[ref=e\d+\]", " [ref]", (await read(tab)).text)
    assert text == '- tree > treeitem "Documents" [ref] expanded > treeitem "CV.pdf" [ref]\n'
