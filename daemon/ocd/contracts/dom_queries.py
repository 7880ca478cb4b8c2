"""Texts and counts by selector, from the evidence or from its HTML."""

from functools import lru_cache
from typing import TYPE_CHECKING

from ocd.content.depth_limit import flat_tree
from ocd.contracts.matching import collapse_whitespace
from ocd.contracts.snapshot import Snapshot

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser

_PAGE_SELECTORS = ("", "html", "body", ":root")


def text_of(evidence: Snapshot, selector: str | None) -> tuple[bool, str | None]:
    """Return whether the evidence has the text, and the text; None if no element matches.

    selector None: the whole page. The texts of several matches are on separate lines.
    """
    texts = evidence.dom_text
    names = _PAGE_SELECTORS if selector is None or selector in _PAGE_SELECTORS else (selector,)
    if isinstance(texts, str) and names is _PAGE_SELECTORS:
        return True, texts
    if isinstance(texts, dict):
        for name in names:
            if name in texts:
                return True, texts[name]
    if evidence.html is None:
        return False, None
    return _text_in(evidence.html, selector)


def _text_in(html: str, selector: str | None) -> tuple[bool, str | None]:
    if selector is None:
        from ocd.content import html_text

        return True, html_text.to_text(html)
    try:
        nodes = _tree(html).css(selector)
    except _refusal():
        return False, None
    if not nodes:
        return True, None
    return True, "\n".join(collapse_whitespace(node.text()) for node in nodes)


def count_of(evidence: Snapshot, selector: str) -> int | None:
    """Return how many elements match; None if that is not known."""
    if evidence.dom_count is not None and selector in evidence.dom_count:
        return evidence.dom_count[selector]
    if evidence.html is None:
        return None
    try:
        return len(_tree(evidence.html).css(selector))
    except _refusal():
        return None


@lru_cache(1)
def _tree(html: str) -> "LexborHTMLParser":
    return flat_tree(html)


def _refusal() -> type[Exception]:
    """Return the exception that the parser raises for a selector that it does not support."""
    from selectolax.lexbor import SelectolaxError

    return SelectolaxError
