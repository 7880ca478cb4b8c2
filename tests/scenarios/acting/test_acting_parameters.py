"""Parameters of finding and acting: waiting, reporting, appending."""

from collections.abc import Callable

import pytest

from support.pages import Page

At = Callable[[str], Page]

# The page gets a control 300 ms after it is asked to.
_LATER = "setTimeout(() => document.body.insertAdjacentHTML('beforeend', {html!r}), 300); 'started'"


def later(page: Page, html: str) -> None:
    page.js(_LATER.format(html=html))


def test_find_waits_for_elements(at: At) -> None:
    """`find` waits for elements that are not there yet; with wait_for_ms 0 it looks once."""
    page = at("rows.html")
    assert page.do("find", query="Postponed", wait_for_ms=0)["count"] == 0
    later(page, "<button>Postponed</button>")
    assert (
        page.do("find", query="Postponed", waitForMs=30_000, timeout_ms=60_000, pollInterval=50)[
            "count"
        ]
        == 1
    )


def test_find_ends_at_its_time_limit(at: At) -> None:
    """If nothing appears in time, the result is empty and has a hint."""
    page = at("rows.html")
    told = page.do("find", query="Zeppelin", wait_for_ms=100)
    assert (told["count"], told["refs"]) == (0, [])
    assert "hint" in told


def test_interact_waits_for_its_element(at: At) -> None:
    """wait_for_ms: the action happens once the element appears; without it the call fails."""
    page = at("rows.html")
    assert page.call("interact", query="Postponed").code == "element_not_found"
    later(page, "<button onclick=\"document.title='pressed'\">Postponed</button>")
    page.do("interact", query="Postponed", waitForMs=30_000, timeout_ms=60_000, pollInterval=50)
    assert page.js("document.title") == "pressed"
    error = page.call("interact", selector="#none", wait_for_ms=100)
    assert error.code == "element_not_found"


def test_wait_after_reports_later_changes(at: At) -> None:
    """wait_after: changes after the action has settled are reported as well."""
    page = at("rows.html")
    page.js(
        "const late = document.createElement('button'); late.textContent = 'Slowly';"
        "late.onclick = () => setTimeout(() => late.insertAdjacentHTML('afterend',"
        " '<p>Arrived later</p>'), after); window.after = 60_000; document.body.append(late); 1"
    )
    assert "Arrived later" not in str(page.do("interact", query="Slowly").get("content"))
    page.js("after = 400")
    assert "Arrived later" in page.do("interact", query="Slowly", waitAfter=1500)["content"]


@pytest.mark.parametrize("form", ["dom_delta", "state_summary", "both"])
def test_return_format_selects_the_reply(at: At, form: str) -> None:
    """return_format: the changes, the state of the page as `inspect` has it, or both."""
    page = at("things.html")
    told = page.do("interact", query="Menu", returnFormat=form)
    lines = told["content"].splitlines()
    assert any(line.startswith(("+", "~")) for line in lines) == (form != "state_summary")
    assert any(line.startswith("[") for line in lines) == (form != "dom_delta")


def test_verify_adds_a_screenshot(at: At) -> None:
    """verify: a screenshot of the window; behind an open dialog there is none, and no error."""
    page = at("things.html")
    assert page.do("interact", query="Route", verify=True)["image"]["mime_type"] == "image/jpeg"
    warned = page.do("interact", query="Warn", verify=True, return_format="both")
    assert "image" not in warned
    assert warned["changed"]["dialog"]


def test_fill_form_can_append(at: At) -> None:
    """clear_first=false appends to the old text; otherwise it is replaced."""
    page = at("form.html")
    fields = {"About": " and new", "Story": " a time", "Age": 1}
    page.do("fill_form", fields=fields, clearFirst=False)
    assert page.js("document.querySelector('[name=about]').value") == "old words and new"
    assert page.text("#rich") == "Once upon a time"
    page.do("fill_form", fields={"Age": 2}, clear_first=False)
    assert page.js("document.querySelector('[name=age]').value") == "12"
    page.do("fill_form", fields={"About": "only this"})
    assert page.js("document.querySelector('[name=about]').value") == "only this"
    failure = page.call("fill_form", fields={"Short": "abcd"}, clear_first=False)
    assert failure.error["failed"][0]["error"]["code"] == "wrong_value"


