"""Attackers at the ports and sockets: web pages in our own Chromium, other users, bad messages."""

import json
import os
import socket
import stat
import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from support.daemon import Daemon
from support.mcp import JSON, MODERN, Bridge, Http, modern_meta
from support.site import Site
from support.waiting import wait_until

pytestmark = pytest.mark.usefixtures("headless_shell")

PING = b'{"jsonrpc":"2.0","id":1,"method":"ping"}'
STREAMS = {**JSON, "accept": "application/json, text/event-stream"}
NOBODY = 65534
as_root = pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can be somebody else"
)

# Every way a page has of sending a POST, or of reading an answer. Each ends in a word.
ATTACKS = r"""
const body = JSON.stringify({jsonrpc: '2.0', id: 1, method: 'tools/call', params:
  {name: 'tabs_create', arguments: {url: 'STOLEN'}}});
const word = promise => promise.then(r => r.type + ' ' + r.status, () => 'refused');
const post = (headers, mode) => word(fetch('TARGET', {method: 'POST', mode, headers, body}));
const loaded = element => new Promise(done => {
  element.onload = () => done('loaded'); document.body.append(element); });
const form = (action, enctype) => {
  const frame = document.createElement('iframe'); frame.name = 'f' + Math.random();
  document.body.append(frame);
  const sent = new Promise(done => frame.onload = () => done('loaded'));
  const made = Object.assign(document.createElement('form'),
    {method: 'POST', action, enctype, target: frame.name});
  // {"jsonrpc":…,"x":"=…"}: what a form of plain text can be made to look like
  made.append(Object.assign(document.createElement('input'),
    {name: body.slice(0, -1) + ',"x":"', value: '"}'}));
  document.body.append(made); made.submit(); return sent;
};
const socket = () => new Promise(done => { const ws = new WebSocket('TARGET'.replace('http', 'ws'));
  ws.onopen = () => done('open'); ws.onerror = () => done('refused'); });
JSON.stringify({
  json: await post({'content-type': 'application/json'}, 'cors'),
  text: await post({'content-type': 'text/plain'}, 'no-cors'),
  none: await post({}, 'no-cors'),
  beacon: String(navigator.sendBeacon('TARGET', new Blob([body], {type: 'text/plain'}))),
  read: await word(fetch('TARGET')),
  form: await form('TARGET', 'text/plain'),
  redirected: await form('REDIRECT', 'text/plain'),
  frame: await loaded(Object.assign(document.createElement('iframe'), {src: 'TARGET'})),
  socket: await socket(),
})
"""


def attacks(target: str, stolen: str, redirect: str) -> str:
    filled = ATTACKS.replace("TARGET", target).replace("STOLEN", stolen)
    return filled.replace("REDIRECT", redirect)


def page_says(http: Http, code: str) -> dict[str, str]:
    """Return what the script returned, out of its fence."""
    text = http.call("javascript_tool", code=code, timeout_ms=60_000).result["content"][1]["text"]
    said: dict[str, str] = json.loads(text.splitlines()[1])
    return said


def test_no_page_can_call_the_daemon(serving: Daemon, http: Http, site: Site) -> None:
    """By no kind of request: none reaches the port."""
    http.do("navigate", url=site.url("article.html"))
    redirect = site.url(f"redirect-to?status=307&url={http.url}")
    said = page_says(http, attacks(http.url, site.url("stolen"), redirect))
    assert {said[way] for way in ("json", "read", "socket", "text", "none")} == {"refused"}
    calls = [entry.get("tool") for entry in http.do("oc_journal", action="recent", count=10)]
    begun = len(calls) - calls[::-1].index("navigate")
    assert "tabs_create" not in calls[begun:], "before that others had the daemon"
    assert not site.seen("stolen")
    assert site.seen("redirect-to")[-1].status == 307


def test_a_rebound_host_name_is_refused(make_daemon: Callable[..., Daemon], site: Site) -> None:
    """A page whose own name points here is same-origin with the port, and its Host is foreign."""
    rule = "--browser-arg=--host-resolver-rules=MAP rebound.example 127.0.0.1"
    daemon = make_daemon("--http", "0", rule)
    http = Http(daemon)
    target = f"http://rebound.example:{http.port}/mcp"
    assert http.do("navigate", url=target)["status"] == 421
    code = f"""
      const sent = fetch('/mcp', {{method: 'POST', headers: {{'content-type': 'application/json'}},
        body: '{PING.decode()}'}});
      JSON.stringify({{same: location.href, status: String((await sent).status)}})"""
    assert page_says(http, code) == {"same": target, "status": "421"}


@pytest.fixture
def opened(serving: Daemon) -> Iterator[Daemon]:
    """The daemon with its folders and sockets open to everybody, as a careless user might."""
    run = serving.home.path / "run"
    folders = [serving.home.base, serving.home.path, run]
    opened = {**dict.fromkeys(folders, 0o755), **dict.fromkeys(run.glob("*.sock"), 0o777)}
    before = {path: stat.S_IMODE(path.stat().st_mode) for path in opened}
    for path, mode in opened.items():
        path.chmod(mode)
    yield serving
    for path, mode in before.items():
        path.chmod(mode)


def as_nobody(*command: str) -> subprocess.CompletedProcess[str]:
    """Run a command as another user."""
    somebody = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
    return subprocess.run(
        [*somebody, *command], capture_output=True, text=True, timeout=300, check=False, cwd="/"
    )


