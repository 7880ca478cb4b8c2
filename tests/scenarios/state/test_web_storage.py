"""localStorage and sessionStorage, of the page and of its frames."""

from support.daemon import Daemon
from support.site import Site


def _fresh(daemon: Daemon, site: Site) -> None:
    daemon.do("navigate", url=site.url("article.html"))
    for kind in ("local", "session"):
        daemon.do("storage", action="clear", storage_type=kind)


def test_what_is_set_is_seen_by_the_page(daemon: Daemon, site: Site) -> None:
    """set, get, keys, remove and clear work on what the page's own scripts see."""
    _fresh(daemon, site)
    daemon.do("storage", action="set", storageType="local", key="lang", value="한국어 🙂")
    assert daemon.do("javascript_tool", code="localStorage.lang").get("content", "").strip('"') == (
        "한국어 🙂"
    )
    got = daemon.do("storage", action="get", storage_type="local", key="lang")
    assert (got["value"], got["exists"]) == ("한국어 🙂", True)
    missing = daemon.do("storage", action="get", storage_type="local", key="nothing")
    assert (missing["value"], missing["exists"]) == (None, False)
    assert daemon.do("storage", action="keys")["keys"] == ["lang"]
    assert daemon.do("storage", action="get")["items"] == {"lang": "한국어 🙂"}
    assert daemon.do("storage", action="remove", key="lang")["existed"] is True
    assert daemon.do("storage", action="clear")["cleared_count"] == 0


def test_local_and_session_storage_are_separate(daemon: Daemon, site: Site) -> None:
    """One key may stand in both with different values."""
    _fresh(daemon, site)
    for kind in ("local", "session"):
        daemon.do("storage", action="set", storage_type=kind, key="k", value=kind)
    for kind in ("local", "session"):
        assert daemon.do("storage", action="get", storage_type=kind, key="k")["value"] == kind


def test_frame_of_another_origin_has_its_own(daemon: Daemon, site: Site) -> None:
    """`origin` selects a frame by any address of its origin; an unknown one lists the others."""
    daemon.do("navigate", url=site.url("state/frames.html"))
    assert daemon.do("storage", action="get", key="where")["value"] == "top"
    inner = daemon.do("storage", action="get", key="where", origin=site.other_origin)
    assert (inner["value"], inner["origin"]) == ("inner", site.other_origin)
    written = f"{site.other_origin.upper()}/a/page"
    assert daemon.do("storage", action="get", key="where", origin=written)["value"] == "inner"
    error = daemon.call("storage", action="get", origin="https://example.com").error
    assert error["code"] == "not_found"
    assert site.other_origin in error["origins"]


def test_invalid_input_has_specific_errors(daemon: Daemon, site: Site) -> None:
    """Missing key or value, a page without storage, more than fits."""
    _fresh(daemon, site)
    assert daemon.call("storage", action="set", value="x").error["parameter"] == "key"
    assert daemon.call("storage", action="set", key="x").error["parameter"] == "value"
    assert daemon.call("storage", action="remove").error["parameter"] == "key"
    full = daemon.call("storage", action="set", key="x", value="x" * 6_000_000)
    assert full.code == "storage_full"
    daemon.do("navigate", url="about:blank")
    assert daemon.call("storage", action="get").code == "disabled"


def test_value_comes_from_a_file(daemon: Daemon, site: Site) -> None:
    """`value_path` names a file inside the allowed folders, and the journal keeps no value."""
    _fresh(daemon, site)
    file = daemon.home.path / "files" / "value.txt"
    file.parent.mkdir(exist_ok=True)
    file.write_text("from a file")
    daemon.do("storage", action="set", key="k", value_path=str(file))
    assert daemon.do("storage", action="get", key="k")["value"] == "from a file"
    daemon.do("storage", action="set", key="k", value="not-for-the-journal")
    assert "not-for-the-journal" not in str(daemon.do("oc_journal", count=5))
