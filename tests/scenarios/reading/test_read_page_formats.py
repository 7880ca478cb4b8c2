"""Other forms of a reading: text, Markdown, HTML, DOM and styles."""

import re
from typing import Literal

import pytest

from ocd.api.errors import OcdError
from ocd.browser.tabs.tab import Tab
from ocd.pages.read.reader import read
from support.site import Site

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def test_markdown_has_absolute_links_frames_and_shadow_trees(tab: Tab, site: Site) -> None:
    await tab.navigate(site.url("reading/structure.html"))
    reading = await read(tab, mode="markdown")
    assert reading.mime == "text/markdown"
    assert reading.url == site.url("reading/structure.html")
    assert reading.title == "Structure"
    assert f"- [One]({site.url('one')})" in reading.text
    assert "| Item | Price\\|unit |" in reading.text
    assert "```\nline one\n  line two\n```" in reading.text
    assert "3. Three\n4. Four\n   - Nested" in reading.text
    await tab.navigate(site.url("reading/frames.html"))
    text = (await read(tab, mode="markdown")).text
    assert text.count("Inner text") == 2
    assert f"[Inner link]({site.other_origin}/reading/controls.html)" in text
    assert text.index("Sandboxed") < text.index("After the frames")
    await tab.navigate(site.url("reading/shadow.html"))
    text = (await read(tab, mode="markdown")).text
    assert "## Slotted title" in text
    assert "Closed words" in text


@pytest.mark.parametrize("mode", ["outline", "markdown", "text"])
async def test_a_set_of_frames_is_read_as_its_frames(
    tab: Tab, site: Site, mode: Literal["outline", "markdown", "text"]
) -> None:
    await tab.navigate(site.url("reading/frameset.html"))
    reading = await read(tab, mode=mode)
    assert "Inner text" in reading.text
    assert "The ferry that never sailed" in reading.text
    assert "focus" not in reading.head


async def test_document_that_has_no_root_element_yet_is_waited_for(tab: Tab, site: Site) -> None:
    """As after a navigation has just committed; it may also stay without one."""
    await tab.navigate(site.url("article.html"))
    await tab.evaluate("window.root = document.documentElement; root.remove(); 1")
    empty = await read(tab)
    assert (empty.text, "the document is empty" in empty.head) == ("", True)
    await tab.evaluate("setTimeout(() => document.append(root), 300); 1")
    assert "heading" in (await read(tab)).text


async def test_main_content_and_links_can_be_chosen(tab: Tab, site: Site) -> None:
    await tab.navigate(site.url("reading/structure.html"))
    text = (await read(tab, mode="markdown", only_main_content=True)).text
    assert "Story" in text
    assert "Site head" not in text
    text = (await read(tab, mode="markdown", include_links=False)).text
    assert "](http" not in text.replace("![A cat](http", "")
    assert "a link" in text


async def test_values_of_controls_are_text_except_passwords(tab: Tab, site: Site) -> None:
    await tab.navigate(site.url("reading/controls.html"))
    for mode in ("markdown", "text", "dom", "html", "outline"):
        text = (await read(tab, mode=mode)).text
        assert "Ada" in text, mode
        assert "hunter2" not in text, mode
    await tab.evaluate("document.querySelector('[type=password]').value = 'typed-secret'")
    for mode in ("markdown", "dom", "html", "outline"):
        assert "typed-secret" not in (await read(tab, mode=mode)).text, mode


async def test_dom_has_every_element_and_text_in_order(tab: Tab, site: Site) -> None:
    """No truncated text, no collapsed siblings: what is left out is counted."""
    await tab.navigate(site.url("index.html"))
    long = "word " * 500
    await tab.evaluate(
        """(long) => { document.body.innerHTML =
        `before<p id="long" data-x="1 &quot;2&quot;">${long}</p>between`
        + '<i>row</i>'.repeat(50) + '<!-- remark --><p hidden>secret <b>x</b></p>after'; }""",
        args=[long],
    )
    text = (await read(tab, mode="dom")).text
    assert f'<p id="long" data-x="1 &quot;2&quot;"> {long.strip()}\n' in text
    assert text.count("<i> row\n") == 50
    assert text.index("before") < text.index("<p id") < text.index("between") < text.index("after")
    assert "(comment: 8 characters)" in text
    assert "<p hidden> (not shown: 1 elements, 8 characters)" in text
    assert "secret" not in text


