"""A server that receives webhooks, and keeps those that it accepts."""

from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from queue import Queue


class WebhookReceiver:
    """`with WebhookReceiver() as told:`; until `accepts` is set it answers 503."""

    def __init__(self, *, accepts: bool = True) -> None:
        self.accepts = accepts
        self.bodies: Queue[bytes] = Queue()
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                if receiver.accepts:
                    receiver.bodies.put(body)
                self.send_response(204 if receiver.accepts else 503)
                self.end_headers()

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(
            target=self._server.serve_forever, args=(0.05,), daemon=True
        )
        self.url = f"http://127.0.0.1:{self._server.server_port}/told"

    def __enter__(self) -> WebhookReceiver:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()
