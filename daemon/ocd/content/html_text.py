"""HTML to Markdown, text, links and titles, for reading tabs and crawling.

Pure and CPU only: about 100 ms for a megabyte, during which the converter holds the interpreter's
lock. The parsers are imported on first use.
"""

import re
from collections.abc import Callable, Collection
from typing import TYPE_CHECKING

from ocd.content.code_language import mark_languages
from ocd.content.converter import convert
from ocd.content.declarative_shadow import compose
from ocd.content.depth_limit import flat_tree
from ocd.content.formulas import Formulas
from ocd.content.main_content import main_part
from ocd.content.markdown_signs import (
    join_attributes,
    join_lines,
    mark_alignment,
    mark_brackets,
    mark_definitions,
    mark_dollars,
    mark_empty_lines,
    mark_exclamations,
    mark_lists,
    mark_quotes,
    mark_ticks,
    without_signs,
    write_signs,
)
from ocd.content.page_features import Feature, Features, find_features
from ocd.content.page_signals import PageSignals, read_signals
from ocd.content.permalinks import remove_permalinks
from ocd.content.visible_html import shown_elements, visible_html
from ocd.safety.host_canonical import resolve_url

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

_SCRIPT_LINK = "javascript:"
_SPACES = re.compile(r"\s+")
_BLANK_LINES = re.compile(r"\n{3,}")
# The tags of links in serialised HTML.
_LINK_TAG = re.compile(r"</?a(?:\s(?:[^<>\"]++|\"[^\"]*+\")*+)?>")
_LINK_TITLE = re.compile(r"\stitle=\"([^\"]*+)\"")


def _read(html: str) -> "tuple[LexborHTMLParser, Features]":
    """Return the document, parsed, and what it may contain."""
    html = without_signs(html)
    features = find_features(html)
    if "shadow roots" in features:
        html = compose(html)
        features = find_features(html)
    return flat_tree(html), features


def _title(tree: "LexborHTMLParser") -> str:
    # The title of an inline SVG is not the page's.
    node = tree.css_first("head > title") or tree.css_first("body > title")
    if node:
        return _SPACES.sub(" ", node.text()).strip()
    meta = tree.css_first("meta[property='og:title']")
    return _SPACES.sub(" ", (meta.attributes.get("content") or "") if meta else "").strip()


def _base(tree: "LexborHTMLParser", base_url: str) -> str:
    node = tree.css_first("base[href]")
    href = (node.attributes.get("href") or "").strip() if node else ""
    return resolve_url(base_url, href) if href else base_url


def _link_text(node: "LexborNode") -> str:
    text = " ".join(node.text().split())
    if text:
        return text
    image = node.css_first("img[alt]")
    named = node if node.attributes.get("aria-label") else image
    attribute = "aria-label" if named is node else "alt"
    return ((named.attributes.get(attribute) or "") if named else "").strip()


class Document:
    """A page, parsed once for everything that a crawl takes from it.

    Call `title`, `raw_links` and `signals` first: `to_*` and `visible` change the tree.

    Attributes:
        base: the URL that the page's links are relative to; its <base>, or its own address.
    """

    def __init__(self, html: str, base_url: str = "") -> None:
        self._url = base_url
        self._source = html
        self._tree, self._features = _read(html)
        self._has_links = True
        self.base = _base(self._tree, base_url) if "base" in self._features else base_url

    def title(self) -> str:
        """Return the document's title on one line, "" if it has none."""
        return _title(self._tree)

    def raw_links(self) -> list[tuple[str, str]]:
        """Return (href, text) of each link in document order, hrefs as they are written.

        `javascript:` and empty targets are left out; the text of a picture link is its alt text.
        """
        found: list[tuple[str, str]] = []
        for node in self._tree.css("a[href], area[href]"):
            href = (node.attributes.get("href") or "").strip()
            if href and href[: len(_SCRIPT_LINK)].lower() != _SCRIPT_LINK:
                found.append((href, _link_text(node)))
        return found

    def signals(self, rels: Collection[str], product: str) -> PageSignals:
        """Return the page's signals for crawlers; see read_signals."""
        may_unfollow = "nofollow" in self._features
        return read_signals(self._tree, rels, product, may_unfollow=may_unfollow)

    def visible(self, *, only_main_content: bool = False) -> str:
        """Return the HTML, or its main part, without what its own markup hides.

        That is scripts, comments, `hidden` and styles; what style sheets hide is not known here.
        Drawings become their titles.
        """
        html = visible_html(self._tree, self._features)
        return main_part(html) if only_main_content else html

    def to_markdown(self, *, only_main_content: bool = False) -> str:
        """Return the page as Markdown; see the function to_markdown."""
        if "code" in self._features:
            mark_languages(self._tree)
        if "alignment" in self._features:
            mark_alignment(self._tree)
        formulas = Formulas(self._tree, self._source, self._features)
        html = self._without_spans(only_main=only_main_content)
        return _markdown(html, self._url, self._features, formulas)

    def to_text(self, *, only_main_content: bool = False) -> str:
        """Return the page as plain text; see the function to_text."""
        formulas = Formulas(self._tree, self._source, self._features)
        text = convert(self._without_spans(only_main=only_main_content), "", "PLAIN")
        text = formulas.write(text)
        return _BLANK_LINES.sub("\n\n", text) + "\n" if text else ""

    def remove_links(self) -> None:
        """Replace links by their text, after the main content was found, which depends on them."""
        self._has_links = False

    def _without_spans(self, *, only_main: bool) -> str:
        if "fragments" in self._features:
            remove_permalinks(self._tree)
        html = visible_html(self._tree, self._features, without_spans=True)
        html = main_part(html) if only_main else html
        return html if self._has_links else _LINK_TAG.sub(_title_of_empty, html)


def _title_of_empty(tag: re.Match[str]) -> str:
    """Return the text that replaces a link: nothing, or its title if it has no text."""
    if not tag.string.startswith("</a>", tag.end()):
        return ""
    titled = _LINK_TITLE.search(tag[0])
    return titled[1].replace("<", "&lt;") if titled else ""


def main_content(html: str) -> str:
    """Return the document with the part that it is about as its body (see main_part)."""
    return main_part(shown_elements(_read(html)[0]))


def to_markdown(
    html: str, base_url: str = "", *, only_main_content: bool = False, include_links: bool = True
) -> str:
    """Return what a reader would see as GitHub-flavoured Markdown, links absolute.

    `<base>` counts. Pictures in `data:` URLs become their alt texts.
    """
    document = Document(html, base_url)
    if not include_links:
        document.remove_links()
    return document.to_markdown(only_main_content=only_main_content)


_MARKS: tuple[tuple[Feature, Callable[[str], str]], ...] = (
    ("definitions", mark_definitions),
    ("code", mark_empty_lines),
    ("broken lines", join_lines),
    ("broken words", join_attributes),
    ("exclamations", mark_exclamations),
    ("quotes", mark_quotes),
    ("lists", mark_lists),
    ("bracketed", mark_brackets),
)


def _markdown(html: str, base_url: str, features: Features, formulas: Formulas) -> str:
    for feature, mark in _MARKS:
        html = mark(html) if feature in features else html
    html = mark_ticks(mark_dollars(html) if formulas else html)
    text = convert(html, base_url, "MARKDOWN")
    text = write_signs(text, has_backslashes="\\" in html, formulas=formulas)
    return text.strip("\n") + "\n" if text else ""


def to_text(html: str, *, only_main_content: bool = False) -> str:
    """Return what a reader would see as plain text, blocks on lines of their own."""
    return Document(html).to_text(only_main_content=only_main_content)
