"""HTTP/1.1 over the daemon's socket, as little of it as client and daemon need.

`_socket` is the module that `socket` wraps; importing the wrapper costs half as much as a whole
call.
"""

from __future__ import annotations

import sys

from ocd.api.errors import OcdError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

# If a caller has no deadline, a daemon that sends nothing for this long is asked for its status,
# which it answers at once whatever else it is doing.
QUIET_S = 15.0
PROBE_S = 20.0
# The daemon reads a request at the next turn of its loop.
SEND_S = 60.0
_HEAD_MAX = 65536
_CHUNK = 65536


class ConnectionLost(OcdError):
    """The daemon exited during a call."""

    def __init__(self) -> None:
        message = (
            "Lost connection to the daemon during the call; the action may have been performed"
        )
        super().__init__("no_daemon", message, hint="Find out why: ocd status, ocd logs")


class Unreachable(Exception):
    """Nothing is listening on the daemon's socket."""


class Reply:
    """A response whose head has arrived; the body is read on demand, once.

    stays: the connection can be used again after the response has been read to its end.
    """

    def __init__(
        self,
        wire: Any,  # noqa: ANN401 - socket or pipe
        address: str,
        timeout_s: float | None,
        *,
        grace_s: float = 0.0,
        stays: bool = False,
    ) -> None:
        self._wire = wire
        self._address = address
        self._timeout_s = timeout_s
        self._grace_s = grace_s
        self._stays = stays
        self._buffer = b""
        self.complete = False
        self.status, self.headers = self._head()

    def chunks(self) -> Iterator[bytes]:
        """Yield the body as it arrives, then close; `no_daemon` if it ends too early."""
        try:
            if self.headers.get("transfer-encoding", "").lower() == "chunked":
                yield from self._read_chunked()
                self.complete = True
            elif "content-length" in self.headers:
                yield from self._read_counted(int(self.headers["content-length"]))
                self.complete = True
            else:
                while data := self._buffer or self._receive():
                    self._buffer = b""
                    yield data
        finally:
            if not (self._stays and self.complete):
                self.close()

    def read(self) -> bytes:
        """Return the whole body."""
        return b"".join(self.chunks())

    def lines(self) -> Iterator[bytes]:
        """Yield the body's lines as they arrive, without their ends; empty ones are left out."""
        rest = b""
        for data in self.chunks():
            *complete, rest = (rest + data).split(b"\n")
            yield from filter(None, complete)
        if rest:
            yield rest

    def close(self) -> None:
        """Close the connection; the daemon ends a call that is still running."""
        self._wire.close()

    # --- reading ----------------------------------------------------------------------------

    def _receive(self) -> bytes:
        while True:
            try:
                return bytes(self._wire.recv(_CHUNK))
            except TimeoutError:
                if self._timeout_s is not None:
                    message = f"The daemon did not answer within {self._timeout_s:g} s"
                    message += f", nor {self._grace_s:g} s later" if self._grace_s else ""
                    raise OcdError("timeout", message, hint="ocd status") from None
                _expect_life(self._address)
            except ConnectionError:
                return b""

    def _more(self) -> None:
        data = self._receive()
        if not data:
            raise ConnectionLost
        self._buffer += data

    def _head(self) -> tuple[int, dict[str, str]]:
        while b"\r\n\r\n" not in self._buffer:
            if len(self._buffer) > _HEAD_MAX:
                raise _not_ours_error()
            self._more()
        head, _, self._buffer = self._buffer.partition(b"\r\n\r\n")
        first, *fields = head.decode("latin-1").split("\r\n")
        version, _, rest = first.partition(" ")
        if not version.startswith("HTTP/1.") or not rest[:3].isdecimal():
            raise _not_ours_error()
        pairs = (field.partition(":") for field in fields)
        return int(rest[:3]), {name.lower(): value.strip() for name, _, value in pairs}

    def _line(self) -> bytes:
        while b"\r\n" not in self._buffer:
            self._more()
        line, _, self._buffer = self._buffer.partition(b"\r\n")
        return line

    def _read_counted(self, left: int) -> Iterator[bytes]:
        while left:
            if not self._buffer:
                self._more()
            data, self._buffer = self._buffer[:left], self._buffer[left:]
            left -= len(data)
            yield data

    def _read_chunked(self) -> Iterator[bytes]:
        while size := int(self._line().partition(b";")[0], 16):
            yield from self._read_counted(size)
            self._line()
        while self._line():
            pass  # trailers


