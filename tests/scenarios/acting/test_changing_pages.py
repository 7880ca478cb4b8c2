"""Pages that keep changing: rows that move, lists that grow, scripts that never rest."""

import re
from collections.abc import Callable

import pytest

from support.pages import Page

At = Callable[[str], Page]


def said(page: Page) -> str:
    return page.text("#said")


def test_ref_does_not_act_on_another_row_after_reordering(at: At) -> None:
    """The nodes stay and their text moves: a ref acts on its own row or on none."""
    page = at("restless.html")
    ref = page.ref("Delete Zoe")
    page.js("sort.click()")
    reply = page.call("interact", ref=ref)
    assert reply.code == "stale_ref"
    assert reply.error["hint"]
    assert said(page) == ""
    page.do("interact", ref=page.ref("Delete Zoe"))
    assert said(page) == "Delete 1"


def test_cards_that_change_places(at: At) -> None:
    """Cards made of plain boxes with several buttons: a ref stays with its card."""
    page = at("restless.html")
    page.js(
        "document.body.innerHTML = ['Zoe', 'Ann', 'Mia'].map((who) => '<div class=card>"
        "<div class=who>' + who + '</div><div class=acts><span><button>Open</button></span>"
        "<span><button>Delete</button></span></div></div>').join('') + '<output id=said></output>';"
        "document.body.onclick = (event) => { document.querySelector('#said').textContent ="
        " event.target.closest('.card').firstChild.textContent; }; 1"
    )
    ref = page.ref("Delete Zoe")
    page.js(
        "document.querySelectorAll('.who').forEach((one, at) => {"
        " one.textContent = ['Ann', 'Mia', 'Zoe'][at]; }); 1"
    )
    assert page.call("interact", ref=ref).code == "stale_ref"
    page.do("act", instruction="click Delete for Zoe")
    assert said(page) == "Zoe"


def test_words_name_the_row_where_it_is_now(at: At) -> None:
    """A query is looked up when it acts, so an order that changes does not matter."""
    page = at("restless.html")
    page.do("act", instruction="click Sort by name, then click Delete for Zoe")
    assert said(page) == "Delete 1"


def test_element_that_is_replaced_under_the_pointer(at: At) -> None:
    """A button that is rendered again when the mouse arrives is clicked where it is."""
    page = at("restless.html")
    page.do("interact", query="Replace me")
    assert said(page) == "replaced clicked"


def test_element_removed_while_it_is_waited_for(at: At) -> None:
    """Removed before it could be used: `detached`, in time."""
    page = at("restless.html")
    ref = page.ref("Remove me soon")
    page.js(
        "document.body.insertAdjacentHTML('beforeend', '<p style=position:fixed;inset:0>Veil');"
        "flee.style.marginTop = '5000px'; addEventListener('scroll', () => flee.remove()); 1"
    )
    assert page.call_in_short("interact", ref=ref).code == "detached"


def test_list_that_grows_while_it_is_scrolled(at: At) -> None:
    """The end of an endless list is reached again and again; its new entries can be used."""
    page = at("restless.html")
    box = page.ref("Entry 1")
    for _ in range(2):
        page.do("lightweight_scroll", ref=box, direction="bottom")
        page.do("wait_for", type="function", value="shown >= 40")
    page.do("interact", query="Entry 38")
    assert said(page) == "entry 38"


def test_entry_that_is_filled_when_it_is_seen(at: At) -> None:
    """Lazy entries appear with scrolling, and are found then."""
    page = at("restless.html")
    assert page.call("interact", query="Lazy 30").code == "element_not_found"
    page.do("act", instruction="scroll to the bottom, click Lazy 30")
    assert said(page) == "Lazy 30"


