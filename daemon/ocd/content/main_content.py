"""The main content of a page, without menus, sidebars, comments and teasers.

What the page itself marks as `main` or `article` comes first. Otherwise it is the smallest element
with nearly all of the prose. Elements that are navigation or extras by their tags, roles and class
names are removed, unless they contain much of the prose; so are the lists of other pages that
follow an article.
"""

import re
from collections.abc import Iterator

from ocd.content.block_tree import Block, parse_blocks
from ocd.content.listings import find_listings

_ASIDES = frozenset(("nav", "aside", "footer", "header", "form"))
_ROLES = frozenset(
    (
        *("navigation", "banner", "contentinfo", "search", "complementary", "dialog"),
        *("alertdialog", "menu", "menubar", "toolbar"),
    )
)
# What authors call what stands beside their content, as words of classes and ids.
_EXTRAS = frozenset(
    (
        *("ad", "ads", "advert", "advertisement", "advertising", "banner", "breadcrumb"),
        *("breadcrumbs", "consent", "cookie", "foot", "footer", "header", "login"),
        *("masthead", "menu", "mostread", "nav", "navbar", "navfooter", "navheader", "navigation"),
        *("newsletter", "outbrain", "pager", "pagination", "paywall", "popular", "popup", "promo"),
        *("promoted", "promotion", "rail", "recirc", "recommendation", "recommendations"),
        *("recommended", "related", "share", "sharebar", "shares", "sharetools", "sharing"),
        *("sidebar", "sidenav", "signup", "skip", "skyscraper", "social", "sphinxsidebar"),
        *("sponsor", "sponsored", "subscribe", "subscription", "taboola", "tags", "teaser"),
        *("teasers", "toolbar", "trending", "widget", "widgets"),
    )
)
# Inside of the content these are of its parts.
_HEADS = frozenset(("header", "foot", "footer"))
_NOTES = frozenset(("admonition", "callout", "footnote", "footnotes", "note", "topic", "warning"))
# Beside an article they are extras; on a forum they are the page.
_DISCUSSION = frozenset(
    ("comment", "comments", "community", "disqus", "replies", "reply", "respond")
)
_NAME = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_MAIN_IDS = frozenset(("main", "content", "main-content"))
# An id of more words is the slug of a heading.
_MAX_ID_WORDS = 3
# What can be an extra by its name: table cells, paragraphs and headings cannot.
_CONTAINERS = frozenset(
    ("article", "center", "div", "form", "menu", "ol", "section", "table", "td", "ul")
)
_BOXES = frozenset(("article", "center", "div", "form", "main", "section", "table", "td"))
_HEADINGS = frozenset(("h1", "h2", "h3"))
# So much of the page's prose is not beside the point, whatever it is called.
_MUCH = 0.25
# What is called main is, with so much of the prose; and what is inside of it, with so much of its.
_MAIN_SHARE = 0.2
_INNER_SHARE = 0.5
_MIN_MAIN = 200
_NEARLY_ALL = 0.9
# Beside the block with the headline, notices and banners without headings may say more.
_MAJORITY = 0.75
# Pages with less prose, or a smaller share, are lists: all of their text counts.
_MIN_PROSE = 200
_PROSE_SHARE = 0.15
# Without so much of the prose of the page, it was about its discussion.
_LEFT = 0.3


def main_part(html: str) -> str:
    """Return a serialised, visible document with its main content as its body.

    Where nothing stands out, that is the body without navigation and asides; where those are
    nearly all there is, the document as it was.
    """
    for extras in (_EXTRAS | _DISCUSSION, _EXTRAS, frozenset[str]()):
        body = _body(html)  # again: searching lowers the numbers
        if body is None or not body.text:
            return html
        search = _Search(body, extras)
        if search.is_enough():
            inner = _without(html, search.main, search.dropped + search.find_listings(html))
            return f"{html[: body.start]}<body>{inner}</body></html>"
    return html


def _body(html: str) -> Block | None:
    root = parse_blocks(html)
    return next((descendant for descendant in root.descendants() if descendant.tag == "body"), None)


