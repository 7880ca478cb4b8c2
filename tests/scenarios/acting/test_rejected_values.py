"""Values that a page cuts, refuses or reverts are errors; reformatted ones are not."""

from collections.abc import Callable

import pytest

from support.pages import Page

At = Callable[[str], Page]

TAKEN_BACK = [
    ("digits", "12ab34"), ("cut", "abcdefgh"), ("late", "new"), ("asked", "new"),
    ("controlled", "new"), ("pin", "abcdefgh"), ("lines", "one\ntwo"), ("phone", "12ab"),
    ("list", "b"), ("late-list", "b"), ("several", ["a", "c"]), ("box", True), ("second", True),
    ("group", "Second"), ("switch", True), ("rich", "new"), ("range", 8), ("colour", "#ff0000"),
    ("date", "2030-01-01"), ("clock", "08:00:00"), ("quarter", "10:05"),
]  # fmt: skip
FORMATTED = [
    ("upper", "new", "NEW"), ("phone", "1234567890", "(123) 456-7890"), ("shy", "new", "new"),
    ("amount", "1000", "$1,000.00"), ("day", "2031-12-24", "24.12.2031"),
    ("hour", "18:30", "6:30 PM"), ("short-day", "2031-12-24", "12/24/31"),
    ("moment", "2031-12-24", "24.12.2031 22:54"),
]  # fmt: skip


@pytest.fixture
def page(at: At) -> Page:
    return at("taking-back.html")


@pytest.mark.parametrize(("field", "value"), TAKEN_BACK, ids=[field for field, _ in TAKEN_BACK])
def test_value_that_does_not_stay_is_an_error(
    page: Page, field: str, value: str | bool | list[str]
) -> None:
    reply = page.call("form_input", selector=f"#{field}", value=value)
    assert reply.code in ("value_differs", "wrong_value")
    if reply.code == "value_differs" and field != "pin":
        assert reply.error["held"] != reply.error["expected"]
    assert "abcdefgh" not in str(reply.error) or field != "pin"


@pytest.mark.parametrize(("field", "value", "held"), FORMATTED)
def test_formatting_does_not_count_as_rejection(
    page: Page, field: str, value: str, held: str
) -> None:
    page.do("form_input", selector=f"#{field}", value=value)
    assert page.js(f"document.getElementById('{field}').value") == held


def test_value_that_becomes_a_chip_is_accepted(page: Page) -> None:
    assert page.do("form_input", selector="#tags", value="fruit,")["value"] == "fruit"
    assert page.text("#chips") == "fruit"


@pytest.mark.parametrize(
    ("field", "action", "code"),
    [
        ("short", "type", "value_differs"),
        ("controlled", "type", "value_differs"),
        ("controlled", "clear", "value_differs"),
        ("locked", "type", "not_enabled"),
        ("shy", "type", "not_enabled"),
        ("list", "select", "value_differs"),
        ("box", "check", "value_differs"),
    ],
)
def test_action_whose_value_does_not_stay_fails(
    page: Page, field: str, action: str, code: str
) -> None:
    value = {"type": "abcdef", "select": "b"}.get(action, "")
    reply = page.call("interact", selector=f"#{field}", action=action, value=value, timeout_ms=3000)
    assert reply.code == code


def test_typing_follows_the_focus_to_the_next_field(page: Page) -> None:
    """Fields of one digit each pass the focus to the next."""
    page.do("interact", selector="#one", action="type", value="12")
    assert page.js("one.value + two.value") == "12"


def test_field_that_is_changed_once_it_is_left_fails_the_form(page: Page) -> None:
    reply = page.call("fill_form", fields={"Limited": 42, "Note": "x"}, submit="Save")
    assert (reply.code, [one["field"] for one in reply.error["failed"]]) == (
        "fields_failed",
        ["Limited"],
    )
    assert reply.error["failed"][0]["error"]["held"] == "10"
    assert [one["field"] for one in reply.error["fields"]] == ["Note"]
    assert page.text("#said") == "untouched"


def test_page_that_empties_its_input_has_refused_the_file(page: Page, tmp_path_file: str) -> None:
    assert page.call("file_upload", selector="#file", file_paths=[tmp_path_file]).code == (
        "wrong_value"
    )
    page.do("file_upload", selector="#read", file_paths=[tmp_path_file])
    assert page.text("#said") == "plain.txt"


@pytest.fixture
def tmp_path_file(page: Page) -> str:
    file = page.daemon.home.base / "tmp" / "plain.txt"
    file.write_text("x")
    return str(file)


@pytest.mark.parametrize("dragged", ["card", "held", "loose"])
def test_drag_without_an_effect_fails(page: Page, dragged: str) -> None:
    reply = page.call("drag_drop", source_selector=f"#{dragged}", target_selector="#bucket")
    assert (reply.code, reply.status) == ("not_moved", 422)


def test_item_that_its_list_puts_back_has_not_moved(page: Page) -> None:
    reply = page.call("drag_drop", source_selector="#task", target_selector="#last")
    assert reply.code == "not_moved"
    assert '"One" is still item 1 of Tasks' in reply.error["message"]


@pytest.mark.parametrize(
    ("field", "button", "said"), [("required", "save", "saved"), ("redrawn", "send", "sent")]
)
def test_click_missed_because_of_a_blur_handler_is_repeated(
    page: Page, field: str, button: str, said: str
) -> None:
    """The field's error moves or re-renders the button before the mouse is released."""
    page.do("interact", selector=f"#{field}", action="focus")
    page.do("interact", selector=f"#{button}")
    assert page.text("#said") == said


def test_second_of_two_clicks_hits_nothing_else(page: Page) -> None:
    reply = page.call("interact", selector="#jumps", action="double_click")
    assert (reply.code, page.text("#said")) == ("moving", "jumped 300px")


def test_field_that_passes_on_each_key_has_accepted_the_text(at: Callable[[str], Page]) -> None:
    """As in terminals: the field keeps the last key, and the page shows all of them elsewhere."""
    page = at("taking-back.html")
    page.do("interact", query="Terminal", action="type", value="ls")
    assert page.text("#line") == "ls"


def test_separator_that_ends_a_value_empties_the_field(page: Page) -> None:
    """The page shows the value beside the field, without the separator."""
    page.do("interact", query="Tags", action="type", value="stone,")
    assert page.js("chips.textContent + tags.value") == "stone"


def test_custom_checkbox_counts_as_checked_by_its_aria_state(at: At) -> None:
    """The page prevents the box's own change, and says by ARIA what it draws."""
    page = at("taken-back-ticks.html")
    page.do("interact", query="Select task 2", action="check")
    assert page.js("ticked.value") == "1"
    assert 'checkbox "Unselect task 2"' in page.do("find", query="the checked box")["content"]
    page.do("interact", query="Unselect task 2", action="check")
    assert page.js("ticked.value") == "1"
    page.do("interact", query="Unselect task 2", action="uncheck")
    assert page.js("ticked.value") == "0"


def test_native_checkbox_counts_as_checked_as_displayed(at: At) -> None:
    page = at("taken-back-ticks.html")
    assert 'checkbox "Stale" [ref' in (outline := page.do("read_page")["content"])
    assert " checked" not in outline
    page.do("interact", query="Stale", action="check")
    assert page.js("stale.checked") == "true"
