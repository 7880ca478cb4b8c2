"""Requests to the daemon, starting it if necessary, and its errors."""

from __future__ import annotations

import json
import os

from oc.connection import transport
from oc.terminal import say
from ocd.api import errors, paths
from ocd.api.errors import OcdError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from oc.command_line.argv import Command
    from oc.connection.transport import Reply

PROGRESS = "application/x-ndjson"

# Seconds after the daemon's own deadline before it counts as hung.
_GRACE_S = 15.0


class DaemonClient:
    """The daemon, for one command: the command's options, and the catalog hash to compare."""

    def __init__(self, command: Command, catalog_hash: str) -> None:
        self.command = command
        self._hash = catalog_hash
        self._home = paths.home()
        self._answered = False
        self._request = transport.request

    def keep_connection(self) -> None:
        """Send all further requests over one connection."""
        self._request = transport.Connection().request

    def get(self, path: str, *, timeout_s: float | None = 60.0) -> Reply:
        """Return the reply to a GET; raises the OcdError of an error reply's body."""
        return require_success(self._ask("GET", path, b"", timeout_s=timeout_s))

    def post(self, path: str, body: dict[str, Any], *, timeout_s: float = 60.0) -> Reply:
        """Return the reply to a POST of a JSON body, success or error."""
        return self._ask("POST", path, json.dumps(body).encode(), timeout_s=timeout_s)

    def call(self, verb: str, params: dict[str, Any], *, accept: str = "application/json") -> Reply:
        """Return the reply to a verb's call, success or error."""
        client = {"kind": "oc", "cwd": _cwd(), "pid": os.getpid()}
        session = self.command.session
        body = {"verb": verb, "params": params, "session": session, "client": client}
        timeout_ms = params.get("timeout_ms")
        # The daemon refuses one that is out of range.
        timeout_s = max(timeout_ms / 1000, 0.0) if isinstance(timeout_ms, int) else None
        encoded = json.dumps(body).encode()
        return self._ask(
            "POST", "/v1/call", encoded, accept=accept, timeout_s=timeout_s, grace_s=_GRACE_S
        )

    def result(self, verb: str, **params: object) -> Any:  # noqa: ANN401 - any JSON value
        """Return the decoded result of a verb; raises its error."""
        return result_in(require_success(self.call(verb, params)).read())

    def _ask(self, method: str, path: str, body: bytes, **how: Any) -> Reply:  # noqa: ANN401
        address = paths.daemon_socket(self._home)
        try:
            reply = self._request(address, method, path, body, **how)
        except transport.Unreachable:
            if self._answered:  # it has been stopped since, which is to be respected
                message = "The daemon was stopped in the meantime"
                raise OcdError("no_daemon", message, hint="ocd start", home=self._home) from None
            self._start()
            try:
                reply = self._request(address, method, path, body, **how)
            except transport.Unreachable:
                message = f"The daemon was started, but nothing listens on {address}"
                raise OcdError("no_daemon", message, hint="ocd logs") from None
        self._answered = True
        self._compare(reply)
        return reply

    def _start(self) -> None:
        from oc.connection import daemon_start

        may_start = self.command.options.get("start")
        if may_start is False or (may_start is None and not paths.may_start(self._home)):
            raise OcdError("no_daemon", "No daemon is running", hint="ocd start", home=self._home)
        daemon_start.start_daemon(self._home, quiet=self.command.quiet)

    def _compare(self, reply: Reply) -> None:
        theirs = reply.headers.get("x-openchrome-catalog", self._hash)
        if theirs != self._hash and not self.command.quiet:
            say("Warning: oc and the running daemon are different versions.")
            say("Hint: ocd restart")
            self._hash = theirs


def require_success(reply: Reply) -> Reply:
    """Return the reply if it is a success, else raise the error in its body."""
    if reply.status < 400:
        return reply
    raise error_in(reply.read())


def result_in(body: bytes) -> Any:  # noqa: ANN401 - any JSON value
    """Return the result in the body of a success."""
    try:
        return json.loads(body)["result"]
    except (ValueError, TypeError, KeyError):
        raise _unreadable_answer_error(body) from None


def error_in(body: bytes) -> OcdError:
    """Return the error in a reply's body."""
    try:
        return errors.error_from_body(json.loads(body)["error"])
    except (ValueError, TypeError, KeyError, AttributeError):
        return _unreadable_answer_error(body)


def _unreadable_answer_error(body: bytes) -> OcdError:
    text = body[:200].decode("utf-8", "replace").strip()
    return OcdError("internal", f"Cannot understand the daemon's answer: {text}", hint="ocd logs")


def _cwd() -> str:
    try:
        return os.getcwd()
    except OSError:
        return ""  # It was removed.