def test_fill_form_waits_for_its_fields(at: At) -> None:
    """A field that appears later is filled; with wait_for_ms 0 it is missing."""
    page = at("rows.html")
    failure = page.call("fill_form", fields={"Nickname": "Al"}, wait_for_ms=0)
    assert failure.error["failed"][0]["error"]["code"] == "element_not_found"
    later(page, "<label>Nickname <input id=nick></label>")
    page.do(
        "fill_form", fields={"Nickname": "Al"}, waitForMs=30_000, timeout_ms=60_000, pollInterval=50
    )
    assert page.js("nick.value") == "Al"


def test_scroll_to_the_end(at: At) -> None:
    """scroll_to_end scrolls all the way; the sizes have the names of the DOM."""
    page = at("things.html")
    told = page.do("lightweight_scroll", direction="down", scrollToEnd=True)
    assert told["at_end"] is True
    assert told["dimensions"].keys() == {
        "scroll_width", "scroll_height", "client_width", "client_height",
    }  # fmt: skip
    assert int(page.js("scrollY")) == told["position"]["y"] > 2000
    assert "down" in told["scrolled"]
    assert page.do("lightweight_scroll", direction="up", scroll_to_end=True)["position"]["y"] == 0


def test_smooth_scroll_returns_the_final_position(at: At) -> None:
    """smooth: the page scrolls in steps, and the result has the final position."""
    page = at("things.html")
    page.js("window.steps = 0; addEventListener('scroll', () => { steps += 1; }); 1")
    told = page.do("lightweight_scroll", amount=600, smooth=True)
    assert told["position"]["y"] == 600 == int(page.js("scrollY"))
    assert int(page.js("steps")) > 1
    # Nothing to scroll: answered at once.
    assert page.do("lightweight_scroll", direction="left", smooth=True)["at_end"] is True


def test_scroll_waits_for_loaded_content(at: At) -> None:
    """wait_after_ms: the sizes are those after the page had time to load more."""
    page = at("things.html")
    page.js(
        "addEventListener('scroll', () => setTimeout(() => document.body.insertAdjacentHTML("
        "'beforeend', '<div style=height:5000px>more</div>'), 150), { once: true }); 1"
    )
    before = page.js("document.documentElement.scrollHeight")
    told = page.do("lightweight_scroll", amount=100, waitAfterMs=1000)
    assert told["dimensions"]["scroll_height"] >= int(before) + 5000


def test_act_compares_outlines(at: At) -> None:
    """verify=ax_diff returns the new lines of the outline; `both` adds a screenshot."""
    page = at("things.html")
    told = page.do("act", instruction='click "Menu"', verify="ax-diff")
    assert "Paste" in told["content"].partition("outline:")[2]
    assert "image" not in told
    both = page.do("act", instruction='click "Vanish"', verify="both")
    assert "Vanish" in both["content"].partition("outline:")[2]
    assert "image" in both


def test_screenshot_is_never_downgraded(at: At) -> None:
    """The third screenshot of an unchanged page is an image, too; `force` is refused."""
    page = at("things.html")
    for _ in range(3):
        assert page.do("computer", action="screenshot")["image"]
    error = page.call("computer", action="screenshot", force=True).error
    assert "every screenshot" in error["hint"]
    error = page.call("computer", action="screenshot", includeUserAgentShadowDOM=True).error
    assert "coordinate" in error["hint"]


def test_code_may_be_called_text(at: At) -> None:
    """javascript_tool accepts `text` for `code`, but not both."""
    page = at("rows.html")
    assert page.do("javascript_tool", text="6 * 7")["content"] == "42"
    assert page.call("javascript_tool", text="1", code="2").code == "invalid_argument"
    assert page.call("javascript_tool").code == "source_missing"
