"""Which addresses may be opened: one policy, asked before every navigation, redirect and fetch.

Hosts are compared as Chromium sees them: lower case, punycode, no trailing dot, numbers of IPv4 in
any notation, userinfo and backslashes out of the way.
"""

import ipaddress
import re
from collections.abc import Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import lru_cache
from pathlib import Path
from urllib.parse import unquote

import idna
import yarl

from ocd.api.errors import OcdError
from ocd.safety.belongings import NOTHING, Belongings
from ocd.safety.paths import Roots

_WEB = ("http", "https", "ws", "wss")
_PORTS = {"http": 80, "ws": 80, "https": 443, "wss": 443}
_REFUSED = (
    "chrome", "chrome-untrusted", "chrome-extension", "devtools", "view-source", "javascript",
    "filesystem", "edge", "brave", "isolated-app", "vbscript", "chrome-search", "chrome-error",
)  # fmt: skip
_ABOUT = ("about:blank", "about:srcdoc")
_SCHEME = re.compile(r"([a-z][a-z0-9+.\-]*):", re.IGNORECASE)
_LOCAL = re.compile(
    r"(?:localhost|[^/?#@]*\.localhost|127(?:\.\d+){0,3}|\[::1\]|0\.0\.0\.0)\.?(?=[:/?#]|$)", re.I
)
_PORT_AFTER = re.compile(r"\d{1,5}(?=[/?#]|$)")
_BROWSER_DROPS = str.maketrans("", "", "\t\r\n")
_TRIM = "".join(map(chr, range(33)))


def _invalid(url: str, why: str) -> OcdError:
    shown = url if len(url) <= 200 else url[:200] + "…"
    return OcdError("invalid_url", f"Not a URL that can be opened: {shown!r} ({why})", url=shown)


@dataclass(frozen=True, slots=True)
class Host:
    """The canonical name and port of a URL; port None where the scheme has none."""

    name: str
    port: int | None


def host_of(url: str) -> Host:
    """Return the host that Chromium would connect to for an http(s) or ws(s) URL."""
    plain = url.strip(_TRIM).translate(_BROWSER_DROPS)
    scheme, _, rest = plain.partition(":")
    authority = re.split(r"[/\\?#]", rest.lstrip("/\\"), maxsplit=1)[0]
    try:
        parsed = yarl.URL(f"{scheme.lower()}://{_without_userinfo(authority)}/", encoded=True)
        name = canonical_host(parsed.raw_host or "")
        port = parsed.explicit_port
    except (ValueError, UnicodeError) as error:
        raise _invalid(url, str(error)) from error
    return Host(name, port or _PORTS.get(scheme.lower()))


def _without_userinfo(authority: str) -> str:
    return authority.rpartition("@")[2]


def canonical_host(host: str) -> str:
    """Return a host name as Chromium writes it; ValueError for one that cannot be."""
    name = unquote(host).strip("[]")
    if ":" in name:
        address = ipaddress.IPv6Address(name.partition("%")[0])
        return str(address.ipv4_mapped or address)
    if not name.isascii():
        name = idna.encode(name, uts46=True, transitional=False).decode()
    name = name.lower().rstrip(".")
    if not name or not re.fullmatch(r"[a-z0-9._~!$&'()*+,;=-]+", name):
        raise ValueError("no host" if not name else "the host has characters that no host has")
    return _ipv4(name) or name


def _ipv4(name: str) -> str | None:
    """Return the dotted form of an IPv4 address in any notation, None for a name."""
    parts = name.split(".")
    if not re.fullmatch(r"\d+|0x[0-9a-f]*", parts[-1]):
        return None
    numbers = [_number(part) for part in parts]
    *first, last = numbers
    if len(numbers) > 4 or any(part > 255 for part in first) or last >= 256 ** (5 - len(numbers)):
        raise ValueError("not an IPv4 address")
    value = last + sum(part << (8 * (3 - place)) for place, part in enumerate(first))
    return str(ipaddress.IPv4Address(value))


def _number(part: str) -> int:
    if part.startswith("0x"):
        return int(part[2:] or "0", 16)
    return int(part, 8) if len(part) > 1 and part.startswith("0") else int(part)


@dataclass(frozen=True, slots=True)
class _Glob:
    name: str
    port: int | None

    def covers(self, host: Host) -> bool:
        """Return whether the glob is about this host; `*.x.com` covers x.com, too."""
        if self.port is not None and self.port != host.port:
            return False
        if self.name.startswith("*.") and host.name == self.name[2:]:
            return True
        return fnmatchcase(host.name, self.name)


@lru_cache(1024)
def _glob(text: str) -> _Glob:
    authority = re.split(r"[/\\?#]", text.strip().partition("://")[2] or text.strip(), maxsplit=1)[
        0
    ]
    port = re.search(r"(?<=[^:]):(\d+)$|(?<=\]):(\d+)$", authority)
    name = authority[: port.start()] if port else authority
    return _Glob(_canonical_glob(name), int(port[1] or port[2]) if port else None)


