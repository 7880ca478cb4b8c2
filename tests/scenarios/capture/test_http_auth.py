"""http_auth: the outcomes of a 401."""

import json
from collections.abc import Callable

import pytest

from support.daemon import Daemon
from support.pages import Page
from support.site import Site
from support.waiting import wait_until

At = Callable[[str], Page]


@pytest.fixture
def fresh(daemon: Daemon) -> Daemon:
    """The shared daemon, whose Chromium remembers nobody's credentials for `site`."""
    return daemon


@pytest.fixture
def site(make_site: Callable[[], Site]) -> Site:
    """A site at a port of its own, and so of an origin that no test before has logged in at."""
    return make_site()


def test_401_without_credentials_is_a_page(fresh: Daemon, site: Site) -> None:
    """It is reported with its status and challenge, and does not hang."""
    fresh.do("tabs_create")
    arrived = fresh.do("navigate", url=site.url("realm/one"), timeout_ms=60_000)
    assert arrived["status"] == 401
    assert arrived["auth_required"] == {"scheme": "basic", "realm": "one"}
    assert arrived["next_step"]["verb"] == "http_auth"


def test_credentials_answer_the_first_page_that_asks(fresh: Daemon, site: Site) -> None:
    """Set before the navigation, without origins: the page is let in, another origin is not."""
    fresh.do("tabs_create")
    told = fresh.do("http_auth", action="set", username="ada", password="lovelace")
    assert (told["status"], told["username"]) == ("credentials_set", "ada")
    assert fresh.do("navigate", url=site.url("realm/two"))["title"] == "Let in"
    fresh.do("navigate", url=f"{site.other_origin}/realm/two")
    asked = fresh.do("http_auth", action="get")
    assert asked["origins"] == [site.origin]
    assert [one["outcome"] for one in asked["challenges"]] == ["answered", "no_credentials"]
    assert "lovelace" not in json.dumps(asked)


def test_wrong_credentials_are_sent_only_once(fresh: Daemon, site: Site) -> None:
    """A server that refuses them is not asked again; the 401 is the page."""
    fresh.do("tabs_create")
    fresh.do("http_auth", action="set", username="ada", password="wrong", origins=[site.origin])
    assert fresh.do("navigate", url=site.url("realm/three"), timeout_ms=60_000)["status"] == 401
    outcomes = [o["outcome"] for o in fresh.do("http_auth", action="get")["challenges"]]
    assert outcomes == ["answered", "refused"]
    assert len(site.seen("realm/three")) == 2


def test_cleared_credentials_are_no_longer_sent(fresh: Daemon, site: Site) -> None:
    """After clear, challenges are not answered."""
    fresh.do("tabs_create")
    fresh.do("http_auth", action="set", username="ada", password="lovelace")
    assert fresh.do("http_auth", action="clear")["status"] == "credentials_cleared"
    assert fresh.do("navigate", url=site.url("realm/four"))["status"] == 401


def test_a_request_of_the_page_is_answered_for_listed_origins(fresh: Daemon, site: Site) -> None:
    """fetch and frames of a listed origin are let in; the password is in no log."""
    fresh.do("navigate", url=site.url("capture/inner.html"))
    fresh.do("http_auth", action="set", username="ada", password="lovelace", origins=["127.0.0.1*"])
    script = "(await fetch('/realm/five')).status"
    assert fresh.do("javascript_tool", code=script)["content"] == "200"
    shown = json.dumps(fresh.do("network", url="realm"))
    journal = json.dumps(fresh.do("oc_journal", action="recent"))
    assert "lovelace" not in shown + journal
    wait_until(lambda: bool(site.seen("realm/five")), 20, "the request")


def test_an_origin_may_be_written_as_any_address_of_it(fresh: Daemon, site: Site) -> None:
    """Capitals, another notation of the host and a path do not make another origin."""
    fresh.do("navigate", url=site.url("capture/inner.html"))
    written = f"HTTP://0x7f.1:{site.port}/some/page"
    fresh.do("http_auth", action="set", username="ada", password="lovelace", origins=[written])
    script = "(await fetch('/realm/six')).status"
    assert fresh.do("javascript_tool", code=script)["content"] == "200"


def test_set_needs_user_and_password(fresh: Daemon) -> None:
    """A missing password names itself; unknown actions list the right ones."""
    fresh.do("tabs_create")
    reply = fresh.call("http_auth", action="set", username="ada")
    assert reply.error["parameter"] == "password"
    assert fresh.call("http_auth", action="login").code == "invalid_argument"
