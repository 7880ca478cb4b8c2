"""Silent failures: a person would see them, so the reply reports them."""

from collections.abc import Callable

import pytest

from support.pages import Page

At = Callable[[str], Page]

NOT_VALID = [
    ("age", "200", "120"), ("age", "20.5", "nearest valid"),
    ("code", "abc", "Three capital letters"),
    ("mail", "ada", "@"), ("word", "ab", "5 characters"), ("must", "", "fill out"),
    ("site", "example", "URL"), ("day", "2030-01-01", "2031"), ("user", "root", "is taken"),
    ("agree", False, "check this box"), ("size", "Choose", "select an item"),
]  # fmt: skip
UNCLICKED = [
    ("goes", "detached"), ("off", "not_enabled"), ("hides", "not_visible"),
    ("apple", "not_visible"),
]  # fmt: skip


@pytest.fixture
def page(at: At) -> Page:
    return at("silent-failures.html")


@pytest.mark.parametrize("field", ["later", "checked"])
def test_value_that_is_reverted_late_is_an_error(page: Page, field: str) -> None:
    """After a timer or a response, within a second."""
    reply = page.call("form_input", selector=f"#{field}", value="new", timeout_ms=30_000)
    assert reply.code in ("value_differs", "wrong_value")


def test_changes_after_a_typing_pause_are_reported(page: Page) -> None:
    assert "found ada" in page.do("form_input", query="Search", value="ada")["content"]


@pytest.mark.parametrize(
    ("field", "value", "code", "held"),
    [
        ("name", "new", "document.querySelector('#name').value = 'old'", "old"),
        ("pin", "1234", "pin.value = ''", ""),
        ("town", "Rome", "town.value = 'Oslo'", "Oslo"),
        ("news", True, "news.checked = false", False),
    ],
)
def test_value_reverted_later_is_reported_by_the_next_action(
    page: Page, field: str, value: str | bool, code: str, held: str | bool
) -> None:
    """Once, by the next action, whatever that is."""
    page.do("form_input", selector=f"#{field}", value=value)
    page.js(f"{code}; 1")
    told = page.do("interact", query="Look")
    (one,) = told["changed"]["taken_back"]
    assert one["held"] == held
    assert f"no longer as filled: {one['role']} " in told["content"]
    assert "taken_back" not in page.do("interact", query="Look")["changed"]


def test_value_that_stays_or_is_formatted_is_not_reported(page: Page) -> None:
    """Nor is one that an action has cleared, which its own reply reported."""
    page.do("form_input", selector="#price", value="1000")
    page.js("price.value = '$1,000.00'; 1")
    page.do("form_input", selector="#name", value="Ada")
    page.do("form_input", selector="#entry", value="Buy milk")
    entered = page.do("interact", selector="#entry", action="press", value="Enter")
    assert "taken_back" not in entered["changed"]
    page.js("entry.value = ''; 1")
    assert "taken_back" not in page.do("interact", query="Look")["changed"]


@pytest.mark.parametrize(("field", "value", "message"), NOT_VALID)
def test_value_that_the_browser_rejects_is_reported(
    page: Page, field: str, value: str | bool, message: str
) -> None:
    """The field holds the value, but no form will be submitted with it."""
    told = page.do("form_input", selector=f"#{field}", value=value)
    (one,) = told["changed"]["not_valid"]
    assert message in one["message"]
    assert f'not valid: {one["role"]} "{one["name"]}" [ref={one["ref"]}]: ' in told["content"]
    sent = page.call("interact", query="Send")
    assert (sent.code, sent.error["submitted"]) == ("fields_failed", False)
    assert message in sent.error["message"]
    assert page.text("#said") == "untouched"


def test_form_reports_fields_that_are_finally_invalid(page: Page) -> None:
    """Not those that a later field has made valid."""
    told = page.do("fill_form", fields={"First": "a", "Age": 7, "Second": "a", "Mail": "a@b.c"})
    assert [one["name"] for one in told["changed"]["not_valid"]] == ["Age"]
    assert "not_valid" not in page.do("form_input", selector="#age", value=20)["changed"]


