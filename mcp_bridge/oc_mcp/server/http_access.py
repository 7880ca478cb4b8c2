"""Access to the HTTP port: the right Host, no foreign Origin, our user or our token.

A page in the daemon's own Chromium is refused: its requests come from our user, but are untrusted.
"""

import hmac
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from ocd.api.loopback_peers import own_socket


class Refusal(NamedTuple):
    """Why a request is refused: the HTTP status and a sentence."""

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
        # A connection carries many requests, and its peer stays the same process.
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
        authorization = headers.get("authorization")
        if authorization is not None:
            scheme, _, token = authorization.partition(" ")
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
