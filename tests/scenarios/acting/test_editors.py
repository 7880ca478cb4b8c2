"""Text in code and rich text editors: it arrives as given, or the call fails."""

import re
from collections.abc import Callable

import pytest

from support.pages import Page

At = Callable[[str], Page]
CODE = 'if (a) {\n    b("c");\n}\n\n  {[(\nend'
PROSE = "First line\nSecond - line\n\n* third"


def test_code_is_not_indented_again(at: At) -> None:
    """Lines and brackets are exactly those given, at each attempt."""
    page = at("editors.html")
    for _ in range(2):
        result = page.do("form_input", query="Script", value=CODE)
        assert page.js("editor.text") == CODE
        assert result["value"] == CODE
    page.do("form_input", query="Script", value="")
    assert page.js("editor.text") == ""


def test_code_is_added_at_the_end(at: At) -> None:
    """fill_form appends lines unchanged."""
    page = at("editors.html")
    fields = [{"label": "Script", "value": "\n    third {"}]
    page.do("fill_form", fields=fields, clear_first=False)
    assert page.js("editor.text") == "first\nsecond\n    third {"


def test_lines_are_typed_into_code_as_they_are(at: At) -> None:
    """Several lines are inserted at once; a single one is typed, with auto-completion."""
    page = at("editors.html")
    page.do("interact", action="type", query="Script", value="\n  x\n  y")
    assert page.js("editor.text") == "first\nsecond\n  x\n  y"
    page.do("interact", action="type", query="Script", value=" f(")
    assert page.js("editor.text") == "first\nsecond\n  x\n  y f()"


@pytest.mark.parametrize("name", ["Letter", "Notes"])
def test_prose_keeps_its_lines(at: At, name: str) -> None:
    """Each line stays one line, blank ones included."""
    page = at("editors.html")
    result = page.do("form_input", query=name, value=PROSE)
    assert result["value"] == PROSE
    shown = str(
        page.js("[rich, document.getElementById('lines-kept')].map((one) => one.innerText)")
    )
    for line in PROSE.split("\n"):
        assert line in shown
    assert "Old words" not in str(page.js("rich.innerText")) or name == "Notes"


def test_editor_that_accepts_only_a_paste(at: At) -> None:
    """An editor that ignores insertText gets the text by a paste."""
    page = at("editors.html")
    page.do("form_input", query="Clipboard only", value="new words")
    assert page.js("pasting.textContent") == "new words"


def test_lines_become_separate_blocks(at: At) -> None:
    """Block editors put other elements in the place of the one that was pasted into."""
    page = at("editors.html")
    result = page.do("form_input", query="Block", value="One line.\n\nAnother.")
    assert result["value"].split() == ["One", "line.", "Another."]
    assert (
        page.js("[...blocks.children].map((one) => one.textContent).join()") == "One line.,Another."
    )


def test_text_that_an_editor_changes_is_an_error(at: At) -> None:
    """The error has both texts: the requested one and the one in the editor."""
    page = at("editors.html")
    reply = page.call("form_input", query="Corrected", value="a cat")
    assert reply.code == "value_differs"
    assert (reply.error["expected"], reply.error["held"]) == ("a cat", "a dog")


@pytest.mark.parametrize(
    ("name", "value", "after"),
    [
        ("Title", "d", "abcd"),
        ("Amount", "3", "123"),
        ("Story", "!", "one\ntwo!"),
        ("Letter", "!", "Old words\n\nMore of them!"),
    ],
)
def test_typing_begins_at_the_end(at: At, name: str, value: str, after: str) -> None:
    """At the end of a field without focus; at the caret of the focused one."""
    page = at("editors.html")
    page.do("interact", action="type", query=name, value=value)
    held = "(document.activeElement.value ?? document.activeElement.innerText)"
    assert page.js(held) == after