def test_field_without_browser_validation_is_not_reported(page: Page) -> None:
    """Outside of a form, or in one that the page checks itself."""
    page.js("form.noValidate = true; document.body.append(code); 1")
    for field, value in (("#age", "200"), ("#code", "abc")):
        assert "not_valid" not in page.do("form_input", selector=field, value=value)["changed"]


def test_link_whose_navigation_is_prevented_is_reported(page: Page) -> None:
    told = page.do("interact", query="Kept")
    assert "not followed: the page kept the link" in told["content"]


@pytest.mark.parametrize("link", ["handled", "sends", "here"])
def test_link_that_does_something_else_is_not_reported(page: Page, link: str) -> None:
    assert "link_kept" not in page.do("interact", selector=f"#{link}")["changed"]


@pytest.mark.parametrize(("button", "code"), UNCLICKED)
def test_click_prevented_by_mousedown_fails(page: Page, button: str, code: str) -> None:
    """The page removes or disables the button before the mouse is released."""
    if button == "apple":
        page.do("interact", selector="#fruit", action="focus")
    reply = page.call("interact", selector=f"#{button}")
    assert (reply.code, page.text("#said")) == (code, "untouched")
    assert "it was not clicked" in reply.error["message"]


@pytest.mark.parametrize(
    ("button", "done"),
    [
        ("acts", "said.textContent === 'acted on the press'"),
        ("cross", "kept_chip.value === ''"),
        ("posts", "posts.disabled"),
    ],
)
def test_mousedown_alone_counts_as_success(page: Page, button: str, done: str) -> None:
    """Pages that act on mousedown and remove the button need no click."""
    assert page.js(done) == "false"
    page.do("interact", selector=f"#{button}")
    assert page.js(done) == "true"


@pytest.mark.parametrize("submit", [False, "Look"])
def test_form_that_hangs_names_its_fields(page: Page, submit: str | bool) -> None:
    """Which were filled before the page stopped responding, and which one it stopped at."""
    fields = {"Name": "Ada", "Nothing of the sort": "x", "Endless": "y", "Price": "1"}
    reply = page.call("fill_form", fields=fields, submit=submit, wait_for_ms=0, timeout_ms=8000)
    assert (reply.code, [one["field"] for one in reply.error["fields"]]) == ("timeout", ["Name"])
    assert "stopped responding at 'Endless'" in reply.error["message"]
    assert "'Nothing of the sort'" in reply.error["message"]
    assert "Filled: 'Name'." in reply.error["hint"]


def test_form_with_failed_fields_names_them_all(page: Page) -> None:
    """And what was filled, at a shell, too."""
    form = '{"Name": "Ada", "No such": "x", "Town": "Rom"}'
    done = page.daemon.oc("fill-form", form, "--wait-for-ms", "0")
    for words in ("'No such': ", "'Town': ", "Filled: 'Name'."):
        assert words in done.err


def test_failed_script_is_reported_if_nothing_changes(at: At) -> None:
    """A person finds it in the console; what does change is told instead."""
    page = at("media.html")
    reply = page.do("interact", query="Save")
    assert "Uncaught ReferenceError: saveAll is not defined" in reply["changed"]["script_error"]
    assert "a script of the page failed: Uncaught ReferenceError" in reply["content"]
    page.js("window.saveAll = () => { document.title = 'Saved'; throw new Error('late'); }")
    assert "script_error" not in page.do("interact", query="Save")["changed"]
    page.js("window.saveAll = () => { throw new Error('\\u202Egone'); }; 1")
    reply = page.do("interact", query="Save")
    assert "Uncaught Error: gone" in reply["changed"]["script_error"]
    assert "\u202e" not in reply["content"]
