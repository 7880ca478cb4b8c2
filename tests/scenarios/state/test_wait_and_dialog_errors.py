"""Waiting, tabs and dialogs: what they refuse and what they say."""

from support.daemon import Daemon
from support.site import Site


def test_wait_longer_than_the_timeout_is_an_error(daemon: Daemon, site: Site) -> None:
    """`timeout` with more ms than timeout_ms allows is the error `timeout`."""
    daemon.do("navigate", url=site.url("article.html"))
    error = daemon.call("wait_for", type="timeout", value=5000, timeout_ms=50).error
    assert error["code"] == "timeout"
    assert "5 s" in error["message"]
    assert daemon.do("wait_for", type="timeout", value=10, timeout_ms=60_000)["type"] == "timeout"
    for value in ("²", "9" * 5000, "-1", "soon"):
        error = daemon.call("wait_for", type="timeout", value=value).error
        assert error.get("parameter") == "value", value[:9]


def test_the_blank_page_of_a_new_tab_has_loaded(daemon: Daemon) -> None:
    """Waiting for it ends at once, not with the timeout."""
    daemon.do("tabs_create")
    for kind in ("load", "dom", "idle"):
        assert daemon.do("wait_for", type=kind, timeout_ms=60_000)["type"] == kind


def test_tabs_create_refuses_back_and_forward(daemon: Daemon) -> None:
    """`back` and `forward` are no host names."""
    for word in ("back", "forward"):
        error = daemon.call("tabs_create", url=word).error
        assert error["code"] == "invalid_url"
        assert "navigate" in error["hint"]
    assert daemon.do("tabs_context")["tab_count"] == 0


def test_open_dialog_says_how_it_is_answered(daemon: Daemon, site: Site) -> None:
    """Each verb that the dialog blocks names the two actions."""
    daemon.do("navigate", url=site.url("acting/things.html"))
    daemon.do("interact", query="Warn")
    error = daemon.call("read_page").error
    assert error["code"] == "dialog_open"
    assert "accept_dialog" in error["hint"]
    assert "dismiss_dialog" in error["hint"]