def test_key_does_not_replace_previously_selected_text(at: At) -> None:
    """Focusing a field selects nothing that a key would replace."""
    page = at("editors.html")
    page.js("first.setSelectionRange(0, 2); amount.focus(); 1")
    page.do("interact", action="press", query="Title", value="d")
    assert page.js("first.value") == "dabc"


def test_typing_continues_at_the_caret(at: At) -> None:
    """A field that has the focus keeps its caret."""
    page = at("editors.html")
    page.js("first.focus(); first.setSelectionRange(1, 1)")
    page.do("interact", action="type", query="Title", value="-")
    assert page.js("first.value") == "a-bc"


def test_empty_element_takes_the_focus(at: At) -> None:
    """It needs a position, not contents; an element that cannot be focused is an error."""
    page = at("editors.html")
    page.do("interact", action="focus", selector="#void")
    assert page.text("#seen") == "void"
    assert page.call("interact", action="focus", selector="#still").code == "not_enabled"


def test_editor_whose_field_has_no_size_is_a_field(at: At) -> None:
    """By the label of its text area, or by its placeholder."""
    page = at("drawn-editor.html")
    read = [re.sub(r"e\d+", "e", line) for line in page.do("read_page")["content"].splitlines()]
    assert read[1:] == [
        "- text: Query",
        "- textbox [ref=e] multiline",
        "- text: select 1",
        '- heading "Jobs" [level=2]',
        "- text: All that run here.",
        "- textbox [ref=e] multiline",
        "- text: Search and filter",
        '- textbox "Mail" [ref=e]',
    ]
    page.do("fill_form", fields={"Query": "select 2", "Search and filter": "water"})
    drawn = page.js(
        "[...document.querySelectorAll('.editor')].map((one) => one.dataset.text).join()"
    )
    assert drawn == "select 2,water"


def test_frame_in_design_mode_is_an_editor(at: At) -> None:
    """As editors have long been made: the outline has its body as a field, by the frame's name."""
    page = at("things.html")
    page.js(
        "document.body.innerHTML = '<iframe id=f title=Letter></iframe>';"
        "f.contentDocument.designMode = 'on';"
        "f.contentDocument.body.innerHTML = 'Dear <b>Ada</b>'; 1"
    )
    assert re.search(
        r'textbox "Letter" \[ref=e\d+\] value="Dear Ada"', page.do("read_page")["content"]
    )
    assert page.do("form_input", query="Letter", value="Dear Grace")["value"] == "Dear Grace"
    assert page.js("f.contentDocument.body.textContent") == "Dear Grace"


def test_words_in_an_editor_mean_their_line(at: At) -> None:
    """The cursor is put there, and not in the middle of the editor."""
    page = at("edited-lines.html")
    page.do("interact", query="Cork oak")
    for key in ("End", "Enter"):
        page.do("interact", action="press", value=key)
    page.do("interact", action="type", value="Red oak")
    items = page.js("[...document.querySelectorAll('li')].map((one) => one.textContent).join()")
    assert items == "English oak,Cork oak,Red oak"
    page.do("interact", query="species", action="double_click")
    assert page.js("getSelection().toString()") == "Species"
    page.do("interact", query="goes on and on")
    assert page.js("getSelection().anchorNode.textContent.startsWith('A long story')")


def test_equal_lines_of_an_editor_are_ambiguous(at: At) -> None:
    page = at("edited-lines.html")
    reply = page.call("interact", query="oak")
    assert reply.code == "ambiguous"
    assert ['listitem "English oak"' in line for line in reply.error["candidates"]] == [True, False]


def test_control_is_meant_before_words_in_an_editor(at: At) -> None:
    page = at("edited-lines.html")
    page.js("editor.querySelector('p').textContent = 'Bold oaks'")
    assert page.do("interact", query="Bold")["target"]["role"] == "button"


def test_editor_is_named_by_its_label_and_not_by_its_line_numbers(at: At) -> None:
    page = at("gutter.html")
    page.do("fill_form", fields={"Value": "[1, 2]", "Name": "list"})
    assert page.text(".content") == "[1, 2]"
