"""Filling a schema from a scope: scalars, objects, lists, each with its source."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any

from ocd.extraction.embedded_metadata import Entity
from ocd.extraction.node_tree import Node, Tree
from ocd.extraction.repeated_rows import RepeatedRows, best_rows
from ocd.extraction.schema import SchemaField
from ocd.extraction.search_scope import MIN_SCORE, SearchScope, score_of
from ocd.extraction.type_coercion import coerce
from ocd.extraction.value_lists import best_list

__all__ = ["FilledObject", "fill", "fill_many"]

# Of one row.
_MAX_ENTITIES = 20


@dataclass(slots=True)
class FilledObject:
    """Values, and for each field (by its path) the layer, the place and the confidence."""

    data: dict[str, Any] = field(default_factory=dict)
    layers: dict[str, str] = field(default_factory=dict)
    sources: dict[str, str] = field(default_factory=dict)
    confidence: dict[str, float] = field(default_factory=dict)
    missing: list[str] = field(default_factory=list)
    required: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    def put(self, path: str, layer: str, source: str, score: float) -> None:
        """Note where a field's value came from."""
        self.layers[path] = layer
        self.sources[path] = source
        self.confidence[path] = round(min(score, 0.99), 2)

    def add_missing(self, field: SchemaField, path: str) -> None:
        """Note that a field has no value."""
        self.missing.append(path)
        if field.required:
            self.required.append(path)

    def join(self, other: "FilledObject", name: str) -> None:
        """Add the values of the nested object `name`."""
        self.layers |= {f"{name}.{path}": value for path, value in other.layers.items()}
        self.sources |= {f"{name}.{path}": value for path, value in other.sources.items()}
        self.confidence |= {f"{name}.{path}": value for path, value in other.confidence.items()}
        self.missing += [f"{name}.{path}" for path in other.missing]
        self.required += [f"{name}.{path}" for path in other.required]
        self.errors += [f"{name}.{error}" for error in other.errors]


def fill(fields: Iterable[SchemaField], scope: SearchScope) -> FilledObject:
    """Fill the fields of one object; values that are not found are missing, never invented."""
    schema_fields = tuple(fields)
    if scope.entity is None:
        scope.entity = best_entity(schema_fields, scope.entities)
    out = FilledObject()
    for schema_field in schema_fields:
        if schema_field.kind == "object" and schema_field.fields:
            _object(schema_field, scope, out)
        elif schema_field.kind == "array" and schema_field.item is not None:
            _array(schema_field, scope, out)
        else:
            _scalar(schema_field, scope, out)
    return out


def _scalar(field: SchemaField, scope: SearchScope, out: FilledObject) -> None:
    unfit = ""
    for candidate in scope.candidates(field):
        value = coerce(field, candidate.raw, scope.base, scope.lang)
        if value is not None:
            out.data[field.name] = value
            out.put(field.name, candidate.layer, candidate.source, candidate.score)
            return
        unfit = unfit or str(candidate.raw)[:60]
    if unfit:
        kind = field.format or field.kind
        out.errors.append(f"{field.name}: {unfit!r} is not a valid {kind}")
    out.add_missing(field, field.name)


def _object(field: SchemaField, scope: SearchScope, out: FilledObject) -> None:
    inner = _inner_scope(field, scope)
    found = fill(field.fields, inner) if inner else FilledObject()
    # "brand: {name}" may stand beside the rest, as brand or as brand name.
    joined = tuple(
        replace(inner, words=field.words + inner.words, aliases=())
        for inner in field.fields
        if inner.name not in found.data
    )
    beside = fill(joined, scope)
    beside.data = {**found.data, **beside.data}
    beside.errors += found.errors
    beside.layers |= found.layers
    beside.sources |= found.sources
    beside.confidence |= found.confidence
    if not beside.data:
        out.add_missing(field, field.name)
        return
    out.data[field.name] = beside.data
    out.join(beside, field.name)


def _inner_scope(field: SchemaField, scope: SearchScope) -> SearchScope | None:
    entity = scope.entity
    for candidate in entity.all_values if entity else ():
        value = (
            candidate.value[0]
            if isinstance(candidate.value, list) and candidate.value
            else candidate.value
        )
        if entity and isinstance(value, dict) and score_of(field, candidate) >= 0.6:
            return SearchScope(
                _NOWHERE, scope.base, scope.lang, entity=Entity(entity.layer, (), value)
            )
    for words, node in scope.hints:
        if words == field.words and node.children:
            return SearchScope(node, scope.base, scope.lang)
    return None


def _array(field: SchemaField, scope: SearchScope, out: FilledObject) -> None:
    assert field.item is not None
    if field.item.kind == "object":
        rows = best_rows(field, scope, _fill_row)
        if rows is None:
            out.add_missing(field, field.name)
            return
        out.data[field.name] = [row for row in map(rows.read, rows.items) if row]
        out.put(field.name, rows.layer, rows.source, rows.score)
        return
    found = best_list(field, scope)
    values = [coerce(field.item, raw, scope.base, scope.lang) for raw in found.raws]
    distinct = list(dict.fromkeys(value for value in values if value is not None))
    if not distinct:
        out.add_missing(field, field.name)
        return
    out.data[field.name] = distinct
    out.put(field.name, found.layer, found.source, found.score)


def fill_many(
    item: SchemaField, scope: SearchScope
) -> tuple[list[dict[str, Any]], RepeatedRows | None]:
    """Return the objects that repeat on a page, and their rows; [], None if there are none."""
    rows = best_rows(SchemaField("", kind="array", item=item), scope, _fill_row)
    if rows is None:
        return [], None
    return [row for row in map(rows.read, rows.items) if row], rows


def _fill_row(
    fields: tuple[SchemaField, ...], found: Node | Entity, scope: SearchScope
) -> dict[str, Any]:
    """Return the values of one repeated thing."""
    if isinstance(found, Entity):
        inner = SearchScope(_NOWHERE, scope.base, scope.lang, entity=found)
        return fill(fields, inner).data
    inner = SearchScope(found, scope.base, scope.lang)
    in_markup = (entity for entity in scope.entities_in(found) if entity.layer != "json-ld")
    inner.entities = list(islice(in_markup, _MAX_ENTITIES))
    return fill(fields, inner).data


def best_entity(fields: tuple[SchemaField, ...], entities: list[Entity]) -> Entity | None:
    """Return the entity that has values for most of the fields; None if none has enough."""
    best: tuple[float, Entity] | None = None
    for entity in entities[:500]:
        hits = sum(
            any(score_of(field, value) >= MIN_SCORE for value in entity.all_values)
            for field in fields
        )
        if not hits:
            continue
        worth = hits - (0.75 * hits if entity.about_site else 0) + (0.2 if entity.top else 0)
        if best is None or worth > best[0]:
            best = (worth, entity)
    return best[1] if best and best[0] >= 0.2 else None


_NOWHERE = Tree([[0, "body", 0]]).root
