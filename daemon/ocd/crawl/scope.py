"""Which URLs belong to a crawl: its scope, and its include and exclude globs (url_globs)."""

from collections.abc import Callable, Container, Iterable, Sequence
from functools import cache
from typing import Literal

from ocd.crawl.url_globs import Test, glob_test
from ocd.crawl.urls import host_of, is_route, origin_of, path_of

Reason = Literal["out_of_scope", "not_included", "excluded"]


class CrawlScope:
    """The scope of one crawl; `reject` says why a URL is not part of it.

    starts: the start pages; what belongs to one of them belongs to the crawl.
    """

    def __init__(
        self,
        scope: str,
        starts: Sequence[str],
        include: Iterable[str] = (),
        exclude: Iterable[str] = (),
    ) -> None:
        self.name = scope
        self.starts = starts
        self._inside = _inside(scope, starts)
        self._include = [glob_test(pattern) for pattern in include]
        self._exclude = [glob_test(pattern) for pattern in exclude]

    def reject(self, url: str) -> Reason | None:
        """Return why the URL (absolute, without fragment) is out of scope, None if it is in scope.

        A route belongs to the crawl if its document does, unless it is excluded itself.
        """
        if is_route(url):
            excluded = any(test(url) for test in self._exclude)
            return "excluded" if excluded else self.reject(url.partition("#")[0])
        if not self._inside(url):
            return "out_of_scope"
        if self._exclude and any(test(url) for test in self._exclude):
            return "excluded"
        if self._include and not any(test(url) for test in self._include):
            return "not_included"
        return None

    def __repr__(self) -> str:
        return f"CrawlScope({self.name!r})"


def _inside(scope: str, starts: Sequence[str]) -> Test:
    if scope == "any":
        return lambda url: True
    if scope == "origin":
        return _same_origin(starts)
    if scope == "domain":
        domains = {registrable_domain(host_of(start)) for start in starts}
        return lambda url: _in_domain(host_of(url), domains)
    if scope == "path":
        return _below(starts)
    return glob_test(scope)


def _same_origin(starts: Sequence[str]) -> Test:
    origins = frozenset(map(origin_of, starts))
    prefix = origin_of(starts[0]) + "/"
    # Most links begin like their page's URL: those need no parsing.
    return lambda url: url.startswith(prefix) or origin_of(url) in origins


def _in_domain(host: str, domains: Container[str]) -> bool:
    return host in domains or any(
        host[at + 1 :] in domains for at, char in enumerate(host) if char == "."
    )


def _below(starts: Sequence[str]) -> Test:
    """Return the test for scope "path": a start page and what is below it, or beside a file."""
    roots: dict[str, set[str]] = {}
    for start in starts:
        path = path_of(start)
        folder, _, last = path.rpartition("/")
        root = folder if "." in last or not last else path
        roots.setdefault(origin_of(start), set()).add(root)

    def test(url: str) -> bool:
        its = path_of(url)
        return any(
            its == root or its.startswith(root + "/") for root in roots.get(origin_of(url), ())
        )

    return test


def is_same_site(url: str, target: str) -> bool:
    """Return whether a site only moved to https, or to or from its `www.` name."""
    scheme, _, host = origin_of(url).partition("://")
    new_scheme, _, new_host = origin_of(target).partition("://")
    if scheme == "file" or scheme == "https" != new_scheme or ":" in f"{host}{new_host}":
        return False
    return host.removeprefix("www.") == new_host.removeprefix("www.")


def registrable_domain(host: str) -> str:
    """Return the registrable part of a host name; an IP address or localhost as it is."""
    if "." not in host or ":" in host or host.rpartition(".")[2].isdecimal():
        return host
    return _suffixes()(host) or host


@cache
def _suffixes() -> Callable[[str], str | None]:
    from publicsuffixlist import PublicSuffixList  # parses its list in 30 ms, only for this scope

    find: Callable[[str], str | None] = PublicSuffixList().privatesuffix
    return find
