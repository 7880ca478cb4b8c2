"""Globs for URLs, as in a crawl's scope, include and exclude. Pure.

`**` is any text, `*` any text without "/", everything else (a "?" too) is literal. A
pattern with "://" is compared with the whole URL, one that starts with "/" with path and query,
any other (`docs/**`) with the end of the URL that begins at a "/". Only at the beginning `*` is
any text, too, as in `*/api/*`; one that begins with it and has no "/" (`*.pdf`, `*guide*`) is any
path and query with that in it. The query counts or not: `/docs/*` covers `/docs/a?x=1`, too.

The other dialects: hosts in `safety/host_globs`, URLs of requests and texts in
`browser/observe/text_patterns`; ARCHITECTURE.md has them side by side.
"""

import re
from collections.abc import Callable

from ocd.safety.regex import compile_re2

Test = Callable[[str], bool]

_GLOB_PARTS = re.compile(r"\*\*|\*")


def glob_test(pattern: str) -> Test:
    """Return the test of an URL by one glob (see the module's text)."""
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
