"""The dashboard as a program meets it: plain HTTP to its port."""

from __future__ import annotations

import http.client
import json
from typing import Any
from urllib.parse import urlsplit

from support.daemon import Daemon
from support.wire import JSON_BODY, Reply


class DashboardPort:
    """A daemon's dashboard; `key` and `cookie` are made with a link of this daemon."""

    def __init__(self, daemon: Daemon) -> None:
        self.daemon = daemon
        self.port: int = daemon.status()["dashboard"]["port"]
        self.origin = f"http://127.0.0.1:{self.port}"

    def link(self, *, control: bool = True) -> str:
        """Return a link that works once."""
        body = json.dumps({"control": control}).encode()
        url: str = self.daemon.request("POST", "/v1/dashboard", body, JSON_BODY).result["url"]
        return url

    def cookie(self, *, control: bool = True) -> str:
        """Follow a fresh link and return the cookie."""
        where = urlsplit(self.link(control=control))
        _, headers = self.ask("GET", f"{where.path}?{where.query}")
        return headers["Set-Cookie"].partition(";")[0]

    def ask(
        self, method: str, path: str, body: bytes | None = None, **headers: str
    ) -> tuple[Reply, http.client.HTTPMessage]:
        """Send one request; underscores in header names are dashes."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            named = {name.replace("_", "-"): value for name, value in headers.items()}
            connection.request(method, path, body, named)
            answer = connection.getresponse()
            return Reply(answer.status, answer.read()), answer.headers
        finally:
            connection.close()

    def call(self, cookie: str, verb: str, **params: Any) -> Reply:  # noqa: ANN401 - any JSON
        """Call a verb as the page does."""
        body = json.dumps({"verb": verb, "params": params}).encode()
        reply, _ = self.ask(
            "POST", "/api/call", body, Cookie=cookie, Origin=self.origin,
            Content_Type="application/json",
        )  # fmt: skip
        return reply
