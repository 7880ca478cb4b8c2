"""Write `openchrome/shapes.py`: what each verb returns, as classes that editors and checkers read.

The result itself is a `Result`, whose keys are typed by overloads, so that it keeps its shortcuts
(`text`, `image`); what is inside of it are typed dictionaries.
"""

import json
import keyword
import textwrap
from collections.abc import Mapping
from typing import Any

from ocd.calls.result_schemas import referred_to

Schema = Mapping[str, Any]
_SCALARS = {
    "string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None",
}  # fmt: skip
_HEAD = """\
# mypy: disable-error-code="override"
# fmt: off
from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict, overload

from openchrome.results import Result
"""
# A key that there is not is a mistake to a checker: a dictionary would take any.
_ITEM = """\
    @overload
    def __getitem__(self, key: Literal["{key}"], /) -> {kind}: ...
"""
_ITEMS = """\
    def __getitem__(self, key: str, /) -> Any:
        return super().__getitem__(key)

"""
_GET = """\
    @overload
    def get(self, key: Literal["{key}"], default: None = None, /) -> {kind} | None: ...
"""
_GETS = """\
    @overload
    def get(self, key: str, default: Any = None, /) -> Any: ...
    def get(self, key: str, default: Any = None, /) -> Any:
        return super().get(key, default)
"""


def shapes_module(results: Mapping[str, Any]) -> str:
    """Return the text of the module, without its docstring."""
    declared = {**results["kinds"], **results["verbs"]}
    roots = {class_of(verb, results): schema for verb, schema in declared.items()}
    inner = {name: one for name, one in results["$defs"].items() if name not in roots}
    text = _HEAD + "".join(_typed_dict(name, schema) for name, schema in inner.items())
    for name, schema in roots.items():
        text += _result_class(name, results["$defs"].get(name) or _as_object(schema, results))
    return text


def class_of(verb: str, results: Mapping[str, Any]) -> str:
    """Return the class of what a verb or a kind of task returns."""
    schema = {**results["kinds"], **results["verbs"]}.get(verb, {})
    if name := referred_to(schema):
        return name
    if any("items" in one for one in schema.get("anyOf", [schema])):
        return "".join(word.title() for word in verb.removeprefix("oc_").split("_")) + "Result"
    return "Result"


def type_of(schema: Schema) -> str:
    """Return the annotation for a value."""
    if name := referred_to(schema):
        return name
    if "anyOf" in schema:
        return " | ".join(dict.fromkeys(type_of(one) for one in schema["anyOf"]))
    if "enum" in schema:
        return f"Literal[{', '.join(json.dumps(value) for value in schema['enum'])}]"
    match schema.get("type"):
        case "array":
            return f"list[{type_of(schema.get('items') or {})}]"
        case "object":
            return f"dict[str, {type_of(schema.get('additionalProperties') or {})}]"
        case str() as scalar:
            return _SCALARS[scalar]
    return "Any"


def _as_object(schema: Schema, results: Mapping[str, Any]) -> Schema:
    """Return the schema of the result that the client makes of a list, or of one of several."""
    properties: dict[str, Any] = {}
    for one in (several := schema.get("anyOf", [schema])):
        name = referred_to(one)
        properties |= results["$defs"][name]["properties"] if name else {"value": one}
    properties["browser_restarted"] = {"type": "boolean"}
    if len(several) == 1:
        return {"properties": properties, "required": ["value"]}
    about = "The keys of one of several: a list is in `value`."
    return {"properties": properties, "description": about}


def _typed_dict(name: str, schema: Schema) -> str:
    required = schema.get("required", ())
    if any(map(keyword.iskeyword, schema["properties"])):
        return _by_function(name, schema)
    fields = ""
    for key, value in schema["properties"].items():
        kind = type_of(value) if key in required else f"NotRequired[{type_of(value)}]"
        fields += f"    {key}: {kind}\n" + _about(value)
    return f"\n\nclass {name}(TypedDict):\n{_docstring(schema)}{fields}"


def _by_function(name: str, schema: Schema) -> str:
    """Return a typed dictionary of which a key is a word of Python."""
    required = schema.get("required", ())
    kinds = {key: type_of(value) for key, value in schema["properties"].items()}
    fields = "".join(
        f'    "{key}": "{kind if key in required else f"NotRequired[{kind}]"}",\n'
        for key, kind in kinds.items()
    )
    return f'\n\n{name} = TypedDict("{name}", {{\n{fields}}})\n'


def _result_class(name: str, schema: Schema) -> str:
    """Return the class of a result: how each of its keys is read, and those that may be missing."""
    if name == "Result":
        return ""
    properties, required = schema["properties"], schema.get("required", ())
    optional = {key: one for key, one in properties.items() if key not in required}
    body = "".join(_ITEM.format(key=key, kind=type_of(one)) for key, one in properties.items())
    body += _ITEMS
    if optional:
        body += "".join(_GET.format(key=k, kind=type_of(one)) for k, one in optional.items())
        body += _GETS
    return f"\n\nclass {name}(Result):\n{_docstring(schema)}{body}"


def _docstring(schema: Schema) -> str:
    text = schema.get("description", "")
    return textwrap.indent(f'"""{text}"""\n\n', "    ") if text else ""


def _about(schema: Schema) -> str:
    text = schema.get("description", "")
    return f'    """{text}"""\n' if text else ""
