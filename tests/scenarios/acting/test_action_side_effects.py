"""Side effects of actions: navigations, pop-ups, dialogs."""

from collections.abc import Callable

from support.pages import Page

At = Callable[[str], Page]


def test_link_is_followed_to_its_load(at: At) -> None:
    """The result has the new address, title and status."""
    page = at("things.html")
    changed = page.do("interact", query="Onwards")["changed"]
    assert changed["url"].endswith("/acting/sent.html")
    assert (changed["navigated"], changed["title"], changed["status"]) == (True, "Sent", 200)


def test_slow_navigation_is_reported_as_loading(at: At) -> None:
    """A page that does not load in time is `loading`, not an error."""
    page = at("things.html")
    assert page.call_in_short("interact", selector="a[href*=slow]").result["changed"]["loading"]
    page.site.open_gate("slow")


def test_route_of_a_single_page_application(at: At) -> None:
    """pushState changes the address without another document."""
    result = at("things.html").do("interact", query="Route")
    assert result["changed"]["url"].endswith("?moved")
    assert "navigated" not in result["changed"]
    assert "Second view" in result["content"]


def test_changes_around_a_cross_site_frame_are_reported(at: At) -> None:
    """What the page does on the frame's message is in the result, with refs."""
    page = at("payment.html")
    page.do("wait_for", type="text", value="Number")
    paid = page.do("interact", query="Pay")
    assert paid["changed"]["title"] == "Paid"
    lines = paid["content"].splitlines()
    assert any("Thank you" in line for line in lines)
    assert any("Paid" in line for line in lines)
    receipt = next(line for line in lines if 'button "Receipt"' in line)
    ref = receipt.partition("[ref=")[2].rstrip("]")
    assert page.do("interact", ref=ref)["changed"]["title"] == "Sent"
    filled = page.do("form_input", query="Number", value="42")
    assert filled["changed"]["title"] == "Number 42"


def test_alert_does_not_hang_the_click(at: At) -> None:
    """The dialog is in the result, blocks other verbs, and is answered by `interact`."""
    page = at("things.html")
    changed = page.do("interact", query="Warn")["changed"]
    assert changed["dialog"] == {"type": "alert", "message": "Careful"}
    assert page.call("interact", query="Same").code == "dialog_open"
    assert page.do("interact", action="accept_dialog")["dialog"]["message"] == "Careful"
    assert page.text("#view") == "First view"


def test_confirm_is_declined(at: At) -> None:
    """dismiss_dialog answers no."""
    page = at("things.html")
    page.do("interact", query="Ask")
    page.do("interact", action="dismiss_dialog")
    assert page.text("#view") == "confirmed false"


def test_prompt_is_answered(at: At) -> None:
    """accept_dialog takes the text as value."""
    page = at("things.html")
    page.do("interact", query="Name")
    page.do("interact", action="accept_dialog", value="Ada")
    assert page.text("#view") == "named Ada"


def test_popup_is_named_by_its_tab(at: At) -> None:
    """A window opened by a click becomes a tab of the session, named in the result."""
    page = at("things.html")
    (popup,) = page.do("interact", query="Open button")["changed"]["popups"]
    assert popup["url"].endswith("/acting/sent.html")
    outline = page.do("read_page", tab_id=popup["tab_id"])
    assert "Thank you" in outline["content"]


def test_link_into_a_new_window(at: At) -> None:
    """target=_blank is a pop-up, too."""
    (popup,) = at("things.html").do("interact", query="New window")["changed"]["popups"]
    assert popup["tab_id"].startswith("t")


def test_beforeunload_does_not_prevent_leaving(at: At) -> None:
    """beforeunload holds up nobody who means to leave."""
    page = at("leaving.html")
    changed = page.do("interact", selector="a")["changed"]
    assert page.js("document.title") == "Sent"
    assert changed["beforeunload"] == "accepted"
    page.goto("leaving.html").do("act", instruction="click Leave")
    page.goto("leaving.html").js("document.body.insertAdjacentHTML('beforeend', '<input>'); 1")
    page.do("interact", selector="input", action="type", value="x")
    url = page.site.url("acting/sent.html")
    assert page.do("navigate", url=url)["beforeunload"] == "accepted"
    assert "beforeunload" not in page.do("navigate", url=url)


def test_ref_of_a_previous_page_is_stale(at: At) -> None:
    """After a navigation, old refs are refused."""
    page = at("things.html")
    ref = page.ref("Same")
    page.goto("rows.html")
    assert page.call("interact", ref=ref).code == "stale_ref"


def test_cells_of_a_removed_row_are_separated(at: At) -> None:
    """A removed row is reported as it was read, with a space between its cells."""
    told = at("rows.html").do("interact", query="Recycle rows")
    assert 'row "Cid cid@example.org Delete"' in told["content"]


def test_popup_that_closes_itself_after_saving(at: At) -> None:
    """The result says that the tab has closed, and which one is current now."""
    page = at("things.html")
    opener = page.do("tabs_context")["current"]
    page.js(
        "const add = document.body.appendChild(document.createElement('button'));"
        " add.textContent = 'Add one'; add.onclick = () => open('popup-form.html'); 1"
    )
    opened = page.do("interact", query="Add one")
    tab_id = opened["changed"]["current_tab"]
    assert f"current tab: {tab_id}" in opened["content"]
    saved = page.do("interact", query="Save")
    assert saved["changed"]["tabs_closed"] == [tab_id]
    assert saved["changed"]["current_tab"] == opener
    assert saved["now"].startswith(f"tab {opener} is current")
    assert page.text("#view") == "added"
