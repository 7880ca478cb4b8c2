"""What replies leave out: what was already reported, and what is unchanged."""

from collections.abc import Callable

import pytest

from support.pages import Page

At = Callable[[str], Page]


@pytest.fixture
def page(at: At) -> Page:
    return at("terse.html")


def test_refilled_lists_report_only_differences(page: Page) -> None:
    """Only options that moved, were added or were removed are reported; or the new order."""
    reaped = page.do("interact", query="Reap two")["content"].splitlines()
    assert len(reaped) == 1
    assert reaped[0].startswith('> options "oats", "barley" now in listbox "Reaped" [ref=e')
    page.do("interact", query="Sow nothing")
    page.goto("terse.html")
    (turned,) = page.do("interact", query="Turn around")["content"].splitlines()
    assert turned.startswith('> options "barley", "oats", "rye" in this order in listbox "Sown"')
    (gone,) = page.do("interact", query="Sow nothing")["content"].splitlines()
    assert gone.startswith('- options "barley", "oats", "rye" of listbox "Sown" [ref=e')


def test_long_bars_are_folded(page: Page) -> None:
    """The first and last buttons, how many are between, and the field behind them."""
    content = page.do("interact", query="Open editor")["content"]
    bar = next(line for line in content.splitlines() if line.startswith("+ button: "))
    assert 4 < bar.count("[ref=e") < 12
    assert " more (find lists them)" in bar
    assert "kind 24 " in bar
    assert '+ textbox "Text" [ref=e' in content
    page.do("interact", query="formatting of kind 17")
    assert page.text("#word") == "kind 17"


def test_states_are_reported_in_the_outlines_words(page: Page) -> None:
    """Expanded; the selected one of two tabs; what is enabled now."""
    assert page.do("interact", query="Unfold")["content"].endswith("] expanded\n")
    (chosen,) = page.do("interact", query="Garden")["content"].splitlines()
    assert chosen.startswith('~ tab "Garden" [ref=e')
    assert chosen.endswith("] selected")
    (unlocked,) = page.do("interact", query="Unlock")["content"].splitlines()
    assert unlocked.endswith('"Gate" not disabled')


def test_changed_titles_are_reported(page: Page) -> None:
    """A button's title is shown with the old one; a hint beside words only if it is all."""
    assert page.do("interact", query="Mute")["content"].startswith('~ button "Unmute" [ref=e')
    renamed = page.do("interact", query="Rename")["content"]
    assert "attic" not in renamed
    assert "oats.txt" in renamed
    assert "Somebody" in page.do("interact", query="Only a hint")["content"]


def test_message_is_reported_once(page: Page) -> None:
    """A banner with the first action, a new message with its action, and again when it returns."""
    assert 'message "The harvest is late"' in page.do("interact", query="Change a word")["now"]
    assert "message" not in page.do("interact", query="Unfold")["now"]
    assert 'message "Saved"' in page.do("interact", query="Save")["now"]
    assert "message" not in page.do("interact", query="Garden")["now"]
    page.js("note.className = 'fading'")
    assert "message" not in page.do("interact", query="Unfold")["now"]
    assert "message" not in page.do("computer", action="key", text="Tab")["now"]
    assert 'message "Saved"' in page.do("interact", query="Save")["now"]
    outline = page.do("read_page")["content"]
    assert "The harvest is late" in outline.splitlines()[0]


def test_boxes_of_one_message_are_one_message(page: Page) -> None:
    """Boxes around or inside it are not new messages; a number alone is none."""
    page.js(
        "document.body.insertAdjacentHTML('beforeend', '<i class=notification-count>3</i>"
        "<div class=toaster><div class=toast-list><div role=alert class=toast-body>"
        "<b class=toast-words>Rain is due</b> <button class=toast-button>Fine</button>')"
    )
    page.js("banner.remove()")
    told = [
        page.do("interact", query=name).get("now", "") for name in ("Unfold", "Garden", "Field")
    ]
    assert [now.count("message") for now in told] == [1, 0, 0], told
    assert 'message "Rain is due' in told[0]


def test_typed_text_is_reported_only_as_the_value(page: Page) -> None:
    """The text of a field is not reported again as new text of the page."""
    result = page.do("form_input", query="Letter", value="Dear sir")
    assert result["value"] == "Dear sir"
    assert "Dear sir" not in result.get("content", "")


def test_shell_describes_an_opened_page_in_three_lines(page: Page) -> None:
    """URL, title, and status with size; for a wait, how long it took."""
    url = page.site.url("acting/terse.html")
    opened = page.daemon.oc("navigate", url).ok().out.splitlines()
    assert opened[:2] == [f"url: {url}", "title: Terse replies"]
    assert opened[2].startswith("status: 200, ")
    assert len(opened) == 3
    waited = page.daemon.oc("wait-for", "text", "harvest").ok().out.splitlines()
    assert waited[0] == f"url: {url}"
    assert waited[1].startswith("waited ")


def test_icon_that_reflects_its_buttons_state_is_not_reported(page: Page) -> None:
    """The button is reported with its state; the icon, which is part of its name, is not."""
    (line,) = page.do("interact", query="Panel")["content"].splitlines()
    assert line.startswith('~ button "expanded Panel" [ref=e')
