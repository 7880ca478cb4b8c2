"""Nothing is told twice or at greater length than it takes."""

import re

import pytest

from ocd.browser.tabs.tab import Tab
from ocd.pages.read.reader import read
from support.site import Site

pytestmark = pytest.mark.asyncio(loop_scope="module")

OUTLINE = """\
- navigation
  - link "Newest" [ref] → ?o=1
  - link "Oldest" [ref] → ?o=2
  - link "Other" [ref] → ./other.html
- textbox "Size of it" [ref]
- text: Gone field
- heading "Heading kept" [level=2]
- textbox "Heading kept" [ref]
- combobox "City" [ref] value="Rome"
- text: Alone [aria-hidden]
- list "Done"
- table
  - headers: Book | State
  - row: One | combobox [ref] value="Draft" options: Draft / Printed / Gone
  - row: Two | combobox [ref] value="Printed"
- grid "Plain"
  - row: a | b\\|c
  - row: d | button "Edit" [ref]
- grid "Placed"
  - row: x1 | y1
  - row: x2 | y2
- banner > navigation "Top" > menubar "Bar"
  - menuitem "File" [ref]
  - menuitem "Edit" [ref]
- table
  - link "Shop" [ref] → /shop/
  - row: Books | 3
- text: Ada
- draggable: [ref]: inject | [ref]: debug | [ref]: catch | [ref]: status
- menu
  - menuitem "Undo" [ref]
  - menuitem "Redo" [ref]
- list > listitem: app.py
- button "Terminal" [ref]
- radiogroup "Size" > radio "S" [ref]
- file "Choose File" [ref]
- list
  - listitem: Due: tomorrow
  - listitem: Started: | button "Start now" [ref]
- text: (1) | ~3h | a\\|b
- clickable [ref]: Ann
- heading "Total" [level=2]
- slider "Level" [ref] value="4"
- summary "More" [ref] collapsed
- text: one
- text: two
- text:   three
- link "Up" [ref] → /up/
"""

REPEATS = """\
- textbox "Name" [ref]
- text: At most ten letters.
- textbox "Key" [ref]
- list
  - listitem: Not too short.
  - listitem: Not a number.
- text: Read this first.
- button "Go on" [ref]
- textbox "Far" [ref] description="At most ten letters."
- heading [level=3] > link "A story" [ref] → /story/
- heading "Two stories" [level=3]
  - link "stories" [ref] → /story/
- region
  - heading "Place" [level=2]
  - button "Here" [ref]
  - button "There" [ref]
- navigation "Site" > tablist
  - tab "One" [ref]
  - tab "Two" [ref]
- list
  - link "All" [ref] → /all/
  - link "Yes" [ref] → /yes/
  - listitem: button "Fake" [ref]
  - link "No" [ref] → /no/
- list
  - listitem: link "A" [ref] → /a/
  - listitem: link "B" [ref] → /b/
- list
  - listitem: Writer: | link "Ann" [ref] → /ann/
    - list
      - listitem: Copy 1
      - listitem: Copy 2
  - listitem: Others
- table
  - headers: Who | What
  - row: textbox "Who" [ref] | combobox "How" [ref] value="x" options: x button "Fix" [ref] disabled
"""


async def short(tab: Tab) -> str:
    return re.sub(r"as e\d+", "as e1", re.sub(r"\[ref=e\d+\]", "[ref]", (await read(tab)).text))


async def test_an_outline_says_everything_once(tab: Tab, site: Site) -> None:
    await tab.navigate(site.url("reading/short.html"))
    assert await short(tab) == OUTLINE
    await tab.evaluate("history.pushState(0, '', '/reading/')")
    moved = await short(tab)
    assert "→ ./other.html" in moved
    assert "→ ./short.html?o=2" in moved
    await tab.evaluate("history.pushState(0, '', '/elsewhere')")
    assert "→ /reading/other.html" in await short(tab)


async def test_what_the_lines_around_say_is_not_told_again(tab: Tab, site: Site) -> None:
    """A description beside its field, a name that something in a box has, items that are links."""
    await tab.navigate(site.url("reading/repeats.html"))
    assert await short(tab) == REPEATS
