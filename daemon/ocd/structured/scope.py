"""A part of a page in which values are looked for: all of it, one card, one row."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from ocd.structured import embedded, layout
from ocd.structured.embedded import Entity, Said
from ocd.structured.numbers import currency_in, minutes_in
from ocd.structured.schema import Field
from ocd.structured.tree import Node
from ocd.structured.words import likeness, words_of

LEAST = 0.5
_LEAST_HINT = 0.35
_TRUST = {"json-ld": 0.97, "microdata": 0.95, "rdfa": 0.93}
_LAID = {"definition-list": 0.88, "table": 0.88, "label": 0.84, "field": 0.8}
_MONEY = re.compile(
    r"(?:[€£¥₩₹₽₺₪$]|R\$|\b(?:USD|EUR|GBP|JPY|KRW|CHF|INR|CAD|AUD|zł|kr)\b)\s?\d"
    r"|\d[\d.,\s]*\s?(?:[€£¥₩₹₽₺₪원円元]|(?:USD|EUR|GBP|JPY|KRW|CHF|INR|CAD|AUD|zł|kr)\b)"
)
_STARS = re.compile(
    r"\d(?:[.,]\d+)?\s*(?:out of|/|von|sur|de|su)\s*(?:5|10|100)\b|\d(?:[.,]\d+)?\s*(?:stars?|★)",
    re.I,
)
_DATED = re.compile(r"\d{4}|\d{1,2}[./]\d")
_AFTER_NAME = re.compile(r"\s+[|·•\u2013\u2014-]\s+|\s+on\s+|,\s")
_MARKED = ("data-price", "data-value", "data-rating")
_NUMBERS = re.compile(r"\d[\d.,]*(?:[ \u00a0]\d{3})*")
_REVIEWS = re.compile(
    r"([\d.,]+\s?k?)\s+(?:reviews?|ratings?|votes?|bewertungen|avis|reseñas)\b", re.I
)
_STOCK = re.compile(
    r"^(?:in stock|out of stock|sold out|available|unavailable|not available|auf lager|ausverkauft"
    r"|agotado|en stock|품절|재고 있음|在庫あり|在庫なし)\b",
    re.I,
)
_BY = re.compile(r"^(?:written |posted |published )?(?:by|von|par|por|di)\s+(.{2,60})$", re.I)


@dataclass(frozen=True, slots=True)
class Candidate:
    """Something that may be a field's value."""

    raw: Any
    layer: str
    source: str
    score: float


@dataclass(eq=False)
class Scope:
    """Where to look. `entity` is the thing that it is about, if it says so for machines."""

    root: Node
    base: str = ""
    lang: str = ""
    page: bool = False
    entities: list[Entity] = field(default_factory=list)
    metas: list[tuple[str, str]] = field(default_factory=list)
    entity: Entity | None = None

    @cached_property
    def facts(self) -> list[layout.Fact]:
        """Labels and values of it."""
        return layout.facts(self.root)

    @cached_property
    def placed(self) -> list[tuple[Node, Entity]]:
        """The entities that stand in its markup, with their elements."""
        return [(one.node, one) for one in self.entities if one.node is not None]

    @cached_property
    def hints(self) -> list[tuple[tuple[str, ...], Node]]:
        """Its elements by the words of their classes."""
        return layout.hints(self.root)

    @cached_property
    def tables(self) -> list[layout.Table]:
        """Its tables with headers."""
        return layout.tables(self.root)

    @cached_property
    def groups(self) -> list[layout.Group]:
        """Elements of it that repeat."""
        return layout.groups(self.root)

    @cached_property
    def repeated(self) -> list[tuple[int, int]]:
        """Where the entries of its lists and cards stand."""
        return layout.repeated(self.groups)

    def candidates(self, wanted: Field) -> list[Candidate]:
        """Return what may be the field's value, the likeliest first."""
        found = [
            *self.embedded(wanted), *self._meta(wanted), *self._labelled(wanted),
            *self._hinted(wanted), *self._guessed(wanted),
        ]  # fmt: skip
        return sorted(found, key=lambda one: -one.score)

    def embedded(self, wanted: Field) -> Iterator[Candidate]:
        """Yield what the entity says about a field."""
        entity = self.entity
        if entity is None:
            return
        trust = _TRUST[entity.layer] * (0.6 if entity.about_site else 1)
        kind = entity.types[0] if entity.types else ""
        for one in entity.said:
            score = score_of(wanted, one)
            if score >= LEAST:
                where = ".".join((kind, *one.keys) if kind else one.keys)
                yield Candidate(one.value, entity.layer, where, trust * score)

    def _meta(self, wanted: Field) -> Iterator[Candidate]:
        for key, content in self.metas:
            score = like(wanted, embedded.meta_words(key))
            if score >= LEAST and content:
                open_graph = key.startswith(("og:", "article:", "product:", "book:", "link:"))
                trust = 0.83 if open_graph else 0.75
                yield Candidate(content, "open-graph" if open_graph else "meta", key, trust * score)

    def _labelled(self, wanted: Field) -> Iterator[Candidate]:
        for fact in self.facts:
            score = like(wanted, fact.words)
            if score >= LEAST:
                value = told_by(fact.node, wanted) if fact.text == fact.node.text else fact.text
                where = " ".join(fact.words)
                yield Candidate(value, fact.layer, where, _LAID[fact.layer] * score)

    def _hinted(self, wanted: Field) -> Iterator[Candidate]:
        alike: dict[float, int] = {}
        for words, node in self.hints:
            score = like(wanted, words)
            if score < LEAST or "struck" in node.attrs:
                continue
            # Names that stand on many things are those of a list, not of the page.
            alike[score] = alike.get(score, 0) + 1
            late = 0.02 * min(alike[score], 10)
            value = told_by(node, wanted)
            score = (0.82 * score - late) * self._belonging(node) * _plain(value, wanted)
            if value and score >= _LEAST_HINT:
                yield Candidate(value, "css", f"{node.tag}.{'-'.join(words)}", score)

    def _belonging(self, node: Node) -> float:
        """Return how much an element is of the whole: less in an aside or in one of many cards."""
        if not self.page:
            return 1
        beside = node.within("aside", "footer", "nav") is not None
        carded = any(at <= node.at < end for at, end in self.repeated)
        return 0.6 if beside or carded else 1

    # What a value looks like, for want of a name

    def _guessed(self, wanted: Field) -> Iterator[Candidate]:
        for meaning, guess in _GUESSES.items():
            if like(wanted, words_of(meaning)) >= 0.9:
                for value, where, score in guess(self, wanted):
                    yield Candidate(value, "heuristic", where, score)

    def nodes(self, *tags: str) -> Iterator[Node]:
        """Yield the elements of these tags, the root included."""
        if self.root.tag in tags:
            yield self.root
        yield from (node for node in self.root.inside() if node.tag in tags)


