"""A crawl's webhook: it is notified of the crawl's end, signed."""

import base64
import hashlib
import hmac
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from queue import Queue
from typing import Any, NamedTuple

import pytest

from support.daemon import Daemon
from support.site import Site
from support.web_graph import web_graph

WAIT_S = 120


class Message(NamedTuple):
    path: str
    headers: dict[str, str]
    body: bytes


@pytest.fixture
def receiver() -> Iterator[tuple[str, Queue[Message]]]:
    """The address of a server, and what is posted to it."""
    messages: Queue[Message] = Queue()

    class Receiver(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            messages.put(Message(self.path, {k.lower(): v for k, v in self.headers.items()}, body))
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}", messages
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture(scope="module")
def daemon() -> Iterator[Daemon]:
    """A daemon of one's own, to be killed; it may not speak to everybody."""
    with Daemon(config='block_domain = ["hooks.invalid"]\n') as running:
        yield running


def read(daemon: Daemon, message: Message) -> dict[str, Any]:
    """Return the event of a message whose signature is right."""
    key = (daemon.home.path / "run" / "webhook.key").read_text().strip().removeprefix("whsec_")
    headers = message.headers
    signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + message.body
    expected = hmac.new(base64.b64decode(key), signed, hashlib.sha256).digest()
    assert headers["webhook-signature"] == "v1," + base64.b64encode(expected).decode()
    event: dict[str, Any] = json.loads(message.body)
    assert event["data"]["task_id"] == headers["webhook-id"]
    return event


def test_the_end_of_a_crawl_is_sent(
    daemon: Daemon, site: Site, receiver: tuple[str, Queue[Message]]
) -> None:
    """Completed, failed, killed with its daemon: the meta, signed, without page text."""
    address, messages = receiver
    hook = {"webhook": f"{address}/hook?team=docs", "engine": "static"}
    daemon.do("crawl", url=site.url("article.html"), max_depth=0, **hook)
    message = messages.get(timeout=WAIT_S)
    done = read(daemon, message)
    assert message.path == "/hook?team=docs"
    assert (done["type"], done["data"]["kind"]) == ("task.completed", "crawl")
    assert done["data"]["progress"]["done"] == 1
    assert b"Cape Ambler" not in message.body
    assert daemon.call("crawl", url=site.url("nowhere"), retries=0, **hook).code == "http_error"
    failed = read(daemon, messages.get(timeout=WAIT_S))
    assert (failed["type"], failed["data"]["error"]["code"]) == ("task.failed", "http_error")
    with web_graph(50) as graph:
        task_id = daemon.start_task("crawl", url=f"{graph.url}/p/0", delay_ms=60_000, **hook)
        graph.wait_for_requests(1)
        daemon.kill9().run_in_foreground()
    orphan = read(daemon, messages.get(timeout=WAIT_S))
    assert orphan["data"]["task_id"] == task_id
    assert orphan["data"]["error"]["code"] == "orphaned"
    assert messages.empty()


def test_forbidden_webhook_addresses_are_refused(daemon: Daemon, site: Site) -> None:
    page = {"url": site.url("article.html"), "engine": "static", "max_depth": 0}
    for address in ("hooks", "file:///tmp/x", "javascript:1"):
        refused = daemon.call("crawl", **page, webhook=address)
        assert (refused.code, refused.error["parameter"]) == ("invalid_argument", "webhook")
    blocked = daemon.call("crawl", **page, webhook="https://hooks.invalid/x")
    assert blocked.code == "domain_blocked"
