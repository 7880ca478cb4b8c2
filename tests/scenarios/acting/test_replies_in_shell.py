"""Action replies as `oc` prints them: the same lines as over MCP and the socket."""

from collections.abc import Callable

from support.pages import Page

At = Callable[[str], Page]


def test_first_line_is_the_current_state(at: At) -> None:
    """Then the element, and a line for each event and change."""
    page = at("things.html")
    lines = page.daemon.oc("interact", "--query", "Route").ok().out.splitlines()
    assert "?moved" in lines[0]
    assert lines[1].startswith('click: button "Route" [ref=e')
    assert not any("?moved" in line for line in lines[1:])  # once is enough
    assert any("Second view" in line for line in lines)


def test_popup_and_closed_tab_are_reported(at: At) -> None:
    """The new tab, that it is the current one, and that it was closed."""
    page = at("things.html")
    out = page.daemon.oc("interact", "--query", "Open button").ok().out
    popup = next(line for line in out.splitlines() if line.startswith("tab opened: "))
    tab_id = popup.split()[2]
    assert f"current tab: {tab_id}" in out
    page.do("wait_for", type="text", value="Thank you", timeout_ms=60_000)
    page.js("document.body.innerHTML = '<button onclick=window.close()>Shut</button>'; 1")
    closed = page.daemon.oc("interact", "--query", "Shut").ok().out
    assert closed.startswith("tab t")
    assert f"tab closed: {tab_id}" in closed


def test_open_dialog_is_reported_with_the_commands_that_answer_it(at: At) -> None:
    """Its text comes first; a dialog's line names commands of oc, in JSON as well."""
    page = at("things.html")
    out = page.daemon.oc("interact", "--query", "Ask").ok().out
    assert out.startswith('confirm "')
    (line,) = [line for line in out.splitlines() if line.startswith("dialog: confirm ")]
    answers = "answer it: `oc dialog accept` or `oc dialog dismiss`"
    assert line.endswith(answers)
    page.daemon.oc("dialog", "dismiss").ok()
    as_json = page.daemon.oc("--json", "interact", "--query", "Ask").ok().json["result"]
    assert as_json["content"].splitlines()[0].endswith(answers)
    answered = page.daemon.oc("interact", "--action", "accept_dialog").ok().out
    assert "confirmed true" in answered


def test_fields_are_a_line_each(at: At) -> None:
    """With the current value; failures are on stderr, with status 1."""
    page = at("form.html")
    done = page.daemon.oc("fill-form", '{"Name": "Ada", "Volume": 3}').ok()
    assert any(
        line.startswith('textbox "Name') and line.endswith('= "Ada"')
        for line in done.out.splitlines()
    )
    failed = page.daemon.oc("fill-form", '{"Name": "Bo", "Nope": 1, "Neither": 2}', "--submit=true")
    assert failed.code == 1
    assert "'Nope': " in failed.err
    assert "'Neither': " in failed.err
    assert "nothing was submitted" in failed.err


def test_beforeunload_is_reported(at: At) -> None:
    """beforeunload stops no navigation, and is reported."""
    page = at("leaving.html")
    out = page.daemon.oc("interact", "--selector", "a").ok().out
    assert "left although the page asked to stay" in out
