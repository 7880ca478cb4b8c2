"""Speak to a daemon's socket with nothing but http.client: what any other program would do."""

from __future__ import annotations

import http.client
import json
import socket
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from support import result_shapes
from support.waiting import LEAST_S

SocketPath = Path | str
# Longer answers are those of tests about long answers.
_CHECKED_BYTES = 4 << 20


class UnixConnection(http.client.HTTPConnection):
    """HTTP over a Unix socket."""

    def __init__(self, path: SocketPath, timeout: float) -> None:
        super().__init__("localhost", timeout=timeout)
        self._path = str(path)

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self._path)


@dataclass(frozen=True)
class Reply:
    """An answer: its HTTP status and its body as it came."""

    status: int
    raw: bytes

    def checked(self, verb: str) -> Reply:
        """Return itself; fail if it is a result of another shape than the verb declares."""
        if self.status == 200 and len(self.raw) <= _CHECKED_BYTES:
            result_shapes.check(verb, self.body.get("result"))
        return self

    @property
    def body(self) -> Any:  # noqa: ANN401 - any JSON value
        return json.loads(self.raw)

    @property
    def result(self) -> Any:  # noqa: ANN401 - any JSON value
        """Return the verb's result; fail, showing the error, if there is none."""
        assert self.status == 200, self.raw[:2000]
        assert "result" in self.body, self.raw[:2000]
        return self.body["result"]

    @property
    def error(self) -> dict[str, Any]:
        """Return the error object; fail, showing the result, if the call was a success."""
        assert self.status >= 400, self.raw[:2000]
        found: dict[str, Any] = self.body["error"]
        return found

    @property
    def code(self) -> str:
        return str(self.error["code"])


def request(
    path: SocketPath,
    method: str,
    target: str,
    body: bytes | None = None,
    *,
    headers: dict[str, str] | None = None,
    timeout: float = 300.0,
) -> Reply:
    """Send one request and return its reply."""
    connection = UnixConnection(path, timeout)
    try:
        connection.request(method, target, body, headers or {})
        response = connection.getresponse()
        return Reply(response.status, response.read())
    finally:
        connection.close()


JSON_BODY = {"Content-Type": "application/json"}


def call_body(verb: str, params: dict[str, Any], session: str | None) -> bytes:
    """Return the body of POST /v1/call."""
    named = {} if session is None else {"session": session}
    return json.dumps({"verb": verb, "params": params, **named}).encode()


class PendingCall:
    """A call whose answer is awaited in a thread, and whose connection a test may drop."""

    def __init__(self, path: SocketPath, verb: str, body: bytes, timeout: float) -> None:
        self._verb = verb
        self._connection = UnixConnection(path, timeout)
        self._connection.connect()
        self._socket = self._connection.sock
        self._outcome: Reply | Exception | None = None
        self._thread = threading.Thread(target=self._run, args=(body,), daemon=True)
        self._thread.start()

    def _run(self, body: bytes) -> None:
        try:
            self._connection.request("POST", "/v1/call", body, JSON_BODY)
            with self._connection.getresponse() as response:
                self._outcome = Reply(response.status, response.read())
        except (OSError, http.client.HTTPException, AttributeError, ValueError) as error:
            self._outcome = error  # the connection was dropped, or the daemon died
        finally:
            self._connection.close()

    @property
    def done(self) -> bool:
        return not self._thread.is_alive()

    def reply(self, timeout: float = 60.0) -> Reply:
        """Wait for the reply and return it."""
        timeout = max(timeout, LEAST_S)
        self._thread.join(timeout)
        assert self.done, f"no reply within {timeout} s"
        assert isinstance(self._outcome, Reply), repr(self._outcome)
        return self._outcome.checked(self._verb)

    def drop(self) -> None:
        """Close the connection without waiting for the answer."""
        self._socket.shutdown(socket.SHUT_RDWR)
        self._thread.join(LEAST_S)


def lines(
    path: SocketPath, method: str, target: str, body: bytes | None = None, timeout: float = 300.0
) -> Iterator[dict[str, Any]]:
    """Yield the JSON lines of an NDJSON reply as they come."""
    connection = UnixConnection(path, timeout)
    try:
        headers = {"Accept": "application/x-ndjson", **(JSON_BODY if body else {})}
        connection.request(method, target, body, headers)
        response = connection.getresponse()
        while line := response.readline():
            yield json.loads(line)
    finally:
        connection.close()