class Connection:
    """One connection for consecutive requests.

    It is replaced if the daemon has closed it, or a response was not read to its end.
    """

    def __init__(self) -> None:
        self._wire: Any = None
        self._reply: Reply | None = None

    def request(  # noqa: PLR0913 - the parts of a request
        self,
        address: str,
        method: str,
        path: str,
        body: bytes = b"",
        *,
        accept: str = "application/json",
        timeout_s: float | None = None,
        grace_s: float = 0.0,
    ) -> Reply:
        """Send a request; see the function `request` for arguments, results and errors."""
        if self._reply is None or not self._reply.complete or not _is_quiet(self._wire):
            self.close()
            self._wire = _connect(address, SEND_S if timeout_s is None else timeout_s)
        head = _head(method, path, len(body), accept, stays=True)
        self._reply = None
        message = head + body
        self._reply = _send(self._wire, address, message, timeout_s, grace_s=grace_s, stays=True)
        return self._reply

    def close(self) -> None:
        """Close the connection, if there is one."""
        if self._wire is not None:
            self._wire.close()
            self._wire = None


def request(  # noqa: PLR0913 - the parts of a request
    address: str,
    method: str,
    path: str,
    body: bytes = b"",
    *,
    accept: str = "application/json",
    timeout_s: float | None = None,
    grace_s: float = 0.0,
) -> Reply:
    """Send one request over a new connection; raises Unreachable, or OcdError.

    timeout_s: how long the daemon may be silent; None: as long as it lives (it is asked).
    grace_s: what it has beyond that, to say itself that the time is over.
    """
    wire = _connect(address, SEND_S if timeout_s is None else timeout_s)
    head = _head(method, path, len(body), accept, stays=False)
    return _send(wire, address, head + body, timeout_s, grace_s=grace_s, stays=False)


def _head(method: str, path: str, length: int, accept: str, *, stays: bool) -> bytes:
    return (
        f"{method} {path} HTTP/1.1\r\nHost: ocd\r\nAccept: {accept}\r\n"
        f"Connection: {'keep-alive' if stays else 'close'}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n"
    ).encode()


def _send(
    wire: Any,  # noqa: ANN401 - socket or pipe
    address: str,
    message: bytes,
    timeout_s: float | None,
    *,
    grace_s: float,
    stays: bool,
) -> Reply:
    wire.settimeout(SEND_S if timeout_s is None else timeout_s + grace_s)
    try:
        try:
            wire.sendall(message)
        except ConnectionError:
            pass  # The daemon answers a body that is too large before reading it.
        except TimeoutError:
            raise OcdError(
                "timeout", "The daemon does not accept requests", hint="ocd status"
            ) from None
        if timeout_s is None:
            wire.settimeout(QUIET_S)
        return Reply(wire, address, timeout_s, grace_s=grace_s, stays=stays)
    except BaseException:  # close the socket after Ctrl-C, too
        wire.close()
        raise


def _is_quiet(wire: Any) -> bool:  # noqa: ANN401 - socket or pipe
    """Return whether a connection can take another request: nothing is waiting in it, no end."""
    if sys.platform == "win32":
        return False
    wire.settimeout(0)
    try:
        wire.recv(1)
    except BlockingIOError:
        return True
    except OSError:
        return False
    return False


def _expect_life(address: str) -> None:
    """Raise `timeout` if the daemon does not answer, `no_daemon` if it is gone."""
    try:
        request(address, "GET", "/v1/status", timeout_s=PROBE_S).read()
    except Unreachable:
        raise ConnectionLost from None
    except OcdError as error:
        if error.code != "timeout":
            raise
        message = f"The daemon hangs: it did not answer a status request within {PROBE_S:g} s"
        hint = "See what it is doing: ocd status, ocd logs"
        raise OcdError("timeout", message, hint=hint) from None


def _connect(address: str, timeout_s: float) -> Any:  # noqa: ANN401 - socket or pipe
    if sys.platform == "win32":
        return _Pipe(address)
    import _socket

    wire = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    wire.settimeout(timeout_s)
    try:
        wire.connect(address)
    except (FileNotFoundError, ConnectionRefusedError, NotADirectoryError):
        wire.close()
        raise Unreachable(address) from None
    except OSError as error:
        wire.close()
        message = f"Cannot use the daemon's socket {address}: {error.strerror or error}"
        raise OcdError("no_daemon", message, hint="ocd status") from None
    return wire


class _Pipe:
    """A Windows named pipe with the methods of a socket that are used here."""

    def __init__(self, address: str) -> None:
        try:
            self._file = open(address, "r+b", buffering=0)  # noqa: SIM115 - until close()
        except FileNotFoundError:
            raise Unreachable(address) from None
        except OSError as error:
            message = f"Cannot use the daemon's pipe {address}: {error.strerror or error}"
            raise OcdError("no_daemon", message, hint="ocd status") from None

    def settimeout(self, _timeout_s: float) -> None:
        """Do nothing: such a pipe has no timeouts."""

    def sendall(self, data: bytes) -> None:
        view = memoryview(data)
        while view:
            view = view[self._file.write(view) or 0 :]

    def recv(self, size: int) -> bytes:
        try:
            return self._file.read(size) or b""
        except OSError:
            return b""  # The other end has closed it.

    def close(self) -> None:
        self._file.close()


def _not_ours_error() -> OcdError:
    return OcdError(
        "no_daemon",
        "The process listening on the socket is not an OpenChrome daemon",
        hint="ocd status",
    )
