"""A web server that writes down every connection, byte and datagram that reaches its port."""

from __future__ import annotations

import base64
import contextlib
import errno
import hashlib
import socket
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Self

from support.waiting import wait_until

_GUID = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
_MAX_BYTES = 1 << 16


@dataclass(frozen=True)
class Page:
    """The answer of a path."""

    body: str
    kind: str = "text/html"
    headers: Mapping[str, str] = field(default_factory=dict)


class RecordingOrigin:
    """`with RecordingOrigin({"/x.js": Page("…", "text/javascript")}) as origin:` serves loopback.

    Everything is answered: a path that is not in `pages` with `ok`, a WebSocket with a handshake.
    seen: what came, in order: `connected`, what was received, datagrams.
    """

    def __init__(self, pages: Mapping[str, Page] | None = None) -> None:
        self.pages = dict(pages or {})
        self.seen: list[bytes] = []
        self._listeners, self._datagrams = _bound()
        self.port: int = self._listeners[0].getsockname()[1]
        self._connections: list[socket.socket] = []
        self._threads: list[threading.Thread] = []

    def __enter__(self) -> Self:
        for listener in self._listeners:
            self._run(self._accept, listener)
        self._run(self._receive)
        return self

    def __exit__(self, *_: object) -> None:
        for one in (*self._listeners, *self._connections, self._datagrams):
            _shut(one)
        for thread in self._threads:
            thread.join(10)
        for one in (*self._listeners, *self._connections, self._datagrams):
            one.close()

    @property
    def words(self) -> list[str]:
        """What was seen, for a test to show."""
        return [entry.decode("latin-1") for entry in self.seen]

    def wait_seen(self) -> None:
        """Return once anything has been received."""
        wait_until(lambda: self.seen, 30, f"anything at port {self.port}")

    def _run(self, work: object, *args: object) -> None:
        thread = threading.Thread(target=work, args=args, daemon=True)  # type: ignore[arg-type]
        self._threads.append(thread)
        thread.start()

    def _receive(self) -> None:
        while True:
            try:
                data = self._datagrams.recv(_MAX_BYTES)
            except OSError:
                return
            if not data:
                return
            self.seen.append(b"datagram " + data)

    def _accept(self, listener: socket.socket) -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            self.seen.append(b"connected")
            self._connections.append(connection)
            self._run(self._serve, connection)

    def _serve(self, connection: socket.socket) -> None:
        head = b""
        with contextlib.suppress(OSError):
            while data := connection.recv(_MAX_BYTES):
                self.seen.append(data)
                head += data
                if not head[:1].isupper() or b"\r\n\r\n" in head:
                    break
            if not head[:1].isupper():
                _shut(connection)  # no HTTP
                return
            connection.sendall(self._answer(head.partition(b"\r\n\r\n")[0]))
            if b"sec-websocket-key" not in head.lower():
                _shut(connection)
            while data := connection.recv(_MAX_BYTES):
                self.seen.append(data)

    def _answer(self, request: bytes) -> bytes:
        lines = request.decode("latin-1").split("\r\n")
        headers = {k.lower(): v.strip() for k, _, v in (line.partition(":") for line in lines[1:])}
        if "sec-websocket-key" in headers:
            return _handshake(headers["sec-websocket-key"].encode())
        path = lines[0].partition(" ")[2].partition(" ")[0].partition("?")[0]
        if path.startswith("/redirect/"):
            target = path.removeprefix("/redirect/")
            return _response("302 Found", {"location": f"http://{target}"}, b"")
        page = self.pages.get(path, Page("ok", "text/plain"))
        return _response("200 OK", {"content-type": page.kind, **page.headers}, page.body.encode())


def _listener(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind((host, port))
    listener.listen(64)
    return listener


def _bound() -> tuple[list[socket.socket], socket.socket]:
    """Return listeners on both loopbacks and a socket for datagrams, all of one port."""
    while True:
        held = [_listener("127.0.0.1", 0)]
        port = held[0].getsockname()[1]
        datagrams = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        try:
            held.append(_listener("::1", port))
            datagrams.bind(("127.0.0.1", port))
        except OSError as error:
            for one in (*held, datagrams):
                one.close()
            if error.errno != errno.EADDRINUSE:
                raise
        else:
            return held, datagrams


def _shut(one: socket.socket) -> None:
    with contextlib.suppress(OSError):
        one.shutdown(socket.SHUT_RDWR)


def _handshake(key: bytes) -> bytes:
    accepted = base64.b64encode(hashlib.sha1(key + _GUID).digest())
    hello = b"\x81\x05hello"
    return (
        b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        b"Sec-WebSocket-Accept: " + accepted + b"\r\n\r\n" + hello
    )


def _response(status: str, headers: Mapping[str, str], body: bytes) -> bytes:
    every = {
        "content-length": str(len(body)),
        "access-control-allow-origin": "*",
        "cache-control": "no-store",
        "connection": "close",
        **headers,
    }
    head = "".join(f"{name}: {value}\r\n" for name, value in every.items())
    return f"HTTP/1.1 {status}\r\n{head}\r\n".encode() + body
