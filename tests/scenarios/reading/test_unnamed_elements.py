"""Unnamed and similar elements are distinguishable, and nothing is repeated."""

import re

import pytest

from ocd.browser.tabs.tab import Tab
from ocd.pages.read.reader import read
from support.site import Site

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest.mark.parametrize(
    "line",
    [
        "- clickable (trash) [ref]",
        "- clickable (star) [ref]",
        "- button (pencil) [ref]",
        "- button (bold) [ref]",
        "- button (send) [ref]",
        "- button (gear) [ref]",
        "- link (basket) [ref] → /x",
        "- button (save-draft) [ref]",
        "- button (print) [ref]",
        "- button (Compare schemas) [ref]",
        "- button (compose) [ref]",
        "- textbox (q) [ref]",
        "- button [ref]",
        '- button "Save" [ref]',
        '- link "Nothing" [ref]',
        '- link "Part" [ref] → #part',
        '- link "Other" [ref] → ?x=1#far',
        '- link "Data" [ref] → data:text/csv,…',
        '- link "Script" [ref]',
        (
            '- row: One | combobox "Country of birth" [ref] value="Brazil"'
            " options: Argentina / Brazil / Chile / Denmark / Ecuador | Travel"
        ),
        '- row: Two | combobox "Country of birth" [ref] value="Denmark" | Work',
        "- row: ann | gridcell [ref] selected: checked",
        "- clickable [ref]: Odd",
        "- draggable [ref]: Databases",
        "- draggable [ref] > clickable [ref]: Card",
        '- switch "Dark mode" [ref]',
        "- button (cloud_upload) [ref]",
        "- row: Paid | (check_circle)",
        r'- textbox "Code" [ref] multiline value="if x:\n    run()"',
    ],
)
async def test_an_unnamed_element_has_one_descriptive_line(tab: Tab, site: Site, line: str) -> None:
    await tab.navigate(site.url("reading/unnamed.html"))
    text = (await read(tab)).text
    told = re.sub(r"as e\d+", "as e1", re.sub(r"\[ref=e\d+\]", "[ref]", text))
    assert [part for one in told.splitlines() for part in _apart(one.strip())].count(line) == 1, (
        told
    )


def _apart(line: str) -> list[str]:
    """Return the things that a line of icons tells, each as a line of its own."""
    bar = re.fullmatch(r"- (button|link|clickable): (.*)", line)
    return [f"- {bar[1]} {part}" for part in bar[2].split(" | ")] if bar else [line]


_BAR = """
<button class="acme-button"><i class="fa fa-italic"></i></button>
<button class="acme-button"><i class="fa fa-link"></i></button>
<button class="acme-button acme-close-all"></button><button class="acme-button"></button>
<a href="#6c9335561fa2e19a">Flow</a>
<button><i class="fa fa-plus"></i></button><button>Add</button>
<button><i class="fa fa-minus"></i></button><button disabled><i class="fa fa-cog"></i></button>
"""


async def test_icons_of_a_bar_are_one_line(tab: Tab, site: Site) -> None:
    """They go by words of their own: without what all classes of the page begin with.

    An address in the page that a program has made up is cut.
    """
    await tab.navigate(site.url("index.html"))
    rows = "".join(f'<p class="acme-row acme-line">{number}</p>' for number in range(20))
    await tab.evaluate("(html) => { document.body.innerHTML = html; }", args=[_BAR + rows])
    lines = re.sub(r"\[ref=e\d+\]", "[ref]", (await read(tab)).text).splitlines()
    assert lines[:5] == [
        "- button: (italic) [ref] | (link) [ref] | (close-all) [ref] | [ref]",
        '- link "Flow" [ref] → #…',
        "- button (plus) [ref]",
        '- button "Add" [ref]',
        "- button: (minus) [ref] | (cog) [ref] disabled",
    ], lines


_NAMED_BARS = """
<div role="menubar"><div role="menuitem" tabindex="0">File</div>
  <div role="menuitem" tabindex="0" aria-expanded="true">Edit \\| Go</div>
  <div role="menuitem" tabindex="0">Help</div></div>
<div role="toolbar" aria-label="Cell">
  <button>Cut</button><button>Copy</button><button disabled>Paste</button>
  <select aria-label="Kind"><option>Code</select><button>Run</button><button>Stop</button>
</div>
<p><button>Yes</button> <button>No</button> <button>Perhaps</button>
"""


