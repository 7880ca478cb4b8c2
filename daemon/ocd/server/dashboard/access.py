"""Access to the dashboard's port: the rules of all our ports, and a cookie."""

from collections.abc import Callable

from aiohttp import web

from ocd.api.errors import OcdError
from ocd.server.dashboard.keys import Keys, Viewer
from ocd.server.loopback_access import LoopbackAccess

ENTER = "/enter"

# Everything comes from here, nothing is run that is no file of ours, and nobody may frame it.
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; "
    "media-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
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


class Access(LoopbackAccess):
    """The rules of the dashboard's port."""

    def __init__(self, port: int, keys: Keys, from_browser: Callable[[str], bool]) -> None:
        super().__init__(port, from_browser)
        self.cookie_name = f"openchrome_{port}"  # a host's cookies are those of all its ports
        self._keys = keys

    def check(self, request: web.Request) -> Viewer | None:
        """Return the viewer; None for the entry page, which redeems a key.

        Raises forbidden, and login_required without a valid cookie.
        """
        self.check_origin(request)
        self._check_site(request)
        self.check_peer(request)
        if request.path == ENTER:
            return None
        viewer = self._keys.viewer(request.cookies.get(self.cookie_name, ""))
        if viewer is None:
            raise OcdError("login_required", "This browser has no access", hint="Run: oc dashboard")
        return viewer

    def _check_site(self, request: web.Request) -> None:
        # Without an Origin, as a link is followed. The entry route has a key, wherever its link is.
        site = request.headers.get("Sec-Fetch-Site", "none")
        if site not in ("none", "same-origin") and request.path != ENTER:
            raise OcdError("forbidden", "Other pages may not call this server")
        if request.headers.get("Origin") is None and request.method != "GET":
            raise OcdError("forbidden", "Only this server's own pages may change anything")
