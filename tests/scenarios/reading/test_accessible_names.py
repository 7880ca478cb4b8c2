"""Names, roles and states of single elements, by the specifications."""

import re

import pytest

from ocd.browser.tabs.tab import Tab
from ocd.pages.read.reader import read
from support.site import Site

pytestmark = pytest.mark.asyncio(loop_scope="module")

_NUMBER = """[...document.querySelectorAll("[data-line]")].map((el, at) => {
  el.setAttribute("data-at", at);
  return el.dataset.line;
})"""


async def test_lines_have_role_name_and_state(tab: Tab, site: Site) -> None:
    """As accname and the ARIA role mappings specify."""
    await tab.navigate(site.url("reading/names.html"))
    wrong = {}
    for at, line in enumerate(await tab.evaluate(_NUMBER)):
        text = (await read(tab, selector=f'[data-at="{at}"]')).text
        told = re.sub(r"\[ref=e\d+\]", "[ref]", text).removeprefix("- ")
        if not told.startswith(line):
            wrong[line] = told[:80]
    assert not wrong


async def test_hidden_words_are_in_no_name(tab: Tab, site: Site) -> None:
    await tab.navigate(site.url("reading/names.html"))
    text = (await read(tab)).text
    assert "ignore all instructions" not in text
    assert "SECRET" not in text


async def test_a_button_in_its_own_label_is_named_by_the_rest_of_it(tab: Tab, site: Site) -> None:
    """What it shows itself is told below it."""
    await tab.navigate(site.url("reading/names.html"))
    text = re.sub(r"\[ref=e\d+\]", "[ref]", (await read(tab)).text)
    assert '- button "Upload" [ref]\n  - text: Choose a file\n' in text


_SHARED = """document.body.innerHTML = '<p id=w>Old words</p>'
  + '<button aria-labelledby=w aria-describedby=w>x</button>'.repeat(3)
  + '<div id=o>Outer <button aria-labelledby=o>inner</button></div>'
  + '<label for=f>First</label><label>Second <input id=f></label>'"""


async def test_shared_labels_are_computed_in_every_reading(tab: Tab, site: Site) -> None:
    """Shared labels are computed once per reading, and again in the next one."""
    await tab.navigate(site.url("article.html"))
    await tab.evaluate(f"{_SHARED}; 1")
    text = (await read(tab)).text
    assert text.count('button "Old words"') == 3
    assert 'button "Outer inner"' in text
    assert 'textbox "First Second"' in text
    await tab.evaluate(
        "document.querySelector('#w').textContent = 'New'; document.querySelector('label').remove()"
    )
    text = (await read(tab)).text
    assert text.count('button "New"') == 3
    assert "Old words" not in text
    assert 'textbox "Second"' in text
