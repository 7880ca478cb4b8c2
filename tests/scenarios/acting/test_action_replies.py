"""The reply to an action: what was shown, hidden, moved or changed, and the current state."""

import re
from collections.abc import Callable

import pytest

from support.pages import Page

At = Callable[[str], Page]


@pytest.fixture
def page(at: At) -> Page:
    return at("reveals.html")


def test_shown_elements_are_listed_with_refs(page: Page) -> None:
    """A calendar shown by its inline style: its days, a row on each line, each with a ref."""
    result = page.do("interact", query="Open calendar")
    rows = [line for line in result["content"].splitlines() if "row: " in line]
    assert len(rows) == 5
    assert rows[0].count("[ref=e") == 7
    assert "style" not in result["content"]
    closed = page.do("interact", query="Close calendar")["content"]
    assert "(hidden)" in closed


def test_dialog_shown_by_a_class_is_reported_on_top(page: Page) -> None:
    """Its controls are listed, and `now` begins with it; that it closes is reported, too."""
    result = page.do("interact", query="Open settings")
    assert result["now"].startswith('dialog "Settings" [ref=e')
    assert '+ button "Close" [ref=e' in result["content"]
    assert '+ textbox "Theme" [ref=e' in result["content"]
    closed = page.do("interact", query="Close")
    assert "dialog" in closed["content"]
    assert "Settings" not in closed["now"]


def test_elements_hidden_by_a_class_are_reported(page: Page) -> None:
    """By a class of an ancestor, or by a checkbox, which show and hide in the same way."""
    page.js(
        "document.body.insertAdjacentHTML('beforeend', `<style>.one .second, .two .first,"
        " #fold:checked ~ p { display: none }</style>"
        "<div id=panels class=one><button onclick=panels.className='two'>Next panel</button>"
        "<div class=first>Oats <button>Mill</button></div><div class=second>Rye</div></div>"
        "<input id=fold type=checkbox aria-label=Folded><p>Barley</p>`); 1"
    )
    lines = page.do("interact", query="Next panel")["content"].splitlines()
    assert "+ text: Rye" in lines
    assert '- div "Oats Mill" (hidden)' in lines
    assert '"Barley" (hidden)' in page.do("interact", query="Folded", action="check")["content"]


def test_elements_that_fade_in_are_waited_for(page: Page) -> None:
    """First an overlay, then a dialog: the reply lists the controls of the dialog."""
    result = page.do("interact", query="Open slowly")
    assert '+ button "Confirm" [ref=e' in result["content"]
    assert result["now"].startswith('dialog "Slow"')


def test_similar_elements_are_folded(page: Page) -> None:
    """Thirty days take a few lines, each day with its ref."""
    content = page.do("interact", query="Pick a day")["content"]
    assert len(content.splitlines()) < 6
    assert content.count("[ref=e") == 30


def test_elements_shown_by_a_class_elsewhere_or_by_hovering(page: Page) -> None:
    """A class of the body opens a drawer; hovering opens a menu without any DOM change."""
    assert 'link "Inbox" [ref=e' in page.do("interact", query="Open drawer")["content"]
    assert 'link "Archive" [ref=e' in page.do("interact", query="More", action="hover")["content"]


def test_elements_that_hovering_brings_into_view_are_reported(at: At) -> None:
    """It was outside the window, to the left of the page."""
    page = at("reveals.html")
    page.do("interact", query="Today", action="hover")  # the last test may have left it there
    told = page.do("interact", query="Entry", action="hover")["content"]
    assert re.findall(r"^\+ link .(\w+)", told, re.MULTILINE) == ["Rename", "Discard"]


def test_values_set_by_scripts_are_reported(page: Page) -> None:
    """Text, checkbox and password: the current value of each, but not the password."""
    result = page.do("interact", query="Today")
    assert 'value: "" → "2026-11-22"' in result["content"]
    assert "checkbox" in result["content"]
    assert "checked" in result["content"]
    assert "hunter2" not in str(result)
    assert result["changed"]["values"] == 3


def test_moves_are_reported_as_moves(page: Page) -> None:
    """Options moved to another list, and an item moved into another list."""
    options = page.do("interact", query="Move")["content"]
    assert '> options "red", "green" now in listbox "Chosen"' in options
    assert "- option" not in options
    item = page.do("interact", query="Finish")["content"]
    assert 'listitem "Card A": now item 1 of 2 of list "Done"' in item
    assert "- listitem" not in item


def test_list_that_receives_an_item_is_named_by_its_heading(page: Page) -> None:
    """Not by its contents."""
    page.js(
        "document.body.innerHTML = '<h2>Fruit</h2><ul id=a><li>Apple</ul><h2>Basket</h2><ul id=b>"
        "<li>Nut</ul><button onclick=b.append(a.firstElementChild)>Pick</button>'; 1"
    )
    content = page.do("interact", query="Pick")["content"]
    assert content == '> listitem "Apple": now item 2 of 2 of list "Basket"\n'


def test_changed_icon_is_reported(page: Page) -> None:
    """It is all that says what state the button is in, whatever else the click did."""
    page.js(
        "document.body.innerHTML = '<button id=b><i class=\"fa fa-play\"></i></button><p id=log>';"
        "b.onclick = () => { b.firstChild.className = 'fa fa-pause'; log.append('Heard') }; 1"
    )
    content = page.do("interact", selector="#b")["content"]
    assert re.search(r"^~ button \(pause\) \[ref=e\d+\] was \(play\)$", content, re.MULTILINE)
    assert "+ text: Heard" in content