@as_root
def test_another_user_is_refused_at_the_port(serving: Daemon, http: Http) -> None:
    """Unless they have the token, which they cannot read."""
    curl = ["curl", "-s", "-w", "%{http_code}", "-H", "content-type: application/json",
            "-d", PING.decode(), http.url]  # fmt: skip
    assert as_nobody(*curl).stdout.endswith("401")
    file = serving.home.path / "run" / "token"
    assert as_nobody("cat", str(file)).returncode != 0
    token = file.read_text().strip()
    assert as_nobody(*curl, "-H", f"Authorization: Bearer {token}").stdout.endswith("200")


@as_root
def test_another_user_is_refused_at_the_sockets(opened: Daemon) -> None:
    """By the user id from the kernel, even where file modes would let him in."""
    run = opened.home.path / "run"
    curl = ("curl", "-s", "-w", "%{http_code}", "--unix-socket", str(run / "ocd.sock"))
    assert as_nobody(*curl, "http://localhost/v1/status").stdout.endswith("403")
    # Garbage is answered where our own sends it (see test_relay); nobody else hears a word.
    curl = ("curl", "-s", "--http0.9", "--max-time", "100", "--unix-socket", str(run / "mcp.sock"))
    other = as_nobody(*curl, "http://localhost/")
    # 7: shut on him before curl had looked whether it was connected.
    assert (other.stdout, other.returncode) in (("", 52), ("", 56), ("", 7))


@as_root
def test_socket_modes_keep_other_users_out(serving: Daemon) -> None:
    for name in ("ocd.sock", "mcp.sock"):
        path = str(serving.home.path / "run" / name)
        assert as_nobody("test", "-e", path).returncode == 1


def test_chunked_bodies_are_cut_off_at_the_limit(http: Http) -> None:
    """17 MiB in chunks, to bare HTTP and to the SDK."""
    chunk = b"100000\r\n" + b" " * (1 << 20) + b"\r\n"
    for accept in ("*/*", STREAMS["accept"]):
        with socket.create_connection(("127.0.0.1", http.port), timeout=300) as raw:
            raw.sendall(
                f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{http.port}\r\nAccept: {accept}\r\n"
                "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n".encode()
            )
            try:
                for _ in range(17):
                    raw.sendall(chunk)
                raw.sendall(b"0\r\n\r\n")
            except ConnectionError:
                pass  # the answer came early and the rest was not wanted
            assert raw.recv(100).startswith(b"HTTP/1.1 413 "), accept
    assert http.send(PING).status == 200


@pytest.mark.parametrize("request_id", [None, True, 1.5, [1], {"a": 1}, "", "x" * 70_000, 2**80])
@pytest.mark.parametrize("road", ["handshake", "newest"])
def test_unusual_request_ids_are_answered(http: Http, request_id: object, road: str) -> None:
    """Each is answered, by a result or a refusal, and never by a 5xx."""
    newest = {"mcp-protocol-version": MODERN, "mcp-method": "tools/list"}
    headers = {**STREAMS, **(newest if road == "newest" else {})}
    params = {"_meta": modern_meta()} if road == "newest" else {}
    message = {"jsonrpc": "2.0", "id": request_id, "method": "tools/list", "params": params}
    answered = http.send(json.dumps(message).encode(), headers)
    assert answered.status in (200, 202, 400)
    assert http.send(PING).status == 200


def test_silent_connections_block_nobody(serving: Daemon, http: Http) -> None:
    """Two hundred silent connections to each socket and port."""
    path = str(serving.home.path / "run" / "mcp.sock")
    with ExitStack() as stack:
        for _ in range(200):
            silent = stack.enter_context(socket.socket(socket.AF_UNIX))
            silent.connect(path)
            stack.enter_context(socket.create_connection(("127.0.0.1", http.port)))
        with Bridge(serving.home) as bridge:
            assert bridge.greet()
        assert http.send(PING).status == 200
    wait_until(lambda: serving.status()["mcp"]["bridges"] == 0, 15, "the connections' end")


def test_the_id_of_a_cancelled_request_can_be_used_again(
    http: Http, serving: Daemon, site: Site
) -> None:
    """In a handshake session: the call stops, its id may be used again, an unknown one is fine."""
    hello = {"protocolVersion": "2025-11-25", "capabilities": {},
             "clientInfo": {"name": "test", "version": "0"}}  # fmt: skip
    greeted = http.ask("initialize", hello, headers=STREAMS)
    headers = {**STREAMS, "mcp-session-id": greeted.headers["mcp-session-id"]}
    call = {"jsonrpc": "2.0", "id": 7, "method": "tools/call",
            "params": {"name": "navigate", "arguments": {"url": site.url("hang")}}}  # fmt: skip
    with socket.create_connection(("127.0.0.1", http.port), timeout=300) as raw:
        body = json.dumps(call)
        lines = [f"{name}: {value}" for name, value in headers.items()]
        head = [f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{http.port}", *lines]
        raw.sendall("\r\n".join([*head, f"content-length: {len(body)}", "", body]).encode())
        wait_until(lambda: serving.status()["calls_in_flight"], 10, "the call")
        for request_id in (7, 7, "nobody", None):
            cancel = {"jsonrpc": "2.0", "method": "notifications/cancelled",
                      "params": {"requestId": request_id}}  # fmt: skip
            assert http.send(json.dumps(cancel).encode(), headers).status in (202, 400)
        wait_until(lambda: not serving.status()["calls_in_flight"], 20, "the call's end")
    call["params"] = {"name": "tabs_context", "arguments": {}}
    again = http.send(json.dumps(call).encode(), headers)
    assert again.status == 200
    assert b'"isError":false' in again.raw
