"""Access to the HTTP port."""

import socket
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from support.daemon import Daemon, Home
from support.mcp import JSON, Http
from support.site import Site

PING = b'{"jsonrpc":"2.0","id":1,"method":"ping"}'


def test_foreign_hosts_and_origins_are_refused(http: Http) -> None:
    """A name that was rebound to this machine, and any web page."""
    assert http.send(PING).status == 200
    for host in ("evil.example", f"evil.example:{http.port}", "127.0.0.1:1", "localhost"):
        assert http.send(PING, {**JSON, "host": host}).status == 421, host
    for origin in ("http://evil.example", "null", "http://localhost:1", "chrome-extension://x"):
        assert http.send(PING, {**JSON, "origin": origin}).status == 403, origin
    assert http.send(PING, {**JSON, "sec-fetch-site": "cross-site"}).status == 403
    own = {**JSON, "host": f"localhost:{http.port}", "origin": f"http://localhost:{http.port}"}
    assert http.send(PING, own).status == 200


def test_only_json_bodies_are_accepted(http: Http) -> None:
    """The bodies that a form can send without a preflight request are refused."""
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""):
        assert http.send(PING, {"content-type": kind}).status == 415, kind
    assert http.send(PING, {"content-type": "application/json; charset=utf-8"}).status == 200
    allowed = http.send(None, {"origin": "http://evil.example"}, method="OPTIONS")
    assert allowed.status == 403
    assert "access-control-allow-origin" not in allowed.headers


def test_bodies_up_to_16_mb_are_accepted(http: Http) -> None:
    assert http.send(PING + b" " * (16 * 1024 * 1024)).status == 413
    assert http.send(PING + b" " * (15 * 1024 * 1024)).status == 200


def test_the_token_gives_access(http: Http, serving: Daemon) -> None:
    """The right token is accepted; a wrong one is refused, even from the same user."""
    file = serving.home.path / "run" / "token"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    token = file.read_text().strip()
    assert len(token) >= 43
    assert http.send(PING, {**JSON, "authorization": f"Bearer {token}"}).status == 200
    for wrong in (f"Bearer {token}x", f"Basic {token}", "Bearer", "Bearer é"):
        answered = http.send(PING, {**JSON, "authorization": wrong.encode().decode("latin-1")})
        assert answered.status == 401, wrong


def test_unknown_paths_are_not_found(http: Http) -> None:
    assert http.send(None, {}, method="GET", path="/").status == 404
    assert http.send(PING, path="/v1/call").status == 404


def test_a_page_in_our_own_chromium_cannot_call(http: Http, site: Site) -> None:
    """The daemon's Chromium cannot reach the daemon's port by any kind of request."""
    http.do("navigate", url=site.url("article.html"))
    body = PING.decode()
    code = f"""
        const sent = (headers, mode) => fetch('{http.url}', {{method: 'POST', mode, headers,
            body: '{body}'}}).then(r => r.type + r.status, e => 'refused');
        [await sent({{'content-type': 'application/json'}}, 'cors'),
         await sent({{}}, 'cors'), await sent({{}}, 'no-cors')]"""
    text = http.call("javascript_tool", code=code).result["content"][1]["text"]
    assert '["refused","refused","refused"]' in text


def test_a_port_in_use_is_reported_at_start(home: Home) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = home.run("ocd", "start", "--http", str(port))
    assert done.code != 0
    assert f"Port {port} of localhost is in use" in done.err
    assert "--http" in done.err
    assert "Traceback" not in done.err


@pytest.mark.parametrize("host", ["nohost.invalid", "192.0.2.7"])
def test_an_address_that_is_not_local_is_refused(home: Home, host: str) -> None:
    done = home.run("ocd", "start", "--http", "0", "--http-host", host)
    assert done.code == 2
    assert host in done.err


def test_without_http_no_port_is_open(make_daemon: Callable[..., Daemon]) -> None:
    daemon = make_daemon()
    assert daemon.status()["mcp"] == {"bridges": 0, "http_port": None}
    assert not (daemon.home.path / "run" / "token").exists()


def test_a_token_file_readable_by_others_is_refused(home: Home) -> None:
    """The token gives full access: refused at start, with the command that fixes the mode."""
    file = home.base / "shared-token"
    file.write_text("a-token-of-my-own\n")
    file.chmod(0o644)
    refused = home.run("ocd", "start", "--http", "0", "--token-file", str(file))
    assert refused.code == 2
    assert f"other users can access {file} (mode 644)" in refused.err
    assert f"chmod 600 {file}" in refused.err


def test_a_configured_token_file_is_created(
    make_daemon: Callable[..., Daemon], tmp_path: Path
) -> None:
    file = tmp_path / "secret"
    daemon = make_daemon("--http", "0", "--token-file", str(file))
    token = file.read_text().strip()
    assert Http(daemon).send(PING, {**JSON, "authorization": f"Bearer {token}"}).status == 200
