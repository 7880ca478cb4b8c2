"""The relay's connection to the daemon: its socket (a named pipe on Windows), and starting it."""

import json
import socket
import sys
from typing import Protocol

from ocd.api import paths

CONNECT_S = 10.0
_CHUNK = 1 << 16


class NoDaemonError(Exception):
    """No daemon runs and none may be started, or it did not start."""

    def __init__(self, home: str, reason: str = "none is running") -> None:
        super().__init__(f"Error: No daemon for {home}: {reason}\nHint: ocd start")
        self.reason = reason
        self.home = home


def no_daemon(request_id: object, error: NoDaemonError) -> bytes:
    """Return the JSON-RPC error of a request that no daemon can answer."""
    body = {
        "code": "no_daemon",
        "message": f"No daemon for {error.home}: {error.reason}",
        "hint": "ocd start",
    }
    answer = {"code": -32000, "message": body["message"], "data": {"error": body}}
    return json.dumps({"jsonrpc": "2.0", "id": request_id, "error": answer}).encode() + b"\n"


class DaemonConnection(Protocol):
    """A connection to the daemon. Failures are raised as OSError."""

    def send(self, data: bytes) -> None:
        """Send all of the data."""
        ...

    def receive(self) -> bytes:
        """Return the next bytes, b"" at the end."""
        ...

    def finish(self) -> None:
        """Say that nothing more will be sent."""
        ...

    def close(self) -> None:
        """Close the connection, for the reading and the writing thread."""
        ...


class SocketConnection:
    """A Unix socket."""

    def __init__(self, address: str) -> None:
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            self._socket.settimeout(CONNECT_S)
            self._socket.connect(address)
            self._socket.settimeout(None)
        except OSError:
            self._socket.close()
            raise

    def send(self, data: bytes) -> None:
        """Send all of the data."""
        self._socket.sendall(data)

    def receive(self) -> bytes:
        """Return the next bytes, b"" at the end."""
        return self._socket.recv(_CHUNK)

    def finish(self) -> None:
        """Say that nothing more will be sent."""
        self._shut(socket.SHUT_WR)

    def close(self) -> None:
        """Close the connection, for the reading and the writing thread."""
        self._shut(socket.SHUT_RDWR)

    def _shut(self, how: int) -> None:
        try:
            self._socket.shutdown(how)
        except OSError:
            return  # it was over already


def connect(home: str, hello: bytes) -> DaemonConnection:
    """Return a connection over which the hello line has been sent."""
    address = paths.mcp_socket(home)
    link: DaemonConnection
    if sys.platform == "win32":
        from oc_mcp.relay.windows_pipe import PipeConnection

        link = PipeConnection(address)
    else:
        link = SocketConnection(address)
    link.send(hello)
    return link


def start(home: str) -> str | None:
    """Run `ocd start`; return None once the daemon runs, else its error message."""
    if not paths.may_start(home):
        return "none is running, and auto_start is off"
    from ocd.api import daemon_start

    try:
        daemon_start.start_daemon()
    except daemon_start.StartError as error:
        return f"it did not start: {error.reason.partition(chr(10))[0]}"
    return None
