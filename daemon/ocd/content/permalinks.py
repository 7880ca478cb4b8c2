"""Links from a page's headings and definitions to themselves, which a text does not need."""

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

_WITHIN_PAGE = "a[href^='#']"
# What generators of documentation write behind a heading: a sign, one that nobody sees, a picture
# of a sign, or one of an icon font (for private use).
_MARK = re.compile("[\\s¶§#⚓∞🔗\u200b-\u200d\u2060\ufe0e\ufe0f\ufeff\ue000-\uf8ff]*")
_HEADINGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))


def remove_permalinks(tree: "LexborHTMLParser") -> None:
    """Remove links within the page that are a mark and nothing else; headings are no links."""
    titled: list[LexborNode] = []
    for node in tree.css(_WITHIN_PAGE):
        if not _MARK.fullmatch(node.text()):
            titled.append(node)
        elif node.css_first("img") is None:
            node.decompose()
    for node in titled:
        parent = node.parent
        while parent is not None and parent.tag == "span":
            parent = parent.parent
        if parent is not None and parent.tag in _HEADINGS and _is_all(node, parent):
            del node.attrs["href"]


def _is_all(link: "LexborNode", heading: "LexborNode") -> bool:
    return link.text().strip() == heading.text().strip()
