"""Speak MCP without any SDK: bare HTTP requests, and oc-mcp as a host launches it."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import queue
import subprocess
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from support.daemon import SCRIPTS, Daemon, Home
from support.waiting import LEAST_S

JSON = {"content-type": "application/json"}
LEGACY = "2025-11-25"
MODERN = "2026-07-28"
_META = "io.modelcontextprotocol"


@dataclass(frozen=True)
class Answer:
    """An HTTP answer, as it came."""

    status: int
    headers: Mapping[str, str]
    raw: bytes

    @property
    def body(self) -> Any:  # noqa: ANN401 - any JSON value
        return json.loads(self.raw)

    @property
    def result(self) -> dict[str, Any]:
        assert self.status == 200, (self.status, self.raw[:2000])
        assert "result" in self.body, self.raw[:2000]
        found: dict[str, Any] = self.body["result"]
        return found

    @property
    def error(self) -> dict[str, Any]:
        found: dict[str, Any] = self.body["error"]
        return found


class Http:
    """The HTTP port of a daemon that was started with `--http 0`."""

    def __init__(self, daemon: Daemon) -> None:
        self.port: int = daemon.status()["mcp"]["http_port"]
        self.url = f"http://127.0.0.1:{self.port}/mcp"

    def send(
        self,
        body: bytes | None,
        headers: Mapping[str, str] = JSON,
        *,
        method: str = "POST",
        path: str = "/mcp",
        timeout: float = 300.0,
    ) -> Answer:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        try:
            connection.request(method, path, body, dict(headers))
            response = connection.getresponse()
            found = {k.lower(): v for k, v in response.getheaders()}
            return Answer(response.status, found, response.read())
        finally:
            connection.close()

    def ask(self, method: str, params: Mapping[str, Any] | None = None, **options: Any) -> Answer:  # noqa: ANN401 - any JSON value
        """Send a bare request, as curl would."""
        message: dict[str, Any] = {"jsonrpc": "2.0", "id": options.pop("id", 1), "method": method}
        if params is not None:
            message["params"] = params
        return self.send(json.dumps(message).encode(), **options)

    def call(self, tool: str, /, **arguments: Any) -> Answer:  # noqa: ANN401 - any JSON value
        return self.ask("tools/call", {"name": tool, "arguments": arguments})

    def do(self, tool: str, /, **arguments: Any) -> Any:  # noqa: ANN401 - any JSON value
        """Call a tool that must succeed and return the JSON of its first block."""
        return json_of(self.call(tool, **arguments).result)

    def tools(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.ask("tools/list").result["tools"]
        return found


def json_of(result: Mapping[str, Any]) -> Any:  # noqa: ANN401 - any JSON value
    """Return the JSON that the first block holds."""
    assert not result.get("isError"), result
    return json.loads(result["content"][0]["text"])


def error_of(result: Mapping[str, Any]) -> dict[str, Any]:
    assert result["isError"] is True, result
    found: dict[str, Any] = json.loads(result["content"][0]["text"])["error"]
    return found


def texts(result: Mapping[str, Any]) -> list[str]:
    return [block["text"] for block in result["content"] if block["type"] == "text"]


class Bridge:
    """An oc-mcp process and the two ends of its stdio: `with Bridge(home) as bridge:`."""

    def __init__(self, home: Home, *flags: str, **environ: str) -> None:
        self.process = subprocess.Popen(
            [str(SCRIPTS / "oc-mcp"), *flags], env={**home.environ, **environ}, cwd=home.base,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
        self._messages: queue.Queue[dict[str, Any] | None] = queue.Queue()
        self._aside: list[dict[str, Any]] = []
        self._next_id = 100
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def __enter__(self) -> Bridge:
        return self

    def __exit__(self, *exc: object) -> None:
        try:
            self.end()
        finally:
            self.close()

    def close(self) -> None:
        """Close its pipes."""
        self._reader.join(LEAST_S)
        for stream in (self.process.stdout, self.process.stderr):
            assert stream is not None
            stream.close()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._messages.put(json.loads(line))
        self._messages.put(None)

    def write(self, line: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(line)
        self.process.stdin.flush()

    def send(self, message: Any) -> None:  # noqa: ANN401 - any JSON value
        self.write(json.dumps(message).encode() + b"\n")

    def next(self, timeout: float = 300.0) -> dict[str, Any]:
        """Return the next message, beginning with those that `answer` skipped."""
        if self._aside:
            return self._aside.pop(0)
        return self._arriving(timeout)

    def _arriving(self, timeout: float) -> dict[str, Any]:
        message = self._messages.get(timeout=timeout)
        assert message is not None, self.errors()
        return message

    def errors(self) -> str:
        self.process.wait(LEAST_S)
        assert self.process.stderr is not None
        return self.process.stderr.read().decode()

    def answer(self, request_id: object, timeout: float = 300.0) -> dict[str, Any]:
        """Return the answer to a request; messages before it are kept for `next`."""
        for index, message in enumerate(self._aside):
            if "method" not in message and message.get("id") == request_id:
                return self._aside.pop(index)
        while True:
            message = self._arriving(timeout)
            if "method" not in message and message.get("id") == request_id:
                return message
            self._aside.append(message)

    def ask(self, method: str, params: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Send a request and return its whole answer."""
        return self.answer(self.start(method, params))

    def start(self, method: str, params: Mapping[str, Any] | None = None) -> int:
        """Send a request and return its id at once."""
        self._next_id += 1
        message = {"jsonrpc": "2.0", "id": self._next_id, "method": method}
        self.send(message if params is None else {**message, "params": params})
        return self._next_id

    def greet(self, version: str = LEGACY) -> dict[str, Any]:
        """Perform the handshake and return the reply to `initialize`."""
        params = {
            "protocolVersion": version, "capabilities": {},
            "clientInfo": {"name": "test", "version": "0"},
        }  # fmt: skip
        answered: dict[str, Any] = self.ask("initialize", params)["result"]
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return answered

    def call(self, tool: str, /, **arguments: Any) -> dict[str, Any]:  # noqa: ANN401 - any JSON value
        """Call a tool and return its result."""
        answered = self.ask("tools/call", {"name": tool, "arguments": arguments})
        found: dict[str, Any] = answered["result"]
        return found

    def do(self, tool: str, /, **arguments: Any) -> Any:  # noqa: ANN401 - any JSON value
        return json_of(self.call(tool, **arguments))

    def tools(self) -> list[str]:
        return [tool["name"] for tool in self.ask("tools/list")["result"]["tools"]]

    def end(self) -> int:
        """Close its stdin and return its exit status."""
        assert self.process.stdin is not None
        if not self.process.stdin.closed:
            with contextlib.suppress(BrokenPipeError):
                self.process.stdin.close()
        try:
            return self.process.wait(LEAST_S)
        except subprocess.TimeoutExpired:
            os.kill(self.process.pid, 9)
            raise


def modern_meta(*, tasks: bool = False, **more: Any) -> dict[str, Any]:  # noqa: ANN401 - any JSON value
    """Return the `_meta` that every request of the newest revision carries."""
    extensions = {"extensions": {f"{_META}/tasks": {}}} if tasks else {}
    return {
        f"{_META}/protocolVersion": MODERN,
        f"{_META}/clientInfo": {"name": "test", "version": "0"},
        f"{_META}/clientCapabilities": extensions,
        **more,
    }
