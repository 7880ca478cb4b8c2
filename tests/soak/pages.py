"""The pages of a soak: ordinary ones, and such as try to harm whoever looks at them."""

from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Self

CALM = """<!doctype html><title>Calm</title><h1>A calm page</h1><p>Some words to read.</p>
<form><label>Name <input name=name></label><button type=button>Send</button></form>
<a href=/calm?2>Next</a>"""

_REPLACED = """for (const type of [Object, Array, String, Map, Set, Promise, Function]) {
  for (const name of Object.getOwnPropertyNames(type.prototype)) {
    if (name !== 'constructor') try { type.prototype[name] = () => { throw 'no'; }; } catch {}
  }
}
JSON.stringify = JSON.parse = () => ({});"""

# Bodies by name; what they do to a browser is in their words.
HOSTILE: dict[str, str] = {
    "spin": "<script>setTimeout(() => { for (;;); }, 50)</script>spins",
    "spin-at-once": "<script>for (;;);</script>",
    "alerts": "<script>setInterval(() => alert('again'), 10)</script>alerts",
    "confirm-on-leave": "<script>onbeforeunload = (event) => { event.preventDefault(); "
    "return 'x'; }</script>stays",
    "popups": "<script>setInterval(() => open('/calm'), 200)</script>pop-ups",
    "write-storm": "<script>setInterval(() => document.write('<p>more '), 1)</script>",
    "many-frames": "".join("<iframe src=/calm></iframe>" for _ in range(80)),
    "nested-frames": "<iframe src=/nested-frames></iframe>",
    "many-nodes": "<script>let s = ''; for (let i = 0; i < 150000; i++) s += '<i>x</i>';"
    "document.body.innerHTML = s</script>",
    "deep": "<div>" * 3000,
    "long-text": "<p>" + "word " * 400_000,
    "workers": "<script>for (let i = 0; i < 4; i++) new Worker(URL.createObjectURL(new Blob("
    "['setInterval(() => { for (let i = 0; i < 1e7; i++); }, 20)'])))</script>workers",
    "requests": "<script>setInterval(() => fetch('/calm?' + Math.random()), 2)</script>requests",
    "console": "<script>setInterval(() => { for (let i = 0; i < 200; i++) "
    "console.log('x'.repeat(2000)); }, 5)</script>console",
    "replaced": f"<script>{_REPLACED}</script><p>replaced",
    "mutations": "<script>setInterval(() => { document.body.append(document.createElement('p')); "
    "if (document.body.children.length > 500) document.body.replaceChildren(); }, 0)</script>",
    "goes-on": "<script>setTimeout(() => location = '/goes-on?' + Math.random(), 30)</script>on",
    "history": "<script>setInterval(() => history.pushState({}, '', '?' + Math.random()), 5)"
    "</script>history",
    "memory": "<script>const kept = []; setInterval(() => { if (kept.length < 60) "
    "kept.push(new Array(500000).fill(Math.random())); }, 20)</script>memory",
    "print": "<script>setInterval(() => print(), 100)</script>print",
    "fullscreen": "<script>setInterval(() => document.documentElement.requestFullscreen()"
    ".catch(() => 0), 50)</script>fullscreen",
    "throws": "<script>setInterval(() => { throw {deep: {er: 1}}; }, 5)</script>throws",
    "no-body": "",
    "control-characters": "<p>" + "".join(map(chr, range(1, 32))) + "\ufffe\u202e text",
}
PATHS = ("calm", *HOSTILE, "redirects", "no-answer", "cut-off", "not-http")


class Pages:
    """`with Pages() as pages: pages.url("spin")`: a server in a thread of its own."""

    def __enter__(self) -> Self:
        self._over = threading.Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self._over))
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *exc: object) -> None:
        self._over.set()
        self._server.shutdown()
        self._server.server_close()

    def url(self, name: str) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/{name}"


def _handler(over: threading.Event) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            name = self.path.strip("/").partition("?")[0]
            try:
                self._answer(name)
            except OSError:
                self.close_connection = True  # the browser was killed, or went elsewhere

        def _answer(self, name: str) -> None:
            if name == "no-answer":
                over.wait(30)
            elif name == "not-http":
                self.wfile.write(b"\0\1\2 this is not HTTP\r\n\r\n")
            elif name == "redirects":
                self.send_response(302)
                self.send_header("Location", "/redirects")
                self.end_headers()
            else:
                self._send(name)

        def _send(self, name: str) -> None:
            page = HOSTILE.get(name, CALM)
            body = page if name == "calm" else f"<!doctype html><title>{name}</title><body>{page}"
            data = body.encode(errors="replace")
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(data) + 1000 * (name == "cut-off")))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its name
            pass

    return Handler