async def test_dom_counts_what_closed_details_hold(tab: Tab, site: Site) -> None:
    """Texts and elements of one that is open are told."""
    await tab.navigate(site.url("index.html"))
    await tab.evaluate(
        "document.body.innerHTML = '<details><summary>More</summary>loose <p>held</p></details>'"
        " + '<details open><summary>Less</summary>shown</details>'"
    )
    text = (await read(tab, mode="dom")).text
    assert re.search(r"<summary> \[ref=e\d+\] More\n", text)
    assert "(not shown: 6 characters)" in text
    assert "<p> (not shown: 4 characters)" in text
    assert "loose" not in text
    assert "held" not in text
    assert "shown\n" in text


async def test_a_part_of_the_page_by_selector_or_ref(tab: Tab, site: Site) -> None:
    await tab.navigate(site.url("reading/structure.html"))
    part = (await read(tab, selector="nav")).text
    assert part.startswith('- navigation "Main" > list\n')
    assert "Story" not in part
    assert (await read(tab, mode="markdown", selector="blockquote")).text == "> Quoted words\n"
    await tab.navigate(site.url("reading/frames.html"))
    whole = (await read(tab)).text
    ref = whole.rpartition("[ref=")[2].partition("]")[0]
    assert (await read(tab, ref=ref)).text == f'- button "Sandboxed" [ref={ref}]\n'
    with pytest.raises(OcdError) as caught:
        await read(tab, selector="#nowhere")
    assert caught.value.code == "element_not_found"
    with pytest.raises(OcdError) as caught:
        await read(tab, selector="a[")
    assert caught.value.code == "invalid_argument"


async def test_long_selects_say_how_to_see_the_rest(tab: Tab, site: Site) -> None:
    await tab.navigate(site.url("index.html"))
    await tab.evaluate(
        """() => { document.body.innerHTML = '<select aria-label="Many">' + Array.from({length: 60},
        (_, i) => `<option>Option ${i}</option>`).join('') + '</select>'; }""",
        args=[],
    )
    text = (await read(tab)).text
    assert "… 40 more, read_page with ref=e" in text
    ref = text.partition("[ref=")[2].partition("]")[0]
    assert "Option 59" in (await read(tab, ref=ref)).text


async def test_pages_that_are_not_html(tab: Tab, site: Site) -> None:
    await tab.navigate("about:blank")
    assert (await read(tab)).text == ""
    assert (await read(tab, mode="markdown")).text == ""
    await tab.navigate("data:text/plain,just%20words")
    assert "just words" in (await read(tab)).text
    await tab.navigate(
        "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg'><text>drawn</text></svg>"
    )
    assert isinstance((await read(tab)).text, str)


async def test_the_page_cannot_see_or_change_the_engine(tab: Tab, site: Site) -> None:
    await tab.navigate(site.url("index.html"))
    await tab.evaluate(
        "Element.prototype.getAttribute = () => 'forged'; window.getComputedStyle = null;"
        " document.body.innerHTML = '<button>Real</button>'"
    )
    assert 'button "Real" [ref=e' in (await read(tab)).text
    assert await tab.evaluate("typeof openchrome") == "undefined"


@pytest.mark.parametrize(
    "name", ["tagName", "nodeType", "getAttribute", "childNodes", "firstChild"]
)
async def test_inputs_named_like_properties_are_harmless(tab: Tab, site: Site, name: str) -> None:
    await tab.navigate(site.url("index.html"))
    await tab.evaluate(
        """(name) => { document.body.innerHTML = `<form><p>Form text</p><input name="${name}"
        aria-label="Odd"><b id="x">more</b></form><p>After</p>`; }""",
        args=[name],
    )
    for mode in ("outline", "dom", "markdown", "text", "html"):
        text = (await read(tab, mode=mode)).text
        assert "Form text" in text, mode
        assert "more" in text, mode
        assert "After" in text, mode
    assert 'textbox "Odd" [ref=e' in (await read(tab)).text
