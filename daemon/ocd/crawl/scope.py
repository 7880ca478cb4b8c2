"""Which URLs belong to a crawl: its scope, and the include and exclude globs.

Globs: `**` is any text, `*` any text without "/", everything else (a "?" too) is literal. A
pattern with "://" is compared with the whole URL, one that starts with "/" with path and query,
any other (`docs/**`) with the end of the URL that begins at a "/". Only at the beginning `*` is
any text, too, as in `*/api/*`; one that begins with it and has no "/" (`*.pdf`, `*guide*`) is any
path and query with that in it. The query counts or not: `/docs/*` covers `/docs/a?x=1`, too.
"""

import re
from collections.abc import Callable, Iterable
from functools import cache
from typing import Literal

from ocd.crawl.urls import host_of, origin_of, path_of
from ocd.safety.regex import compile_re2

Reason = Literal["out_of_scope", "not_included", "excluded"]
Test = Callable[[str], bool]

_GLOB_PARTS = re.compile(r"\*\*|\*")


class CrawlScope:
    """The rule of one crawl; `reject` says why an URL is not part of it."""

    def __init__(
        self, scope: str, start: str, include: Iterable[str] = (), exclude: Iterable[str] = ()
    ) -> None:
        self.name = scope
        self._inside = _inside(scope, start)
        self._include = [glob_test(pattern) for pattern in include]
        self._exclude = [glob_test(pattern) for pattern in exclude]

    def reject(self, url: str) -> Reason | None:
        """Return why the URL (absolute, without fragment) is not in scope, None if it is."""
        if not self._inside(url):
            return "out_of_scope"
        if self._exclude and any(test(url) for test in self._exclude):
            return "excluded"
        if self._include and not any(test(url) for test in self._include):
            return "not_included"
        return None

    def __repr__(self) -> str:
        return f"CrawlScope({self.name!r})"


def _inside(scope: str, start: str) -> Test:
    if scope == "any":
        return lambda url: True
    if scope == "origin":
        return _same_origin(start)
    if scope == "domain":
        domain = registrable_domain(host_of(start))
        return lambda url: _in_domain(host_of(url), domain)
    if scope == "path":
        return _below(start)
    return glob_test(scope)


def _same_origin(start: str) -> Test:
    origin = origin_of(start)
    prefix = origin + "/"
    # Most links are spelled as their page is: no parsing for those.
    return lambda url: url.startswith(prefix) or origin_of(url) == origin


def _in_domain(host: str, domain: str) -> bool:
    return host == domain or (host.endswith("." + domain) and bool(domain))


def _below(start: str) -> Test:
    """Return the test of scope "path": the start page and what lies below it, or beside a file."""
    origin, path = _same_origin(start), path_of(start)
    folder, _, last = path.rpartition("/")
    root = folder if "." in last or not last else path

    def test(url: str) -> bool:
        its = path_of(url)
        return origin(url) and (its == root or its.startswith(root + "/"))

    return test


def registrable_domain(host: str) -> str:
    """Return the part of a host name that somebody registered; IPs and localhost are their own."""
    if "." not in host or ":" in host or host.rpartition(".")[2].isdigit():
        return host
    return _suffixes()(host) or host


@cache
def _suffixes() -> Callable[[str], str | None]:
    from publicsuffixlist import PublicSuffixList  # parses its list: 30 ms, only for this scope

    find: Callable[[str], str | None] = PublicSuffixList().privatesuffix
    return find


def glob_test(pattern: str) -> Test:
    """Return the test of one glob (see the module's text)."""
    text, of_path = _parse_glob(pattern)
    regex = compile_re2(_regex(text))

    def test(url: str) -> bool:
        subject = _path_and_query(url) if of_path else url
        bare = subject.partition("?")[0]
        return regex.fullmatch(subject) is not None or regex.fullmatch(bare) is not None

    return test


def _parse_glob(pattern: str) -> tuple[str, bool]:
    """Return the glob of all that is compared, and whether that is path and query, not the URL."""
    if "://" in pattern:
        return pattern, False
    if not pattern.startswith("*"):
        return (pattern, True) if pattern.startswith("/") else ("**/" + pattern, False)
    if "/" in pattern:
        return "*" + pattern, False
    return pattern.replace("*", "**"), True


def _path_and_query(url: str) -> str:
    start = url.find("/", url.find("://") + 3)
    return url[start:] if start >= 0 else "/"


def _regex(glob: str) -> str:
    pieces, at = [], 0
    for star in _GLOB_PARTS.finditer(glob):
        pieces += [re.escape(glob[at : star.start()]), ".*" if star[0] == "**" else "[^/]*"]
        at = star.end()
    return "(?s)" + "".join([*pieces, re.escape(glob[at:])])