def _canonical_glob(name: str) -> str:
    if any(sign in name for sign in "*?") or not name:
        labels = (
            label if "*" in label or label.isascii() else idna_label(label)
            for label in name.split(".")
        )
        return ".".join(labels).lower().rstrip(".")
    try:
        return canonical_host(name)
    except (ValueError, UnicodeError):
        return name.lower()


def idna_label(label: str) -> str:
    """Return one label in punycode, or unchanged where it has none."""
    try:
        return idna.encode(label, uts46=True).decode()
    except UnicodeError:
        return label


@dataclass(frozen=True, slots=True)
class DomainPolicy:
    """What `--allow-domain`, `--block-domain` and `--allow-file-root` say together.

    A block wins over an allow. Without either every web address is allowed, loopback and private
    ones included; `file:` is allowed inside the roots only, and never for what is the daemon's own.
    """

    allow: tuple[str, ...] = ()
    block: tuple[str, ...] = ()
    file_roots: tuple[Path, ...] = ()
    own: Belongings = NOTHING

    @property
    def empty(self) -> bool:
        """Whether no domain rule was given."""
        return not self.allow and not self.block

    def check(self, url: str) -> None:
        """Return if `url` may be opened.

        Raises domain_blocked, invalid_url or, for file URLs, path_outside_roots.
        """
        plain = url.strip(_TRIM).translate(_BROWSER_DROPS)
        if plain.lower().partition("#")[0].partition("?")[0] in _ABOUT:
            return
        match = _SCHEME.match(plain)
        if match is None:
            raise _invalid(url, "it has no scheme")
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
                raise _blocked(url, "data: URLs are no listed domain", "--allow-domain")
        elif scheme in _REFUSED or scheme == "about":
            raise _blocked(url, f"{scheme}: pages are never opened", "")
        else:
            raise _invalid(url, f"{scheme}: is no scheme for a page")

    def _check_host(self, host: Host, url: str) -> None:
        blocker = _first_cover(self.block, host)
        if blocker is not None:
            raise _blocked(url, f"{host.name} is blocked by {blocker!r}", "--block-domain")
        if self.allow and _first_cover(self.allow, host) is None:
            allowed = ", ".join(self.allow[:10])
            raise _blocked(url, f"{host.name} is none of the allowed: {allowed}", "--allow-domain")

    def allows(self, url: str) -> bool:
        """Return whether `check` would pass."""
        try:
            self.check(url)
        except OcdError:
            return False
        return True


def _first_cover(globs: Iterable[str], host: Host) -> str | None:
    return next((glob for glob in globs if _glob(glob).covers(host)), None)


def _blocked(url: str, why: str, flag: str) -> OcdError:
    hints = {
        "--block-domain": "The daemon was started with --block-domain for it.",
        "--allow-domain": "Start the daemon with a further --allow-domain to open it.",
    }
    shown = url if len(url) <= 200 else url[:200] + "…"
    return OcdError("domain_blocked", f"Not opened: {why}", hint=hints.get(flag, ""), url=shown)


def file_path(url: str) -> Path:
    """Return the path of a file URL; invalid_url for one with a remote host or a NUL."""
    rest = url.partition(":")[2].replace("\\", "/")
    rest = re.split(r"[?#]", rest, maxsplit=1)[0]
    slashes = len(rest) - len(rest.lstrip("/"))
    host = ""
    if slashes == 2:
        host, _, tail = rest[2:].partition("/")
        rest = f"/{tail}"
    path = unquote(rest)
    if (host and host.lower() != "localhost") or "\0" in path:
        raise _invalid(url, "a file URL names a file of this machine: file:///…")
    return Path("/" + path.lstrip("/"))


def parse_url_argument(text: str) -> str:
    """Return the URL that a person means: `example.com`, `localhost:3000`, a path or a URL.

    A missing scheme becomes https, on loopback http; an absolute path that exists becomes file.
    Raises invalid_url.
    """
    plain = text.strip(_TRIM).translate(_BROWSER_DROPS)
    if not plain:
        raise _invalid(text, "it is empty")
    if plain.startswith("/") and not plain.startswith("//"):
        return _file_url(plain)
    scheme = _SCHEME.match(plain)
    # "localhost:3000" looks like a scheme, but a port follows.
    if scheme and not _PORT_AFTER.match(plain, scheme.end()):
        return _checked(text, plain, scheme[1].lower())
    if re.match(r"[^/?#]*://", plain):
        raise _invalid(text, "what stands before :// is no scheme")
    plain = plain.removeprefix("//")
    guess = "http" if _LOCAL.match(plain) else "https"
    return _checked(text, f"{guess}://{plain}", guess)


def _file_url(plain: str) -> str:
    path = Path(plain)
    try:
        exists = path.exists()
    except (OSError, ValueError):
        exists = False
    if not exists:
        raise _invalid(plain, "no such file")
    return path.as_uri()


def _checked(text: str, url: str, scheme: str) -> str:
    if scheme not in _WEB:
        return url
    if " " in re.split(r"[?#]", url, maxsplit=1)[0]:
        raise _invalid(text, "it has spaces")
    host_of(url)
    return url
