"""Lists of plain values: ingredients, tags, pictures."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from ocd.extraction import page_layout
from ocd.extraction.field_names import words_of
from ocd.extraction.node_tree import Node
from ocd.extraction.node_value import field_value_of
from ocd.extraction.schema import SchemaField
from ocd.extraction.search_scope import MIN_SCORE, SearchScope, name_score

_MANY = 10_000


@dataclass(slots=True)
class ValueList:
    """Raw values of a list, and where they stand."""

    raws: list[Any] = field(default_factory=list)
    layer: str = ""
    source: str = ""
    score: float = 0.0


def best_list(field: SchemaField, scope: SearchScope) -> ValueList:
    """Return the likeliest list of values; an empty one if there is none."""
    found = [candidate for candidate in _lists(field, scope) if candidate.raws]
    return max(found, key=lambda one: one.score, default=ValueList())


def _lists(field: SchemaField, scope: SearchScope) -> Iterator[ValueList]:
    for candidate in scope.embedded_values(field):
        yield ValueList(_several(candidate.raw), candidate.layer, candidate.source, candidate.score)
    yield from _list_under_heading(field, scope)
    for fact in scope.facts:
        score = name_score(field, fact.words)
        if score >= MIN_SCORE:
            items = _items(fact.node) or _split(fact.text)
            yield ValueList(items, fact.layer, " ".join(fact.words), 0.75 * score)
    yield from _list_by_name(field, scope)
    yield from _columns(field, scope)
    yield from _by_kind(field, scope)


def _by_kind(field: SchemaField, scope: SearchScope) -> Iterator[ValueList]:
    item = field.item
    assert item is not None
    if name_score(field, ("image",)) >= 0.9:
        yield ValueList(
            [node.attrs.get("src", "") for node in scope.nodes("img")], "heuristic", "img", 0.5
        )
    if name_score(field, ("link",)) >= 0.9:
        pointing = item.format in ("uri", "url")
        links = [node.attrs.get("href", "") if pointing else node.text for node in scope.nodes("a")]
        yield ValueList(links[:_MANY], "heuristic", "a", 0.5)
    if name_score(field, ("heading",)) >= 0.9:
        heads = [node.text for node in scope.nodes("h1", "h2", "h3", "h4", "h5", "h6")]
        yield ValueList(heads, "heuristic", "headings", 0.6)


def _several(raw: Any) -> list[Any]:  # noqa: ANN401
    if isinstance(raw, list):
        return [step for inner in raw for step in _steps(inner)]
    if isinstance(raw, str):
        return _split(raw)
    return _steps(raw)


def _steps(raw: Any) -> list[Any]:  # noqa: ANN401
    # A recipe's sections have their steps inside.
    if isinstance(raw, dict):
        inner = raw.get("itemListElement")
        if isinstance(inner, list):
            return [step for part in inner for step in _steps(part)]
        return [raw.get("text") or raw]
    return [raw]


def _split(text: str) -> list[str]:
    for sign in ("\n", ";", "、", "،", ","):
        if sign in text:
            return [part.strip() for part in text.split(sign) if part.strip()]
    return [text] if text else []


def _items(node: Node) -> list[str]:
    return [inner.text for inner in node.inside() if inner.tag == "li" and inner.text]


def _list_under_heading(field: SchemaField, scope: SearchScope) -> Iterator[ValueList]:
    for node in scope.nodes("ul", "ol"):
        title = node.attrs.get("aria-label") or page_layout.heading_of(node)
        score = name_score(field, words_of(title)) if title else 0.0
        if score >= MIN_SCORE:
            assert field.item is not None
            values = [
                field_value_of(child, field.item) for child in node.children if child.tag == "li"
            ]
            yield ValueList(values[:_MANY], "list", title, 0.8 * score)


def _list_by_name(field: SchemaField, scope: SearchScope) -> Iterator[ValueList]:
    assert field.item is not None
    best: dict[float, list[Node]] = {}
    for words, node in scope.hints:
        score = name_score(field, words)
        if score >= MIN_SCORE:
            best.setdefault(score, []).append(node)
    for score, nodes in sorted(best.items(), reverse=True)[:3]:
        outer = [node for node in nodes if not any(_holds(other, node) for other in nodes)]
        if len(outer) == 1:
            children = [
                child for child in outer[0].children if child.text or child.attrs.get("src")
            ]
            inner = (
                children if len(children) > 1 else list(children[0].children) if children else []
            )
            values = _items(outer[0]) or [field_value_of(child, field.item) for child in inner]
            yield ValueList(values or _split(outer[0].text), "css", outer[0].tag, 0.74 * score)
        else:
            values = [field_value_of(node, field.item) for node in outer[:_MANY]]
            yield ValueList(values, "css", outer[0].tag, 0.78 * score)


def _holds(outer: Node, inner: Node) -> bool:
    return outer is not inner and outer.at < inner.at < outer.end


def _columns(field: SchemaField, scope: SearchScope) -> Iterator[ValueList]:
    for table in scope.tables:
        for at, header in enumerate(table.headers):
            score = name_score(field, words_of(header))
            if score >= MIN_SCORE:
                values = [row[at].text for row in table.rows if at < len(row)]
                yield ValueList(values[:_MANY], "table", header, 0.8 * score)
