"""What a document may contain, found in one pass over its source.

Each question to a parsed tree walks the whole tree, and most pages have little of what is asked
about. A feature that is not found is not in the tree; one that is found may still be missing there
(in a script, say), so its pattern is no more exact than it has to be.
"""

from functools import cache, lru_cache
from typing import Any, Literal, get_args

from ocd.safety.regex import compile_set

Feature = Literal[
    "alignment", "base", "bracketed", "broken lines", "broken words", "captions", "code",
    "data lists", "definitions", "dialogs", "exclamations", "formulas", "fragments", "hidden",
    "inputs", "lists", "logins", "no frames", "no scripts", "nofollow", "quotes", "script links",
    "scripts", "shadow roots", "spans", "style sheets", "styles", "templates", "unseen",
    "vector graphics",
]  # fmt: skip
Features = frozenset[Feature]
# How a browser, which knows the layout, marks an element that nobody can see
# (injected/pool/mark_hidden.js).
UNSEEN = "data-openchrome-unseen"
# In an attribute's value, any character may be written as a reference, which begins with "&".
_REFERENCE_INSIDE = r"\s*=\s*(?:\"[^\"&]*&|'[^'&]*&|[^\s>&]*&)"
_PATTERNS: dict[Feature, str] = {
    "alignment": rf"(?i)align|style{_REFERENCE_INSIDE}",
    "base": "(?i)<base",
    "bracketed": r"\](?:<[^<>]*>)*\(|&(?:#|rsqb|rbrack|lpar)",
    "broken lines": r"\n[ \t]*(?:[-+*#=>~]|&gt|\d{1,9}[.)])|[^>\s]\s*\n\s*\n|\n\s*\n\s*[^<\s]",
    "broken words": r"(?i)(?:alt|title)\s*=\s*(?:\"[^\"\n]*\n|'[^'\n]*\n)",
    "captions": "(?i)<figcaption",
    "code": "(?i)<pre",
    "data lists": "(?i)<datalist",
    "definitions": "(?i)<dd",
    "dialogs": "(?i)<dialog",
    "exclamations": "(?i)!<a",
    "formulas": '[Mm]ath|katex|latex|mjx-|class="tex',
    "fragments": r"(?i)href\s*=\s*[\"']?[#&]",
    "hidden": "(?i)hidden",
    "inputs": "(?i)<input",
    "lists": "(?i)</(?:ul|menu)",
    "logins": "(?i)@|&commat|&#",
    "no frames": "(?i)<(?:noembed|noframes)",
    "no scripts": "(?i)<noscript",
    "nofollow": rf"(?i)nofollow|rel{_REFERENCE_INSIDE}",
    "quotes": "(?i)</blockquote",
    "script links": r"(?i)javascript:|href\s*=\s*[\"']?[^&\"'>]{0,11}&",
    "scripts": "(?i)<script",
    "shadow roots": "shadowrootmode",
    "spans": "(?i)<span",
    "style sheets": "(?i)<style",
    "styles": r"(?i)style\s*=",
    "templates": "(?i)<template",
    "unseen": f"(?i){UNSEEN}",
    "vector graphics": "(?i)<svg",
}
ALL_FEATURES: Features = frozenset(get_args(Feature))


def find_features(html: str) -> Features:
    """Return what the document may contain; 2 µs a kilobyte."""
    found = _pattern_set().Match(html.encode(errors="replace"))
    return _names_at(tuple(found)) if found else frozenset()


@cache
def _pattern_set() -> Any:  # noqa: ANN401 - google-re2 has no types
    return compile_set(list(_PATTERNS.values()))


@lru_cache(256)
def _names_at(indices: tuple[int, ...]) -> Features:
    names = tuple(_PATTERNS)
    return frozenset(names[index] for index in indices)
