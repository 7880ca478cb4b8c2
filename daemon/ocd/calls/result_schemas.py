"""JSON Schema of what verbs return; `make gen` writes it into api/results.json.

It is separate from catalog.json, which `oc` reads with every command: {"$defs": {NAME: …},
"verbs": {VERB: …}}, with references to its own "$defs". A schema describes the result on the
socket, with page text and image, and names every possible key; results of other MCP servers' tools
have no schema. "kinds" has the results of task kinds that are not verbs: {KIND: …}.
"""

import inspect
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, TypedDict, get_args, get_type_hints, is_typeddict

import msgspec

from ocd.api import tool_schema
from ocd.verb_api.declaration import Verb

PACKAGED = Path(tool_schema.__file__).with_name("results.json")
_REF = "#/$defs/{name}"
Schema = dict[str, Any]
Shapes = dict[str, Any]


class Sanitized(TypedDict):
    """Findings in page text: removed characters, phrases like instructions, hidden text."""

    removed: int
    flagged: int
    hidden: int


def render(declared: Iterable[Verb]) -> Schema:
    """Return the document for these verbs and kinds."""
    verbs = [verb for verb in declared if verb.returns is not None]
    types = [Sanitized, *(verb.returns for verb in verbs)]
    found, definitions = msgspec.json.schema_components(types, ref_template=_REF)
    shapes = _shapes_in(types, {})
    plain = {name: _tidy(schema, shapes.get(name)) for name, schema in definitions.items()}
    schemas = {verb.name: one for verb, one in zip(verbs, found[1:], strict=True)}
    for verb in verbs:
        if not verb.only_kind:
            _add_common(verb, plain.get(referred_to(schemas[verb.name]) or "", {}))
    kinds = {verb.name: schemas.pop(verb.name) for verb in verbs if verb.only_kind}
    return {"$defs": dict(sorted(plain.items())), "verbs": schemas, "kinds": kinds}


def referred_to(schema: Mapping[str, Any]) -> str | None:
    """Return the name of the definition that a schema is a mere reference to, if it is one."""
    return schema["$ref"].removeprefix(_REF.format(name="")) if "$ref" in schema else None


def _add_common(verb: Verb, schema: Schema) -> None:
    """Add keys that processing may add to the verb's own."""
    if "properties" not in schema:
        return
    if verb.is_sanitised:
        schema["properties"]["sanitized"] = {"$ref": _REF.format(name=Sanitized.__name__)}
    schema["properties"]["browser_restarted"] = {"type": "boolean"}


def _shapes_in(types: Iterable[Any], shapes: Shapes) -> Shapes:
    """Return the classes that occur in these annotations, by name."""
    for type_ in types:
        if not (is_typeddict(type_) or _is_struct(type_)):
            _shapes_in(get_args(type_), shapes)
        elif type_.__name__ not in shapes:
            shapes[type_.__name__] = type_
            _shapes_in(get_type_hints(type_).values(), shapes)
    return shapes


def _is_struct(shape: object) -> bool:
    return isinstance(shape, type) and issubclass(shape, msgspec.Struct)


def _tidy(schema: Schema, shape: Any) -> Schema:  # noqa: ANN401 - a class of either kind
    """Return the schema without titles, keys in order, `required` for those always present."""
    schema = {key: value for key, value in schema.items() if key != "title"}
    if "description" in schema:
        schema["description"] = inspect.cleandoc(schema["description"])
    if "properties" not in schema or shape is None:
        return schema
    required = set(schema.get("required", ()))
    if _is_struct(shape) and not shape.__struct_config__.omit_defaults:
        fields = msgspec.structs.fields(shape)
        required = {field.encode_name for field in fields if field.default is not msgspec.UNSET}
    names = schema["properties"] if _is_struct(shape) else get_type_hints(shape)
    properties = {name: _without_default(schema["properties"][name]) for name in names}
    schema |= {"properties": properties, "required": [n for n in properties if n in required]}
    return schema


def _without_default(schema: Schema) -> Schema:
    return {key: value for key, value in schema.items() if key != "default"}
