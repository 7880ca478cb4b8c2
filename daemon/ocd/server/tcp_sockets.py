"""The TCP sockets on which the daemon listens, if configured."""

import errno
import socket
from typing import Any

from ocd.api.errors import OcdError

_BACKLOG = 512
# Without IPv6 there is nothing to listen at there.
_ABSENT = (errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT)


def listening_sockets(host: str, port: int, setting: str) -> list[socket.socket]:
    """Return a listening socket for each address of the host, all at one port (0: any free one).

    setting: the key of the port in config.toml, for errors. Raises `address_in_use`, or
    `config_invalid` for a host that is not this machine's.
    """
    return _open_sockets(host, port, setting, listen=True)


def reserved_sockets(setting: str) -> list[socket.socket]:
    """Return sockets that hold one free port of loopback, at which they do not listen yet.

    Raises what listening_sockets raises.
    """
    return _open_sockets("localhost", 0, setting, listen=False)


def _open_sockets(host: str, port: int, setting: str, *, listen: bool) -> list[socket.socket]:
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except OSError as error:
        raise OcdError(
            "config_invalid", f"{setting}_host: not a valid host: {host}: {error.strerror or error}"
        ) from error
    sockets: list[socket.socket] = []
    try:
        for family, kind, protocol, _, address in dict.fromkeys(found):
            at = (address[0], port, *address[2:])
            opened = _open_socket(family, kind, protocol, at, listen=listen)
            if opened is not None:
                sockets.append(opened)
                port = opened.getsockname()[1]
    except OSError as error:
        for listener in sockets:
            listener.close()
        raise _not_bound(host, port, setting, error) from error
    if not sockets:
        raise OcdError("config_invalid", f"{setting}_host: this machine has no address {host}")
    return sockets


def _open_socket(
    family: int, kind: int, protocol: int, address: tuple[Any, ...], *, listen: bool
) -> socket.socket | None:
    opened = socket.socket(family, kind, protocol)
    try:
        # Without it nobody shares a port at which nobody listens.
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, int(listen))
        if family == socket.AF_INET6:
            opened.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        opened.bind(address)
        if listen:
            opened.listen(_BACKLOG)
    except OSError as error:
        opened.close()
        if error.errno in _ABSENT:
            return None
        raise
    opened.setblocking(False)  # noqa: FBT003 - the socket's own signature
    return opened


def _not_bound(host: str, port: int, setting: str, error: OSError) -> OcdError:
    if error.errno == errno.EADDRINUSE:
        return OcdError(
            "address_in_use",
            f"Port {port} of {host} is in use",
            hint=f"Choose another one with --{setting}, or 0 for any free one.",
            port=port,
        )
    return OcdError("config_invalid", f"Cannot listen at {host}:{port}: {error.strerror}")