def names_of(wanted: Field) -> tuple[tuple[str, ...], ...]:
    """Return the words of all names of a field."""
    return (wanted.words, *wanted.aliases)


def like(wanted: Field, words: tuple[str, ...]) -> float:
    """Return how well a name fits a field."""
    return max(likeness(name, words) for name in names_of(wanted))


def score_of(wanted: Field, said: Said) -> float:
    """Return how well a value of an entity fits a field."""
    depth = 0.97 ** (len(said.keys) - 1)
    nested = 1.0 if said.plain else 0.45
    return depth * max(like(wanted, said.words), nested * like(wanted, said.last))


def _plain(value: str, wanted: Field) -> float:
    """Return how much a text is one value of the kind that is wanted."""
    if wanted.kind not in ("number", "integer") or minutes_in(value) is not None:
        return 1
    return 1 if len(value) <= 40 and len(_NUMBERS.findall(value)) == 1 else 0.4


def told_by(node: Node, wanted: Field) -> str:
    """Return what an element says of a field: its target, its time or its text."""
    attrs = node.attrs
    if attrs.get("content"):
        return attrs["content"]
    if wanted.format in ("uri", "url"):
        return _address(node)
    if wanted.format.startswith("date"):
        dated = node if attrs.get("datetime") else node.first("time")
        return (dated.attrs.get("datetime", "") if dated else "") or node.text
    if node.tag in ("input", "select", "textarea", "meter", "data", "progress"):
        return attrs.get("value", "")
    if wanted.kind in ("number", "integer"):
        marked = next((attrs[key] for key in _MARKED if attrs.get(key)), "")
        return marked or _unstruck(node) or attrs.get("aria-label", "")
    if node.tag == "img":
        return attrs.get("alt") or attrs.get("src", "")
    return node.text or attrs.get("aria-label", "")


def _address(node: Node) -> str:
    for inner in (node, *node.inside()):
        for key in ("href", "src"):
            if inner.attrs.get(key):
                return inner.attrs[key]
    linked = node.within("a")
    return linked.attrs.get("href", "") if linked else ""


def _unstruck(node: Node) -> str:
    # Beside an old price stands the one that counts.
    struck = [inner for inner in node.inside() if "struck" in inner.attrs or inner.tag == "del"]
    if not struck:
        return node.text
    for inner in node.inside():
        old = any(one.at <= inner.at < one.end for one in struck)
        if not old and any(letter.isdigit() for letter in inner.own_text):
            return inner.text
    return node.own_text


def _titles(scope: Scope, _: Field) -> Iterator[tuple[str, str, float]]:
    for number, tags in enumerate((("h1",), ("h2",), ("h3", "h4", "h5", "h6"))):
        for node in scope.nodes(*tags):
            if node.text:
                yield (
                    node.text,
                    node.tag,
                    (0.78 if scope.page and not number else 0.72 - number / 10),
                )
                break
    if not scope.page:
        for node in scope.nodes("a", "strong", "b"):
            if node.text and len(node.text) <= 200:
                yield node.text, node.tag, 0.55
                break


