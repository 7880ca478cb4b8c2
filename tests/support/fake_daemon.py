"""A daemon that says what the test wrote down, over a real Unix socket."""

import json
import socket
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any


class FakeDaemon:
    """Answers each request with the next prepared answer; records the requests."""

    def __init__(self, home: Path) -> None:
        self.path = home / "run" / "ocd.sock"
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.requests: list[tuple[str, Any]] = []
        self.heads: list[str] = []
        self.connections = 0
        self._answers: list[Sequence[bytes]] = []
        # Nobody finds it any more once the last answer is given.
        self.stops = False
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(self.path))
        self._listener.listen()

    def says(self, body: object, *, status: int = 200, headers: str = "") -> None:
        """Prepare a whole JSON answer."""
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        head = f"HTTP/1.1 {status} Whatever\r\nContent-Length: {len(data)}\r\n{headers}\r\n"
        self._answers.append([head.encode() + data])

    def says_lines(self, *lines: object) -> None:
        """Prepare an answer of JSON lines, one HTTP chunk each."""
        parts = [b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"]
        for line in lines:
            data = json.dumps(line).encode() + b"\n"
            parts.append(b"%x\r\n%s\r\n" % (len(data), data))
        self._answers.append([*parts, b"0\r\n\r\n"])

    def says_raw(self, *parts: bytes) -> None:
        """Prepare an answer byte by byte; the connection is closed after it."""
        self._answers.append(parts)

    @property
    def last(self) -> Any:  # noqa: ANN401 - any JSON value
        """The body of the last request."""
        return self.requests[-1][1]

    def accept(self) -> socket.socket:
        """Wait for a caller and return its connection, which the test must answer itself."""
        return self._listener.accept()[0]

    def serve(self) -> None:
        while self._answers:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            self.connections += 1
            with connection:
                while self._answer(connection):
                    pass

    def _answer(self, connection: socket.socket) -> bool:
        """Answer a request; return whether the caller may send another one."""
        with connection.makefile("rb") as file:
            first = file.readline().decode()
            if not first:
                return False
            head = list(iter(file.readline, b"\r\n"))
            lengths = [
                int(h.split(b":")[1]) for h in head if h.lower().startswith(b"content-length")
            ]
            body = file.read(lengths[0])
        self.heads.append(b"".join(head).decode())
        if self.stops and len(self._answers) == 1:
            self.path.unlink()
        self.requests.append((" ".join(first.split()[:2]), json.loads(body) if body else None))
        with suppress(ConnectionError):  # callers may leave early
            for part in self._answers.pop(0):
                connection.sendall(part)
        return "Connection: keep-alive" in self.heads[-1] and bool(self._answers)

    def close(self) -> None:
        self._answers.clear()
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()


@contextmanager
def serving(daemon: FakeDaemon) -> Iterator[FakeDaemon]:
    """Serve the prepared answers in a thread while the block runs."""
    thread = threading.Thread(target=daemon.serve)
    thread.start()
    try:
        yield daemon
    finally:
        daemon.close()
        thread.join()
