"""Globs for hosts, as in `--allow-domain` and `--block-domain`. Pure.

`example.com` is that host, `*.example.com` and `.example.com` it and all below it; a port narrows
it (`localhost:8080`, `[::1]:8080`). A glob that could never match, or would match more than it
says, is refused when it is configured: a rule that silently does nothing protects nobody.

The other dialects are named in `crawl/url_globs`.
"""

import re
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import lru_cache

from ocd.safety.host_canonical import Host, canonical_host

_SCHEME = re.compile(r"\A[a-z][a-z0-9+.\-]*://", re.IGNORECASE)
_ADDRESS = re.compile(r"\[?(?:(?:[0-9a-f.]*:){2}[0-9a-f:.]*|\*)\]?", re.IGNORECASE)
_PORT = re.compile(r":([^:\]]*)$")
_LABEL = re.compile(r"[a-z0-9_*?-]{0,63}")


@dataclass(frozen=True, slots=True)
class Glob:
    """A host's name, with wildcards, and a port; None: any."""

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
def parse(text: str) -> Glob:
    """Parse a glob; ValueError says what is wrong with it."""
    plain = text.strip()
    rest = _SCHEME.sub("", plain, count=1)
    authority, slash, path = rest.partition("/")
    if path or "#" in plain or "\\" in plain:
        raise ValueError(f"{text!r} has a path: rules apply to whole hosts")
    if "@" in authority or "," in authority or not authority or " " in authority:
        raise ValueError(f"Not a valid host: {text!r} (pass several one at a time)")
    if slash and "://" not in plain:
        raise ValueError(f"{text!r} ends in a slash: rules apply to hosts")
    name, port = _split_authority(authority, text)
    return Glob(_name(name, text), port)


def _split_authority(authority: str, text: str) -> tuple[str, int | None]:
    found = _PORT.search(authority)
    if found is None or (":" in authority[: found.start()] and not authority.startswith("[")):
        return authority, None  # an IPv6 address without brackets has no port
    if found[1] == "*":
        return authority[: found.start()], None
    if not found[1].isascii() or not found[1].isdecimal() or not 0 < int(found[1]) < 65536:
        raise ValueError(f"{text!r} has no port between 1 and 65535 after its colon")
    return authority[: found.start()], int(found[1])


def _name(name: str, text: str) -> str:
    if _ADDRESS.fullmatch(name) or not (set("*?") & set(name) or name.startswith(".")):
        try:
            return name.strip("[]") if "*" in name else canonical_host(name)
        except ValueError:
            raise ValueError(f"Not a valid host: {text!r}") from None
    below = f"*{name}" if name.startswith(".") else name
    dotted = re.sub("[\u3002\uff0e\uff61]", ".", below).rstrip(".")
    labels = [_label(label, text) for label in dotted.split(".")]
    if any(not label for label in labels):
        raise ValueError(f"{text!r} has an empty part between two dots")
    return ".".join(labels)


def _label(label: str, text: str) -> str:
    lower = label.lower()
    if not lower.isascii():
        if set("*?") & set(lower):
            raise ValueError(
                f"{text!r}: no wildcards are allowed in a label with non-ASCII letters"
            )
        try:
            lower = canonical_host(lower)
        except ValueError:
            raise ValueError(f"Not a valid host: {text!r}") from None
    if not _LABEL.fullmatch(lower):
        raise ValueError(f"{text!r} has characters that hosts cannot have")
    return lower
