"""The domain policy: which URLs may be opened, checked for every navigation and fetch.

Globs: `host_globs`; comparison of hosts: `host_canonical`.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote

from ocd.api.errors import OcdError
from ocd.api.spelling import truncate
from ocd.safety.host_canonical import (
    BROWSER_DROPS,
    TRIM,
    Host,
    host_of,
    invalid,
    parse_url,
    resolve_url,
)
from ocd.safety.host_globs import parse
from ocd.safety.own_servers import NO_SERVERS, OwnServers
from ocd.safety.path_policy import Roots
from ocd.safety.protected_files import NOTHING, ProtectedFiles

_WEB = ("http", "https", "ws", "wss")
_REFUSED = (
    "chrome", "chrome-untrusted", "chrome-extension", "devtools", "view-source", "javascript",
    "filesystem", "edge", "brave", "isolated-app", "vbscript", "chrome-search", "chrome-error",
)  # fmt: skip
# Schemes after which a number is no port: nobody's host is called so.
_NO_HOSTS = ("about", "blob", "data", "javascript", "mailto", "sms", "tel", "vbscript")
_ABOUT = ("about:blank", "about:srcdoc")
_SCHEME = re.compile(r"([a-z][a-z0-9+.\-]*):", re.IGNORECASE)
_LOCAL = re.compile(
    r"(?:localhost|[^/?#@]*\.localhost|127(?:\.\d+){0,3}|\[::1\]|0\.0\.0\.0)\.?(?=[:/?#]|$)", re.I
)
_PORT_AFTER = re.compile(r"\d{1,5}(?=[/?#]|$)")


@dataclass(frozen=True, slots=True)
class DomainPolicy:
    """The combined rules of `--allow-domain`, `--block-domain` and `--allow-file-root`.

    A block wins over an allow. Without either every web address is allowed, loopback and private
    ones included; `file:` is allowed inside the roots only, and never for what is the daemon's own.
    The daemon's own HTTP ports are never allowed.
    """

    allow: tuple[str, ...] = ()
    block: tuple[str, ...] = ()
    file_roots: tuple[Path, ...] = ()
    own: ProtectedFiles = NOTHING
    servers: OwnServers = NO_SERVERS

    @property
    def empty(self) -> bool:
        """Whether no domain rule was given."""
        return not self.allow and not self.block

    def check(self, url: str) -> None:
        """Check that `url` may be opened.

        Raises domain_blocked, invalid_url or, for file URLs, path_outside_roots.
        """
        plain = url.strip(TRIM).translate(BROWSER_DROPS)
        if plain.lower().partition("#")[0].partition("?")[0] in _ABOUT:
            return
        match = _SCHEME.match(plain)
        if match is None:
            raise invalid(url, "it has no scheme")
        self._check_scheme(match[1].lower(), plain, plain[match.end() :])

    def _check_scheme(self, scheme: str, url: str, rest: str) -> None:
        if scheme in _WEB:
            self._check_host(host_of(url), url)
        elif scheme == "file":
            Roots(self.file_roots, self.own).contain(file_path(url))
        elif scheme == "blob":
            self.check(rest)
        elif scheme == "data":
            if self.allow:
                raise _blocked_error(url, "data: URLs are not an allowed domain", "--allow-domain")
        elif scheme in _REFUSED or scheme == "about":
            raise _blocked_error(url, f"{scheme}: pages are never opened", "")
        else:
            raise invalid(url, f"{scheme}: is not a scheme for web pages")

    def _check_host(self, host: Host, url: str) -> None:
        if self.servers.covers(host):
            raise _blocked_error(
                url, f"{host.name}:{host.port} is a port of OpenChrome's own", "--http"
            )
        blocker = _first_covering(self.block, host)
        if blocker is not None:
            raise _blocked_error(url, f"{host.name} is blocked by {blocker!r}", "--block-domain")
        if self.allow and _first_covering(self.allow, host) is None:
            allowed = ", ".join(self.allow[:10])
            raise _blocked_error(
                url, f"{host.name} is not one of the allowed hosts: {allowed}", "--allow-domain"
            )

    def allows(self, url: str) -> bool:
        """Return whether `check` would pass."""
        try:
            self.check(url)
        except OcdError:
            return False
        return True


def _first_covering(globs: Iterable[str], host: Host) -> str | None:
    return next((glob for glob in globs if parse(glob).covers(host)), None)


def _blocked_error(url: str, why: str, flag: str) -> OcdError:
    hints = {
        "--block-domain": "The daemon was started with --block-domain for it.",
        "--allow-domain": "Start the daemon with another --allow-domain to open it.",
        "--http": "Call the tools directly; a person can open it in another browser.",
    }
    shown = truncate(url, 200)
    return OcdError("domain_blocked", f"Not opened: {why}", hint=hints.get(flag, ""), url=shown)


def file_path(url: str) -> Path:
    """Return the path of a file URL; invalid_url for one with a remote host or a NUL."""
    try:
        parsed = parse_url(url)
    except ValueError:
        raise invalid(url, "not a valid file URL") from None
    path = unquote(parsed.pathname)
    if parsed.hostname or "\0" in path:
        raise invalid(url, "a file URL names a file of this machine: file:///…")
    return Path("/" + path.lstrip("/"))


def parse_url_argument(text: str) -> str:
    """Return the URL that a person means: `example.com`, `localhost:3000`, a path or a URL.

    A missing scheme becomes https, on loopback http; an absolute path that exists becomes file.
    Raises invalid_url.
    """
    plain = text.strip(TRIM).translate(BROWSER_DROPS)
    if not plain:
        raise invalid(text, "it is empty")
    if plain.startswith("/") and not plain.startswith("//"):
        return _file_url(plain)
    scheme = _SCHEME.match(plain)
    # "localhost:3000" looks like a scheme, but a port follows.
    if scheme and (scheme[1].lower() in _NO_HOSTS or not _PORT_AFTER.match(plain, scheme.end())):
        return _check_url(text, plain, scheme[1].lower())
    if re.match(r"[^/?#]*://", plain):
        raise invalid(text, "the part before :// is not a scheme")
    plain = plain.removeprefix("//")
    guess = "http" if _LOCAL.match(plain) else "https"
    return _check_url(text, f"{guess}://{plain}", guess)


def resolve_in_page(text: str, page_url: str) -> str:
    """Return an address that is relative to a page, as outlines have it, as a URL; any other as is.

    Relative are `./next.html`, `../`, `?page=2`, `#part`, and `/path` if there is no such file.
    """
    if is_relative(text) and page_url.startswith(("http://", "https://")):
        return resolve_url(page_url, text)
    return text


def is_relative(text: str) -> bool:
    """Return whether an address is relative to the page that is shown; see resolve_in_page."""
    plain = text.strip(TRIM).translate(BROWSER_DROPS)
    return plain.startswith(("./", "../", "?", "#")) or (
        plain.startswith("/") and not plain.startswith("//") and not _exists(plain)
    )


def _file_url(plain: str) -> str:
    if not _exists(plain):
        raise invalid(plain, "no such file")
    return Path(plain).as_uri()


def _exists(path: str) -> bool:
    try:
        return Path(path).exists()
    except (OSError, ValueError):
        return False


def _check_url(text: str, url: str, scheme: str) -> str:
    if scheme not in _WEB:
        return url
    if " " in re.split(r"[?#]", url, maxsplit=1)[0]:
        raise invalid(text, "it contains spaces")
    host_of(url)
    return url
