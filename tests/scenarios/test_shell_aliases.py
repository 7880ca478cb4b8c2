"""Commands that people guess, and batches of them, as a shell user types them."""

import json

import pytest

from support.daemon import Daemon
from support.site import Site


@pytest.fixture
def daemon(one_tab_daemon: Daemon) -> Daemon:
    """One tab serves them all, for they begin by going to a page."""
    return one_tab_daemon


@pytest.fixture
def page(daemon: Daemon, site: Site) -> str:
    """The address of a form that says what it was given."""
    daemon.oc("close").ok()
    return site.url("shell-words.html")


def test_a_newcomer_fills_in_a_form(daemon: Daemon, page: str) -> None:
    """open, fill, select, check, click, wait text, get the text: no verb's name is needed."""
    assert f"url: {page}" in daemon.oc("open", page).ok().out
    assert 'textbox "Email"' in daemon.oc("snapshot").ok().out
    daemon.oc("fill", "Email", "ada@example.org").ok()
    daemon.oc("select", "Plan", "Pro").ok()
    daemon.oc("check", "News").ok()
    daemon.oc("click", "Save").ok()
    daemon.oc("wait", "text", "Hello ada@example.org, Pro true").ok()
    assert "Hello ada@example.org, Pro true" in daemon.oc("text").ok().out
    assert daemon.oc("eval", "document.title").ok().out == "Sign up\n"


def test_waiting_for_a_text_that_is_hidden_ends_with_the_deadline(
    daemon: Daemon, page: str
) -> None:
    daemon.oc("open", page).ok()
    daemon.oc("eval", "said.innerHTML = '<i style=\"display:none\">Later</i>', 0").ok()
    late = daemon.oc("wait", "text", "Later", "--timeout-ms", "300")
    assert late.code == 4
    daemon.oc("eval", "setTimeout(() => said.firstChild.style.display = 'inline', 200), 0").ok()
    daemon.oc("wait", "text", "Later").ok()


def test_tab_opens_selects_and_closes_tabs(daemon: Daemon, site: Site, page: str) -> None:
    daemon.oc("open", page).ok()
    first = daemon.oc("tab", "--json").json["result"]["current"]
    daemon.oc("tab", "new", site.url("article.html")).ok()
    assert daemon.oc("eval", "document.title").out == "The lighthouse\n"
    assert daemon.oc("tab", first, "--json").json["result"]["current"] == first
    assert daemon.oc("eval", "document.title").out == "Sign up\n"
    daemon.oc("tab", "close", first).ok()
    assert daemon.oc("eval", "document.title").out == "The lighthouse\n"
    daemon.oc("close").ok()
    assert daemon.oc("tab", "--json").json["result"]["tab_count"] == 0


def test_dialog_accept_unblocks_the_page(daemon: Daemon, page: str) -> None:
    daemon.oc("open", page).ok()
    daemon.oc("click", "Delete").ok()
    assert daemon.oc("text").code == 1
    daemon.oc("dialog", "accept").ok()
    daemon.oc("text").ok()


def test_a_batch_prints_results_in_order(daemon: Daemon, page: str) -> None:
    lines = f"""
# a comment
open {page}
["fill", "Email", "ada b@example.org"]
oc click Save
wait text 'Hello ada b@example.org'
eval document.title
"""
    done = daemon.oc("batch", stdin=lines).ok()
    assert done.out.index(f"url: {page}") < done.out.index("Sign up\n")
    bodies = daemon.oc("--json", "batch", stdin="eval 1+1\neval 2+2\n").ok().out.splitlines()
    assert [json.loads(body)["result"]["content"] for body in bodies] == ["2", "4"]


@pytest.mark.parametrize(
    ("surprise", "says"),
    [
        ("click Delete", "a dialog is open: Sure?"),
        ("click Help", "a tab has opened: t"),
        ("click e9999", "failed"),
        ("text --tab-id t999999", "failed"),
    ],
)
def test_a_batch_stops_at_an_unexpected_event(
    daemon: Daemon, page: str, surprise: str, says: str
) -> None:
    """It says where it stopped; later commands are not run."""
    lines = f"open {page}\n{surprise}\nconsole\nclose\n"
    done = daemon.oc("batch", stdin=lines)
    assert done.code != 0
    assert f"Line 2, {surprise}: {says}" in done.err
    assert "Stopped: 2 of 4 commands were run." in done.err
    assert daemon.oc("tab", "--json").json["result"]["tab_count"] > 0
    daemon.oc("dialog", "dismiss")
    daemon.oc("batch", "--continue", stdin=lines)
    assert daemon.oc("tab", "--json").json["result"]["tab_count"] == 0


