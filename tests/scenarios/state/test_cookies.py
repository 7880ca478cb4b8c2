"""Cookies: read, set, deleted and cleared, by host, domain, name and path."""

from collections.abc import Callable

import pytest

from support.daemon import Daemon
from support.site import Site

pytestmark = pytest.mark.usefixtures("no_cookies", "headless_shell")


def _sent(site: Site, path: str) -> str:
    return site.seen(path)[-1].headers.get("Cookie", "")


def test_set_cookie_is_sent_to_the_site(daemon: Daemon, site: Site) -> None:
    """The site sees it with the next request, and get returns its attributes."""
    cookie = daemon.do("cookies", action="set", name="theme", value="dark")["cookie"]
    assert (cookie["value"], cookie["path"], cookie["expires"]) == ("dark", "/", None)
    daemon.do("page_reload")
    assert _sent(site, "article.html") == "theme=dark"
    found = daemon.do("cookies", action="get", name="theme")
    assert found["cookie"]["value"] == "dark"


def test_attributes_are_kept(daemon: Daemon) -> None:
    """httpOnly, sameSite, path and expiry are what was asked for; scripts do not see httpOnly."""
    daemon.do(
        "cookies", action="set", name="sid", value="s3cret", httpOnly=True, sameSite="Strict",
        path="/acting", expires=4102444800,
    )  # fmt: skip
    cookie = daemon.do("cookies", action="get", name="sid")["cookie"]
    assert (cookie["http_only"], cookie["same_site"], cookie["path"]) == (True, "Strict", "/acting")
    assert cookie["expires"] > 1_700_000_000
    assert daemon.do("javascript_tool", code="document.cookie").get("content", "") in ("", '""')


def test_list_masks_login_cookies_unless_raw(daemon: Daemon) -> None:
    """Without a name only harmless values are shown; raw shows all."""
    daemon.do("cookies", action="set", name="session", value="abc123")
    daemon.do("cookies", action="set", name="theme", value="dark")
    listed = daemon.do("cookies")
    values = {cookie["name"]: cookie["value"] for cookie in listed["cookies"]}
    assert values == {"session": "[redacted]", "theme": "dark"}
    assert (listed["count"], listed["masked"]) == (2, 1)
    raw = daemon.do("cookies", action="get", raw=True)["cookies"]
    assert {cookie["name"]: cookie["value"] for cookie in raw}["session"] == "abc123"


def test_delete_removes_only_the_named_cookie(daemon: Daemon, site: Site) -> None:
    """Others stay, and the site no longer gets the deleted one."""
    for name in ("one", "two"):
        daemon.do("cookies", action="set", name=name, value="1")
    assert daemon.do("cookies", action="delete", name="one")["deleted_count"] == 1
    daemon.do("page_reload")
    assert _sent(site, "article.html") == "two=1"
    assert daemon.do("cookies", action="delete", name="one")["deleted_count"] == 0


def test_clear_applies_to_one_domain(daemon: Daemon, site: Site) -> None:
    """The page's host by default; another domain's cookies stay."""
    daemon.do("cookies", action="set", name="here", value="1")
    daemon.do("cookies", action="set", name="there", value="1", domain="localhost")
    assert daemon.do("cookies", action="clear")["cleared_count"] == 1
    left = daemon.do("cookies", action="get", domain="*")["cookies"]
    assert [cookie["name"] for cookie in left] == ["there"]
    assert daemon.do("cookies", action="clear", domain="localhost")["cleared_count"] == 1


def test_domain_includes_subdomains(daemon: Daemon) -> None:
    """example.com is sub.example.com, too, and not notexample.com."""
    for domain in ("example.com", "sub.example.com", "notexample.com"):
        daemon.do("cookies", action="set", name="a", value="1", domain=domain)
    found = daemon.do("cookies", action="get", domain="example.com", raw=True)["cookies"]
    assert sorted(c["domain"].lstrip(".") for c in found) == ["example.com", "sub.example.com"]


def test_what_chromium_refuses_is_an_error(daemon: Daemon) -> None:
    """SameSite=None without secure, a past expiry, milliseconds, missing values, no page."""
    wrong = daemon.call("cookies", action="set", name="__Host-a", value="1", domain="example.com")
    assert wrong.code == "wrong_value"
    past = daemon.call("cookies", action="set", name="a", value="1", expires=1000)
    assert (past.code, past.error["parameter"]) == ("invalid_argument", "expires")
    late = daemon.call("cookies", action="set", name="a", value="1", expires=1.7e12)
    assert "milliseconds" in late.error["message"]
    assert daemon.call("cookies", action="set", name="a").error["parameter"] == "value"
    assert daemon.call("cookies", action="delete").error["parameter"] == "name"
    daemon.do("tabs_create")
    assert daemon.call("cookies", action="get").error["parameter"] == "domain"
    assert daemon.call("cookies", action="get", domain="a b").error["parameter"] == "domain"


def test_cookies_of_blocked_domains_are_out_of_reach(
    make_daemon: Callable[..., Daemon], site: Site
) -> None:
    """Neither get, set nor clear reaches a host that the policy blocks."""
    daemon = make_daemon("--block-domain", "*.blocked.test")
    daemon.do("navigate", url=site.url("article.html"))
    for action in ({"action": "get"}, {"action": "clear"}):
        assert daemon.call("cookies", domain="blocked.test", **action).code == "domain_blocked"
    put = daemon.call("cookies", action="set", name="a", value="1", domain="x.blocked.test")
    assert put.code == "domain_blocked"


def test_journal_has_no_cookie_values(daemon: Daemon) -> None:
    """What was set stands in no journal, whatever the cookie's name."""
    daemon.do("cookies", action="set", name="plain", value="nobody-may-read-this")
    assert "nobody-may-read-this" not in str(daemon.do("oc_journal", count=5))
