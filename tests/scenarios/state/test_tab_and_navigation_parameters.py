"""Parameters and result keys of tabs, navigation and waiting, as other versions have them."""

import pytest

from support.daemon import Daemon
from support.site import Site


def test_navigation_reports_tab_reuse_and_element_count(daemon: Daemon, site: Site) -> None:
    """created for a fresh tab, reused for another; how many elements; nothing stands before it."""
    first = daemon.do("navigate", url=site.url("article.html"))
    assert first["created"] is True
    assert first["element_count"] == int(
        daemon.do("javascript_tool", code="document.querySelectorAll('*').length")["content"]
    )
    assert "blocking_page" not in first
    second = daemon.do("navigate", url=site.url("index.html"))
    assert second["reused"] is True
    assert "created" not in second
    assert daemon.do("navigate", url="back")["element_count"] == first["element_count"]


@pytest.mark.parametrize(
    ("title", "kind"), [("Just a moment...", "bot-check"), ("Access Denied", "access-denied")]
)
def test_blocking_page_is_reported(daemon: Daemon, title: str, kind: str) -> None:
    """blocking_page has the kind and the page's own title."""
    arrived = daemon.do("navigate", url=f"data:text/html,<title>{title}</title><p>Wait")
    assert arrived["blocking_page"] == {"type": kind, "detail": title}


def test_an_article_about_captchas_is_not_a_blocking_page(daemon: Daemon) -> None:
    """Words in the text say nothing."""
    page = "data:text/html,<title>Captchas</title><p>captcha captcha, access denied"
    assert "blocking_page" not in daemon.do("navigate", url=page)


def test_login_redirect_is_reported(daemon: Daemon, site: Site) -> None:
    """Who is sent to a login is told so, and where it is."""
    asked = site.url("redirect-to?url=/login")
    arrived = daemon.do("navigate", url=asked)
    assert arrived["auth_redirect"] is True
    assert arrived["redirected_from"] == asked
    assert arrived["auth_redirect_host"] == "127.0.0.1"


def test_a_page_that_sets_a_new_password_is_not_a_login(daemon: Daemon, site: Site) -> None:
    """Setting up an application, for example, or signing up."""
    arrived = daemon.do("navigate", url=site.url("redirect-to?url=/state/sign-up.html"))
    assert "auth_redirect" not in arrived


def test_reload_repeats_ignore_cache(daemon: Daemon, site: Site) -> None:
    """ignore_cache is repeated."""
    daemon.do("navigate", url=site.url("article.html"))
    again = daemon.do("page_reload", ignoreCache=True)
    assert (again["action"], again["ignore_cache"]) == ("reload", True)
    assert again["url"] in again["message"]


def test_closing_reports_unknown_tabs(daemon: Daemon) -> None:
    """success, closed_count, closed and failed; a single unknown tab is an error."""
    tabs = [daemon.do("tabs_create")["tab_id"] for _ in range(2)]
    told = daemon.do("tabs_close", tabIds=[*tabs, "t9999"])
    assert (told["success"], told["closed_count"], told["failed"]) == (False, 2, ["t9999"])
    assert told["closed"] == tabs
    assert daemon.call("tabs_close", tab_id="t9999").code == "tab_not_found"


def test_summary_only_counts_tabs(daemon: Daemon) -> None:
    """tabs_context with summary counts only."""
    daemon.do("tabs_create")
    told = daemon.do("tabs_context", summary=True)
    assert told["tab_count"] == 1
    assert "tabs" not in told


@pytest.mark.parametrize(
    ("params", "keys"),
    [
        ({"type": "selector", "value": "h1"}, {"selector": "h1", "visible": False}),
        ({"type": "selector_hidden", "value": "#none"}, {"selector": "#none"}),
        ({"type": "function", "value": "6 * 7"}, {"result": 42}),
        ({"type": "url_match", "value": "article"}, {"pattern": "article"}),
        ({"type": "timeout", "value": 20}, {"delay": 20}),
    ],
)
def test_waiting_repeats_its_condition(
    daemon: Daemon, site: Site, params: dict[str, object], keys: dict[str, object]
) -> None:
    """Each kind names what was waited for, and `elapsed` in ms."""
    daemon.do("navigate", url=site.url("article.html"))
    told = daemon.do("wait_for", **params)
    assert told | keys == told
    assert told["elapsed"] >= (20 if params["type"] == "timeout" else 0)


def test_removed_parameters_have_a_hint(daemon: Daemon, site: Site) -> None:
    """A parameter that makes no sense here is refused, with what does."""
    error = daemon.call("navigate", url=site.url("index.html"), stealth=True).error
    assert (error["code"], error["parameter"]) == ("invalid_argument", "stealth")
    assert "user_agent" in error["hint"]
    error = daemon.call("tabs_context", sessionId="x").error
    assert "--session" in error["hint"]


@pytest.mark.usefixtures("no_cookies")
def test_choices_are_accepted_in_every_spelling(daemon: Daemon, site: Site) -> None:
    """`ax-diff`, `axDiff` and `LAX` are what the declaration writes in its own way."""
    daemon.do("navigate", url=site.url("article.html"))
    daemon.do("cookies", action="SET", name="a", value="1", sameSite="lax")
    (cookie,) = daemon.do("cookies", action="get", raw=True)["cookies"]
    assert cookie["same_site"] == "Lax"
