"""HTML into Markdown, text, links and titles: what reading a tab and crawling share.

Pure and CPU only: about 100 ms for a megabyte, during which the converter holds the interpreter's
lock. The parsers are imported on first use.
"""

import re
from functools import cache
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin

from ocd.content.declarative_shadow import compose
from ocd.content.depth_limit import flat_tree
from ocd.content.main_content import main_part

if TYPE_CHECKING:
    from html_to_markdown import ConversionOptions
    from selectolax.lexbor import LexborHTMLParser, LexborNode

_NEVER_SHOWN = (
    "script, style, template, noscript, datalist, noembed, noframes, input[type=hidden i]"
)
# How a browser, which knows the layout, marks an element that nobody can see
# (injected/mark_hidden.js).
UNSEEN = "data-openchrome-unseen"
_HIDDEN = f"[hidden], dialog:not([open]), [{UNSEEN}]"
_HIDING_STYLE = re.compile(
    r"(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)"
    r"|opacity\s*:\s*(?:0++(?:\.0++)?|\.0++)|font-size\s*:\s*0(?:px|em|rem|%|pt)?"
    r"|content-visibility\s*:\s*hidden)"
    r"\s*(?:!important\s*)?(?:;|$)",
    re.IGNORECASE,
)
# "user:password@" before a host.
_LOGIN = re.compile(r"^(\s*(?:[a-z][a-z0-9+.-]*:)?//)[^/?#@\s]*@", re.IGNORECASE)
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_SPACES = re.compile(r"\s+")
_BLANK_LINES = re.compile(r"\n{3,}")
# Code shows "<!--" as it is; elsewhere a backslash says that it is text and no comment.
_TEXT_COMMENT = re.compile(
    r"^(?P<fence>```++|~~~++)[^\n]*+\n|(?P<span>`[^`\n]*`)|(?<!\\)<!--", re.MULTILINE
)
_SPAN = re.compile(r"`[^`\n]*`")


def _tree(html: str) -> "LexborHTMLParser":
    if "shadowrootmode" in html:
        html = compose(html)
    return flat_tree(html)


def title(html: str) -> str:
    """Return the document's title on one line, "" if it has none."""
    return _title(_tree(html))


def _title(tree: "LexborHTMLParser") -> str:
    # The title of an inline drawing is none of the page's.
    node = tree.css_first("head > title") or tree.css_first("body > title")
    if node:
        return _SPACES.sub(" ", node.text()).strip()
    meta = tree.css_first("meta[property='og:title']")
    return _SPACES.sub(" ", (meta.attributes.get("content") or "") if meta else "").strip()


def links(html: str, base_url: str = "") -> list[tuple[str, str]]:
    """Return (URL, text) of each link in document order; absolute if `base_url` or <base> is.

    `javascript:` and empty targets are left out; the text of a picture link is its alt text.
    """
    tree = _tree(html)
    return _links(tree, _base(tree, base_url))


def _links(tree: "LexborHTMLParser", base: str) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for node in tree.css("a[href], area[href]"):
        href = _join_url(base, (node.attributes.get("href") or "").strip())
        if href and not href.lower().startswith("javascript:"):
            found.append((href, _link_text(node)))
    return found


def _base(tree: "LexborHTMLParser", base_url: str) -> str:
    node = tree.css_first("base[href]")
    href = (node.attributes.get("href") or "").strip() if node else ""
    return _join_url(base_url, href) if href else base_url


def _join_url(base: str, href: str) -> str:
    try:
        return urljoin(base, href) if href else ""
    except ValueError:  # brackets that are no IPv6 address
        return href


def _link_text(node: "LexborNode") -> str:
    text = _SPACES.sub(" ", node.text()).strip()
    if text:
        return text
    image = node.css_first("img[alt]")
    named = node if node.attributes.get("aria-label") else image
    attribute = "aria-label" if named is node else "alt"
    return ((named.attributes.get(attribute) or "") if named else "").strip()


class Document:
    """A page that is parsed once for everything that a crawl takes from it.

    Read `title`, `links` and `base` first: `to_*` and `visible` use the tree up.
    """

    def __init__(self, html: str, base_url: str = "") -> None:
        self._url = base_url
        self._tree = _tree(html)
        self.base = _base(self._tree, base_url)

    def title(self) -> str:
        """Return what the function of that name returns."""
        return _title(self._tree)

    def raw_links(self) -> list[tuple[str, str]]:
        """Return (href, text) of each link in document order, hrefs as they are written."""
        return _links(self._tree, "")

    def visible(self, *, only_main_content: bool = False) -> str:
        """Return static_visible() of the page, or of its main content."""
        return _visible(self._tree, only_main_content=only_main_content)

    def to_markdown(self, *, only_main_content: bool = False) -> str:
        """Return what the function of that name returns."""
        return _markdown(self.visible(only_main_content=only_main_content), self._url)

    def to_text(self, *, only_main_content: bool = False) -> str:
        """Return what the function of that name returns."""
        return _convert(self.visible(only_main_content=only_main_content), "", "PLAIN")


def static_visible(html: str) -> str:
    """Return the HTML without what its own markup hides: scripts, comments, `hidden`, styles.

    What style sheets hide is not known here. Drawings become their titles.
    """
    return _visible(_tree(html))


