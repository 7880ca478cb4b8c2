"""Access to the dashboard: one browser per link, and nobody else on any route."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from urllib.parse import urlsplit

import pytest

from ocd.server.dashboard.routes import DashboardRoutes
from support.daemon import Daemon
from support.dashboard import DashboardPort
from support.site import Site

UPGRADE = {
    "Connection": "Upgrade", "Upgrade": "websocket", "Sec_WebSocket_Version": "13",
    "Sec_WebSocket_Key": "dGhlIHNhbXBsZSBub25jZQ==",
}  # fmt: skip
HTML = "text/html,application/xhtml+xml"


@pytest.fixture
def watched(share_daemon: Callable[..., Daemon]) -> Daemon:
    return share_daemon("--dashboard", "0")


@pytest.fixture
def port(watched: Daemon) -> DashboardPort:
    return DashboardPort(watched)


def routes() -> Iterator[tuple[str, str]]:
    """Yield method and path of every route that there is."""
    nobody = None
    app = DashboardRoutes(nobody, nobody, nobody, nobody).application()  # type: ignore[arg-type]
    for route in app.router.routes():
        assert route.resource is not None
        yield route.method, re.sub(r"\{\w+\}", "x", route.resource.canonical)


def test_the_tests_cover_every_route() -> None:
    """The walks below walk something."""
    assert {("GET", "/"), ("GET", "/api/events"), ("POST", "/api/call")} <= set(routes())


def test_every_route_requires_a_key(port: DashboardPort) -> None:
    """On every route: no cookie, a wrong one, and a key that was used already."""
    link = urlsplit(port.link())
    used = f"{link.path}?{link.query}"
    assert port.ask("GET", used)[0].status == 200
    assert port.ask("GET", used)[0].status == 401
    name = port.cookie().partition("=")[0]
    for method, path in routes():
        for cookie in ("", f"{name}=x", f"{name}={link.query.partition('=')[2]}"):
            reply, headers = port.ask(
                method, path, Cookie=cookie, Origin=port.origin, Accept=HTML, **UPGRADE
            )
            assert reply.status == 401, (method, path, reply.raw)
            assert "Set-Cookie" not in headers
            assert b"has no access" in reply.raw or b"already used" in reply.raw


def test_the_cookie_is_refused_from_other_hosts_and_origins(port: DashboardPort) -> None:
    """On every route: another Host, another Origin, another site's link."""
    cookie = port.cookie()
    for method, path in routes():
        right = {"Cookie": cookie, "Host": f"127.0.0.1:{port.port}", "Origin": port.origin}
        for wrong in (
            {"Host": f"evil.example:{port.port}"},
            {"Host": "127.0.0.1"},
            {"Origin": "http://evil.example"},
            {"Origin": "http://127.0.0.1:1"},
            {"Origin": "null"},
            {"Sec_Fetch_Site": "cross-site"},
            {"Sec_Fetch_Site": "same-site"},
        ):
            if path == "/enter" and "Sec_Fetch_Site" in wrong:
                continue  # a link may stand on any page: its key lets in
            reply, _ = port.ask(method, path, **{**right, **wrong}, **UPGRADE)
            assert reply.status == 403, (method, path, wrong, reply.raw)


def test_changes_require_the_dashboards_own_origin(port: DashboardPort) -> None:
    """A form of another page sends an Origin, and a program none: neither changes anything."""
    reply, _ = port.ask("POST", "/api/call", b"{}", Cookie=port.cookie())
    assert reply.status == 403


def test_a_link_gives_access_to_one_browser(port: DashboardPort) -> None:
    """The cookie is for this page alone, and every answer says what a browser may do with it."""
    link = urlsplit(port.link())
    reply, headers = port.ask("GET", f"{link.path}?{link.query}", Sec_Fetch_Site="cross-site")
    assert reply.status == 200
    cookie = headers["Set-Cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie
    for path in ("/", "/page/app.js", "/api/status", "/nothing"):
        _, headers = port.ask("GET", path, Cookie=cookie.partition(";")[0])
        policy = headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert "Access-Control-Allow-Origin" not in headers


def test_a_view_only_link_cannot_change_anything(port: DashboardPort) -> None:
    """It reads what the other reads; what changes something is refused, as any other verb is."""
    look, act = port.cookie(control=False), port.cookie(control=True)
    for cookie in (look, act):
        assert "tasks" in port.call(cookie, "oc_task_list").result
        assert port.call(cookie, "javascript_tool", code="1").code == "forbidden"
        assert port.call(cookie, "cookies", action="get").code == "forbidden"
    assert port.call(look, "oc_task_cancel", task_id="0" * 16).code == "forbidden"
    assert port.call(act, "oc_task_cancel", task_id="0" * 16).code == "task_not_found"


def test_the_daemons_chromium_cannot_reach_the_dashboard(watched: Daemon, site: Site) -> None:
    """Neither a tab, nor a page's request or WebSocket, not even with a fresh key."""
    port = DashboardPort(watched)
    for url in (port.link(), port.link().replace("127.0.0.1", "localhost")):
        assert watched.call("navigate", url=url).code == "domain_blocked"
    watched.do("navigate", url=site.url("article.html"))
    reached = watched.do("javascript_tool", code=REACHES % port.port, timeout_ms=60_000)
    assert reached["content"] in ('""', "")


REACHES = """
const port = %s;
const page = `http://127.0.0.1:${port}/`;
const asked = await fetch(page, {mode: 'no-cors'}).then(() => 'came', () => '');
const socket = await new Promise(done => {
  const s = new WebSocket(`ws://127.0.0.1:${port}/api/events`);
  s.onopen = () => done('came'); s.onerror = () => done(''); });
asked + socket
"""


def test_the_dashboard_is_off_until_it_is_opened(make_daemon: Callable[..., Daemon]) -> None:
    """`oc dashboard` opens it, `ocd status` says so; a Chromium that runs goes on, and kept out."""
    daemon = make_daemon()
    daemon.do("tabs_create")
    assert daemon.status()["dashboard"] == {"port": None, "pages": 0}
    link = daemon.oc("dashboard", "--no-open", "--view-only", "--json").ok().json["result"]
    assert daemon.status()["dashboard"]["port"] == link["port"]
    assert link["control"] is False
    done = daemon.oc("dashboard", "--no-open", SSH_CONNECTION="10.0.0.9 5 10.0.0.1 22").ok()
    assert done.out.startswith(f"http://127.0.0.1:{link['port']}/enter?key=")
    assert f"ssh -N -L {link['port']}:127.0.0.1:{link['port']} " in done.err
    assert f"port: {link['port']}" in daemon.ocd("status").ok().out
    assert daemon.call("navigate", url=done.out.strip()).code == "domain_blocked"
    asked = daemon.do("javascript_tool", code=REACHES % link["port"], timeout_ms=60_000)
    assert asked["content"] in ('""', "")
    assert daemon.status()["browser"]["generation"] == 1
