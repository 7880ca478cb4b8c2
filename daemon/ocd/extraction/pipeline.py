"""From a page's capture to values: all of extract_data except the browser."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ocd.extraction import page_layout
from ocd.extraction.embedded_metadata import Entity, from_json, from_markup, group_metas
from ocd.extraction.node_tree import PageCapture, Tree
from ocd.extraction.repeated_rows import RepeatedRows
from ocd.extraction.schema import SchemaField
from ocd.extraction.schema_fill import FilledObject, fill, fill_many
from ocd.extraction.search_scope import SearchScope

MAX_ROWS = 10_000


@dataclass(slots=True)
class RepeatedObjects:
    """Objects that repeat; `rows` says how they were found (None: each is a scope of its own)."""

    items: list[dict[str, Any]]
    rows: RepeatedRows | None
    found: list[FilledObject]


def one(harvest: PageCapture, field: SchemaField, *, page: bool) -> FilledObject:
    """Fill the object from the page (or from the first scope)."""
    return fill(field.fields, _scope(harvest, page=page))


def many(harvest: PageCapture, item: SchemaField, *, page: bool) -> RepeatedObjects:
    """Fill an object from each scope, or from each repeated item of the page."""
    if not page and len(harvest.scopes) > 1:
        found = [
            fill(
                item.fields,
                _scope(PageCapture(harvest.url, [scope], lang=harvest.lang), page=False),
            )
            for scope in harvest.scopes
        ]
        return RepeatedObjects([item.data for item in found], None, found)
    items, rows = fill_many(item, _scope(harvest, page=page))
    return RepeatedObjects(items, rows, [])


def everything(harvest: PageCapture, *, page: bool) -> dict[str, Any]:
    """Return all structured data that the page contains, without a schema."""
    scope = _scope(harvest, page=page)
    by_layer: dict[str, list[dict[str, Any]]] = {"json-ld": [], "microdata": [], "rdfa": []}
    for entity in scope.entities:
        if entity.top:
            by_layer[entity.layer].append(entity.props)
    metas = group_metas(scope.metas)
    graph = {
        key: value
        for key, value in metas.items()
        if key.startswith(("og:", "article:", "product:"))
    }
    rest = {key: value for key, value in metas.items() if key not in graph}
    return {
        "title": harvest.title,
        "json_ld": by_layer["json-ld"], "microdata": by_layer["microdata"],
        "rdfa": by_layer["rdfa"], "open_graph": graph, "meta": rest,
        "facts": [{"label": fact.label, "value": fact.text} for fact in scope.facts],
        "tables": [_table(table) for table in scope.tables],
    }  # fmt: skip


def _table(table: page_layout.Table) -> dict[str, Any]:
    rows = [[cell.text for cell in row] for row in table.rows[:MAX_ROWS]]
    return {"caption": table.caption, "headers": table.headers, "rows": rows}


def _scope(harvest: PageCapture, *, page: bool) -> SearchScope:
    tree = Tree(_join_scopes(harvest.scopes))
    entities: list[Entity] = [*from_json(tree.json), *from_markup(tree)]
    return SearchScope(
        tree.root, harvest.url, harvest.lang, page=page, entities=entities,
        metas=harvest.metas if page else [],
    )  # fmt: skip


def _join_scopes(scopes: list[list[list[Any]]]) -> Iterator[list[Any]]:
    # Frames of other origins stand after the page; all are in one element around them.
    yield [-1, "html", 0]
    for scope in scopes:
        yield from scope
