"""The owner of a loopback connection, from Linux's /proc tables."""

import os
import socket
import struct
import sys
from ipaddress import IPv4Address, IPv6Address, ip_address
from pathlib import Path

_ESTABLISHED = "01"
_TABLES = ("/proc/net/tcp", "/proc/net/tcp6")


def knows_peers() -> bool:
    """Return whether the system can tell which user owns a connection."""
    return sys.platform.startswith("linux")


def own_socket(client: tuple[str, int], port: int) -> str | None:
    """Return the inode of a loopback peer's socket if it belongs to our user, as Linux knows it.

    A closed socket's entry has inode 0 and no owner worth believing.
    """
    if not knows_peers():
        return None
    try:
        address = ip_address(client[0])
    except ValueError:
        return None
    if not _loopback(address):
        return None
    peers = {f"{form}:{client[1]:04X}" for form in _proc_addresses(address)}
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


def _proc_addresses(address: IPv4Address | IPv6Address) -> list[str]:
    """Return the address as the kernel prints it: words of 32 bits in the host's byte order."""
    mapped = getattr(address, "ipv4_mapped", None)
    plain = mapped or address
    if isinstance(plain, IPv6Address):
        return [_hex_words(plain.packed)]
    return [
        _hex_words(plain.packed),
        _hex_words(socket.inet_pton(socket.AF_INET6, f"::ffff:{plain}")),
    ]


def _hex_words(packed: bytes) -> str:
    count = len(packed) // 4
    return "".join(f"{word:08X}" for word in struct.unpack(f"={count}I", packed))
