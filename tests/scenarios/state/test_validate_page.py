"""validate_page: how healthy a page is, in one call."""

from typing import Any

from support.daemon import Daemon
from support.site import Site


def test_healthy_page_has_no_problems(daemon: Daemon, site: Site) -> None:
    """Status, title and a sample of the text; the tab was opened for it."""
    told = daemon.do("validate_page", url=site.url("article.html"), bodyTextSampleChars=40)
    assert (told["status"], told["http_status"], told["problems"]) == ("ok", 200, [])
    assert told["created"] is True
    assert told["title"]
    assert 0 < len(told["content"].strip()) <= 60
    assert told["summary"]["blank"] is False


def test_errors_and_failed_requests_are_counted(daemon: Daemon, site: Site) -> None:
    """Console errors, uncaught exceptions, warnings, and requests that failed."""
    told = daemon.do("validate_page", url=site.url("state/unwell.html"))
    console = told["console"]
    assert any("it went wrong" in line for line in console["errors"])
    assert any("nobody caught this" in line for line in console["errors"])
    assert console["warnings"] == ["take care"]
    assert sorted(one["status"] for one in told["failed_requests"]) == [404, 500]
    assert told["total_failed_requests"] == 2
    assert (told["summary"]["form_count"], told["summary"]["interactive_count"]) == (1, 2)
    assert told["status"] == "ok"
    assert any("console error" in problem for problem in told["problems"])


def test_only_messages_of_this_page_count(daemon: Daemon, site: Site) -> None:
    """Messages of an earlier page do not count."""
    daemon.do("validate_page", url=site.url("state/unwell.html"))
    told = daemon.do("validate_page", url=site.url("article.html"))
    assert told["console"]["total_errors"] == 0
    assert told["created"] is False


def test_blank_and_failing_pages(daemon: Daemon, site: Site) -> None:
    """A page that shows nothing, an HTTP error, a host that does not answer."""
    assert "blank page" in daemon.do("validate_page", url=site.url("state/blank.html"))["problems"]
    wrong = daemon.do("validate_page", url=site.url("status/503"))
    assert (wrong["status"], wrong["http_status"]) == ("http_error", 503)
    dead = daemon.do("validate_page", url="http://127.0.0.1:9/")
    assert (dead["status"], dead["error"]["code"]) == ("navigation_failed", "navigation_failed")


def test_redirect_to_a_login_page_is_reported(daemon: Daemon, site: Site) -> None:
    """Whoever is sent to log in is told where."""
    daemon.do("navigate", url=site.url("article.html"))
    daemon.do("cookies", action="clear")
    told = daemon.do("validate_page", url=site.url("redirect-to?url=/login"))
    assert told["status"] == "auth_redirect_required"
    assert told["auth_redirect"]["to"] == site.url("login")
    assert told["summary"]["gates"] == ["login"]


def _in_short(daemon: Daemon, **params: object) -> dict[str, Any]:
    """Return what is told after a short time, or a longer one where the machine stood still."""
    for limit in (400, 4000, 40_000):
        reply = daemon.call("validate_page", timeout_ms=limit, **params)
        if reply.status == 200:
            break
    found: dict[str, Any] = reply.result
    return found


def test_slow_page_and_missing_selector_are_timeouts(daemon: Daemon, site: Site) -> None:
    """The answer comes soon after timeout_ms and says what was waited for."""
    assert _in_short(daemon, url=site.url("hang"))["status"] == "timeout"
    told = _in_short(daemon, url=site.url("article.html"), wait_for_selector="#no")
    assert (told["status"], told["error"]["code"]) == ("timeout", "timeout")


def test_page_that_never_becomes_idle_is_reported_in_time(daemon: Daemon, site: Site) -> None:
    """capture_console_ms bounds the wait for quiet."""
    told = daemon.do("validate_page", url=site.url("never-idle"), capture_console_ms=200)
    assert told["status"] == "ok"
