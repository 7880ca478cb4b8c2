"""Workers: browser contexts of their own inside a session."""

from collections.abc import Callable

import pytest

from support.daemon import Daemon
from support.site import Site
from support.waiting import wait_until

pytestmark = pytest.mark.usefixtures("headless_shell")

COOKIE = "document.cookie"


def cookie_in(daemon: Daemon, tab_id: str) -> str:
    found: str = daemon.do("javascript_tool", tab_id=tab_id, code=COOKIE)["content"]
    return found


@pytest.fixture
def daemon(daemon: Daemon) -> Daemon:
    """The shared daemon without workers of earlier tests."""
    for one in daemon.do("worker", action="list")["workers"]:
        daemon.do("worker", action="delete", worker_id=one["worker_id"])
    return daemon


@pytest.mark.usefixtures("no_cookies")
def test_workers_have_separate_cookies_and_storage(daemon: Daemon, site: Site) -> None:
    """Two workers and the profile each keep their own cookies and storage of one site."""
    url = site.url("article.html")
    daemon.do("navigate", url=url)
    mine = daemon.do("tabs_context")["current"]
    tabs = [
        daemon.do("worker", action="create", name=name, url=url)["tab_id"] for name in ("a", "b")
    ]
    for tab_id in (mine, *tabs):
        code = f"document.cookie = 'who={tab_id}'; localStorage.setItem('who', '{tab_id}')"
        daemon.do("javascript_tool", tab_id=tab_id, code=code)
    for tab_id in (mine, *tabs):
        assert cookie_in(daemon, tab_id) == f"who={tab_id}"
        code = "localStorage.getItem('who')"
        assert daemon.do("javascript_tool", tab_id=tab_id, code=code)["content"] == tab_id
    daemon.do("page_reload", tab_id=tabs[1])
    assert site.seen("article.html")[-1].headers["Cookie"] == f"who={tabs[1]}"


def test_a_workers_tab_is_never_the_default(daemon: Daemon, site: Site) -> None:
    """A worker's tab is no verb's default, and tabs_context says whose it is."""
    daemon.do("navigate", url=site.url("article.html"))
    mine = daemon.do("tabs_context")["current"]
    made = daemon.do("worker", action="create", url=site.url("product.html"))
    daemon.do("javascript_tool", tab_id=made["tab_id"], code="open('/article.html'), 1")
    context = daemon.do("tabs_context")
    assert context["current"] == mine
    owners = {tab["tab_id"]: tab.get("worker_id") for tab in context["tabs"]}
    assert owners.pop(mine) is None
    assert list(owners.values()) == [made["worker_id"]] * 2  # its tab, and the pop-up of that


@pytest.mark.usefixtures("no_cookies")
def test_share_cookies_copies_the_profiles_cookies(daemon: Daemon, site: Site) -> None:
    """share_cookies gives a worker the profile's cookies; what it sets is its own."""
    url = site.url("article.html")
    daemon.do("navigate", url=url)
    mine = daemon.do("tabs_context")["current"]
    daemon.do("javascript_tool", code="document.cookie = 'login=yes'")
    made = daemon.do("worker", action="create", url=url, share_cookies=True)
    assert site.seen("article.html")[-1].headers["Cookie"] == "login=yes"
    daemon.do("javascript_tool", tab_id=made["tab_id"], code="document.cookie = 'login=no'")
    assert cookie_in(daemon, mine) == "login=yes"


def test_delete_closes_its_own_tabs_only(daemon: Daemon, site: Site) -> None:
    """Deleting a worker closes its tabs, further ones too; others stay."""
    made = daemon.do("worker", action="create", name="gone soon", url=site.url("article.html"))
    more = daemon.do("worker", action="open", worker_id="gone soon", url=site.url("product.html"))
    other = daemon.do("worker", action="create", name="stays")
    gone = daemon.do("worker", action="delete", worker_id=made["worker_id"])
    assert sorted(gone["closed_tabs"]) == sorted([made["tab_id"], more["tab_id"]])
    left = [tab["tab_id"] for tab in daemon.do("tabs_context")["tabs"]]
    assert left == [other["tab_id"]]
    listed = daemon.do("worker", action="list")["workers"]
    assert [one["worker_id"] for one in listed] == [other["worker_id"]]


def test_unknown_workers_and_limits_are_errors(daemon: Daemon, site: Site) -> None:
    """An unknown worker, no worker, a taken id, a bad address, and one worker too many."""
    assert daemon.call("worker", action="delete", worker_id="nobody").code == "worker_not_found"
    assert daemon.call("worker", action="delete").code == "invalid_argument"
    daemon.do("worker", action="create", id="mine")
    assert daemon.call("worker", action="create", id="mine").code == "invalid_argument"
    assert daemon.call("worker", action="create", url="http://").code == "invalid_url"
    refused = daemon.call("worker", action="create", url="http://127.0.0.1:9/")
    assert refused.code == "navigation_failed"
    assert daemon.do("worker", action="list")["worker_count"] == 1


def test_worker_survives_chromium(make_daemon: Callable[..., Daemon], site: Site) -> None:
    """After Chromium's death the worker is still there, empty, and can be used again."""
    daemon = make_daemon()
    made = daemon.do("worker", action="create", url=site.url("article.html"))
    daemon.do("javascript_tool", tab_id=made["tab_id"], code="document.cookie = 'old=1'")
    assert cookie_in(daemon, made["tab_id"]) == "old=1"
    daemon.chromium().kill()
    wait_until(lambda: daemon.status()["browser"]["state"] == "gone", 10, "Chromium's end")
    again = daemon.do("worker", action="open", worker_id=made["worker_id"],
                      url=site.url("article.html"))  # fmt: skip
    assert cookie_in(daemon, again["tab_id"]) == ""
