"""The requested data: a JSON schema, read leniently."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ocd.api.errors import OcdError
from ocd.extraction.field_names import words_of

_TYPES = {"string", "number", "integer", "boolean", "array", "object", "null"}
# Words that people write for types, and what they mean: type, format.
_SHORT = {
    "str": ("string", ""), "text": ("string", ""), "int": ("integer", ""),
    "float": ("number", ""), "decimal": ("number", ""), "price": ("number", ""),
    "money": ("number", ""), "bool": ("boolean", ""), "date": ("string", "date"),
    "datetime": ("string", "date-time"), "date-time": ("string", "date-time"),
    "url": ("string", "uri"), "uri": ("string", "uri"), "link": ("string", "uri"),
    "image": ("string", "uri"), "email": ("string", "email"), "list": ("array", ""),
    "currency": ("string", ""), "any": ("string", ""), "dict": ("object", ""),
}  # fmt: skip
MAX_FIELDS = 200
MAX_DEPTH = 8


@dataclass(frozen=True, slots=True)
class SchemaField:
    """One requested field. `words`: the words of its name; `above`: the field that contains it."""

    name: str
    kind: str = "string"
    format: str = ""
    required: bool = False
    enum: tuple[Any, ...] = ()
    fields: tuple["SchemaField", ...] = ()
    item: "SchemaField | None" = None
    words: tuple[str, ...] = ()
    aliases: tuple[tuple[str, ...], ...] = ()


def read_schema(schema: Mapping[str, Any]) -> SchemaField:
    """Return the object (or the array of objects) that a schema describes; invalid_argument."""
    found = _field("", _whole_schema(schema), 0, required=False)
    if found.kind == "array" and found.item is not None and found.item.kind == "object":
        return found
    if found.kind != "object" or not found.fields:
        raise _schema_error("", "needs properties: {name: {type: …}, …}")
    return found


def _whole_schema(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    if "properties" in schema or "items" in schema or not schema:
        return schema
    if isinstance(schema.get("type"), str) and schema["type"] in _TYPES and len(schema) <= 3:
        return schema
    # {name: "string", price: {type: "number"}}: the properties alone.
    rest = {key: value for key, value in schema.items() if not key.startswith("$")}
    return {"type": "object", "properties": rest}


def _field(name: str, raw: Any, depth: int, *, required: bool) -> SchemaField:  # noqa: ANN401
    schema = _as_schema(name, raw)
    if depth > MAX_DEPTH:
        raise _schema_error(name, f"is nested more than {MAX_DEPTH} levels deep")
    kind, form = _kind(name, schema)
    fields: tuple[SchemaField, ...] = ()
    item: SchemaField | None = None
    if kind == "object":
        fields = _properties(name, schema, depth)
    elif kind == "array":
        item = _field(name, schema.get("items", {"type": "string"}), depth + 1, required=False)
    return SchemaField(
        name=name, kind=kind, format=str(schema.get("format") or form), required=required,
        enum=tuple(schema.get("enum") or ()), fields=fields, item=item, words=words_of(name),
        aliases=tuple(words_of(str(schema[key])) for key in ("title",) if schema.get(key)),
    )  # fmt: skip


def _as_schema(name: str, raw: Any) -> Mapping[str, Any]:  # noqa: ANN401
    if isinstance(raw, str):
        return {"type": raw}
    if isinstance(raw, list) and len(raw) == 1:
        return {"type": "array", "items": raw[0]}
    if not isinstance(raw, Mapping):
        raise _schema_error(name, "is neither a schema nor the name of a type")
    if raw and "type" not in raw and not raw.keys() & {
        "properties", "items", "enum", "format", "description", "title", "anyOf", "oneOf", "const",
        "default", "pattern",
    }:  # fmt: skip
        return {"type": "object", "properties": raw}
    return raw


def _kind(name: str, schema: Mapping[str, Any]) -> tuple[str, str]:
    kind: Any = schema.get("type")
    for union in ("anyOf", "oneOf"):
        if kind is None and schema.get(union):
            kind = [branch.get("type") for branch in schema[union] if isinstance(branch, Mapping)]
    if isinstance(kind, list):
        kind = next((name for name in kind if name and name != "null"), "string")
    if kind is None:
        kind = "object" if "properties" in schema else "array" if "items" in schema else "string"
    if kind in _TYPES:
        return str(kind), ""
    if str(kind).lower() in _SHORT:
        return _SHORT[str(kind).lower()]
    raise _schema_error(
        name, f"has the type {kind!r}; types are {', '.join(sorted(_TYPES - {'null'}))}"
    )


def _properties(name: str, schema: Mapping[str, Any], depth: int) -> tuple[SchemaField, ...]:
    properties = schema.get("properties") or {}
    if not isinstance(properties, Mapping):
        raise _schema_error(name, "has properties that are not an object")
    if len(properties) > MAX_FIELDS:
        raise _schema_error(name, f"has {len(properties)} properties; the maximum is {MAX_FIELDS}")
    required = schema.get("required")
    needed = {str(name) for name in required} if isinstance(required, list) else set()
    return tuple(
        _field(str(key), value, depth + 1, required=str(key) in needed)
        for key, value in properties.items()
    )


def _schema_error(name: str, what: str) -> OcdError:
    where = f"'{name}' " if name else ""
    return OcdError(
        "invalid_argument", f"extract_data: schema: {where}{what}", parameter="schema",
        hint='For example {"properties": {"name": {"type": "string"}}}.',
    )  # fmt: skip
