"""Init scripts: a session's scripts that run in its pages before their own."""

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from support.daemon import Daemon
from support.site import Site
from support.waiting import wait_until

pytestmark = pytest.mark.usefixtures("headless_shell")
PAGE = "state/first.html"
ONE = "window.marks = ['one']"
TWO = "window.marks = [...(window.marks ?? []), 'two']"
BOTH = "one,two"


class ScriptedSession:
    """A session of its own in a daemon that others use, too."""

    def __init__(self, daemon: Daemon) -> None:
        self.daemon = daemon

    def do(self, verb: str, **params: object) -> Any:  # noqa: ANN401 - any JSON value
        return self.daemon.do(verb, session="first", **params)

    def add(self, script: str) -> str:
        return str(self.do("init_script", action="add", script=script)["id"])

    def reports(self, tab_id: str, count: int) -> dict[str, str]:
        """Return what a tab's documents found, once so many of them have said it."""
        condition = f"Object.keys(reports).length >= {count}"
        self.do("wait_for", type="function", value=condition, tab_id=tab_id, timeout_ms=60_000)
        told = self.do("javascript_tool", code="reports", tab_id=tab_id)["content"]
        found: dict[str, str] = json.loads(told)
        return found

    def opens(self, url: str) -> str:
        return str(self.do("tabs_create", url=url)["tab_id"])


@pytest.fixture
def scripted(daemon: Daemon) -> Iterator[ScriptedSession]:
    session = ScriptedSession(daemon)
    yield session
    session.do("init_script", action="remove")


def test_init_scripts_run_first_in_every_kind_of_document(
    scripted: ScriptedSession, daemon: Daemon, site: Site
) -> None:
    """Page, frames of both origins, srcdoc, popups: in order, and not in other sessions."""
    scripted.add(ONE)
    path = daemon.home.base / "tmp" / "two.js"
    path.write_text(TWO, encoding="utf-8")
    second = scripted.do("init_script", action="add", script_path=str(path))["id"]
    tab = scripted.opens(site.url(PAGE))
    assert scripted.reports(tab, 4) == dict.fromkeys(("page", "frame", "foreign", "srcdoc"), BOTH)
    scripted.do("interact", selector="#popup", tab_id=tab)
    scripted.do("interact", selector="#blank", tab_id=tab)
    popups = scripted.reports(tab, 6)
    assert (popups["popup"], popups["blank"]) == (BOTH, BOTH)

    assert scripted.do("tabs_context")["init_scripts"] == 2
    listed = scripted.do("init_script", action="list")["scripts"]
    assert [(one["begin"], one["chars"]) for one in listed] == [(ONE, len(ONE)), (TWO, len(TWO))]

    assert scripted.do("init_script", action="remove", id=second)["count"] == 1
    scripted.do("page_reload", tab_id=tab)
    left = scripted.reports(tab, 4)
    assert left == dict.fromkeys(left, "one")

    daemon.do("navigate", url=site.url(PAGE))
    assert daemon.do("javascript_tool", code="reports.page")["content"] == ""
    assert "init_scripts" not in daemon.do("tabs_context")


def test_open_pages_get_init_scripts_at_their_next_load(
    scripted: ScriptedSession, daemon: Daemon, site: Site
) -> None:
    """Also one that shows a dialog, which is not waited for."""
    tab = scripted.opens(site.url(PAGE))
    asking = scripted.opens(site.url("dialogs.html"))
    asked = daemon.call("javascript_tool", session="first", code="alert('Well?')", tab_id=asking)
    assert asked.code == "dialog_open"
    scripted.add(ONE)
    assert scripted.reports(tab, 4)["page"] == ""
    scripted.do("interact", action="accept_dialog", tab_id=asking)
    for each in (tab, asking):
        scripted.do("navigate", url=f"{site.other_origin}/{PAGE}", tab_id=each)
        assert scripted.reports(each, 3)["page"] == "one"


def test_failing_init_scripts_are_reported(
    scripted: ScriptedSession, daemon: Daemon, site: Site
) -> None:
    """Bad parameters are refused; a script that throws is in the console and stops nothing."""
    bad = {"add": {}, "remove": {"id": "s0"}}
    codes = [
        daemon.call("init_script", session="first", action=action, **params).code
        for action, params in bad.items()
    ]
    assert codes == ["invalid_argument", "not_found"]
    long = daemon.call("init_script", session="first", action="add", script=" " * 4_000_001)
    assert long.code == "limit_reached"
    name = scripted.add("nonsense()")
    scripted.add(ONE)
    tab = scripted.opens(site.url(PAGE))
    assert scripted.reports(tab, 4)["page"] == "one"
    said = json.dumps(scripted.do("console_capture", tab_id=tab))
    assert f"init_script_{name}.js" in said
    assert "nonsense is not defined" in said


def test_init_scripts_survive_chromium(share_daemon: Callable[..., Daemon], site: Site) -> None:
    """After a crash the session's new tabs have them as before."""
    own = share_daemon()
    session = ScriptedSession(own)
    session.add(ONE)
    session.opens(site.url(PAGE))
    own.chromium().kill()
    wait_until(lambda: own.status()["browser"]["state"] != "running", 60, "the death's notice")
    tab = session.opens(site.url(PAGE))
    assert session.reports(tab, 4)["page"] == "one"
