"""The line above an outline: page, topmost layer, focus; or why the outline is empty."""

import re
from urllib.parse import quote

import pytest

from ocd.browser.tabs.tab import Tab
from ocd.pages.read.reader import read
from support.site import Site

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def head(tab: Tab) -> str:
    return re.sub(r"\[ref=e\d+\]", "[ref]", (await read(tab)).head)


async def test_the_first_line_names_page_layers_message_and_focus(tab: Tab, site: Site) -> None:
    url = site.url("reading/on_top.html")
    await tab.navigate(url)
    page = rf'- page "Orders of \"today\"" · {url}'
    assert await head(tab) == f"{page}\n"
    await tab.evaluate(
        "document.querySelector('field-box').shadowRoot.getElementById('deep').focus()"
    )
    assert await head(tab) == f'{page} · focus textbox "Deep" [ref]\n'
    assert "focused" in (await read(tab)).text
    await tab.evaluate(
        "saved.textContent = 'Saved'; ask.showModal(); tip.showPopover(); line.focus()"
    )
    layers = 'dialog "Line" [ref] · popover "Tip" [ref] · message "Saved"'
    assert await head(tab) == f'{page} · {layers} · focus textbox "Line" [ref]\n'
    assert (await read(tab, selector="h1")).head == ""


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("<div role=status><ul><li>Page 'A' was published</ul></div>", "Page 'A' was published"),
        ("<ul class=messagelist><li class=success>Saved &amp; closed</ul>", "Saved & closed"),
        ("<p class='alert alert-info'>3 new</p>", "3 new"),
        ("<p role=status>20 rows</p><p role=alert>Disk full</p>", "Disk full"),
        ("<p aria-live=assertive>No connection</p>", "No connection"),
        ("<p aria-live=polite style='position:fixed;bottom:0'>Copied</p>", "Copied"),
        (
            "<section aria-live=polite><ol style='position:fixed;top:0'><li>Added</ol></section>",
            "Added",
        ),
        ("<div style='position:fixed;bottom:0'><output>2 sent</output></div>", "2 sent"),
        ("<p aria-live=polite>1 to 20 of 90 rows</p>", None),
        (f"<div role=status>{'word ' * 100}</div>", None),
        ("<div role=status hidden>Loading</div><div role=status></div>", None),
    ],
)
async def test_status_messages_of_a_loaded_page(tab: Tab, body: str, message: str | None) -> None:
    """Status messages, found by role, by common class names, or as live regions above the page."""
    await tab.navigate(f"data:text/html,<title>t</title><p>x</p>{quote(body)}")
    shown = re.search(r'message "(.*)"\n', await head(tab))
    assert (shown and shown[1]) == message


_FIXED = "position:fixed;inset:0;"
_DIM = f"{_FIXED}background:rgba(0,0,0,.5)"
_BACKDROP = f"<div style='{_DIM};z-index:1'></div>"
_MODAL = f"{_FIXED}z-index:2"
_ON_TOP = "z-index:2;position:absolute;top:0;left:0;bottom:0;width:200px;background:white"
_WHITE = "width:300px;margin:auto;background:white"
_ORDERS = "<main><h1>Orders</h1><button>Buy</button></main>"


