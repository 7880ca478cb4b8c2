"""Large pages: elements that look alike are looked at once, and only those."""

import re

import pytest

from ocd.browser.tabs.tab import Tab
from ocd.pages.read.reader import Mode, read
from support.site import Site

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest.mark.parametrize("mode", ["outline", "text", "dom"])
async def test_elements_that_only_seem_alike_are_distinguished(
    tab: Tab, site: Site, mode: Mode
) -> None:
    """Style rules on position, state, attributes, animation or shadow trees hide single rows."""
    await tab.navigate(site.url("reading/alike.html"))
    text = (await read(tab, mode=mode)).text
    assert sorted(set(re.findall(r"(\w+) trick", text))) == []
    shown = await tab.evaluate("document.documentElement.innerHTML.match(/\\w+ shown \\d+/g)")
    assert [words for words in set(shown) if not re.search(rf"\b{words}\b", text)] == []
    assert "inner shown" in text


async def test_a_changed_style_sheet_applies_at_once(tab: Tab, site: Site) -> None:
    """Nothing about style sheets is cached between readings."""
    await tab.navigate(site.url("index.html"))
    await tab.evaluate(
        """() => { document.body.innerHTML = '<style>p.a { color: black }</style>'
        + Array.from({length: 500}, (_, i) => `<p class="a">Row ${i}</p>`).join(''); }""",
        args=[],
    )
    assert "Row 250\n" in (await read(tab)).text
    await tab.evaluate("document.styleSheets[0].cssRules[0].selectorText = 'p:nth-child(252)'")
    await tab.evaluate("document.styleSheets[0].cssRules[0].style.display = 'none'")
    text = (await read(tab)).text
    assert "Row 250\n" not in text
    assert "Row 249\n" in text
    assert "Row 251\n" in text


async def test_cross_origin_style_sheets_disable_sharing(tab: Tab, site: Site) -> None:
    """With a style sheet that scripts cannot read, every element is looked at."""
    await tab.navigate(site.url("index.html"))
    await tab.evaluate(
        """(sheet) => new Promise((done) => {
        document.body.innerHTML = Array.from({length: 500}, (_, i) => `<p>Row ${i}</p>`).join('');
        const link = document.createElement('link');
        Object.assign(link, { rel: 'stylesheet', href: sheet, onload: done, onerror: done });
        document.head.append(link); })""",
        args=[f"{site.other_origin}/reading/third.css"],
    )
    text = (await read(tab)).text
    assert "Row 0\n" in text
    assert "Row 1\n" not in text


async def test_a_button_without_attributes_is_disabled_by_its_fieldset(
    tab: Tab, site: Site
) -> None:
    """Ancestors count even if the element itself has no attributes."""
    await tab.navigate(site.url("index.html"))
    await tab.evaluate(
        "document.body.innerHTML = '<fieldset disabled><legend>A</legend><button>Go</button>'"
        " + '<fieldset><legend>B</legend></fieldset></fieldset>'"
    )
    text = (await read(tab)).text
    assert re.search(r'group "A" disabled\n', text)
    assert re.search(r'button "Go" \[ref=e\d+\] disabled\n', text)
    assert re.search(r'group "B" disabled\n', text)
