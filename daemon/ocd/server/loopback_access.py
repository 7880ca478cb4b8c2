"""Access to our loopback ports: the right Host, no foreign Origin, and the same user.

The rules of the MCP port (oc_mcp.server.http_access). A page in the daemon's own Chromium is
refused although its requests are our user's.
"""

from collections import deque
from collections.abc import Callable

from aiohttp import web

from ocd.api.errors import OcdError
from ocd.api.loopback_peers import knows_peers, own_socket

HOSTS = ("127.0.0.1", "localhost", "[::1]")
_MAX_TRUSTED = 256


class LoopbackAccess:
    """The access rules of one listening port.

    from_browser: whether the socket with this inode is held by the daemon's Chromium.
    """

    def __init__(self, port: int, from_browser: Callable[[str], bool]) -> None:
        self._port = port
        self._from_browser = from_browser
        self._hosts = {f"{name}:{port}" for name in HOSTS}
        if port == 80:
            self._hosts.update(HOSTS)
        self._origins = {f"http://{host}" for host in self._hosts}
        # A connection brings many requests, and its other end does not change hands.
        self._trusted: deque[str] = deque(maxlen=_MAX_TRUSTED)

    def check_origin(self, request: web.Request) -> None:
        """Raise `forbidden` for another Host, or for the page of another origin."""
        if request.headers.get("Host", "").lower() not in self._hosts:
            raise OcdError("forbidden", "Unknown Host header")
        origin = request.headers.get("Origin")
        if origin is not None and origin.lower() not in self._origins:
            raise OcdError("forbidden", "Other pages may not call this server")

    def check_peer(self, request: web.Request) -> None:
        """Raise `forbidden` for another user's process, and for the daemon's own Chromium.

        Every process is admitted where the system does not say whose a connection is.
        """
        peer = request.transport.get_extra_info("peername") if request.transport else None
        if not knows_peers():
            return
        inode = own_socket(peer[:2], self._port) if peer else None
        if inode is None:
            raise OcdError("forbidden", "This is another user's daemon")
        if inode in self._trusted:
            return
        if self._from_browser(inode):
            raise OcdError("forbidden", "The daemon's own Chromium has no access")
        self._trusted.append(inode)
