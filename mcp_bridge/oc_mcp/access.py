"""Who may speak to the HTTP port: the right Host, no foreign Origin, our user or our token."""

import hmac
import os
import socket
import struct
import sys
from collections.abc import Iterable, Mapping
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
    """

    def __init__(self, hosts: Iterable[str], port: int, token: str) -> None:
        names = {"localhost", "127.0.0.1", "[::1]", *map(_bracketed, hosts)}
        self._hosts = {f"{name}:{port}" for name in names}
        if port == 80:
            self._hosts |= names
        self._origins = {f"http://{host}" for host in self._hosts}
        self._port = port
        self._token = token.encode()

    def refusal(
        self, method: str, headers: Mapping[str, str], client: tuple[str, int] | None
    ) -> Refusal | None:
        """Return why the request is refused, or None. Header names are lower case."""
        if headers.get("host", "").lower() not in self._hosts:
            return Refusal(421, "This server does not answer for that Host")
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
        if client is not None and is_own_process(client, self._port):
            return None
        return Refusal(401, "Send the token of run/token as Authorization: Bearer …")


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host and not host.startswith("[") else host.lower()


def _media_type(headers: Mapping[str, str]) -> str:
    return headers.get("content-type", "").partition(";")[0].strip().lower()


def is_own_process(client: tuple[str, int], port: int) -> bool:
    """Return whether a loopback peer's socket belongs to our user, as Linux knows it.

    A closed socket's entry has inode 0 and no owner worth believing.
    """
    if not sys.platform.startswith("linux"):
        return False
    try:
        address = ip_address(client[0])
    except ValueError:
        return False
    if not _loopback(address):
        return False
    peers = {f"{form}:{client[1]:04X}" for form in _proc_forms(address)}
    uid = str(os.getuid())
    return any(_owns(line, peers, port, uid) for table in _TABLES for line in _rows(table))


def _loopback(address: IPv4Address | IPv6Address) -> bool:
    mapped = getattr(address, "ipv4_mapped", None)
    return bool((mapped or address).is_loopback)


def _rows(table: str) -> list[str]:
    try:
        return Path(table).read_text(encoding="ascii").splitlines()[1:]
    except OSError:
        return []


def _owns(line: str, peers: set[str], port: int, uid: str) -> bool:
    # sl local_address rem_address st tx:rx tr:when retrnsmt uid timeout inode …
    words = line.split()
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
