"""The daemon seen from outside: the process that holds the lock, and replies on the socket.

The lock file contains pid, process start time and version. It is trusted only if a process with
this pid and start time exists, because pids are reused.
"""

import http.client
import io
import socket
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from ocd.api import paths
from ocd.api.errors import OcdError, error_from_body
from ocd.config.loader import environment
from ocd.storage.files import UNDECODABLE
from ocd.storage.process_identity import ProcessIdentity

POLL_S = 0.02


def address(home: Path) -> str:
    """Return where the daemon of this home listens."""
    return paths.daemon_socket(str(home), environment())


def find_holder(home: Path) -> ProcessIdentity | None:
    """Return the live process that the lock file names; None if there is none."""
    return _read_named_pid(home / "run" / "ocd.lock")


def find_orphan(home: Path) -> ProcessIdentity | None:
    """Return the Chromium that a dead daemon of this home left running; None if there is none."""
    return None if find_holder(home) else _read_named_pid(home / "run" / "chromium.json")


def _read_named_pid(record: Path) -> ProcessIdentity | None:
    try:
        holder = msgspec.json.decode(record.read_bytes(), type=ProcessIdentity)
    except (OSError, *UNDECODABLE):
        return None
    return holder if holder.find() else None


def status(home: Path, timeout_s: float = 5.0) -> dict[str, Any] | None:
    """Return the reply to GET /v1/status, None without a listener. Raises timeout, forbidden."""
    return _exchange(home, "GET", "/v1/status", timeout_s)


def shutdown(home: Path, timeout_s: float) -> bool:
    """Ask the daemon to stop; False if nothing is listening. Raises `timeout`, `forbidden`."""
    return _exchange(home, "POST", "/v1/shutdown", timeout_s) is not None


def wait_until(condition: Callable[[], bool], timeout_s: float) -> bool:
    """Return whether the condition came true within `timeout_s` seconds."""
    deadline = time.monotonic() + timeout_s
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(POLL_S)
    return True


def _exchange(home: Path, method: str, route: str, timeout_s: float) -> dict[str, Any] | None:
    where = address(home)
    connection = http.client.HTTPConnection("ocd")
    try:
        connection.sock = _open(where, timeout_s)
        connection.request(method, route)
        body = msgspec.json.decode(connection.getresponse().read(), type=dict[str, Any])
    except (FileNotFoundError, ConnectionRefusedError, NotADirectoryError):
        return None
    except PermissionError as error:
        raise OcdError("forbidden", f"{where} belongs to another user", path=where) from error
    except (OSError, http.client.HTTPException, msgspec.DecodeError) as error:
        raise OcdError(
            "timeout",
            f"The daemon at {where} did not answer within {timeout_s:g} s",
            hint="Stop it: ocd stop",
        ) from error
    finally:
        connection.close()
    if "error" in body:
        raise error_from_body(body["error"])
    return body


def _open(where: str, timeout_s: float) -> Any:  # noqa: ANN401 - a socket, or what is used of one
    if where.startswith("\\\\.\\pipe\\"):
        return _Pipe(where)
    sock = socket.socket(socket.AF_UNIX)
    sock.settimeout(timeout_s)
    try:
        sock.connect(where)
    except OSError:
        sock.close()
        raise
    return sock


class _Pipe:
    """The part of a socket's interface that http.client uses, over a named pipe of Windows."""

    def __init__(self, name: str) -> None:
        self._file = Path(name).open("r+b", buffering=0)  # noqa: SIM115 - `close` closes it

    def sendall(self, data: bytes) -> None:
        self._file.write(data)

    def makefile(self, _mode: str) -> io.BufferedReader:
        return io.BufferedReader(self._file)

    def close(self) -> None:
        self._file.close()
