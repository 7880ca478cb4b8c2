"""HTML whose elements are nested too deeply for its parsers, made flatter."""

import re
from collections import Counter
from functools import lru_cache
from typing import TYPE_CHECKING

from ocd.content.html_parser import parse_html

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser

# The parser's time grows with the square of the depth and the converter drops what is deeper than
# 1024 elements; Chromium itself stops nesting at 512.
MAX_NESTING = 200
_TAG = re.compile(
    r"<!--.*?(?:-->|\Z)|<(?P<raw>script|style|textarea|title|xmp|iframe|noembed|noframes)\b"
    r".*?(?:</(?P=raw)|\Z)|<(?P<slash>/?)(?P<name>[a-z][^\s/>]*+)[^>]*+(?:>|\Z)",
    re.DOTALL | re.IGNORECASE,
)
# Void elements, and those whose end tag may be left out: they do not nest by themselves.
_FLAT = frozenset(
    (
        *("area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param"),
        *("source", "track", "wbr", "html", "head", "body", "p", "li", "dt", "dd", "tr", "td"),
        *("th", "thead", "tbody", "tfoot", "colgroup", "option", "optgroup", "rp", "rt", "rb"),
    )
)
# The names of tags in lower case, "/" before those of end tags; "" for what contains none.
_RAW = "|".join(
    rf"{name}\b.*?(?:</{name}|\Z)"
    for name in ("script", "style", "textarea", "title", "xmp", "iframe", "noembed", "noframes")
)
_NAMES = re.compile(
    rf"<(?:!--.*?(?:-->|\Z)|{_RAW}|(/?[a-z][^\s/>]*+)[^>]*+(?:(?<!/)>|\Z)|/?[a-z][^>]*+>)",
    re.DOTALL,
)
_FLAT_NAMES = frozenset(("", *_FLAT, *(f"/{name}" for name in _FLAT)))
_COMMON_FLAT = ("<li>", "<td>", "<th>", "<tr>", "<p>", "<p ", "<img ", "<br")
# So few tags are parsed in a moment, however deep they nest (42 ms at worst).
_FEW_TAGS = 3000
# Matches an element that deep, and so finds out what the parser made of the tags. Only the first
# element in its parent: looking at every one would take twice as long.
_TOO_DEEP = "html > body" + " > *" * MAX_NESTING + " > :first-child"


def flat_tree(html: str) -> "LexborHTMLParser":
    """Return the document, parsed; elements deeper than MAX_NESTING made siblings."""
    tags = html.count("<")
    if tags > _FEW_TAGS:
        return parse_html(flatten(html))
    tree = parse_html(html)
    # Among more tags than twice that many, closing ones are hardly ever the most.
    few = tags <= 2 * MAX_NESTING and tags - html.count("</") <= MAX_NESTING
    return tree if few or tree.css_first(_TOO_DEEP) is None else parse_html(flatten(html))


@lru_cache(1)  # title, links and content are asked for one after the other
def flatten(html: str) -> str:
    """Return the HTML with elements deeper than MAX_NESTING made siblings; no text is lost."""
    if not _may_nest(html) or not _is_deep(html):
        return html
    nesting = _OpenElements()

    def limit(match: re.Match[str]) -> str:
        deep = nesting.follow(match) > MAX_NESTING
        if not deep:
            return match[0]
        return " " if match["slash"] else f"{match[0]}</{match['name']}>"

    return _TAG.sub(limit, html)


def _may_nest(html: str) -> bool:
    """Return whether enough tags may be open at once; cheaper than _is_deep."""
    opened = html.count("<") - html.count("</") - sum(map(html.count, _COMMON_FLAT))
    return opened > MAX_NESTING


def _is_deep(html: str) -> bool:
    """Return whether an element is deeper than MAX_NESTING, as _OpenElements counts."""
    opened: list[str] = []  # by their end tags
    for name in _NAMES.findall(html.lower()):
        if name in _FLAT_NAMES:
            continue
        if name[0] != "/":
            opened.append(f"/{name}")
            if len(opened) > MAX_NESTING:
                return True
        elif name in opened:  # else it is a stray one
            while opened.pop() != name:
                pass
    return False


class _OpenElements:
    """The elements open at a position in the text, much as a browser would have them."""

    def __init__(self) -> None:
        self._open: list[str] = []
        self._counts: Counter[str] = Counter()

    def follow(self, tag: re.Match[str]) -> int:
        """Take the next tag and return the depth of its element; 0 for one that does not nest."""
        name = (tag["name"] or "").lower()
        if not name or name in _FLAT or tag[0].endswith("/>"):
            return 0
        if not tag["slash"]:
            self._open.append(name)
            self._counts[name] += 1
            return len(self._open)
        depth = len(self._open)
        if not self._counts[name]:
            return 0  # a stray end tag
        while (last := self._open.pop()) != name:
            self._counts[last] -= 1
        self._counts[name] -= 1
        return depth
