"""A client for a stdio MCP server, launched as agent hosts do: one JSON message per line."""

import json
import os
import queue
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import IO, Any, NamedTuple, Self

from ocd.api.errors import OcdError, error_from_body

PROTOCOL = "2025-06-18"

# The variables that the SDKs' clients pass to a server; a host has to be told of all others.
_INHERITED = (
    ("HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER")
    if os.name != "nt"
    else ("APPDATA", "HOMEDRIVE", "HOMEPATH", "LOCALAPPDATA", "PATH", "PROCESSOR_ARCHITECTURE",
          "SYSTEMDRIVE", "SYSTEMROOT", "TEMP", "USERNAME", "USERPROFILE")
)  # fmt: skip


class Reply(NamedTuple):
    """An answer: the message, when it arrived (perf_counter) and the bytes of its line."""

    message: dict[str, Any]
    arrived: float
    size: int


class Pending:
    """A request in flight."""

    def __init__(self, request_id: int, method: str) -> None:
        self.id = request_id
        self.method = method
        self.started = time.perf_counter()
        self.replies: queue.SimpleQueue[Reply | None] = queue.SimpleQueue()

    def wait(self, timeout_s: float) -> Reply:
        """Return the reply; OcdError `timeout`, or `internal` if the server has exited."""
        try:
            reply = self.replies.get(timeout=timeout_s)
        except queue.Empty:
            message = f"No answer to {self.method} within {timeout_s:g} s"
            raise OcdError("timeout", message) from None
        if reply is None:
            raise OcdError("internal", f"The server ended before answering {self.method}")
        return reply


def host_environ(
    more: Mapping[str, str], environ: Mapping[str, str] = os.environ
) -> dict[str, str]:
    """Return the environment of a server whose entry in the host's file adds `more`."""
    return {k: v for k, v in environ.items() if k in _INHERITED} | dict(more)


class Server:
    """The process and the requests in flight; at the end of the block its input is closed."""

    def __init__(
        self,
        command: Sequence[str],
        env: Mapping[str, str],
        *,
        cwd: str | None = None,
        stderr: IO[bytes] | None = None,
    ) -> None:
        self.spawned = time.perf_counter()
        self.process = subprocess.Popen(
            command, env=env, cwd=cwd, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL if stderr is None else stderr,
        )  # fmt: skip
        self._next_id = 0
        self._pending: dict[int, Pending] = {}
        self._lock = threading.Lock()
        self._gone = False
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def start(self, method: str, params: dict[str, Any]) -> Pending:
        """Send a request and return without waiting for its reply."""
        self._next_id += 1
        pending = Pending(self._next_id, method)
        with self._lock:
            self._pending[pending.id] = pending
            if self._gone:
                pending.replies.put(None)
        self._send({"id": pending.id, "method": method, "params": params})
        return pending

    def request(self, method: str, params: dict[str, Any], timeout_s: float = 60.0) -> Reply:
        """Send a request and wait for its reply."""
        return self.start(method, params).wait(timeout_s)

    def notify(self, method: str, params: dict[str, Any] | None = None) -> None:
        """Send a notification."""
        self._send({"method": method} | ({} if params is None else {"params": params}))

    def initialize(self, name: str, timeout_s: float = 60.0) -> Reply:
        """Perform the handshake as the client `name`; return the reply to `initialize`."""
        params = {"protocolVersion": PROTOCOL, "capabilities": {}}
        client = {"name": name, "version": "1"}
        reply = self.request("initialize", params | {"clientInfo": client}, timeout_s)
        self.notify("notifications/initialized")
        return reply

    def close(self, grace_s: float = 5.0) -> None:
        """Close the server's input, as hosts do, and kill it if that does not end it."""
        with suppress(OSError):
            if self.process.stdin:
                self.process.stdin.close()
        try:
            self.process.wait(grace_s)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self._reader.join(grace_s)
        if self.process.stdout and not self._reader.is_alive():
            self.process.stdout.close()

    def _send(self, message: dict[str, Any]) -> None:
        data = json.dumps({"jsonrpc": "2.0", **message}, separators=(",", ":")).encode()
        # The reader notices if the server is gone.
        with suppress(OSError, ValueError), self._lock:
            if self.process.stdin:
                self.process.stdin.write(data + b"\n")
                self.process.stdin.flush()

    def _read(self) -> None:
        assert self.process.stdout
        for line in self.process.stdout:
            arrived = time.perf_counter()
            with suppress(ValueError):
                self._take(json.loads(line), arrived, len(line))
        with self._lock:
            self._gone = True
            for pending in self._pending.values():
                pending.replies.put(None)

    def _take(self, message: Any, arrived: float, size: int) -> None:  # noqa: ANN401 - JSON
        if not isinstance(message, dict):
            return
        if "method" in message and "id" in message:
            # A host has to answer requests; this one supports none.
            refused = {"code": -32601, "message": "not supported"}
            answer = {"result": {}} if message["method"] == "ping" else {"error": refused}
            self._send({"id": message["id"], **answer})
        elif "method" not in message:
            with self._lock:
                pending = self._pending.pop(message.get("id", 0), None)
            if pending is not None:
                pending.replies.put(Reply(message, arrived, size))


def result(reply: Reply) -> dict[str, Any]:
    """Return the reply's result; raises our own error if the bridge sent one, else `internal`."""
    if "error" in reply.message:
        error = reply.message["error"]
        ours = (error.get("data") or {}).get("error")
        if isinstance(ours, dict):
            raise error_from_body({"message": error.get("message", ""), **ours})
        raise OcdError("internal", f"The server returned an error: {error.get('message')}")
    found: dict[str, Any] = reply.message["result"]
    return found


def texts(called: dict[str, Any]) -> list[str]:
    """Return the text blocks of a tool's result."""
    return [str(b.get("text", "")) for b in called.get("content", []) if b.get("type") == "text"]
