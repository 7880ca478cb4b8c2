"""The effects of an action as lines of text."""

from oc.output.action_rendering import action_text, is_action
from ocd.verb_api.action_report import event_lines


def test_each_event_is_a_line() -> None:
    changed = {
        "navigated": True, "url": "http://x/b", "title": "B\nb", "status": 404,
        "popups": [{"tab_id": "t2", "url": "http://x/p"}], "tabs_closed": ["t3"],
        "current_tab": "t2", "beforeunload": "accepted", "loading": True,
        "net_error": "net::ERR_FAILED", "frames": [{"url": "http://x/f"}],
        "dialog": {"type": "confirm", "message": "Really?"},
        "downloads": [
            {"file": "a.csv", "path": "/d/a.csv", "size": 2048, "state": "completed"},
            {"file": "b", "size": 1, "total": 3, "state": "in_progress"},
        ],
        "popups_refused": ["http://x/r"], "permissions": [{"name": "geo", "state": "denied"}],
        "added": 1,
    }  # fmt: skip
    data = {
        "changed": changed,
        "submitted": True,
        "method": "html5",
        "source": {},
        "accepted": True,
    }
    assert event_lines(data) == [
        (
            'dialog: confirm "Really?" is open; answer it: `interact {"action": "accept_dialog"}` '
            'or `interact {"action": "dismiss_dialog"}`'
        ),
        "dragged: html5, accepted",
        "submitted",
        "left although the page asked to stay (beforeunload)",
        'navigated: http://x/b "B b" (404)',
        "frame navigated: http://x/f",
        "the page is still loading",
        "the load failed: net::ERR_FAILED",
        "tab opened: t2 http://x/p",
        "tab closed: t3",
        "current tab: t2",
        "download: a.csv, 2.0 KB, completed: /d/a.csv",
        "download: b, 1 bytes of 3 bytes, in progress",
        "pop-up refused, the session is at its tab limit: http://x/r",
        "permission geo: denied",
    ]


def test_drag_results_are_lines() -> None:
    data = {"changed": {}, "method": "html5", "source": {}, "accepted": False}
    assert event_lines(data) == ["dragged: html5, not accepted"]
    assert event_lines({**data, "place": "A is item 1"}) == ["dragged: A is item 1; html5"]


def test_no_change_gives_no_lines() -> None:
    assert event_lines({"changed": {}}) == []


def test_route_change_of_a_single_page_application() -> None:
    assert event_lines({"changed": {"url": "/a"}, "submitted": False}) == [
        "not submitted",
        "url: /a",
    ]


def test_now_is_not_repeated() -> None:
    """A title and an address that `now` shows in full are left out of the lines; cut ones stay."""
    now = 'page "B b" · http://x/b · focus x'
    changed = {"navigated": True, "url": "http://x/b", "title": "B b", "status": 200}
    assert event_lines({"changed": changed, "now": now}) == ["navigated (200)"]
    changed["url"] = "http://x/b2"
    assert event_lines({"changed": changed, "now": now}) == ["navigated: http://x/b2 (200)"]
    assert event_lines({"changed": {"url": "http://x/b"}, "now": now}) == []


def test_long_addresses_are_cut() -> None:
    """The data has all of them."""
    url = "http://x/?q=" + "a" * 900
    (line,) = event_lines({"changed": {"url": url}})
    assert (len(line), line[-1]) == (305, "…")


def test_client_shows_now_first() -> None:
    target = {"role": "button", "name": "Save"}
    result = {
        "now": "focus x", "action": "click", "ref": "e1", "target": target, "changed": {},
        "content": "+ text: saved\n",
    }  # fmt: skip
    assert is_action(result)
    assert action_text(result, {"query": "Save"}) == (
        'focus x\nclick: button "Save" [ref=e1]\n+ text: saved\n'
    )
    assert action_text(result, {"ref": "e1"}) == "focus x\n+ text: saved\n"


def test_client_says_that_nothing_changed() -> None:
    result = {"now": "focus x", "changed": {}}
    assert action_text(result, {}) == "focus x\nNo visible change\n"
    named = {**result, "action": "click", "target": {"role": "button", "name": "Save"}}
    assert action_text(named, {}) == 'focus x\nclick: button "Save"\nNo visible change\n'
    assert "No visible" not in action_text({**result, "changed": {"url": "http://a/#b"}}, {})


def test_client_shows_each_field_on_a_line() -> None:
    fields = [
        {"field": "Name", "ref": "e1", "target": {"role": "textbox", "name": "Name"}, "value": "A"},
        {"field": "#b", "ref": "e2", "target": {"role": "checkbox", "name": ""}, "value": True},
    ]
    result = {"now": "focus x", "fields": fields, "filled": 2, "changed": {}}
    assert action_text(result, {}) == (
        'focus x\ntextbox "Name" [ref=e1] = "A"\ncheckbox [ref=e2] = true\n'
    )