def test_an_event_that_the_next_command_handles_is_expected(daemon: Daemon, page: str) -> None:
    lines = f"open {page}\nclick Delete\ndialog accept\nclick Help\ntab\ntext\n"
    done = daemon.oc("batch", stdin=lines).ok()
    assert "The lighthouse" in done.out


def test_a_batch_with_an_invalid_line_does_nothing(daemon: Daemon, page: str) -> None:
    done = daemon.oc("batch", stdin=f"open {page}\nclikc e1\n")
    assert done.code == 2
    assert "Error: Line 2: oc has no command 'clikc'" in done.err
    assert daemon.oc("tab", "--json").json["result"]["tab_count"] == 0


PROPERTIES = [
    ("get text Notice", "Notice: two lines\nthe second"),
    ("get text --selector #notice", "Notice: two lines\nthe second"),
    ("get text --selector #unseen", ""),
    ("get value Email", "ada@example.org"),
    ("get value --selector textarea", "first\nsecond"),
    ("get value Secret", "(filled)"),
    ("get value Plan", "Pro"),
    ("get value Toppings", "Ham\nOlives"),
    ("get value News", "true"),
    ("get attr Help href", "/help?a=1"),
    ("get attr Help download", ""),
    ("get attr Secret value", ""),
    ("get count --selector li", "3"),
    ("get count --selector .none", "0"),
    ("get count Item", "3"),
    ("get title", "Properties"),
    ("is visible Notice", "true"),
    ("is visible --selector #unseen", "false"),
    ("is visible 'No such words'", "false"),
    ("is visible --selector .none", "false"),
    ("is enabled Send", "false"),
    ("is enabled Email", "true"),
    ("is checked News", "true"),
    ("is checked Dark", "true"),
    ("is checked Weekly", "false"),
]


def test_properties(daemon: Daemon, site: Site) -> None:
    """One line each, as scripts compare it; words mean what they mean to the other commands."""
    url = site.url("properties.html")
    daemon.oc("open", url).ok()
    printed = daemon.oc("batch", stdin="\n".join(line for line, _ in PROPERTIES)).ok().out
    assert printed == "".join(f"{value}\n" for _, value in PROPERTIES)
    assert daemon.oc("is", "checked", "Dark", "--json").json["result"]["value"] is True
    assert daemon.oc("get", "url").ok().out == f"{url}\n"


def test_properties_that_cannot_be_read(daemon: Daemon, site: Site) -> None:
    daemon.oc("open", site.url("properties.html")).ok()
    several = daemon.oc("get", "text", "Item")
    assert several.code == 1
    assert several.err.count("[ref=e") == 3
    neither = daemon.oc("is", "checked", "Email")
    assert neither.code == 1
    assert "neither checked nor unchecked" in neither.err
    assert daemon.oc("get", "value", "Emial adress").code == 1
    missing = daemon.oc("get", "attr", "Help")
    assert missing.code == 2
    assert "ATTRIBUTE" in missing.err
    ref = daemon.oc("find", "Email").out.partition("[ref=")[2].partition("]")[0]
    assert daemon.oc("get", "value", f"@{ref}").ok().out == "ada@example.org\n"


def test_window_size_network_and_state_commands(daemon: Daemon, page: str) -> None:
    """resize, set device, set offline and online, state save and load: the page notices each."""
    daemon.oc("open", page).ok()
    size = "[innerWidth, innerHeight, navigator.maxTouchPoints > 0].join(' ')"
    daemon.oc("resize", "800", "600").ok()
    assert daemon.oc("eval", size).out == "800 600 false\n"
    daemon.oc("set", "device", "iphone-14").ok()
    assert daemon.oc("eval", size).out.endswith("true\n")
    daemon.oc("emulate-device", "--reset").ok()
    ask = "await fetch(location.href).then((reply) => reply.status, () => 'offline')"
    daemon.oc("set", "offline").ok()
    assert daemon.oc("eval", ask).out == "offline\n"
    daemon.oc("set", "online").ok()
    assert daemon.oc("eval", ask).out == "200\n"
    file = str(daemon.home.path / "files" / "state.json")
    daemon.oc("eval", "localStorage.setItem('shell-words', 'saved'), 0").ok()
    daemon.oc("state", "save", file).ok()
    daemon.oc("eval", "localStorage.setItem('shell-words', 'changed'), 0").ok()
    daemon.oc("state", "load", file).ok()
    assert daemon.oc("eval", "localStorage.getItem('shell-words')").out == "saved\n"
