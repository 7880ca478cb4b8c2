"""A person holds a tab: reading continues, acting waits, and then continues on the same page."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from support import wire
from support.daemon import Daemon
from support.site import Site
from support.waiting import wait_until

pytestmark = pytest.mark.usefixtures("headless_shell")
SESSION = "held"


def ask(daemon: Daemon, **body: object) -> wire.Reply:
    return daemon.request("POST", "/v1/leases", json.dumps(body).encode())


def events(daemon: Daemon) -> list[dict[str, Any]]:
    found = daemon.do("oc_journal", count=300)
    return [one for one in found if str(one.get("event")).startswith("lease_")]


def test_acting_verbs_wait_while_a_person_holds_the_tab(
    share_daemon: Callable[..., Daemon], site: Site
) -> None:
    daemon = share_daemon()
    opened = daemon.do("navigate", session=SESSION, url=site.url("injection/form.html"))
    tab = opened["tab_id"]
    lease = ask(daemon, action="acquire", session=SESSION, holder="Ada").result["lease"]
    assert (lease["tab_id"], lease["holder"]) == (tab, "Ada")
    second = ask(daemon, action="acquire", session=SESSION, holder="Bob")
    assert (second.status, second.error["code"]) == (423, "human_in_control")
    assert second.error["holder"] == "Ada"
    assert ask(daemon, action="release", key="of-nobody").error["code"] == "not_found"

    fill = daemon.start_call(
        "form_input", session=SESSION, query="Message", value="agent", timeout_ms=120_000
    )
    wait_until(lambda: daemon.status()["calls_in_flight"], what="the waiting call")
    assert daemon.do("read_page", session=SESSION)["title"]
    assert daemon.do("console_capture", session=SESSION, action="get")["tab_id"] == tab
    (listed,) = daemon.do("tabs_context", session=SESSION)["tabs"]
    assert listed["held_by"] == "Ada"
    for verb, params in (("interact", {"query": "Home"}), ("tabs_close", {"tab_id": tab})):
        late = daemon.call(verb, session=SESSION, timeout_ms=1000, **params)
        assert (late.status, late.error["code"]) == (423, "human_in_control")
        assert (late.error["tab_id"], late.error["holder"]) == (tab, "Ada")
    value = 'document.querySelector("[name=message]").value'
    other = daemon.do("tabs_create", session=SESSION, url=site.url("article.html"))
    assert other["tab_id"] != tab
    assert not fill.done
    assert ask(daemon, action="renew", key=lease["key"]).result["lease"]["holder"] == "Ada"
    assert ask(daemon, action="release", key=lease["key"]).status == 200
    assert fill.reply().result["tab_id"] == tab
    shown = daemon.do("javascript_tool", session=SESSION, tab_id=tab, code=value)
    assert shown["content"] == "agent"
    taken, returned = events(daemon)[-2:]
    assert (taken["event"], taken["holder"], taken["tab_id"]) == ("lease_taken", "Ada", tab)
    assert (returned["event"], returned["reason"]) == ("lease_returned", "released")

    held = daemon.oc("hold", tab, "--session", SESSION, stdin="\n").ok()
    assert held.out.startswith(f"You hold {tab}: {site.origin}")
    assert f"{tab} was given back" in held.err
    assert ask(daemon, action="list").result == {"leases": []}
