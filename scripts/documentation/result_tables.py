"""What verbs return, as tables: one for each verb, and a page with what several have inside."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from ocd.calls import result_schemas

Schema = Mapping[str, Any]
PAGE = "verbs/values.md"
_WORDS = {"string": "text", "integer": "whole number", "object": "object", "null": "null"}


def table(verb: str) -> list[str]:
    """Return the lines about what a verb, or a kind of task, returns."""
    document = _document()
    schema = document["verbs"].get(verb) or document["kinds"].get(verb, {})
    if name := result_schemas.referred_to(schema):
        shape = document["$defs"][name]
        return ["", f"Returns: {_sentence(shape)}", "", *_rows(shape)]
    text = _sentence(schema) or _kind(schema)
    return ["", f"Returns: {text}"] if schema else []


def page() -> str:
    """Return the page of what stands inside of results."""
    document = _document()
    declared = {**document["kinds"], **document["verbs"]}
    roots = {result_schemas.referred_to(schema) for schema in declared.values()}
    lines = ["# Values", "", "The parts of which results are made, under their names in the Python"]
    lines += ["client (`openchrome.shapes`). Keys in *italics* may be missing."]
    for name, shape in document["$defs"].items():
        if name not in roots and "properties" in shape:
            lines += ["", f"## {name}", "", _sentence(shape), "", *_rows(shape)]
    return "\n".join(lines) + "\n"


def _document() -> dict[str, Any]:
    document: dict[str, Any] = json.loads(result_schemas.PACKAGED.read_bytes())
    return document


def _sentence(shape: Schema) -> str:
    text = " ".join(shape.get("description", "").split())
    return text[:1].upper() + text[1:]


def _rows(shape: Schema) -> Iterator[str]:
    yield from ("| key | value | |", "|---|---|---|")
    for key, one in shape["properties"].items():
        name = f"`{key}`" if key in shape.get("required", ()) else f"*`{key}`*"
        meaning = one.get("description", "").replace("|", "\\|")
        yield f"| {name} | {_kind(one)} | {meaning} |"


def _kind(schema: Schema) -> str:
    """Return the type of a value in words."""
    if name := result_schemas.referred_to(schema):
        return f"[{name}](values.md#{name.lower()})"
    if "anyOf" in schema:
        return " or ".join(map(_kind, schema["anyOf"]))
    if "enum" in schema:
        return " \\| ".join(f"`{value}`" for value in schema["enum"])
    match schema.get("type"):
        case "array" if schema.get("items"):
            return f"list of {_kind(schema['items'])}"
        case "array":
            return "list"
        case None:
            return "any"
        case kind:
            name = str(kind)
            return _WORDS.get(name, name)
