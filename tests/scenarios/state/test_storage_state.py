"""Storage state: a login carried from one browser to another by cookies and storage."""

import json
import stat
from collections.abc import Callable
from typing import Any

import pytest

from support.daemon import Daemon
from support.site import Site


@pytest.fixture
def logged_in(daemon: Daemon, site: Site) -> Daemon:
    """A page with a cookie of each kind, and storage."""
    page = site.url("state/frames.html")
    daemon.do("navigate", url=page)
    # Other tests were at this origin, too.
    daemon.do("storage", action="clear")
    daemon.do("storage", action="clear", storage_type="session")
    daemon.do("navigate", url=page)
    daemon.do("cookies", action="clear", domain="*")
    daemon.do("cookies", action="set", name="session", value="s3cret", http_only=True)
    daemon.do("storage", action="set", key="theme", value="dark")
    return daemon


def _export(daemon: Daemon, **more: object) -> dict[str, Any]:
    envelope: dict[str, Any] = daemon.do("oc_context_export", **more)["envelope"]
    return envelope


def test_envelope_has_cookies_and_storage(logged_in: Daemon, site: Site) -> None:
    """The page's origin by default, frames' origins when asked for."""
    envelope = _export(logged_in)
    assert (envelope["version"], envelope["origin"]) == (1, site.origin)
    assert [(c["name"], c["value"], c["http_only"]) for c in envelope["cookies"]] == [
        ("session", "s3cret", True)
    ]
    assert envelope["local_storage"] == {"where": "top", "theme": "dark"}
    assert envelope["session_storage"] == {"where": "top session"}
    (frame,) = _export(logged_in, includeFrames=True)["frames"]
    assert (frame["origin"], frame["local_storage"]) == (site.other_origin, {"where": "inner"})


def test_import_in_an_empty_tab_logs_in_another_browser(
    logged_in: Daemon, make_daemon: Callable[..., Daemon], site: Site
) -> None:
    """The site is asked nothing by the import, and sees the cookie with the first visit."""
    envelope = _export(logged_in)
    other = make_daemon()
    site.forget()
    told = other.do("oc_context_import", envelope=envelope)
    assert (told["ok"], told["applied_cookies"], told["applied_storage_keys"]) == (True, 1, 3)
    assert site.requests == []
    other.do("navigate", url=site.url("article.html"))
    assert site.seen("article.html")[-1].headers["Cookie"] == "session=s3cret"
    assert other.do("storage", action="get", key="theme")["value"] == "dark"
    kept = other.do("storage", action="get", storage_type="session", key="where")
    assert kept["value"] == "top session"


def test_file_is_for_its_owner_and_comes_back(logged_in: Daemon, site: Site) -> None:
    """`path` writes mode 0600 and answers counts only; `envelope_path` reads it."""
    file = logged_in.home.path / "files" / "login.json"
    file.parent.mkdir(exist_ok=True)
    told = logged_in.do("oc_context_export", path=str(file))
    assert "envelope" not in told
    assert told["counts"] == {"cookies": 1, "local_storage": 2, "session_storage": 1}
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert json.loads(file.read_text())["format"] == "openchrome-context"
    logged_in.do("cookies", action="clear")
    logged_in.do("storage", action="clear")
    assert logged_in.do("oc_context_import", envelope_path=str(file))["ok"] is True
    assert logged_in.do("storage", action="get", key="theme")["value"] == "dark"


def test_import_replaces_what_was_there(logged_in: Daemon) -> None:
    """What the envelope does not have is gone afterwards."""
    envelope = _export(logged_in)
    logged_in.do("cookies", action="set", name="later", value="1")
    logged_in.do("storage", action="set", key="later", value="1")
    logged_in.do("oc_context_import", envelope=envelope)
    assert logged_in.do("cookies", action="get", name="later")["cookie"] is None
    assert logged_in.do("storage", action="get", key="later")["exists"] is False


def test_parts_that_cannot_be_imported_are_reported(logged_in: Daemon, site: Site) -> None:
    """Foreign and expired cookies are skipped; so is storage without a document of its origin."""
    envelope = _export(logged_in)
    del envelope["integrity"]
    session = envelope["cookies"][0]
    envelope["cookies"] += [
        {**session, "name": "foreign", "domain": "bank.example"},
        {**session, "name": "old", "expires": 1000},
    ]
    told = logged_in.do("oc_context_import", envelope=envelope)
    assert told["applied_cookies"] == 1
    assert [one["cookie"] for one in told["skipped"]] == ["foreign", "old"]
    logged_in.do("navigate", url=f"{site.other_origin}/article.html")
    told = logged_in.do("oc_context_import", envelope=envelope)
    assert told["ok"] is False
    assert site.origin in [one.get("storage") for one in told["skipped"]]