def test_elements_without_a_role_are_named_by_their_tag(page: Page) -> None:
    """A presentational trigger opens a box that is moved meanwhile: it was not there before."""
    page.js(
        'document.body.innerHTML = \'<div><div id=t role=presentation style="height:20px"></div>'
        "<div id=box role=presentation style=display:none>Opened</div></div><div><p>Two</div>';"
        "t.onclick = () => { document.body.append(box); box.style.display = 'block' }; 1"
    )
    assert page.do("interact", selector="#t")["target"]["role"] == "div"
    page.js("box.style.display = 'none'; document.body.prepend(box); 1")
    assert page.do("interact", selector="#t")["content"] == "+ text: Opened\n"


def test_rerendered_list_is_one_line(page: Page) -> None:
    """All its items went and came again, in a new order: they are not told one by one."""
    page.js(
        "document.body.innerHTML = '<h2>Grain</h2><ul id=g><li>Rye<li>Oats<li>Barley<li>Corn"
        "<li>Emmer</ul><button onclick=sort()>Sort</button>';"
        " window.sort = () => g.replaceChildren(...[...g.children].sort("
        "(a, b) => a.textContent < b.textContent ? -1 : 1)); 1"
    )
    content = page.do("interact", query="Sort")["content"]
    assert content == '> list "Grain": 5 of 5 items put in anew, "Barley" … "Rye"\n'


def test_added_options_are_listed(page: Page) -> None:
    """Options that a script adds to a list are listed."""
    content = page.do("interact", query="Load cities")["content"]
    assert '+ options "Lyon", "Paris" in combobox "City" [ref=e' in content


def test_style_changes_are_reported_only_if_nothing_else_changed(page: Page) -> None:
    """Beside other changes, class and style are left out; alone, changed words are shown."""
    both = page.do("interact", query="Both")["content"]
    assert sorted(both.splitlines()) == ["+ text: styled", "- text: nothing yet"]
    alone = page.do("interact", selector="#only")["content"]
    assert "class: +hot -cold" in alone


def test_style_changes_of_the_filled_field_are_left_out(page: Page) -> None:
    """The value of the field is reported; that it has the focus meanwhile says nothing."""
    result = page.do("fill_form", fields={"Place": "Lyon", "Date": "2026-11-22"})
    assert result["filled"] == 2
    assert "content" not in result


def test_style_rules_are_not_text_of_removed_elements(page: Page) -> None:
    content = page.do("interact", query="Remove picture")["content"]
    assert '- div "A picture"' in content


def test_rerendered_page_reports_only_differences(page: Page) -> None:
    """What is there as before is not reported."""
    content = page.do("interact", query="Draw again")["content"]
    assert "Third line" in content
    assert "First line" not in content


def test_now_names_focus_and_new_page(page: Page) -> None:
    """The focus with its ref; after a navigation title and URL; at most 200 characters."""
    assert (
        page.do("interact", query="Move")["now"] == f'focus button "Move" [ref={page.ref("Move")}]'
    )
    gone = page.do("interact", query="Open drawer")
    gone = page.do("interact", query="Inbox")
    assert gone["now"].endswith("/a")
    assert gone["content"].startswith("navigated (404)\n")  # where to, `now` has said
    assert len(gone["now"]) <= 200


def test_style_sheets_are_not_reported_as_text(page: Page) -> None:
    """A style sheet whose text a script replaces changes only how the page looks."""
    page.do(
        "javascript_tool",
        code="document.body.insertAdjacentHTML('beforeend', '<style id=sheet>.a {}</style>"
        "<button onclick=\"sheet.textContent = \\'.b {}\\'\">Restyle</button>')",
    )
    result = page.do("interact", query="Restyle")
    assert ".a" not in result.get("content", "")


def test_request_without_an_answer_is_told(at: Callable[[str], Page]) -> None:
    """What the page will show is not known yet; a second click would send it again."""
    page = at("slow-answer.html")
    reply = page.do("interact", query="Save")
    assert reply["changed"]["unanswered"] == f"GET {page.site.url('slow?ms=4000')}"
    assert "unanswered" not in page.do("interact", query="Quick")["changed"]


def test_answer_on_a_websocket_is_told(at: Callable[[str], Page]) -> None:
    """It comes in two messages; the page shows nothing before the second one."""
    page = at("socket.html")
    page.do("wait_for", type="function", value="() => document.title === 'Open'")
    assert "+ text: saved 1" in page.do("interact", query="Save")["content"]
    assert "saved 2" in page.do("interact", query="Save")["content"]


def test_document_that_is_written_anew_is_reported(page: Page) -> None:
    """By what it shows now, with refs, as well as by what it was."""
    page.js(
        "document.body.innerHTML = '<h1>Before</h1><button>Write</button>';"
        "document.querySelector('button').onclick = () => {"
        " document.write('<h1>After</h1><input aria-label=Name>'); document.close() }; 1"
    )
    lines = page.do("interact", query="Write")["content"].splitlines()
    assert '+ heading "After" [level=1]' in lines
    assert any(re.fullmatch(r'\+ textbox "Name" \[ref=e\d+\]', line) for line in lines)
    assert '- html "Before Write"' in lines


def test_focus_is_named_by_contents_with_a_space_between_them(page: Page) -> None:
    """As a list of tabs is that has no name."""
    page.js(
        "document.body.innerHTML = '<div role=tablist tabindex=0><div role=tab>First tab</div>'"
        " + '<div role=tab>Second tab</div></div>'; 1"
    )
    reply = page.do("computer", action="key", text="Tab")
    assert reply["now"].startswith('focus tablist "First tab Second tab"')
