"""Whether a page, as the server sent it, needs its scripts to show anything."""

import re
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, Any

from ocd.content.declarative_shadow import compose
from ocd.content.depth_limit import flat_tree
from ocd.safety.regex import compile_re2

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser

# With more text than this the page says something without scripts, whatever its markup.
ENOUGH_TEXT = 2000
_LITTLE_TEXT = 120
_DEMAND_TEXT = 500
_EMPTY_ROOT_TEXT = 40
_ROOTS = (
    "#root, #app, #__next, #__nuxt, #___gatsby, #svelte, #q-app, #main-app, #react-root, "
    "#app-root, #application, app-root, [ng-app], [data-ng-app], [data-reactroot]"
)
_ASKS = (
    r"(?i)(enable|require|need|turn on|activate|without)\w*\W+(?:\w+\W+){0,4}?(java\s?script|js)\b"
    r"|java\s?script (is |has been )?(disabled|required|not enabled|turned off)"
)
_NOSCRIPT = re.compile(r"<noscript\b[^<>]{0,200}>|</noscript", re.IGNORECASE)
_LONGEST_DEMAND = 2000
_TAG = re.compile(r"<[^<>]*>")
_DATA_SCRIPTS = ("json", "template", "importmap", "speculationrules")
_DROPPED = ("script", "style", "noscript", "template", "svg")


def needs_browser_reason(html: str) -> str:
    """Return why the page needs a browser, "" if it can be read as it is."""
    tree = flat_tree(compose(html))
    if not _has_scripts(tree):
        return "meta refresh" if _refreshes_blank(tree) else ""
    demand = _noscript_demand(html)
    tree.strip_tags(list(_DROPPED))
    root = _empty_root(tree)
    text = " ".join(tree.body.text(separator=" ").split()) if tree.body else ""
    if len(text) >= ENOUGH_TEXT:
        return ""
    if root:
        return f"empty application root {root}"
    if demand and len(text) < _DEMAND_TEXT:
        return "noscript asks for JavaScript"
    if "{{" in text and "}}" in text:
        return "unfilled template"
    if len(text) < _DEMAND_TEXT and (name := _empty_element(tree)):
        return f"empty custom element <{name}>"
    if len(text) < _LITTLE_TEXT:
        return f"{len(text)} characters of text beside scripts"
    return ""


def _has_scripts(tree: "LexborHTMLParser") -> bool:
    return any(
        not any(word in (node.attributes.get("type") or "") for word in _DATA_SCRIPTS)
        for node in tree.css("script")
    )


def _refreshes_blank(tree: "LexborHTMLParser") -> bool:
    node = tree.css_first("meta[http-equiv=refresh i]")
    text = tree.body.text(strip=True) if tree.body else ""
    target = (node.attributes.get("content") or "") if node else ""
    return "url" in target.lower() and len(text) < _LITTLE_TEXT


def _noscript_demand(html: str) -> bool:
    # From the source: in a head, a parser without scripting takes the words out of the element.
    return any(
        _asks().search(_TAG.sub(" ", text).encode(errors="replace")) for text in _noscripts(html)
    )


def _noscripts(html: str) -> Iterator[str]:
    """Yield what the short noscript elements say, each place of the source looked at once."""
    begun: int | None = None
    for mark in _NOSCRIPT.finditer(html):
        if mark[0].startswith("</"):
            if begun is not None and mark.start() - begun <= _LONGEST_DEMAND:
                yield html[begun : mark.start()]
            begun = None
        elif begun is None or mark.end() - begun > _LONGEST_DEMAND:
            begun = mark.end()


@cache
def _asks() -> Any:  # noqa: ANN401 - re2 has no types
    # RE2: `re` would look through each word's rest from each of its letters.
    return compile_re2(_ASKS.encode())


def _empty_root(tree: "LexborHTMLParser") -> str:
    for node in tree.css(_ROOTS):
        if len(node.text(strip=True)) < _EMPTY_ROOT_TEXT and not node.css_first("img, a[href]"):
            name = node.attributes.get("id")
            return f"#{name}" if name else f"<{node.tag}>"
    return ""


def _empty_element(tree: "LexborHTMLParser") -> str:
    """Return the name of a custom element that has nothing to show yet."""
    for node in tree.body.traverse() if tree.body else ():
        if "-" in (node.tag or "") and not (node.tag or "").startswith("-"):
            empty = len(node.text(strip=True)) < _EMPTY_ROOT_TEXT
            if empty and not node.css_first("img, a[href]"):
                return node.tag or ""
    return ""