class _Search:
    """A search for the main content: the block `main` without the `dropped` blocks inside it."""

    def __init__(self, body: Block, extras: frozenset[str]) -> None:
        self._extras = extras
        self.is_prose = body.prose >= max(_MIN_PROSE, body.text * _PROSE_SHARE)
        self.total_weight = self.weight(body)
        self._text = body.text
        self.dropped: list[Block] = []
        self._landmarks = [
            descendant for descendant in body.descendants() if _is_landmark(descendant)
        ]
        self._drop_extras(body)
        self.main = self._landmark(body) or (self._densest(body) if self.is_prose else body)

    def weight(self, block: Block) -> int:
        """Return a block's amount of prose on a page with prose, else of text outside links."""
        return block.prose if self.is_prose else block.text - block.linked

    def is_enough(self) -> bool:
        """Return whether the block found has enough text to be the main content."""
        if self.is_prose:
            return self.weight(self.main) >= self._weight_around_main() * _LEFT
        if _is_declared(self.main):
            return True
        return self.main.text >= self._text * _MUCH

    def _weight_around_main(self) -> int:
        """Return the weight of the page, or of the main part that it declares."""
        if not _is_declared(self.main):
            return self.total_weight
        inside = (block for block in self.dropped if self.main.start < block.start < self.main.end)
        return self.weight(self.main) + sum(map(self.weight, inside))

    def find_listings(self, html: str) -> list[Block]:
        """Return the lists of other pages that follow what a page of prose is about."""
        if not self.is_prose:
            return []
        gone = set(map(id, self.dropped))
        return find_listings(self.main, html, gone, self._headline_start(self.main))

    def _drop_extras(self, top: Block) -> None:
        waiting = [(child, False) for child in top.children]
        while waiting:
            block, in_main = waiting.pop()
            if not block.text:
                continue
            if self._is_extra(block, in_main=in_main) and self._is_dispensable(block):
                self.dropped.append(block)
                top.subtract(block)
            else:
                inner = in_main or _is_landmark(block)
                waiting += [(child, inner) for child in block.children]

    def _is_dispensable(self, block: Block) -> bool:
        """Return whether enough of the page remains without a block."""
        weight = self.weight(block)
        if weight < self.total_weight * _MUCH:
            return True
        if block.tag != "aside" and block.attributes().get("role") != "complementary":
            return False
        return any(
            self.weight(landmark) - (weight if landmark.start < block.start < landmark.end else 0)
            >= self.total_weight * _LEFT
            for landmark in self._landmarks
            if not block.start < landmark.start < block.end
        )

    def _is_extra(self, block: Block, *, in_main: bool) -> bool:
        attributes = block.attributes()
        words = _words(attributes.get("class", ""))
        if block.tag in _ASIDES and not (in_main and block.tag == "header"):
            return not words & _NOTES
        if not attributes or block.tag not in _CONTAINERS:
            return False
        if attributes.get("role") in _ROLES or attributes.get("aria-modal") == "true":
            return True
        of_id = _words(attributes.get("id", ""))
        if len(of_id) <= _MAX_ID_WORDS and not (block.tag == "section" or "section" in words):
            words |= of_id
        return bool(words & self._names(block, in_main=in_main))

    def _names(self, block: Block, *, in_main: bool) -> frozenset[str]:
        """Return the words that make such a block an extra."""
        if block.tag == "article":  # its classes are a post's topics, too
            return self._extras & _DISCUSSION
        return self._extras - _HEADS if in_main else self._extras

    def _landmark(self, body: Block) -> Block | None:
        gone = set(map(id, self.dropped))
        found = [descendant for descendant in _descendants(body, gone) if _is_landmark(descendant)]
        best = max(found, key=self.weight, default=None)
        if best is None or self.weight(best) < self._least_main(best, body):
            return None
        least = self.weight(best) * _INNER_SHARE
        inside = [
            block
            for block in found
            if best.start < block.start < best.end and self.weight(block) >= least
        ]
        return min(inside, key=self.weight, default=best)

    def _least_main(self, block: Block, body: Block) -> float:
        share = self.weight(body) * _MAIN_SHARE
        # On a page with little to say, what is declared to be the main part is little, too.
        return share / 2 if _is_declared(block) and not self.is_prose else max(_MIN_MAIN, share)

    def _densest(self, body: Block) -> Block:
        """Return the innermost block that has nearly all of the prose, with its headings."""
        at = body
        headline = self._headline_start(body)
        while True:
            inner = max(at.children, key=self.weight, default=None)
            if inner is None or inner.tag not in _BOXES or _has_heading(at):
                return at
            has_headline = inner.start <= headline < inner.end
            if not has_headline and at.start < headline < at.end:
                return at
            is_apart = has_headline and not _has_headings_beside(at, inner)
            share = _MAJORITY if is_apart else _NEARLY_ALL
            if inner.prose < body.prose * share or _unlinked(inner) < _unlinked(at) * share:
                return at
            at = inner

    def _headline_start(self, body: Block) -> int:
        """Return the position of the first h1 that is not a link, as site names often are."""
        gone = set(map(id, self.dropped))
        found = [
            descendant
            for descendant in _descendants(body, gone)
            if descendant.tag == "h1" and not descendant.linked
        ]
        return min((block.start for block in found if block.text), default=-1)


def _descendants(top: Block, gone: set[int]) -> Iterator[Block]:
    waiting = [top]
    while waiting:
        block = waiting.pop()
        if id(block) not in gone:
            yield block
            waiting += block.children


def _unlinked(block: Block) -> int:
    return block.text - block.linked


def _has_heading(block: Block) -> bool:
    return any(child.tag in _HEADINGS for child in block.children)


def _has_headings_beside(block: Block, inner: Block) -> bool:
    beside = (child for child in block.children if child is not inner and child.prose)
    return any(part.tag in _HEADINGS for block in beside for part in block.descendants())


def _is_declared(block: Block) -> bool:
    return block.tag == "main" or block.attributes().get("role") == "main"


def _is_landmark(block: Block) -> bool:
    if block.tag == "article" or _is_declared(block):
        return True
    attributes = block.attributes()
    return attributes.get("id") in _MAIN_IDS or attributes.get("itemprop") == "articleBody"


def _words(name: str) -> set[str]:
    return {word.lower() for word in _NAME.findall(name)} if name else set()


def _without(html: str, main: Block, dropped: list[Block]) -> str:
    """Return the HTML of a block without the dropped ones in it."""
    parts: list[str] = []
    at = main.start
    for one in sorted(dropped, key=lambda block: block.start):
        if at <= one.start < main.end:
            parts.append(html[at : one.start])
            at = one.end
    return "".join((*parts, html[at : main.end]))
