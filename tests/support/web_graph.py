"""A site of any size, in threads of its own: pages that link to each other, and more besides.

/p/N links to five others; every tenth also to a redirect over two hops, one to a page that is
known, a nofollow link, a file and a page that there is not. Pages have an ETag, unless `validators`
is false. It counts what it is asked for, and the bytes that it sends.
"""

import hashlib
import random
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from support.waiting import wait_until

_WORDS = ["harbour", "lantern", "ledger", "meadow", "copper", "signal", "thread", "window"]


class WebGraph:
    """The running site. `gate`: what is asked for beyond `free` requests waits until it is set."""

    def __init__(self, count: int, seed: int = 1) -> None:
        chance = random.Random(seed)
        self.count = count
        self.links = {
            number: [number * 2 + 1, number * 2 + 2, *chance.choices(range(count), k=3)]
            for number in range(count)
        }
        self.seen: Counter[str] = Counter()
        self.clients: Counter[str] = Counter()  # requests for pages, by address
        self.validators = True
        self.sent_bytes = 0
        self.changed: set[str] = set()
        self.gone: set[str] = set()
        self.free = 1 << 60
        self.gate = threading.Event()
        self.failing: set[str] = set()
        self.url = ""

    def wait_for_requests(self, count: int) -> None:
        """Wait until so many pages were asked for in all."""
        wait_until(lambda: sum(self.seen.values()) >= count, 60, f"{count} requests")

    def answer(self, path: str) -> tuple[int, dict[str, str], bytes]:
        """Return status, headers and body of a path."""
        kind, _, rest = path.strip("/").partition("/")
        if path in self.failing:
            return 503, {}, b""
        if path in self.gone or kind not in ("p", "hop", "known", "secret", "file"):
            return 404, {}, b""
        if kind == "hop":
            to = f"/hop/b{rest}" if not rest.startswith("b") else f"/p/target{rest[1:]}"
            return 302, {"Location": to}, b""
        if kind == "known":
            return 302, {"Location": "/p/0"}, b""
        if kind == "file":
            return 200, {"Content-Type": "application/pdf"}, b"%PDF-1.7 \0"
        return 200, {"Content-Type": "text/html; charset=utf-8"}, self.page(rest).encode()

    def page(self, name: str) -> str:
        """Return the HTML of a page; of other words each, so that none is a duplicate."""
        chance = random.Random(f"{name} {f'/p/{name}' in self.changed}")
        links = [f"/p/{one}" for one in self.links.get(_number(name), ()) if one < self.count]
        if _number(name) % 10 == 0:
            links += [f"/hop/{name}", f"/known/{name}", f"/file/{name}.pdf", f"/missing/{name}"]
        anchors = "".join(f'<a href="{link}">{link}</a> ' for link in links)
        hidden = (
            f'<a rel="nofollow" href="/secret/{name}">no</a>' if _number(name) % 10 == 0 else ""
        )
        words = " ".join(chance.choices(_WORDS, k=200))
        return (
            f"<!doctype html><title>Page {name}</title><main><h1>Page {name}</h1>"
            f"<p>{name} {words}</p></main>{anchors}{hidden}"
        )


def _number(name: str) -> int:
    return int(name) if name.isdecimal() else -1


@contextmanager
def web_graph(count: int, host: str = "127.0.0.1") -> Iterator[WebGraph]:
    """Run a site of `count` pages at `host` until the block ends."""
    graph = WebGraph(count)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = -1  # head and body in one packet

        def do_GET(self) -> None:
            if self.path != "/robots.txt":
                graph.seen[self.path] += 1
                graph.clients[self.client_address[0]] += 1
                if sum(graph.seen.values()) > graph.free:
                    graph.gate.wait()
            status, headers, body = graph.answer(self.path)
            if status == 200 and graph.validators:
                headers["ETag"] = f'"{hashlib.sha256(body).hexdigest()[:16]}"'
                if self.headers.get("If-None-Match") == headers["ETag"]:
                    status, body = 304, b""
            graph.sent_bytes += len(body)
            self.send_response(status)
            for name, value in {**headers, "Content-Length": str(len(body))}.items():
                self.send_header(name, value)
            self.end_headers()
            try:
                self.wfile.write(body)
            except ConnectionError:
                self.close_connection = True

        def log_message(self, *_: object) -> None:
            pass

    class Server(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, *_: object) -> None:
            """Clients that are killed are what this is for."""

    with Server((host, 0), Handler) as server:
        graph.url = f"http://{host}:{server.server_address[1]}"
        thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
        thread.start()
        try:
            yield graph
        finally:
            graph.gate.set()
            server.shutdown()
            thread.join()
