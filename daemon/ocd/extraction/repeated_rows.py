"""Repeated items on a page, as objects: table rows, cards, described entries."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from ocd.extraction import page_layout
from ocd.extraction.embedded_metadata import Entity, types_of
from ocd.extraction.field_names import words_of
from ocd.extraction.node_tree import Node
from ocd.extraction.node_value import field_value_of
from ocd.extraction.schema import SchemaField
from ocd.extraction.search_scope import MIN_SCORE, SearchScope, name_score, score_of
from ocd.extraction.type_coercion import coerce

FillRow = Callable[[tuple[SchemaField, ...], Any, SearchScope], dict[str, Any]]
# Of so many the worth is known without the rest.
_SAMPLE = 4
_TRIED = 25


@dataclass(slots=True)
class RepeatedRows:
    """Repeated items: `read` makes an object of one of the `items`."""

    items: list[Any]
    read: Callable[[Any], dict[str, Any]]
    layer: str
    source: str
    score: float = 0.0
    named: float = 0.0


def best_rows(field: SchemaField, scope: SearchScope, fill_row: FillRow) -> RepeatedRows | None:
    """Return the repeated items that fill the fields best, None if none fill a quarter of them."""
    assert field.item is not None
    fields = field.item.fields
    best: RepeatedRows | None = None
    best_worth = 0.0
    for rows in _all(field, fields, scope, fill_row):
        share = _share(rows, len(fields))
        if share < 0.25:
            continue
        worth = share * (1 + 0.06 * math.log2(len(rows.items) + 1)) + 0.3 * rows.named
        worth += {"json-ld": 0.08, "microdata": 0.08, "rdfa": 0.06, "table": 0.05}.get(
            rows.layer, 0
        )
        if worth > best_worth:
            best, best_worth = rows, worth
            rows.score = min(0.35 + 0.55 * share + 0.1 * rows.named, 0.97)
    return best


def _share(rows: RepeatedRows, field_count: int) -> float:
    sample = rows.items[:_SAMPLE]
    filled = sum(len(rows.read(item)) for item in sample)
    return filled / (len(sample) * field_count) if sample and field_count else 0.0


def _all(
    field: SchemaField, fields: tuple[SchemaField, ...], scope: SearchScope, fill_row: FillRow
) -> Iterator[RepeatedRows]:
    def read(item: Any) -> dict[str, Any]:  # noqa: ANN401
        return fill_row(fields, item, scope)

    yield from _describe_row(field, scope, read)
    for table in scope.tables:
        rows = _table(table, fields, scope)
        if rows is not None:
            rows.named = name_score(field, words_of(table.caption)) if field.words else 0
            yield rows
    for group in scope.groups[:_TRIED]:
        kind = group.items[0].attrs.get("class", "").split()
        names = [*kind, group.parent.attrs.get("class", ""), page_layout.heading_of(group.parent)]
        named = max((name_score(field, words_of(name)) for name in names if name), default=0.0)
        where = f"{group.items[0].tag}{''.join('.' + name for name in kind[:1])}"
        items: list[Any] = group.items[: page_layout.MAX_CARDS]
        yield RepeatedRows(items, read, "cards", where, named=named if field.words else 0)


def _describe_row(
    field: SchemaField, scope: SearchScope, read: Callable[[Any], dict[str, Any]]
) -> Iterator[RepeatedRows]:
    for candidate in scope.entity.all_values if scope.entity and field.words else ():
        if isinstance(candidate.value, list | dict) and score_of(field, candidate) >= MIN_SCORE:
            layer = scope.entity.layer if scope.entity else "json-ld"
            items = _as_entities(candidate.value, layer)
            yield RepeatedRows(list(items), read, layer, ".".join(candidate.keys), named=1)
    kinds: dict[tuple[str, str], list[Entity]] = {}
    for entity in scope.entities:
        kind = entity.types[0] if entity.types else ""
        kinds.setdefault((entity.layer, kind), []).append(entity)
        listed = entity.props.get("itemListElement")
        if isinstance(listed, list) and kind != "BreadcrumbList":
            yield RepeatedRows(
                list(_as_entities(listed, entity.layer)), read, entity.layer, "ItemList"
            )
    for (layer, kind), entities in kinds.items():
        if len(entities) > 1 or (field.words and name_score(field, words_of(kind)) >= 0.9):
            named = name_score(field, words_of(kind)) if field.words else 0
            yield RepeatedRows(list(entities), read, layer, kind, named=named)


def _as_entities(value: Any, layer: str) -> Iterator[Entity]:  # noqa: ANN401
    for one in value if isinstance(value, list) else [value]:
        if isinstance(one, dict):
            item = one.get("item")
            inner = {**one, **item} if isinstance(item, dict) else one
            yield Entity(layer, types_of(inner), inner)


def _table(
    table: page_layout.Table, fields: tuple[SchemaField, ...], scope: SearchScope
) -> RepeatedRows | None:
    """Return a table's rows; which column is which field is decided once."""
    columns = _columns(table, fields)
    if not columns:
        return None

    def read(row: list[Node]) -> dict[str, Any]:
        cells = ((field, _cell(row, columns.get(field.name, len(row)), field)) for field in fields)
        values = {one.name: coerce(one, raw, scope.base, scope.lang) for one, raw in cells if raw}
        return {name: value for name, value in values.items() if value is not None}

    items: list[Any] = table.rows[: page_layout.MAX_CARDS]
    return RepeatedRows(items, read, "table", table.caption or "table")


def _cell(row: list[Node], at: int, field: SchemaField) -> str:
    if at < len(row):
        return field_value_of(row[at], field)
    # A row's own link stands in whichever cell.
    linked = field.format in ("uri", "url") and next(
        (cell for cell in row if cell.first("a")), None
    )
    return field_value_of(linked, field) if linked else ""


def _columns(table: page_layout.Table, fields: tuple[SchemaField, ...]) -> dict[str, int]:
    pairs = [
        (name_score(field, words_of(header)), field.name, at)
        for field in fields
        for at, header in enumerate(table.headers)
    ]
    columns: dict[str, int] = {}
    for score, name, at in sorted(pairs, key=lambda pair: -pair[0]):
        if score >= MIN_SCORE and name not in columns and at not in columns.values():
            columns[name] = at
    return columns
