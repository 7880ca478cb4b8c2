"""Guessing what a value is without a name: prices, dates, titles, addresses."""

import re
from collections.abc import Iterator
from typing import Protocol

from ocd.extraction.node_tree import Node
from ocd.extraction.node_value import current_text
from ocd.extraction.numbers import currency_in
from ocd.extraction.schema import SchemaField
from ocd.extraction.type_coercion import EMAIL

_MONEY = re.compile(
    r"(?:[€£¥₩₹₽₺₪$]|R\$|\b(?:USD|EUR|GBP|JPY|KRW|CHF|INR|CAD|AUD|zł|kr)\b)\s?\d"
    r"|\d[.,\s]*(?:[€£¥₩₹₽₺₪원円元]|(?:USD|EUR|GBP|JPY|KRW|CHF|INR|CAD|AUD|zł|kr)\b)"
)
_STARS = re.compile(
    r"\d(?:[.,]\d+)?\s*(?:out of|/|von|sur|de|su)\s*(?:5|10|100)\b|\d(?:[.,]\d+)?\s*(?:stars?|★)",
    re.I,
)
_AFTER_NAME = re.compile(r"(?<!\s)\s+(?:[|·•\u2013\u2014-]|on)\s+|,\s")
_REVIEWS = re.compile(
    r"(?<![\d.,])([\d.,]++\s?k?)\s+(?:reviews?|ratings?|votes?|bewertungen|avis|reseñas)\b", re.I
)
_STOCK = re.compile(
    r"^(?:in stock|out of stock|sold out|available|unavailable|not available|auf lager|ausverkauft"
    r"|agotado|en stock|품절|재고 있음|在庫あり|在庫なし)\b",
    re.I,
)
_BY = re.compile(r"^(?:written |posted |published )?(?:by|von|par|por|di)\s+(.{2,60})$", re.I)


class ScopeView(Protocol):
    """The part of a scope that guesses use."""

    root: Node
    base: str
    page: bool

    def nodes(self, *tags: str) -> Iterator[Node]:
        """Yield the elements of these tags."""
        raise NotImplementedError


def _titles(scope: ScopeView, _: SchemaField) -> Iterator[tuple[str, str, float]]:
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


def _images(scope: ScopeView, _: SchemaField) -> Iterator[tuple[str, str, float]]:
    for node in scope.nodes("img"):
        if node.attrs.get("src") and not node.within("header", "nav", "footer"):
            yield node.attrs["src"], "img", 0.62 if not scope.page else 0.5
            return


def _links(scope: ScopeView, _: SchemaField) -> Iterator[tuple[str, str, float]]:
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


def _prices(scope: ScopeView, _: SchemaField) -> Iterator[tuple[str, str, float]]:
    seen = 0
    for node in (scope.root, *scope.root.inside()):
        if len(node.text) <= 40 and "struck" not in node.attrs and _MONEY.search(node.text):
            yield current_text(node), node.tag, 0.6 - 0.02 * seen
            seen += 1
            if seen > 3:
                return


def _currencies(scope: ScopeView, _: SchemaField) -> Iterator[tuple[str, str, float]]:
    for text, where, score in _prices(scope, SchemaField("price")):
        code = currency_in(text)
        if code:
            yield code, where, score
            return


def _dates(scope: ScopeView, _: SchemaField) -> Iterator[tuple[str, str, float]]:
    for node in scope.nodes("time"):
        yield node.attrs.get("datetime") or node.text, "time", 0.68
        break
    for node in scope.root.inside():
        if (
            6 <= len(node.text) <= 40
            and re.search(r"\d{4}|\d{1,2}[./]\d", node.text)
            and not node.children
        ):
            yield node.text, node.tag, 0.5


def _ratings(scope: ScopeView, _: SchemaField) -> Iterator[tuple[str, str, float]]:
    for node in (scope.root, *scope.root.inside()):
        for text in (node.attrs.get("aria-label", ""), node.attrs.get("title", ""), node.text):
            if len(text) <= 60 and (match := _STARS.search(text)):
                yield match[0], node.tag, 0.6
                return


def _review_counts(scope: ScopeView, _: SchemaField) -> Iterator[tuple[str, str, float]]:
    for node in scope.root.inside():
        match = _REVIEWS.search(node.text) if len(node.text) <= 80 else None
        if match:
            yield match[1], node.tag, 0.62
            return


def _stock(scope: ScopeView, _: SchemaField) -> Iterator[tuple[str, str, float]]:
    for node in scope.root.inside():
        if len(node.text) <= 60 and _STOCK.match(node.text):
            yield node.text, node.tag, 0.62
            return


def _authors(scope: ScopeView, _: SchemaField) -> Iterator[tuple[str, str, float]]:
    for node in scope.root.inside():
        if node.attrs.get("rel") == "author" and node.text:
            yield node.text, "rel=author", 0.75
            return
        match = _BY.match(node.text) if len(node.text) < 80 else None
        if match:
            yield _AFTER_NAME.split(match[1])[0], node.tag, 0.6
            return


def _descriptions(scope: ScopeView, _: SchemaField) -> Iterator[tuple[str, str, float]]:
    for node in scope.nodes("p"):
        if len(node.text) >= (60 if scope.page else 20):
            yield node.text, "p", 0.55
            return


def _bodies(scope: ScopeView, _: SchemaField) -> Iterator[tuple[str, str, float]]:
    for node in scope.nodes("article", "main"):
        yield "\n".join(node.lines), node.tag, 0.6
        return


def _mails(scope: ScopeView, _: SchemaField) -> Iterator[tuple[str, str, float]]:
    for node in scope.nodes("a"):
        if node.attrs.get("href", "").lower().startswith("mailto:"):
            yield node.attrs["href"][7:].split("?")[0], "mailto", 0.8
            return
    found = EMAIL.search(scope.root.text)
    if found:
        yield found[0], "text", 0.6


def _phones(scope: ScopeView, _: SchemaField) -> Iterator[tuple[str, str, float]]:
    for node in scope.nodes("a"):
        if node.attrs.get("href", "").lower().startswith("tel:"):
            yield node.text or node.attrs["href"][4:], "tel", 0.8
            return


GUESSES = {
    "title": _titles, "image": _images, "url": _links, "price": _prices, "currency": _currencies,
    "date": _dates, "rating": _ratings, "author": _authors, "description": _descriptions,
    "body": _bodies, "email": _mails, "phone": _phones, "review count": _review_counts,
    "availability": _stock, "start": _dates,
}  # fmt: skip
