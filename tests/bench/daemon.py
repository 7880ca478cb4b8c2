"""A daemon of the bench's own, and calls to it over one open connection."""

import http.client
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, Self

import psutil

from ocd.api import paths


class Connection(http.client.HTTPConnection):
    """HTTP over a Unix socket."""

    def __init__(self, address: str) -> None:
        super().__init__("localhost")
        self.address = address

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.connect(self.address)


class Daemon:
    """`ocd start` in a fresh home; stopped and deleted at the end of the block."""

    def __init__(self, *flags: str, config: str = "") -> None:
        self.flags = flags
        self.home = tempfile.mkdtemp(prefix="ocb-")
        Path(self.home, "config.toml").write_text(config, encoding="utf-8")
        self.environ = {**os.environ, "OPENCHROME_HOME": self.home}

    def __enter__(self) -> Self:
        self.run("start", *self.flags)
        self.connection = Connection(paths.daemon_socket(self.home))
        self.process = psutil.Process(self.status()["pid"])
        return self

    def __exit__(self, *_: object) -> None:
        self.connection.close()
        self.run("stop")
        shutil.rmtree(self.home, ignore_errors=True)

    def run(self, *arguments: str) -> None:
        subprocess.run(
            [sys.executable, "-m", "ocd", *arguments],
            env=self.environ,
            check=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def status(self) -> dict[str, Any]:
        self.connection.request("GET", "/v1/status")
        return json.loads(self.connection.getresponse().read())

    def call(self, verb: str, **params: object) -> dict[str, Any]:
        answer = self.answer(verb, **params)
        assert "result" in answer, answer
        result: dict[str, Any] = answer["result"]
        return result

    def answer(self, verb: str, **params: object) -> dict[str, Any]:
        """Return the whole reply, even if it is an error."""
        body = json.dumps({"verb": verb, "params": params})
        self.connection.request("POST", "/v1/call", body, {"Content-Type": "application/json"})
        answer: dict[str, Any] = json.loads(self.connection.getresponse().read())
        return answer

    def dashboard_link(self) -> str:
        """Return a link to the dashboard, which works once."""
        self.connection.request("POST", "/v1/dashboard", b'{"control": true}')
        link: str = json.loads(self.connection.getresponse().read())["result"]["url"]
        return link

    def rss_mb(self) -> float:
        return self.process.memory_info().rss / 2**20
