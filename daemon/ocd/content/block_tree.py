"""A page's block elements as a tree, with the amounts of text, links and prose in each.

Linear and without a node for each inline element: a page of 40 KB takes a millisecond. The HTML is
a parser's own output, without scripts and comments.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

# A tag, and the text after it.
_TAG = re.compile(
    r"<(?:(?P<slash>/)?(?P<tag>[a-z][^\s/<>]*+)(?P<attributes>(?:[^<>=]++|=\"[^\"]*\"|=)*+)>|!)"
    r"(?P<text>[^<]*)"
)
_ATTRIBUTE = re.compile(r"\s(class|id|role|itemprop|aria-modal)=\"([^\"]*)\"")
_VOID = frozenset(
    ("area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "wbr")
)
_INLINE = frozenset(
    (
        *("a", "abbr", "acronym", "b", "bdi", "bdo", "big", "br", "button", "cite", "code", "data"),
        *("del", "dfn", "em", "font", "i", "img", "input", "ins", "kbd", "label", "mark", "meter"),
        *("nobr", "option", "picture", "q", "s", "samp", "select", "small", "source", "span"),
        *("strike", "strong", "sub", "sup", "time", "tt", "u", "var", "wbr"),
    )
)
# Chinese, Japanese and Korean signs, each of which says as much as several letters.
_IDEOGRAPHS = re.compile("[\u3041-\u30ff\u3400-\u9fff\uac00-\ud7a3]++")
_IDEOGRAPH = 3
# A run of so much text that is not linked is prose; inside a paragraph, of less.
_PROSE = 80
_PARAGRAPH = 50
_PARAGRAPHS = frozenset(("p", "pre", "blockquote"))


@dataclass(slots=True, eq=False)
class Block:
    """A block element: its position in the HTML, and the amounts of text inside it.

    A Chinese, Japanese or Korean sign counts as several.
    prose: text in runs that are long and mostly not links: sentences, not menus.
    """

    tag: str
    start: int
    raw_attributes: str
    parent: "Block | None" = None
    end: int = 0
    text: int = 0
    linked: int = 0
    prose: int = 0
    children: "list[Block]" = field(default_factory=list)

    def attributes(self) -> dict[str, str]:
        """Return those of class, id, role, itemprop and aria-modal that it has."""
        return dict(_ATTRIBUTE.findall(self.raw_attributes)) if self.raw_attributes else {}

    def descendants(self) -> "Iterator[Block]":
        """Yield what is inside, in the order of the page."""
        waiting = self.children[::-1]
        while waiting:
            block = waiting.pop()
            yield block
            waiting += block.children[::-1]

    def subtract(self, inner: "Block") -> None:
        """Subtract an inner block's amounts from its ancestors, up to this one."""
        at = inner.parent
        while at is not None:
            at.text -= inner.text
            at.linked -= inner.linked
            at.prose -= inner.prose
            if at is self:
                return
            at = at.parent


class _Builder:
    """Builds the tree from the tags in order."""

    def __init__(self) -> None:
        self.root = self.open_block = Block("", 0, "")
        self._in_link = False
        self._run = 0
        self._linked = 0

    def add_text(self, text: str) -> None:
        length = len(text.strip())
        if length:
            if not text.isascii():
                length += (_IDEOGRAPH - 1) * sum(map(len, _IDEOGRAPHS.findall(text)))
            self._run += length + 1
            self._linked += length + 1 if self._in_link else 0

    def inline(self, tag: str, *, closes: bool) -> None:
        if tag == "a":
            self._in_link = not closes

    def open(self, tag: str, match: re.Match[str]) -> None:
        self._end_run()
        block = Block(tag, match.start(), match["attributes"], self.open_block)
        self.open_block.children.append(block)
        if tag in _VOID:
            block.end = match.start("text")
        else:
            self.open_block = block

    def close(self, tag: str, end: int) -> None:
        self._end_run()
        closing: Block | None = self.open_block
        while closing is not None and closing.tag != tag:
            closing = closing.parent
        if closing is None:
            return
        while self._close_last(end) is not closing:
            pass

    def finish(self, end: int) -> Block:
        self._end_run()
        while self.open_block is not self.root:
            self._close_last(end)
        self.root.end = end
        return self.root

    def _close_last(self, end: int) -> Block:
        block = self.open_block
        assert block.parent is not None
        block.end = end
        block.parent.text += block.text
        block.parent.linked += block.linked
        block.parent.prose += block.prose
        self.open_block = block.parent
        return block

    def _end_run(self) -> None:
        if not self._run:
            return
        block = self.open_block
        block.text += self._run
        block.linked += self._linked
        least = _PARAGRAPH if block.tag in _PARAGRAPHS else _PROSE
        if self._run >= least and self._run - self._linked >= max(_PARAGRAPH, self._run / 2):
            block.prose += self._run
        self._run = self._linked = 0


def parse_blocks(html: str) -> Block:
    """Return the root of the tree; its children are the HTML's outermost blocks."""
    builder = _Builder()
    for match in _TAG.finditer(html):
        tag = match["tag"]
        if tag in _INLINE:
            builder.inline(tag, closes=match["slash"] is not None)
        elif tag and match["slash"]:
            builder.close(tag, match.start("text"))
        elif tag:
            builder.open(tag, match)
        if match["text"]:
            builder.add_text(match["text"])
    return builder.finish(len(html))
