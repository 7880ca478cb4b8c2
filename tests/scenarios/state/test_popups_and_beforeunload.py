"""Windows that pages open, and pages that ask before they are left."""

from support.daemon import Daemon
from support.site import Site


def test_popup_beyond_the_limit_is_closed_and_reported(daemon: Daemon, site: Site) -> None:
    """The last place may be taken by a pop-up; the next one is closed, and the click says so."""
    daemon.do("navigate", "full", url=site.url("acting/things.html"))
    opener = daemon.do("tabs_context", "full")["current"]
    for _ in range(18):
        daemon.do("tabs_create", "full")
    click = {"query": "Open button", "tab_id": opener}
    assert len(daemon.do("interact", "full", **click)["changed"]["popups"]) == 1
    changed = daemon.do("interact", "full", **click)["changed"]
    assert "popups" not in changed
    assert len(changed["popups_refused"]) == 1
    assert daemon.do("tabs_context", "full")["tab_count"] == 20


def _unwilling(daemon: Daemon, site: Site) -> None:
    daemon.do("navigate", url=site.url("acting/leaving.html"))
    daemon.do("javascript_tool", code="addEventListener('beforeunload', (e) => e.preventDefault())")
    # Chromium asks only for pages that somebody has touched.
    daemon.do("interact", action="press", value="Shift")


def test_beforeunload_does_not_prevent_leaving(daemon: Daemon, site: Site) -> None:
    """navigate, reload, back and close mean what they say."""
    _unwilling(daemon, site)
    daemon.do("page_reload", timeout_ms=60_000)
    _unwilling(daemon, site)
    assert daemon.do("navigate", url=site.url("article.html"), timeout_ms=60_000)["status"] == 200
    _unwilling(daemon, site)
    assert daemon.do("navigate", url="back", timeout_ms=60_000)["url"].endswith("article.html")
    _unwilling(daemon, site)
    daemon.do("tabs_close", timeout_ms=60_000)
    assert daemon.do("tabs_context")["tab_count"] == 0