async def test_named_elements_of_a_bar_are_one_line(tab: Tab, site: Site) -> None:
    """Three and more side by side, each with its name, its ref and its state; elsewhere none is."""
    await tab.navigate(site.url("index.html"))
    await tab.evaluate("(html) => { document.body.innerHTML = html; }", args=[_NAMED_BARS])
    text = (await read(tab)).text
    assert re.sub(r"\[ref=e\d+\]", "[ref]", text).splitlines() == [
        '- menubar > menuitem: "File" [ref] | "Edit \\\\| Go" [ref] expanded | "Help" [ref]',
        '- toolbar "Cell"',
        '  - button: "Cut" [ref] | "Copy" [ref] | "Paste" [ref] disabled',
        '  - combobox "Kind" [ref] value="Code" options: Code',
        '  - button "Run" [ref]',
        '  - button "Stop" [ref]',
        '- button "Yes" [ref]',
        '- button "No" [ref]',
        '- button "Perhaps" [ref]',
    ], text


async def test_a_label_that_names_its_field_has_no_line(tab: Tab, site: Site) -> None:
    """Nor has an empty stop on the keyboard's way."""
    await tab.navigate(site.url("reading/unnamed.html"))
    told = re.sub(r" \[ref=e\d+\]", "", (await read(tab)).text)
    assert '- text: plain\n- textbox "Colour"\n- checkbox "Milk"\n- textbox "Code"' in told


async def test_a_wrapper_that_adds_nothing_has_no_line(tab: Tab, site: Site) -> None:
    """A click on its content is a click on it; with words or controls of its own it stays."""
    await tab.navigate(site.url("reading/unnamed.html"))
    lines = (await read(tab)).text.splitlines()
    saved = next(at for at, line in enumerate(lines) if '"Save"' in line)
    assert lines[saved].startswith("- button")
    clickable = [line for line in lines if "clickable" in line]
    assert clickable.pop(0).startswith("- clickable: (trash) [ref=")
    assert [re.sub(r"e\d+", "e1", line) for line in clickable] == [
        "- clickable [ref=e1]",
        "- clickable [ref=e1]: Odd",
        "- draggable [ref=e1] > clickable [ref=e1]: Card",
    ]


async def test_nested_elements_of_one_control_have_one_line(tab: Tab, site: Site) -> None:
    """A tab within a tab of the same name, in a box that is clicked; what it holds stands below."""
    await tab.navigate(site.url("reading/unnamed.html"))
    told = re.sub(r" \[ref=e\d+\]", "", (await read(tab)).text)
    assert '- tablist > tab "Colours Close"\n  - button "Close"\n' in told


async def test_an_invisible_group_has_no_line(tab: Tab, site: Site) -> None:
    """The frame that Material draws around a field repeats its label for nobody to see."""
    await tab.navigate(site.url("reading/unnamed.html"))
    text = (await read(tab)).text
    assert text.count('"Weight"') == 1


_EDITOR = """
<div role="toolbar" aria-label="Cell">
  <button class="ico-play"></button><button class="ico-stop"></button>
  <div role="button" class="ico-menu" tabindex="0"><button aria-expanded="false" class="ico-menu">
    <span role="button" tabindex="0" class="ico-menu"></span></button></div>
</div>
<div style="display: flex">
  <div aria-hidden="true"><div>8</div><div>9</div><div>10</div></div>
  <div contenteditable role="textbox" aria-multiline="true" aria-label="Code">x = 1</div>
</div>
<div aria-hidden="true">3</div><p>left</p>
<table><tr><th onclick="1">Type<th onclick="1" aria-sort="ascending">Name<tr><td>GET<td>/</table>
<p id="how" hidden>Pick an item up with the space bar; move it by arrows; drop it with the bar.</p>
<button aria-describedby="how">Move one</button><button aria-describedby="how">Move two</button>
"""


async def test_an_editor_s_line_numbers_and_repeated_words_are_left_out(
    tab: Tab, site: Site
) -> None:
    """A button within one of its name is one, with both's states; a description is told once."""
    await tab.navigate(site.url("index.html"))
    await tab.evaluate("(html) => { document.body.innerHTML = html; }", args=[_EDITOR])
    text = (await read(tab)).text
    lines = re.sub(r"\[ref=e\d+\]", "[ref]", re.sub(r"as e\d+", "as e", text)).splitlines()
    assert lines == [
        '- toolbar "Cell"',
        "  - button: (play) [ref] | (stop) [ref] | (menu) [ref] collapsed",
        '- textbox "Code" [ref] multiline value="x = 1"',
        "- text: 3 [aria-hidden]",
        "- text: left",
        "- table",
        "  - headers: [ref]: Type | [ref] sort=ascending: Name",
        "  - row: GET | /",
        (
            '- button "Move one" [ref] description="Pick an item up with the space bar;'
            ' move it by arrows; drop it with the bar."'
        ),
        '- button "Move two" [ref] description: as e',
    ], text
    assert re.search(r'"Move one" \[ref=(e\d+)\]', text)[1] == re.search(r"as (e\d+)", text)[1]