@pytest.mark.parametrize(
    ("query", "words"), [("حفظ الملف", "saved"), ("🎉 Feiern", "party"), ("로그인", "로그인")]
)
def test_names_of_every_script(at: At, query: str, words: str) -> None:
    """Right-to-left, Korean and emoji names are words like others, in act, too."""
    page = at("restless.html")
    page.do("interact", query=query)
    assert said(page) == words
    page.js("said.textContent = ''")
    page.do("act", instruction=f'click "{query}"')
    assert said(page) == words


def test_emoji_and_other_scripts_are_written(at: At) -> None:
    """Fields and editable text take them as they are, key by key as well."""
    page = at("restless.html")
    text = "שלום 👩‍👩‍👧 안녕"
    assert page.do("form_input", query="Diary", value=text)["value"] == text
    page.do("interact", query="Ask", action="type", value=text)
    page.do("interact", query="Ask", action="press", value="Enter")
    assert said(page) == f"sent {text}"


def test_shortcut_opens_what_is_used_next(at: At) -> None:
    """A page's own shortcut needs no element; what it opens is in the reply."""
    page = at("restless.html")
    result = page.do("interact", action="press", value="Control+k")
    assert "Command palette" in result["content"]
    page.do("interact", query="Command palette")
    assert said(page) == "found"


def test_text_is_typed_where_the_focus_is(at: At) -> None:
    """Without an element; nothing is typed if no field has the focus."""
    page = at("restless.html")
    error = page.call("interact", action="type", value="x").error
    assert (error["code"], error["message"]) == (
        "element_not_found", "No field has the focus.",
    )  # fmt: skip
    page.do("interact", query="Ask", action="focus")
    result = page.do("interact", action="type", value="hello")
    assert (result["target"]["name"], result["value"]) == ("Ask", "hello")
    page.do("interact", action="press", value="Enter")
    assert said(page) == "sent hello"


def test_page_that_never_rests(at: At) -> None:
    """Endless requests and mutations hold up no action."""
    page = at("restless.html?busy")
    page.do("interact", query="로그인")
    page.do("form_input", query="Ask", value="x")
    page.do("act", instruction="press Enter in Ask")
    assert said(page) == "sent x"


def test_download_is_reported(at: At) -> None:
    """A click that starts a download names its file; the page stays."""
    page = at("restless.html")
    changed = page.do("interact", query="Download report")["changed"]
    # The folder is the session's: other tests may have left files of that name there.
    assert re.fullmatch(r"report(-\d+)?\.csv", changed["downloads"][0]["file"])
    assert "navigated" not in changed


def test_http_error_after_a_click_is_reported(at: At) -> None:
    """A link to a page that fails has its status in the answer."""
    changed = at("restless.html").do("interact", query="Broken page")["changed"]
    assert (changed["status"], changed["navigated"]) == (500, True)


def test_beforeunload_does_not_stop_an_instruction(at: At) -> None:
    """beforeunload does not stop a step that leaves."""
    page = at("restless.html?leaves")
    page.do("act", instruction="click 로그인; go to /acting/sent.html")
    assert page.js("document.title") == "Sent"


def test_button_far_down_a_large_table(at: At) -> None:
    """One of 3,000 equal buttons is named by its row."""
    page = at("restless.html")
    page.js(
        "rows.innerHTML = Array.from({length: 3000}, (_, n) => '<tr data-id=' + n + '><td>Person '"
        " + n + '</td><td><button>Open</button></td></tr>').join(''); 1"
    )
    page.do("interact", query="open person 2718", timeout_ms=60_000)
    assert said(page) == "Open 2718"


def test_identical_rerendering_is_not_reported(at: At) -> None:
    """A legend is not reported as removed and added; of a list only the new refs are."""
    page = at("redrawn.html")
    told = page.do("interact", query="Save")["content"].splitlines()
    assert [line for line in told if "Actual" in line or "Target" in line] == []
    assert "+ text: Saved" in told
    assert any(line.startswith('+ link "Move" [ref=') for line in told)
    assert [line for line in told if line.startswith("-")] == []
