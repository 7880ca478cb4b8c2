"""Observed data compared with the fields that a schema requires."""

from collections.abc import Callable, Iterator, Mapping
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from ocd.api.errors import OcdError

_MAX_LISTED = 200


def _number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


_FITS: dict[str, Callable[[object], bool]] = {
    "string": lambda value: isinstance(value, str),
    "number": _number,
    "integer": lambda value: _number(value) and float(value) == int(value),  # type: ignore[arg-type, call-overload]
    "boolean": lambda value: isinstance(value, bool),
    "array": lambda value: isinstance(value, list),
    "object": lambda value: isinstance(value, Mapping),
    "null": lambda value: value is None,
    "any": lambda value: True,
}


class SchemaField(msgspec.Struct, frozen=True):
    """A required field."""

    name: Annotated[str, Meta(min_length=1, max_length=1000)]
    type: str = "any"
    required: bool = True


class TargetSchema(msgspec.Struct, frozen=True):
    """The required fields of an object, or of every object in a list."""

    fields: Annotated[list[SchemaField], Meta(min_length=1, max_length=1000)]
    version: int = 1


def decode(schema: object) -> TargetSchema:
    """Return the schema; JSON Schema's `properties` and `required` are taken, too.

    Raises invalid_argument naming the place.
    """
    if isinstance(schema, Mapping) and "fields" not in schema:
        schema = _of_json_schema(schema)
    try:
        target = msgspec.convert(schema, TargetSchema)
    except msgspec.ValidationError as error:
        what, _, path = str(error).replace("`", "").partition(" - at $")
        raise _invalid(f"target_schema{path}", what) from None
    for number, field in enumerate(target.fields):
        if field.type not in _FITS:
            place = f"target_schema.fields[{number}].type"
            raise _invalid(place, f"unknown type {field.type!r}; use one of {', '.join(_FITS)}")
    return target


def _of_json_schema(schema: Mapping[Any, Any]) -> dict[str, Any]:
    if isinstance(schema.get("items"), Mapping):
        schema = schema["items"]
    properties = schema.get("properties")
    if not isinstance(properties, Mapping):
        raise _invalid("target_schema", "expected fields [{name, type, required?}]")
    required = schema.get("required", [])
    return {
        "fields": [
            {"name": name, "type": (of or {}).get("type", "any"), "required": name in required}
            for name, of in properties.items()
        ]
    }


def _invalid(place: str, what: str) -> OcdError:
    return OcdError("invalid_argument", f"{place}: {what}", parameter=place, expected=what)


def diff(schema: object, observed: object) -> dict[str, Any]:
    """Return how the data differ: matches, missing, mismatched (field, expected, observed), extra.

    A list of objects is compared one by one; fields are then named `[2].price`.
    """
    target = decode(schema)
    missing: list[str] = []
    mismatched: list[dict[str, str]] = []
    extra: list[str] = []
    for prefix, item in _items(observed):
        if not isinstance(item, Mapping):
            place = prefix.rstrip(".") or "(all)"
            mismatched.append({"field": place, "expected": "object", "observed": _type(item)})
            continue
        for field in target.fields:
            if field.name not in item:
                missing += [f"{prefix}{field.name}"] if field.required else []
            elif not _FITS[field.type](item[field.name]):
                actual = _type(item[field.name])
                found = {"field": f"{prefix}{field.name}", "expected": field.type}
                mismatched.append({**found, "observed": actual})
        extra += [f"{prefix}{name}" for name in item if name not in {f.name for f in target.fields}]
    return {
        "matches": not missing and not mismatched,
        "missing": missing[:_MAX_LISTED],
        "missing_count": len(missing),
        "mismatched": mismatched[:_MAX_LISTED],
        "mismatched_count": len(mismatched),
        "extra": extra[:_MAX_LISTED],
        "extra_count": len(extra),
    }


def _items(observed: object) -> Iterator[tuple[str, object]]:
    if isinstance(observed, list):
        for number, item in enumerate(observed):
            yield f"[{number}].", item
    else:
        yield "", observed


def _type(value: object) -> str:
    order = ("null", "boolean", "integer", "number", "string", "array", "object")
    return next((name for name in order if _FITS[name](value)), "any")
