"""Who may speak to the dashboard's port: the right Host, our own Origin, our user, and a cookie.

The rules of the MCP port (oc_mcp.server.http_access), with a cookie where that has a token. A page
in the daemon's own Chromium is refused although its requests are our user's.
"""

from collections import deque
from collections.abc import Callable

from aiohttp import web

from ocd.api.errors import OcdError
from ocd.api.loopback_peers import knows_peers, own_socket
from ocd.server.dashboard.keys import Keys, Viewer

HOSTS = ("127.0.0.1", "localhost", "[::1]")
ENTER = "/enter"
_MAX_TRUSTED = 256

# Everything comes from here, nothing is run that is no file of ours, and nobody may frame it.
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'"
)
HEADERS = {
    "Content-Security-Policy": _POLICY,
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=()",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}


class Access:
    """The rules of one listening port.

    from_browser: whether the socket with this inode is held by the daemon's Chromium.
    """

    def __init__(self, port: int, keys: Keys, from_browser: Callable[[str], bool]) -> None:
        self.cookie_name = f"openchrome_{port}"  # a host's cookies are those of all its ports
        self._port = port
        self._keys = keys
        self._from_browser = from_browser
        self._hosts = {f"{name}:{port}" for name in HOSTS}
        if port == 80:
            self._hosts.update(HOSTS)
        self._origins = {f"http://{host}" for host in self._hosts}
        # A connection brings many requests, and its other end does not change hands.
        self._trusted: deque[str] = deque(maxlen=_MAX_TRUSTED)

    def check(self, request: web.Request) -> Viewer | None:
        """Return who asks, None on the way in; raises OcdError for everybody else."""
        self._check_origin(request)
        self._check_peer(request)
        if request.path == ENTER:
            return None
        viewer = self._keys.viewer(request.cookies.get(self.cookie_name, ""))
        if viewer is None:
            raise OcdError(
                "login_required", "This browser was not let in", hint="Run: oc dashboard"
            )
        return viewer

    def _check_origin(self, request: web.Request) -> None:
        if request.headers.get("Host", "").lower() not in self._hosts:
            raise OcdError("forbidden", "Unknown Host header")
        origin = request.headers.get("Origin")
        if origin is not None and origin.lower() not in self._origins:
            raise OcdError("forbidden", "Other pages may not call this server")
        # Without an Origin, as a link is followed. The way in has a key, wherever its link stands.
        site = request.headers.get("Sec-Fetch-Site", "none")
        if site not in ("none", "same-origin") and request.path != ENTER:
            raise OcdError("forbidden", "Other pages may not call this server")
        if origin is None and request.method != "GET":
            raise OcdError("forbidden", "Only this server's own pages may change something")

    def _check_peer(self, request: web.Request) -> None:
        peer = request.transport.get_extra_info("peername") if request.transport else None
        if not knows_peers():
            return
        inode = own_socket(peer[:2], self._port) if peer else None
        if inode is None:
            raise OcdError("forbidden", "This is another user's daemon")
        if inode in self._trusted:
            return
        if self._from_browser(inode):
            raise OcdError("forbidden", "The daemon's own Chromium is not let in")
        self._trusted.append(inode)
