"""Outlines repeat nothing, and are no longer than needed."""

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
- treegrid "Frozen"
  - row: 1 | Ann | checkbox "Paid" [ref]
  - row: 2 | Bob | no
  - row: Cy
  - row: Dot
- radio "1 star 1 star" [ref] checked
- table
  - row
    - cell: Plan
    - cell > list
      - listitem
        - link "Walls" [ref] → #walls
        - text: and
        - link "floor" [ref] → #floor
      - link "Roof" [ref] → #roof
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
- list: app.py
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
- list: Not too short. | Not a number.
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
  - link "A" [ref] → /a/
  - link "B" [ref] → /b/
- list
  - listitem: Writer: | link "Ann" [ref] → /ann/
    - list: Copy 1 | Copy 2
  - listitem: Others
- table
  - headers: Who | What
  - row: textbox "Who" [ref] | combobox "How" [ref] value="x" options: x button "Fix" [ref] disabled
- text: How it is used is told in the
- link "terms" [ref] → /terms/
- draggable: [ref]: spare | [ref]: other
"""

TERSE = """\
- heading "Ship to" [level=2]
- textbox "Street" [ref]
- summary "More" [ref] collapsed
- group
  - radio "Yes" [ref]
  - radio "No" [ref]
- text: Second:
- radio "Yes" [ref]
- radio "No" [ref]
- button "Save" [ref]
- list: red | a\\|b
- list "Long"
  - listitem: These words are more than a few, so that each of the items has a line of its own.
  - listitem: Short
- list > listitem: looks like link "This" [ref]
- list > link "Only" [ref] → /only
- link "Signed" [ref] → /file?name=report&expires=20261123&key=shortest&…
- link "Token" [ref] → /go?token=0123456789abcdef0123456789abcdef0123456789…
- link "Signed later" [ref] → /file?…
- link "Instructions" [ref] → #…
- link "Rest" [ref] → #here-is-another-part-of-it
- list > clickable [ref]
  - text: Step
  - button "Two" [ref]
  - button "Three" [ref]
- list
  - link "Tab" [ref] → /tab
  - listitem [ref] > link "Key" [ref] → /key
- tablist
  - tab "Notes" [ref] selected
  - tab "Files" [ref]
- tabpanel: A note
- tabpanel "Files": A file
- table
  - headers: Select | Who
  - row: checkbox "Invite to the list Ann Lee" [ref] | link "A" [ref] → /who/1/ link "X" [ref] → …x
  - row: checkbox "… Bob Lee" [ref] | link "Bob" [ref] → /who/2/ link "X" [ref] → …x
  - row: checkbox "… Bob Ray" [ref] | link "Rob" [ref] → /who/3/ link "Other" [ref] → /other/
"""


async def short(tab: Tab) -> str:
    return re.sub(r"as e\d+", "as e1", re.sub(r"\[ref=e\d+\]", "[ref]", (await read(tab)).text))


async def test_an_outline_repeats_nothing(tab: Tab, site: Site) -> None:
    await tab.navigate(site.url("reading/short.html"))
    assert await short(tab) == OUTLINE
    await tab.evaluate("history.pushState(0, '', '/reading/')")
    moved = await short(tab)
    assert "→ ./other.html" in moved
    assert "→ ./short.html?o=2" in moved
    await tab.evaluate("history.pushState(0, '', '/elsewhere')")
    assert "→ /reading/other.html" in await short(tab)


async def test_words_of_adjacent_lines_are_not_repeated(tab: Tab, site: Site) -> None:
    """A description beside its field, a name repeated inside a box, items that are links."""
    await tab.navigate(site.url("reading/repeats.html"))
    assert await short(tab) == REPEATS


async def test_redundant_information_is_left_out(tab: Tab, site: Site) -> None:
    """Wrappers that say nothing, long queries, names just told, beginnings from rows above."""
    await tab.navigate(site.url("reading/terse.html"))
    assert await short(tab) == TERSE
    whole = (await read(tab, ref=await ref_of(tab, "Signed"))).text
    assert "&key=shortest&signature=" in whole
    assert "to the list Bob Lee" in (await read(tab, selector="tr:nth-child(3)")).text


TOLD_ONCE = """\
- menubar > menuitem haspopup: "File" [ref] | "Edit" [ref] | "View" [ref]
- toolbar > button disabled: "Cut" [ref] | "Copy" [ref] | "Paste" [ref]
- table
  - row: Ann | button "Actions" [ref] haspopup
  - row: Bob | button "Actions" [ref]
  - row: Cem | button "Actions" [ref]
- clickable (collapser) [ref]
- clickable (card-menu) [ref] > clickable (dot) [ref]
- list
  - link "Flow" [ref] draggable
  - link "Notes" [ref] draggable
"""


async def test_what_several_share_is_told_once(tab: Tab, site: Site) -> None:
    """States of a bar's items, what buttons of one name open, two boxes that are one to click."""
    await tab.navigate(site.url("reading/told-once.html"))
    assert await short(tab) == TOLD_ONCE


PRESSED = """\
- main
  - link "View Docs" [ref] → /docs
  - link "Ready to scale? Upgrade" [ref] → /up
    - button "Upgrade" [ref]
  - link "Menu" [ref] → /menu
    - button "Menu" [ref] collapsed
  - link "Edit" [ref] → /edit
"""


async def test_the_one_button_in_a_link_is_not_told_again(tab: Tab, site: Site) -> None:
    """Unless it is called otherwise, or has a state."""
    await tab.navigate(site.url("reading/pressed-within.html"))
    assert await short(tab) == PRESSED


async def ref_of(tab: Tab, name: str) -> str:
    found = re.search(rf'"{name}" \[ref=(e\d+)\]', (await read(tab)).text)
    assert found
    return found[1]
