"""systemd's notify protocol: readiness, watchdog and stopping (sd_notify(3)).

Everything here does nothing when no service manager listens.
"""

import contextlib
import os
import socket
from collections.abc import Mapping
from dataclasses import dataclass

_MICROSECONDS = 1_000_000


@dataclass(frozen=True, slots=True)
class Notifier:
    """Sends states to the notify socket at `address` ("": nobody is listening).

    watchdog_interval: seconds between two calls of `ping`, half of what the manager allows; None
    if it expects none.
    """

    address: str = ""
    watchdog_interval: float | None = None

    @classmethod
    def from_environ(cls, environ: Mapping[str, str]) -> "Notifier":
        """Return the notifier that NOTIFY_SOCKET, WATCHDOG_USEC and WATCHDOG_PID describe."""
        address = environ.get("NOTIFY_SOCKET", "")
        if not address.startswith(("/", "@")):
            return cls()
        return cls(address, _interval(environ))

    def ready(self, status: str = "") -> None:
        """Say that calls are served now."""
        self._send("READY=1", f"STATUS={status}" if status else "", f"MAINPID={os.getpid()}")

    def ping(self) -> None:
        """Say that the event loop is alive."""
        self._send("WATCHDOG=1")

    def stopping(self) -> None:
        """Say that the daemon is stopping."""
        self._send("STOPPING=1")

    def _send(self, *lines: str) -> None:
        if not self.address:
            return
        # A leading @ stands for the NUL of Linux's abstract namespace.
        target = "\0" + self.address[1:] if self.address.startswith("@") else self.address
        # A manager that is gone or does not read must never stall or end the daemon.
        with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sock:
            sock.settimeout(0)
            sock.connect(target)
            sock.send("\n".join(filter(None, lines)).encode())


def _interval(environ: Mapping[str, str]) -> float | None:
    allowed = environ.get("WATCHDOG_USEC", "")
    for_us = environ.get("WATCHDOG_PID", "") in ("", str(os.getpid()))
    if not for_us or not allowed.isdecimal() or int(allowed) == 0:
        return None
    return int(allowed) / _MICROSECONDS / 2