def test_envelopes_of_other_spellings_are_read(logged_in: Daemon) -> None:
    """camelCase, as other versions write it."""
    envelope = _export(logged_in)
    theirs = {
        "version": 1, "origin": envelope["origin"], "localStorage": {"a": "1"},
        "sessionStorage": {}, "cookies": [{"name": "c", "value": "1", "domain": "127.0.0.1",
        "path": "/", "httpOnly": True, "sameSite": "Lax", "expires": -1}],
    }  # fmt: skip
    assert logged_in.do("oc_context_import", envelope=theirs)["ok"] is True
    assert logged_in.do("cookies", action="get", name="c")["cookie"]["http_only"] is True
    assert logged_in.do("storage", action="get")["items"] == {"a": "1"}


def test_bad_envelopes_change_nothing(logged_in: Daemon, site: Site) -> None:
    """Changed, of another version, of another origin when that matters, or none at all."""
    envelope = _export(logged_in)
    changed = {**envelope, "local_storage": {"theme": "light"}}
    error = logged_in.call("oc_context_import", envelope=changed).error
    assert (error["code"], error["integrity_error"]) == ("wrong_value", True)
    assert logged_in.call("oc_context_import", envelope={"version": 1}).code == "wrong_value"
    newer = {k: v for k, v in envelope.items() if k != "integrity"} | {"version": 9}
    assert logged_in.call("oc_context_import", envelope=newer).code == "wrong_value"
    logged_in.do("navigate", url=f"{site.other_origin}/article.html")
    strict = logged_in.call("oc_context_import", envelope=envelope, strictOrigin=True)
    assert strict.code == "wrong_value"
    logged_in.do("navigate", url="about:blank")
    assert logged_in.call("oc_context_export").code == "disabled"


def test_journal_keeps_no_envelope(logged_in: Daemon) -> None:
    """Cookies in arguments are masked whole."""
    logged_in.do("oc_context_import", envelope=_export(logged_in))
    assert "s3cret" not in str(logged_in.do("oc_journal", count=10))


SHOP = {
    "version": 7, "when": "1970-01-02T00:00:00.000Z", "bytes": [0, 255, 7], "tags": ["a", "b"],
    "big": "12345678901234567890", "nothing": True, "odd": True, "price": "price", "found": 2,
    "map": [[{"x": 1}, "/a+/gi"]], "file": ["a.txt", "text/plain", "abc"], "loose": 300,
    "last": "no 299", "names": ["shop"],
}  # fmt: skip


def _shop(daemon: Daemon) -> dict[str, Any]:
    told: dict[str, Any] = json.loads(daemon.do("javascript_tool", code="told()")["content"])
    return told


@pytest.fixture
def shop(daemon: Daemon, make_site: Callable[..., Site]) -> tuple[Daemon, str]:
    """A page whose databases hold values of every kind; its origin is nobody else's."""
    url = make_site().url("state/databases.html")
    daemon.do("navigate", url=url)
    daemon.do("javascript_tool", code="fill()")
    return daemon, url


def test_indexed_databases_are_included(shop: tuple[Daemon, str]) -> None:
    """Dates, bytes, files and keys are what they were, in an empty tab and on the page itself."""
    daemon, url = shop
    told = daemon.do("oc_context_export")
    assert told["counts"]["indexed_db"] == 303
    (left_out,) = told["left_out"]
    assert (left_out["indexed_db"], left_out["records"]) == ("shop/loose", 1)
    assert "CryptoKey" in left_out["reason"]
    daemon.do("javascript_tool", code="asked(indexedDB.deleteDatabase('shop'))")
    daemon.do("javascript_tool", code="asked(indexedDB.open('later')).then((db) => db.close())")
    daemon.do("navigate", url="about:blank")
    put = daemon.do("oc_context_import", envelope=told["envelope"])
    assert (put["ok"], put["applied_records"]) == (True, 303)
    daemon.do("navigate", url=url)
    assert _shop(daemon) == SHOP
    daemon.do("javascript_tool", code="globalThis.held = asked(indexedDB.open('shop')); 1")
    put = daemon.do("oc_context_import", envelope=told["envelope"])
    assert (put["ok"], put["applied_records"]) == (True, 303)
    assert _shop(daemon) == SHOP


def test_databases_in_use_that_cannot_be_replaced_are_reported(shop: tuple[Daemon, str]) -> None:
    """What a page has open cannot be replaced: it is named, with what to do."""
    daemon, _ = shop
    envelope = _export(daemon)
    del envelope["integrity"]
    envelope["indexed_db"][0]["version"] = 8
    daemon.do("javascript_tool", code="globalThis.held = asked(indexedDB.open('shop')); 1")
    put = daemon.do("oc_context_import", envelope=envelope)
    assert put["ok"] is False
    (skipped,) = put["skipped"]
    assert skipped["indexed_db"] == "shop"
    assert "empty tab" in skipped["reason"]