@pytest.mark.parametrize(
    ("body", "layer"),
    [
        # A window of its own on a backdrop, as Bootstrap's.
        (
            f"{_ORDERS}{_BACKDROP}<div style='{_MODAL}'><p style='{_WHITE}'>Sure?<button>Yes",
            'dialog "Sure? Yes"',
        ),
        # What begins with a heading is called by it.
        (
            f"{_ORDERS}{_BACKDROP}<div style='{_MODAL}'><div style='{_WHITE}'><h2>Sure?</h2>Gone",
            'dialog "Sure?"',
        ),
        # The backdrop lies beside what stands on it.
        (
            f"<div>{_ORDERS}</div><div>{_BACKDROP}<p style='{_ON_TOP}'>Menu of it",
            'dialog "Menu of it"',
        ),
        # The page cannot be reached meanwhile.
        (f"<div inert>{_ORDERS}</div><div style='{_DIM}'>Sending</div>", 'dialog "Sending"'),
        (
            f"{_ORDERS}<div style='{_FIXED}'><ul role=menu><li role=menuitem>Copy</ul></div>",
            'menu "Copy"',
        ),
        (
            f"{_ORDERS}<div style='{_DIM}'><div role=dialog aria-label=Named>words</div></div>",
            'dialog "Named"',
        ),
        # An application's outermost box, with a message above it; a page of its own.
        (f"<div style='{_FIXED}'>{_ORDERS}</div><p style='position:fixed;top:9px'>Hi</p>", None),
        (f"{_ORDERS}<div style='{_FIXED}background:white'><p>Next step</div>", None),
        # Panes below a narrow bar, over what was drawn first.
        (f"{_ORDERS}<div style='position:absolute;inset:3vh 0 0 3vw'>Panes</div>", None),
        (f"{_ORDERS}<div style='{_DIM};pointer-events:none'>Draft</div>", None),
        (f"{_ORDERS}<div style='position:fixed;bottom:0;left:0;right:0'>Cookies?</div>", None),
    ],
)
async def test_an_overlay_over_the_page_counts_as_a_dialog(
    tab: Tab, body: str, layer: str | None
) -> None:
    await tab.navigate(f"data:text/html,<title>t</title>{quote(body)}")
    line = (await head(tab)).splitlines()[0]
    found = re.search(r"((?:dialog|menu) .*) \[ref\]", line)
    assert (found and found[1]) == layer


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("", "the page is blank"),
        (
            "<p hidden>x</p><b hidden>y</b>",
            "none of the page's 2 elements shows words or a control",
        ),
        (
            "<svg class=chart width=90 height=40><path d='M0 0h90'/></svg>",
            "only pictures: svg (chart) 90x40",
        ),
        # As applications do that draw all of themselves.
        (
            "<x-v><template shadowrootmode=open><canvas width=300 height=200 aria-hidden=true>",
            "only pictures: canvas 300x200",
        ),
    ],
)
async def test_an_empty_outline_says_why(tab: Tab, body: str, why: str) -> None:
    await tab.navigate(f"data:text/html,<title>t</title>{body}")
    assert (await read(tab)).head.splitlines()[1] == f"- (nothing to read: {why})"


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (
            "<button>Buy</button><dialog id=d><p>Wait</p></dialog><script>d.showModal()</script>",
            'all of the page is behind dialog "Wait" [ref]',
        ),
        (
            "<p>Before</p><iframe sandbox srcdoc='<p>Words</p>'></iframe>",
            "a frame of another origin, and no element in it can be acted on",
        ),
        ("<p>Words</p>", "no element of the page can be acted on, it has words only"),
    ],
)
async def test_an_outline_without_refs_says_why(tab: Tab, body: str, why: str) -> None:
    await tab.navigate(f"data:text/html,<title>t</title>{quote(body)}")
    told = (await read(tab, filter="interactive")).head.splitlines()[1]
    assert re.sub(r"\[ref=e\d+\]", "[ref]", told) == f"- (nothing to read: {why})"


async def test_a_page_that_scripts_are_about_to_fill_is_waited_for(tab: Tab) -> None:
    """An application's empty shell is read again; a page that stays empty is the result."""
    fill = "setTimeout(() => { root.innerHTML = '<button>Start</button>' }, 300)"
    await tab.navigate(f"data:text/html,<title>t</title><div id=root></div><script>{fill}</script>")
    assert 'button "Start"' in (await read(tab)).text
    await tab.navigate("data:text/html,<title>t</title><div id=root></div><script>0</script>")
    assert "none of the page's" in (await read(tab)).head


async def test_a_page_without_controls_is_reported(tab: Tab) -> None:
    await tab.navigate("data:text/html,<title>t</title><p>words")
    assert (await read(tab, filter="interactive")).head.endswith("it has words only)\n")


async def test_owned_elements_are_listed_in_their_owner(tab: Tab, site: Site) -> None:
    """aria-owns, each element once: lists of fields, and what a hidden element owns, stay."""
    await tab.navigate(site.url("reading/on_top.html"))
    text = re.sub(r" \[ref=e\d+\]", "", (await read(tab)).text)
    shelf = '- list "Shelf": First thing | Late thing\n- text: Between\n'
    assert shelf in text
    for words in ("Late thing", "Red", "Round and round", "Owned by what is hidden"):
        assert text.count(words) == 1, text
    assert text.index("Between") < text.index("Red")
