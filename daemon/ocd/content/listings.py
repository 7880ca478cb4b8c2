"""Listings after an article that link to other pages: teasers, news streams, link boxes.

They are recognised by their structure, because their names vary endlessly. Nothing counts as one
before the article has had enough text: an index page consists of nothing else.
"""

import re
from itertools import pairwise

from ocd.content.block_tree import Block

# A link to another place than one of a page's own.
_LINK = re.compile(r"\shref=\"[^\"#]++\"")
_TITLES = frozenset(("h2", "h3", "h4", "h5", "h6"))
_HEADINGS = _TITLES | {"h1"}
_STREAMS = frozenset(("article", "div", "ol", "section", "td", "ul"))
# What is in these is the text's own.
_QUOTED = frozenset(("blockquote", "dd"))
# What is called so belongs to the text, or lists its parts.
_OF_TEXT = frozenset(
    (
        *("admonition", "citation", "contents", "footnote", "footnotes", "index", "note"),
        *("references", "section", "toc", "toctree"),
    )
)
_WORD = re.compile(r"[a-z]++")
_TAG = re.compile(r"<[^<>]*+>")
_SIGN_IN_NAME = re.compile(r"[_.:(]|[a-z][A-Z]")
# Prose that is an article, or the most of one.
_ARTICLE = 1000
_TEASER = 700
_MIN_TEASERS = 3
_TEASERS_SHARE = 0.6
_LINKED = 0.6
# A link around a teaser starts so few characters before its heading.
_LINK_AROUND = 2000
_MIN_LINKS = 3
_TITLE_LINKED = 0.8


def find_listings(main: Block, html: str, gone: set[int], headline: int) -> list[Block]:
    """Return the outermost listings in a block, without the blocks whose ids are `gone`.

    headline: where the page's headline starts, which is in none; -1 if there is none.
    """
    titles = _count_titles(main, html)
    headed = _with_headings(main)
    titled: set[int] = set()  # blocks under a heading
    found: list[Block] = []
    teasers = 0
    waiting = [main]
    while waiting:
        block = waiting.pop()
        if id(block) in gone or not block.text:
            continue
        # None is its own article, or holds the headline of what follows.
        if teasers >= _ARTICLE and not block.start <= headline < block.end:
            is_apart = id(block) not in titled and id(block) not in headed
            if (is_apart and _is_box(block, html)) or _is_stream(block, titles):
                found.append(block)
                continue
            if _is_linked(block) and (id(block) in titled or _is_of_text(block)):
                continue
        if block.tag in _QUOTED:
            teasers += block.prose
        elif not _is_teaser(block, titles):
            teasers += block.prose - sum(inner.prose for inner in block.children)
            titled.update(id(one) for above, one in pairwise(block.children) if _is_heading(above))
            waiting += block.children[::-1]
    return found


def _count_titles(main: Block, html: str) -> dict[int, int]:
    """Return how many headings that lead to other pages each block has, by its id."""
    counts: dict[int, int] = {}
    for block in main.descendants():
        if block.tag not in _TITLES or block.linked < max(1, block.text * _TITLE_LINKED):
            continue
        if not _leads_elsewhere(block, html) or _is_identifier(block, html):
            continue
        at: Block | None = block.parent
        while at is not None and at is not main:
            counts[id(at)] = counts.get(id(at), 0) + 1
            at = at.parent
    return counts


def _with_headings(main: Block) -> set[int]:
    """Return the ids of the blocks with headings in them."""
    found: set[int] = set()
    for block in main.descendants():
        at = block.parent if _is_heading(block) else None
        while at is not None and at is not main and id(at) not in found:
            found.add(id(at))
            at = at.parent
    return found


def _leads_elsewhere(heading: Block, html: str) -> bool:
    start = html.find("<a ", heading.start, heading.end)
    if start < 0:  # the link is around it
        start = html.rfind("<a ", max(0, heading.start - _LINK_AROUND), heading.start)
    end = html.find(">", start, heading.end)
    return start >= 0 and _LINK.search(html, start, end) is not None


def _is_identifier(heading: Block, html: str) -> bool:
    """Return whether a heading is a program's identifier: API references list a class's members."""
    words = _TAG.sub("", html[heading.start : heading.end]).split()
    return len(words) == 1 and words[0].isascii() and _SIGN_IN_NAME.search(words[0]) is not None


def _is_teaser(block: Block, titles: dict[int, int]) -> bool:
    return id(block) in titles and block.text <= _TEASER


def _is_stream(block: Block, titles: dict[int, int]) -> bool:
    if block.tag not in _STREAMS or titles.get(id(block), 0) < _MIN_TEASERS:
        return False
    parts = [child for child in block.children if child.text]
    teasers = sum(1 for part in parts if _is_teaser(part, titles))
    return teasers >= max(_MIN_TEASERS, len(parts) * _TEASERS_SHARE)


def _is_linked(block: Block) -> bool:
    return not block.prose and block.linked >= block.text * _LINKED


def _is_of_text(block: Block) -> bool:
    """Return whether links are in a section, list, table or paragraph of the text."""
    attributes = block.attributes()
    names = f"{attributes.get('class', '')} {attributes.get('id', '')}".lower()
    return block.tag != "div" or not _OF_TEXT.isdisjoint(_WORD.findall(names))


def _is_box(block: Block, html: str) -> bool:
    """Return whether a block of links is a box of its own and not the frame of a list."""
    if not _is_linked(block) or _is_of_text(block):
        return False
    at = block.start
    for _ in range(_MIN_LINKS):
        at = html.find("<a ", at + 1, block.end)
        if at < 0:
            return False
    return _is_of_parts(block)


def _is_of_parts(block: Block) -> bool:
    at = block
    while True:
        inner = [child for child in at.children if child.text]
        if len(inner) != 1 or inner[0].text < at.text:
            return True
        if inner[0].tag != "div":
            return False
        at = inner[0]


def _is_heading(block: Block) -> bool:
    return block.tag in _HEADINGS and block.linked < block.text * _TITLE_LINKED
