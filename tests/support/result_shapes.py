"""Whether what a verb answers is what its declaration says: see `check`.

Every successful answer that `support.daemon.Daemon` and `support.wire.PendingCall` bring is looked
at, so each scenario proves the shapes of the verbs that it calls.
"""

import json
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from typing import Any

Schema = Mapping[str, Any]
# What stands for a result that was stored: a descriptor, or the guard's pointer.
_STORED = ("fetch_with", "output_path")
_TYPES: Mapping[str, tuple[type, ...]] = {
    "string": (str,), "integer": (int,), "number": (int, float), "boolean": (bool,),
    "null": (type(None),), "array": (list,), "object": (dict,),
}  # fmt: skip


@cache
def _document() -> dict[str, Any]:
    text = files("ocd.api").joinpath("results.json").read_text(encoding="utf-8")
    document: dict[str, Any] = json.loads(text)
    return document


def check(verb: str, result: Any) -> None:  # noqa: ANN401 - any JSON value
    """Fail, saying where, if a result is not of the shape that its verb declares."""
    schema = _document()["verbs"].get(verb)
    if schema is None or (isinstance(result, dict) and any(key in result for key in _STORED)):
        return
    wrong = [f"{verb}{place}: {why}" for place, why in faults(schema, result)]
    assert not wrong, "\n".join(["an answer is not as declared (`returns`):", *wrong[:10]])


def faults(schema: Schema, value: Any, place: str = "") -> Iterator[tuple[str, str]]:  # noqa: ANN401
    """Yield where a value is not as the schema says, and why."""
    if "$ref" in schema:
        schema = _document()["definitions"][schema["$ref"]]
    if branches := schema.get("anyOf"):
        found = [list(faults(branch, value, place)) for branch in branches]
        if all(found):
            # Of the branch that says most about it: the others are of another type altogether.
            yield from max(found, key=lambda one: len(one[0][0]))
        return
    if "enum" in schema and value not in schema["enum"]:
        yield place, f"{value!r} is none of {schema['enum']}"
    elif "type" in schema and not _is_of_type(value, schema["type"]):
        yield place, f"{_short(value)} is not of type {schema['type']}"
    elif isinstance(value, dict):
        yield from _faults_of_object(schema, value, place)
    elif isinstance(value, list) and schema.get("items"):
        for number, item in enumerate(value):
            yield from faults(schema["items"], item, f"{place}[{number}]")


def _faults_of_object(
    schema: Schema, value: Mapping[str, Any], place: str
) -> Iterator[tuple[str, str]]:
    properties, others = schema.get("properties"), schema.get("additionalProperties", {})
    for key in schema.get("required", ()):
        if key not in value:
            yield f"{place}.{key}", "is missing"
    for key, one in value.items():
        if properties is not None and key in properties:
            yield from faults(properties[key], one, f"{place}.{key}")
        elif properties is not None:
            yield f"{place}.{key}", f"is not declared: {_short(one)}"
        elif isinstance(others, dict):
            yield from faults(others, one, f"{place}.{key}")


def _is_of_type(value: object, name: str) -> bool:
    if isinstance(value, bool):
        return name == "boolean"
    return isinstance(value, _TYPES[name])


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:79]}…"
