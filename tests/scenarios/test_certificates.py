"""Servers with untrusted certificates: refused with a reason, or allowed by a setting."""

from collections.abc import Callable, Iterator

import pytest

from support.daemon import Daemon
from support.secure_site import KINDS, SecureSites
from support.site import Site


@pytest.fixture(scope="module")
def secure(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SecureSites]:
    with SecureSites(tmp_path_factory.mktemp("certificates")) as running:
        yield running


@pytest.mark.parametrize("kind", KINDS)
def test_untrusted_certificate_is_refused_and_the_tab_stays_usable(
    daemon: Daemon, site: Site, secure: SecureSites, kind: str
) -> None:
    """One code, the reason and the setting that would let it in; nothing was sent to the server."""
    secure.asked.clear()
    daemon.do("navigate", url=site.url("article.html"))
    error = daemon.call("navigate", url=secure.url(kind)).error
    assert error["code"] == "certificate_invalid"
    assert error["net_error"].startswith("net::ERR_CERT_")
    assert f"localhost:{secure.ports[kind]}" in error["message"]
    assert "--ignore-certificate-errors" in error["hint"]
    assert secure.asked == []
    assert daemon.do("navigate", url=site.url("article.html"))["status"] == 200


def test_refused_page_is_refused_again_on_reload_and_back(
    daemon: Daemon, site: Site, secure: SecureSites
) -> None:
    """By reloading and by going back, for which Chromium takes some time; the page before stays."""
    url = secure.url("self-signed")
    daemon.do("navigate", url=site.url("article.html"))
    assert daemon.call("navigate", url=url).code == "certificate_invalid"
    again = daemon.call("page_reload").error
    assert (again["code"], again["url"]) == ("certificate_invalid", url)
    assert daemon.do("navigate", url=site.url("article.html"))["status"] == 200
    back = daemon.call("navigate", url="back").error
    assert (back["code"], back["url"]) == ("certificate_invalid", url)
    assert daemon.do("navigate", url="back")["status"] == 200


@pytest.mark.parametrize("engine", ["static", "browser", "auto"])
def test_crawl_counts_the_page_as_failed_with_the_reason(
    daemon: Daemon, secure: SecureSites, engine: str
) -> None:
    """The crawl fails with the page's error; its record says what was wrong, tried once."""
    secure.asked.clear()
    error = daemon.call("crawl", url=secure.url("self-signed"), engine=engine).error
    assert error["code"] == "certificate_invalid"
    told = daemon.result_of(error["task_id"])
    (page,) = told["pages"]
    assert page["error"]["code"] == "certificate_invalid"
    assert "certificate" in page["error"]["message"]
    assert told["summary"]["failed"] == 1
    assert secure.asked == []


def test_setting_allows_untrusted_servers(
    make_daemon: Callable[..., Daemon], secure: SecureSites
) -> None:
    """Navigation and both crawl engines read the server."""
    daemon = make_daemon("--ignore-certificate-errors")
    for kind in KINDS:
        assert daemon.do("navigate", url=secure.url(kind))["title"] == "Secret garden"
    for engine in ("static", "browser"):
        told = daemon.do("crawl", url=secure.url("expired"), engine=engine)
        assert [page["status"] for page in told["pages"]] == [200, 200]


def test_a_crawl_may_accept_any_where_the_daemon_allows_it(
    daemon: Daemon, secure: SecureSites
) -> None:
    """In both engines, for that crawl alone; elsewhere it is refused before anything is asked."""
    pages = {"urls": [secure.url(kind) for kind in KINDS], "max_depth": 0}
    secure.asked.clear()
    asked = daemon.call("crawl", **pages, ignore_certificate_errors=True).error
    assert (asked["code"], secure.asked) == ("disabled", [])
    assert "allow_certificate_errors" in asked["hint"]
    with Daemon(config="allow_certificate_errors = true\n") as lenient:
        for engine in ("static", "browser"):
            done = lenient.do("crawl", **pages, engine=engine, ignore_certificate_errors=True)
            assert [page["status"] for page in done["pages"]] == [200] * len(KINDS)
            error = lenient.call("crawl", **pages, engine=engine).error
            assert error["code"] == "certificate_invalid"