def _images(scope: Scope, _: Field) -> Iterator[tuple[str, str, float]]:
    for node in scope.nodes("img"):
        if node.attrs.get("src") and not node.within("header", "nav", "footer"):
            yield node.attrs["src"], "img", 0.62 if not scope.page else 0.5
            return


def _links(scope: Scope, _: Field) -> Iterator[tuple[str, str, float]]:
    if scope.page:
        yield scope.base, "address", 0.6
        return
    headed = [node for node in scope.nodes("a") if node.within("h1", "h2", "h3", "h4", "h5")]
    for node in [*headed, *scope.nodes("a")]:
        if node.attrs.get("href"):
            yield node.attrs["href"], "a", 0.65
            return
    around = scope.root.within("a")
    if around is not None:
        yield around.attrs.get("href", ""), "a", 0.6


def _prices(scope: Scope, _: Field) -> Iterator[tuple[str, str, float]]:
    seen = 0
    for node in (scope.root, *scope.root.inside()):
        if len(node.text) <= 40 and "struck" not in node.attrs and _MONEY.search(node.text):
            yield _unstruck(node), node.tag, 0.6 - 0.02 * seen
            seen += 1
            if seen > 3:
                return


def _currencies(scope: Scope, _: Field) -> Iterator[tuple[str, str, float]]:
    for text, where, score in _prices(scope, Field("price")):
        code = currency_in(text)
        if code:
            yield code, where, score
            return


def _dates(scope: Scope, _: Field) -> Iterator[tuple[str, str, float]]:
    for node in scope.nodes("time"):
        yield node.attrs.get("datetime") or node.text, "time", 0.68
        break
    for node in scope.root.inside():
        if (
            6 <= len(node.text) <= 40
            and re.search(r"\d{4}|\d{1,2}[./]\d", node.text)
            and not node.kids
        ):
            yield node.text, node.tag, 0.5


def _ratings(scope: Scope, _: Field) -> Iterator[tuple[str, str, float]]:
    for node in (scope.root, *scope.root.inside()):
        for text in (node.attrs.get("aria-label", ""), node.attrs.get("title", ""), node.text):
            if len(text) <= 60 and (match := _STARS.search(text)):
                yield match[0], node.tag, 0.6
                return


def _review_counts(scope: Scope, _: Field) -> Iterator[tuple[str, str, float]]:
    for node in scope.root.inside():
        match = _REVIEWS.search(node.text) if len(node.text) <= 80 else None
        if match:
            yield match[1], node.tag, 0.62
            return


def _stock(scope: Scope, _: Field) -> Iterator[tuple[str, str, float]]:
    for node in scope.root.inside():
        if len(node.text) <= 60 and _STOCK.match(node.text):
            yield node.text, node.tag, 0.62
            return


def _authors(scope: Scope, _: Field) -> Iterator[tuple[str, str, float]]:
    for node in scope.root.inside():
        if node.attrs.get("rel") == "author" and node.text:
            yield node.text, "rel=author", 0.75
            return
        match = _BY.match(node.text) if len(node.text) < 80 else None
        if match:
            yield _AFTER_NAME.split(match[1])[0], node.tag, 0.6
            return


def _descriptions(scope: Scope, _: Field) -> Iterator[tuple[str, str, float]]:
    for node in scope.nodes("p"):
        if len(node.text) >= (60 if scope.page else 20):
            yield node.text, "p", 0.55
            return


def _bodies(scope: Scope, _: Field) -> Iterator[tuple[str, str, float]]:
    for node in scope.nodes("article", "main"):
        yield "\n".join(node.lines), node.tag, 0.6
        return


def _mails(scope: Scope, _: Field) -> Iterator[tuple[str, str, float]]:
    for node in scope.nodes("a"):
        if node.attrs.get("href", "").lower().startswith("mailto:"):
            yield node.attrs["href"][7:].split("?")[0], "mailto", 0.8
            return
    found = re.search(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+", scope.root.text)
    if found:
        yield found[0], "text", 0.6


def _phones(scope: Scope, _: Field) -> Iterator[tuple[str, str, float]]:
    for node in scope.nodes("a"):
        if node.attrs.get("href", "").lower().startswith("tel:"):
            yield node.text or node.attrs["href"][4:], "tel", 0.8
            return


_GUESSES = {
    "title": _titles, "image": _images, "url": _links, "price": _prices, "currency": _currencies,
    "date": _dates, "rating": _ratings, "author": _authors, "description": _descriptions,
    "body": _bodies, "email": _mails, "phone": _phones, "review count": _review_counts,
    "availability": _stock, "start": _dates,
}  # fmt: skip