_DRAWN_TICK = """
<span style="cursor: pointer; position: relative; display: inline-block; pointer-events: none">
<input type="checkbox" id="bridges" checked style="pointer-events: auto">
<svg style="position: absolute; left: 0; top: 0; cursor: pointer" width="24" height="24"
 role="presentation" aria-hidden="true"><path d="M4 12l6 6 8-12" /></svg></span>
<label for="bridges">Bridges</label>
<span class="drawn" style="display: block; width: 24px; height: 24px; cursor: pointer"></span>
"""


async def test_click_through_picture_is_not_clickable(tab: Tab, site: Site) -> None:
    """A tick drawn over a checkbox shows the hand, but the checkbox gets the click."""
    await tab.navigate(site.url("index.html"))
    await tab.evaluate("(html) => { document.body.innerHTML = html; }", args=[_DRAWN_TICK])
    text = (await read(tab)).text
    assert re.sub(r"\[ref=e\d+\]", "[ref]", text).splitlines() == [
        '- checkbox "Bridges" [ref] checked',
        "- clickable (drawn) [ref]",
    ], text


_TOOLBAR = """
<div><button class="tool-item"><i class="bolder"></i></button>
<button class="tool-item over-it tool-over"><i class="slanted"></i></button>
<button class="tool-item"><i class="tool-item"></i></button>
<button class="close-panel"><i class="crossed"></i></button></div>
"""


async def test_the_rarest_class_is_the_hint(tab: Tab, site: Site) -> None:
    """That of the icon where the buttons of a toolbar share theirs; none of a hovering mouse."""
    await tab.navigate(site.url("index.html"))
    await tab.evaluate("(html) => { document.body.innerHTML = html; }", args=[_TOOLBAR])
    text = (await read(tab)).text
    assert re.findall(r"\(([\w-]+)\) \[ref=e\d+\]", text) == [
        "bolder", "over-it", "tool-item", "close-panel",
    ], text  # fmt: skip


async def test_cells_that_only_show_the_hand_have_no_ref_beside_what_is_in_them(
    tab: Tab, site: Site
) -> None:
    """Nor have the empty cells beside them; days of a calendar and what takes the focus have."""
    await tab.navigate(site.url("reading/pointer-cells.html"))
    told = re.sub(r"\[ref=e\d+\]", "[ref]", (await read(tab)).text)
    assert [line.strip() for line in told.splitlines() if "row:" in line] == [
        '- row:  | checkbox "Pick" [ref] | clickable [ref]: Lamp |  | button "Order" [ref]',
        "- row: cell [ref]: 9 | cell (ten) [ref]",
        '- row: cell [ref]: link "Noon" [ref] → #noon',
    ]


async def test_titles_hide_no_buttons_and_labels_are_no_values(tab: Tab, site: Site) -> None:
    """A button in the shadow tree of what has a title is told, a label once, and as no value."""
    await tab.navigate(site.url("reading/titled-hosts.html"))
    told = re.sub(r" \[ref=e\d+\]", "", (await read(tab)).text)
    assert [line.strip() for line in told.splitlines()] == [
        '- button "Show password"',
        "- text: (Online)",
        '- textbox "Name*" required',
        '- combobox "Country" collapsed',
        '- combobox "City Oslo" collapsed value="Oslo"',
        '- combobox "Unit" collapsed value="Metre"',
    ]


_CLOSABLE = """
<ul role="tablist">
  <li role="tab" tabindex="0" title="One: /one.txt"><span>One</span>
    <i class="tabCloseIcon" title="Close One" style="display: inline-block; padding: 8px"></i></li>
  <li role="tab" tabindex="-1"><span>Disclosed</span>
    <i class="closed-mark" style="display: inline-block; padding: 8px"></i></li>
</ul><button><i class="icon-close" style="display: inline-block; padding: 8px"></i> Done</button>
"""


async def test_what_closes_a_tab_is_a_control_of_its_own(tab: Tab, site: Site) -> None:
    """Though nothing but its class says that it is one; the icon of a button is the button."""
    await tab.navigate(site.url("index.html"))
    await tab.evaluate("(html) => { document.body.innerHTML = html; }", args=[_CLOSABLE])
    text = (await read(tab)).text
    assert re.sub(r"\[ref=e\d+\]", "[ref]", text).splitlines() == [
        "- tablist",
        '  - tab "One Close One" [ref]',
        '    - clickable "Close One" [ref]',
        '  - tab "Disclosed" [ref]',
        '- button "Done" [ref]',
    ], text
