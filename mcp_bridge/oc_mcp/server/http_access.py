"""Who may speak to the HTTP port: the right Host, no foreign Origin, our user or our token.

A page in the daemon's own Chromium is none of them: its requests are our user's, and still a
stranger's.
"""

import hmac
import os
import socket
import struct
import sys
from collections.abc import Callable, Iterable, Mapping
from ipaddress import IPv4Address, IPv6Address, ip_address
from pathlib import Path
from typing import NamedTuple

_ESTABLISHED = "01"
_TABLES = ("/proc/net/tcp", "/proc/net/tcp6")


class Refusal(NamedTuple):
    """Why a request is not let in: the HTTP status and a sentence."""

    status: int
    message: str


class Access:
    """The rules of one listening port.

    hosts: the names and addresses it listens at, without the port. token: the bearer token.
    from_browser: whether the socket with this inode is held by the daemon's Chromium.
    """

    def __init__(
        self, hosts: Iterable[str], port: int, token: str, from_browser: Callable[[str], bool]
    ) -> None:
        names = {"localhost", "127.0.0.1", "[::1]", *map(_bracket_ipv6, hosts)}
        self._hosts = {f"{name}:{port}" for name in names}
        if port == 80:
            self._hosts |= names
        self._origins = {f"http://{host}" for host in self._hosts}
        self._port = port
        self._token = token.encode()
        self._from_browser = from_browser
        # A connection brings many requests, and its other end does not change hands.
        self._last_trusted = ""

    def refusal(
        self, method: str, headers: Mapping[str, str], client: tuple[str, int] | None
    ) -> Refusal | None:
        """Return why the request is refused, or None. Header names are lower case."""
        if headers.get("host", "").lower() not in self._hosts:
            return Refusal(421, "Unknown Host header")
        origin = headers.get("origin")
        if origin is not None and origin.lower() not in self._origins:
            return Refusal(403, "Web pages may not call this server")
        if headers.get("sec-fetch-site", "none") not in ("none", "same-origin"):
            return Refusal(403, "Web pages may not call this server")
        if method == "POST" and _media_type(headers) != "application/json":
            return Refusal(415, "Send the body as application/json")
        return self._unknown_caller(headers, client)

    def _unknown_caller(
        self, headers: Mapping[str, str], client: tuple[str, int] | None
    ) -> Refusal | None:
        said = headers.get("authorization")
        if said is not None:
            scheme, _, token = said.partition(" ")
            if scheme.lower() == "bearer" and hmac.compare_digest(
                token.strip().encode(), self._token
            ):
                return None
            return Refusal(401, "The token is wrong")
        if client is not None and self._trusts(client):
            return None
        return Refusal(401, "Send the token of run/token as Authorization: Bearer …")

    def _trusts(self, client: tuple[str, int]) -> bool:
        inode = own_socket(client, self._port)
        if inode is None or (inode != self._last_trusted and self._from_browser(inode)):
            return False
        self._last_trusted = inode
        return True


def _bracket_ipv6(host: str) -> str:
    return f"[{host}]" if ":" in host and not host.startswith("[") else host.lower()


def _media_type(headers: Mapping[str, str]) -> str:
    return headers.get("content-type", "").partition(";")[0].strip().lower()


def own_socket(client: tuple[str, int], port: int) -> str | None:
    """Return the inode of a loopback peer's socket if it belongs to our user, as Linux knows it.

    A closed socket's entry has inode 0 and no owner worth believing.
    """
    if not sys.platform.startswith("linux"):
        return None
    try:
        address = ip_address(client[0])
    except ValueError:
        return None
    if not _loopback(address):
        return None
    peers = {f"{form}:{client[1]:04X}" for form in _proc_forms(address)}
    uid = str(os.getuid())
    rows = (line.split() for table in _TABLES for line in _rows(table))
    return next((words[9] for words in rows if _owns(words, peers, port, uid)), None)


def _loopback(address: IPv4Address | IPv6Address) -> bool:
    mapped = getattr(address, "ipv4_mapped", None)
    return bool((mapped or address).is_loopback)


def _rows(table: str) -> list[str]:
    try:
        return Path(table).read_text(encoding="ascii").splitlines()[1:]
    except OSError:
        return []


def _owns(words: list[str], peers: set[str], port: int, uid: str) -> bool:
    # sl local_address rem_address st tx:rx tr:when retrnsmt uid timeout inode …
    return (
        len(words) > 9
        and words[1] in peers
        and words[2].endswith(f":{port:04X}")
        and words[3] == _ESTABLISHED
        and words[7] == uid
        and words[9] != "0"
    )


def _proc_forms(address: IPv4Address | IPv6Address) -> list[str]:
    """Return the address as the kernel prints it: words of 32 bits in the host's byte order."""
    mapped = getattr(address, "ipv4_mapped", None)
    plain = mapped or address
    if isinstance(plain, IPv6Address):
        return [_words(plain.packed)]
    return [_words(plain.packed), _words(socket.inet_pton(socket.AF_INET6, f"::ffff:{plain}"))]


def _words(packed: bytes) -> str:
    count = len(packed) // 4
    return "".join(f"{word:08X}" for word in struct.unpack(f"={count}I", packed))
