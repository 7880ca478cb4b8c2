"""A document's HTML as input for extraction, as extraction_capture.js gives that of a tab."""

from typing import TYPE_CHECKING, Any

from ocd.content.depth_limit import flat_tree
from ocd.content.visible_html import visible_html
from ocd.extraction.node_tree import PageCapture
from ocd.safety.host_canonical import resolve_url

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

# The bounds of extraction_capture.js, and its attributes.
_MAX_NODES = 200_000
_MAX_TEXT = 4_000_000
_MAX_METAS = 500
_LONG_META = 5000
_LONG_ATTRIBUTE = 2000
_DEEP = 400
_TELLING = frozenset(
    (  # noqa: SIM905 - a list of words a line
        "class id datetime content itemprop itemtype itemid itemref property typeof resource about"
        " rel role aria-label data-testid data-test data-qa data-field data-label data-name"
        " data-key data-price data-value data-rating name alt title colspan scope lang for"
    ).split()
)
_LINKS = ("a", "area", "link")
_MEDIA = ("img", "source", "video", "audio")
_VALUED = ("input", "meter", "progress", "data")
_SECRET_INPUTS = ("password", "hidden")
_STRUCK = ("s", "del", "strike")


def capture_html(html: str, url: str) -> PageCapture:
    """Return the document as extraction takes it; what its markup hides is left out."""
    tree = flat_tree(html)
    base = resolve_url(url, _attribute(tree.css_first("base[href]"), "href"))
    capture = PageCapture(url, lang=_attribute(tree.root, "lang"))
    title = tree.css_first("head > title")
    capture.title = " ".join(title.text().split()) if title else ""
    capture.metas = _metas(tree, base)
    walk = _Walk(base)
    for script in tree.css("script[type*='ld+json' i]"):
        walk.entries.append([1, "script", {"json": script.text()[:_MAX_TEXT]}])
    body = flat_tree(visible_html(tree)).body
    if body is not None:
        walk.element(body)
    capture.scopes.append(walk.entries)
    capture.cut = walk.cut
    return capture


def _attribute(node: "LexborNode | None", name: str) -> str:
    return (node.attributes.get(name) or "").strip() if node is not None else ""


def _metas(tree: "LexborHTMLParser", base: str) -> list[tuple[str, str]]:
    found = []
    for node in tree.css("meta[property][content], meta[name][content], meta[itemprop][content]"):
        attributes = node.attributes
        name = (
            attributes.get("property") or attributes.get("name") or attributes.get("itemprop") or ""
        )
        found.append((name, (attributes.get("content") or "")[:_LONG_META]))
    for node in tree.css("link[href]"):
        if (relation := _attribute(node, "rel")) in ("canonical", "next", "amphtml"):
            found.append((f"link:{relation}", resolve_url(base, _attribute(node, "href"))))
    return found[:_MAX_METAS]


class _Walk:
    """Walks a tree and collects its entries: [depth, tag, attributes or 0] and [depth, text]."""

    def __init__(self, base: str) -> None:
        self._base = base
        self.entries: list[list[Any]] = []
        self._text = 0
        self.cut = False

    def element(self, top: "LexborNode") -> None:
        """Take an element with everything inside it; without recursion, for pages nest."""
        waiting = [(top, 0)]
        while waiting:
            node, depth = waiting.pop()
            if len(self.entries) > _MAX_NODES or self._text > _MAX_TEXT:
                self.cut = True
                return
            if node.is_text_node:
                self._words(depth, node.text_content or "")
                continue
            self.entries.append([depth, node.tag, self._attributes(node)])
            if node.tag == "textarea" or node.tag == "select":
                continue
            if depth >= _DEEP:
                self._words(depth + 1, node.text())
                continue
            kids = [(kid, depth + 1) for kid in node.iter(include_text=True)]
            waiting += reversed(kids)

    def _words(self, depth: int, text: str) -> None:
        if text:
            self.entries.append([depth, text if not text.isspace() else " "])
            self._text += len(text)

    def _attributes(self, node: "LexborNode") -> dict[str, str] | int:
        attributes, tag = node.attributes, node.tag or ""
        found = {
            name: value[:_LONG_ATTRIBUTE]
            for name, value in attributes.items()
            if value and name in _TELLING
        }
        if "itemscope" in attributes:
            found["itemscope"] = "1"
        if tag in _LINKS and attributes.get("href"):
            found["href"] = resolve_url(self._base, (attributes["href"] or "").strip())[
                :_LONG_ATTRIBUTE
            ]
        elif tag in _MEDIA and (source := _source(attributes)):
            found["src"] = resolve_url(self._base, source)[:_LONG_ATTRIBUTE]
        elif tag in _VALUED and (attributes.get("type") or "").lower() not in _SECRET_INPUTS:
            found["value"] = (attributes.get("value") or "")[:_LONG_ATTRIBUTE]
        elif tag == "select":
            found["value"] = _option_text(node)
        if tag in _STRUCK or "line-through" in (attributes.get("style") or ""):
            found["struck"] = "1"
        return found or 0


def _source(attributes: dict[str, str | None]) -> str:
    source = (attributes.get("src") or "").strip()
    return source if source and not source.startswith("data:") else attributes.get("data-src") or ""


def _option_text(node: "LexborNode") -> str:
    option = node.css_first("option[selected]") or node.css_first("option")
    return " ".join(option.text().split())[:_LONG_ATTRIBUTE] if option else ""
