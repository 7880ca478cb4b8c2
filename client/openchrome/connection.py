"""The daemon's socket, for synchronous code."""

from __future__ import annotations

import contextlib
import os
import select
import socket
import time
from collections import deque
from collections.abc import Iterator

from openchrome import http, protocol
from openchrome.errors import exception_for


class Connections:
    """Reused connections to one daemon, for several threads; the daemon is started if necessary."""

    def __init__(self, address: str, home: str, *, start: bool | None) -> None:
        self._address = address
        self._home = home
        self._start = start
        self._idle: deque[socket.socket] = deque()
        self._process = os.getpid()
        # The hash of the daemon's catalog, once a response has had it; errors do not have it.
        self.catalog = ""

    def exchange(
        self, method: str, path: str, body: bytes = b"", *, deadline_s: float | None = None
    ) -> tuple[int, bytes]:
        """Send a request and return the response's status and body."""
        wire, response = self._send(method, path, body, protocol.JSON)
        try:
            content = b"".join(self._receive(wire, response, deadline_s))
        except BaseException:  # Ctrl-C: the rest of the response would be taken for another one
            wire.close()
            raise
        self._keep(wire, response)
        return response.status, content

    def lines(self, path: str) -> Iterator[bytes]:
        """Yield the lines of a response as they arrive; closing the iterator ends the request."""
        wire, response = self._send("GET", path, b"", protocol.LINES)
        rest = b""
        try:
            for data in self._receive(wire, response, None):
                if response.status >= 400:
                    rest += data
                    continue
                *complete, rest = (rest + data).split(b"\n")
                yield from filter(None, complete)
        finally:
            wire.close()
        if response.status >= 400:
            protocol.decode_result(response.status, rest)
        if rest:
            yield rest

    def close(self) -> None:
        """Close the idle connections."""
        while self._idle:
            self._idle.pop().close()

    def _send(
        self, method: str, path: str, body: bytes, accept: str
    ) -> tuple[socket.socket, http.Response]:
        wire = self._connected()
        try:
            wire.settimeout(protocol.QUIET_S)
            wire.sendall(http.request(method, path, body, accept))
        except (ConnectionError, TimeoutError):
            pass  # The daemon answers a body that is too large before reading it.
        return wire, http.Response()

    def _receive(
        self, wire: socket.socket, response: http.Response, deadline_s: float | None
    ) -> Iterator[bytes]:
        """Yield the body's bytes."""
        wire.settimeout(protocol.silence_limit_s(deadline_s))
        while not response.complete:
            try:
                data = wire.recv(65536)
            except TimeoutError:
                if deadline_s is not None:
                    raise protocol.deadline_error(deadline_s) from None
                self._expect_life()
                continue
            except ConnectionError:
                data = b""
            try:
                body = response.feed(data)
            except http.ProtocolError:
                self._settle()
                raise protocol.connection_lost() from None
            if body:
                yield body
        self.catalog = response.headers.get("x-openchrome-catalog", self.catalog)

    def _keep(self, wire: socket.socket, response: http.Response) -> None:
        if response.reusable:
            self._idle.append(wire)
        else:
            wire.close()

    def _connected(self) -> socket.socket:
        if self._process != os.getpid():  # forked: the parent continues to use the open connections
            self._process = os.getpid()
            self._idle = deque()
        while self._idle:
            try:
                wire = self._idle.pop()
            except IndexError:  # another thread took it
                break
            # A connection that is readable before a request has been closed by the daemon.
            if not select.select((wire,), (), (), 0)[0]:
                return wire
            wire.close()
        new = self._connect()
        if new is None:
            from openchrome import starting  # importing it takes longer than everything else

            starting.start_daemon(self._home, wanted=self._start)
            new = self._connect()
        if new is None:
            message = f"The daemon was started, but nothing listens on {self._address}"
            raise exception_for("no_daemon", message, {"hint": "ocd logs"})
        return new

    def _connect(self) -> socket.socket | None:
        wire = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            wire.connect(self._address)
        except (FileNotFoundError, ConnectionRefusedError, NotADirectoryError):
            wire.close()
            return None
        except OSError as error:
            wire.close()
            message = f"Cannot use the daemon's socket {self._address}: {error.strerror or error}"
            raise exception_for("no_daemon", message, {"hint": "ocd status"}) from None
        return wire

    def _expect_life(self) -> None:
        """Return if the daemon answers; raise if it hangs or is gone."""
        try:
            answers = self._probe()
        except TimeoutError:
            raise protocol.hung_daemon_error() from None
        if not answers:
            raise protocol.connection_lost()

    def _settle(self) -> None:
        """After a lost connection, return once the daemon answers, or nothing is listening.

        A process that is killed takes a moment to close its sockets, and the next call must not use
        one of them.
        """
        self.close()
        until = time.monotonic() + protocol.SETTLE_S
        with contextlib.suppress(TimeoutError):
            while self._probe() is False and time.monotonic() < until:
                time.sleep(protocol.SETTLE_PAUSE_S)

    def _probe(self) -> bool | None:
        """Return whether the daemon answers; None if nothing is listening. Raises TimeoutError."""
        wire = self._connect()
        if wire is None:
            return None
        with wire:
            wire.settimeout(protocol.PROBE_S)
            try:
                wire.sendall(http.request("GET", "/v1/status", b"", protocol.JSON))
                return bool(wire.recv(1))
            except ConnectionError:
                return False