def _visible(tree: "LexborHTMLParser", *, only_main_content: bool = False) -> str:
    _drop_hidden(tree)
    html = _without_comments(tree.html or "")
    return main_part(html) if only_main_content else html


def _drop_hidden(tree: "LexborHTMLParser") -> None:
    _remove(tree.css(_NEVER_SHOWN))
    _remove(tree.css(_HIDDEN))
    _remove(
        [n for n in tree.css("[style]") if _HIDING_STYLE.search(n.attributes.get("style") or "")]
    )
    for node in tree.css("a[href^='javascript:' i]"):
        del node.attrs["href"]
    for node in tree.css("a[href*='@']"):
        node.attrs["href"] = _LOGIN.sub(r"\1", node.attributes.get("href") or "")
    for node in reversed(tree.css("svg")):
        named = node.css_first("title")
        node.replace_with(named.text() if named else "")


def _remove(nodes: list["LexborNode"]) -> None:
    # Inner ones first: an element that went with its parent must not be touched again.
    for node in reversed(nodes):
        node.decompose()


def _without_comments(html: str) -> str:
    # A serialised document has "<!--" nowhere but in comments.
    return _COMMENT.sub("", html) if "<!--" in html else html


def main_content(html: str) -> str:
    """Return the document with the part that it is about as its body (see main_part)."""
    tree = _tree(html)
    _remove(tree.css(_NEVER_SHOWN))
    return main_part(_without_comments(tree.html or ""))


def to_markdown(
    html: str, base_url: str = "", *, only_main_content: bool = False, include_links: bool = True
) -> str:
    """Return what a reader would see as GitHub-flavoured Markdown, links absolute.

    `<base>` counts. Pictures in `data:` URLs become their alt texts.
    """
    shown = _visible(_tree(html), only_main_content=only_main_content)
    return _markdown(_simplify_links(shown) if not include_links else shown, base_url)


def _markdown(shown: str, base_url: str) -> str:
    text = _convert(shown, base_url, "MARKDOWN")
    return _escaped_comments(text) if "<!--" in text else text


def _escaped_comments(text: str) -> str:
    """Return Markdown in which no "<!--" outside code begins a comment."""
    parts: list[str] = []
    done = at = 0
    unclosed: set[str] = set()  # each kind of fence is looked for to the end of the text only once
    while match := _TEXT_COMMENT.search(text, at):
        at = match.end()
        if match["fence"]:
            at = _end_of_code(text, match, unclosed)
        elif not match["span"]:
            parts += (text[done : match.start()], r"\<!--")
            done = at
    return "".join((*parts, text[done:]))


def _end_of_code(text: str, opening: re.Match[str], unclosed: set[str]) -> int:
    """Return the end of a fenced block; of a code span or one sign, where no fence closes it."""
    fence = opening["fence"]
    if not any(map(fence.startswith, unclosed)):
        closing = text.find(f"\n{fence}", opening.end() - 1)
        if closing >= 0:
            return closing + 1 + len(fence)
        unclosed.add(fence)
    span = _SPAN.match(text, opening.start())
    return span.end() if span else opening.start() + 1


def to_text(html: str, *, only_main_content: bool = False) -> str:
    """Return what a reader would see as plain text, blocks on lines of their own."""
    return _convert(_visible(_tree(html), only_main_content=only_main_content), "", "PLAIN")


def _simplify_links(html: str) -> str:
    tree = _tree(html)
    tree.unwrap_tags(["a"])
    return tree.html or ""


def _convert(html: str, base_url: str, output: str) -> str:
    from html_to_markdown import convert

    content = (convert(html, _options(base_url, output)).content or "").strip()
    if "\n\n\n" in content:  # a plain search costs next to nothing
        content = _BLANK_LINES.sub("\n\n", content)
    return content + "\n" if content else ""


def _options(base_url: str, output: str) -> "ConversionOptions":
    from html_to_markdown import ConversionOptions

    return ConversionOptions(base_url=base_url or None, **_style(output))


@cache
def _style(output: str) -> dict[str, Any]:
    # Members instead of their names, its own defaults too: the library looks every name up by
    # trying, for each page anew.
    import html_to_markdown as library

    return {
        "output_format": getattr(library.OutputFormat, output),
        # Ours is done already, and the library's would drop forms and navigation.
        "preprocessing": library.PreprocessingOptions(
            enabled=False, preset=library.PreprocessingPreset.STANDARD
        ),
        "extract_metadata": False,
        "bullets": "-",
        "compact_tables": True,
        "autolinks": False,
        "inline_data_media": library.InlineDataMedia.ALT_TEXT_ONLY,
        "expand_abbreviations": False,
        "include_blockquote_citations": False,
        "newline_style": library.NewlineStyle.BACKSLASH,
        "heading_style": library.HeadingStyle.ATX,
        "list_indent_type": library.ListIndentType.SPACES,
        "highlight_style": library.HighlightStyle.DOUBLE_EQUAL,
        "whitespace_mode": library.WhitespaceMode.NORMALIZED,
        "code_block_style": library.CodeBlockStyle.BACKTICKS,
        "hidden_content": library.HiddenContent.DROP,
        "url_escape_style": library.UrlEscapeStyle.ANGLE,
        "link_style": library.LinkStyle.INLINE,
        "tier_strategy": library.TierStrategy.TIER2,
    }
