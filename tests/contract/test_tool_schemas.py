"""Tool schemas satisfy the strictest readers: a schema that one refuses loses it the whole list.

The rules, as written by those who enforce them or as reported by those whom they stopped:

- OpenAI, function calling: names are `^[a-zA-Z0-9_-]{1,64}$`; `parameters` is an object, without
  anyOf, oneOf, allOf, enum or not at its top; "array schema missing items" (400 for the whole
  request), inside branches of anyOf, too (Automattic/wordpress-mcp#103, ruvnet/ruflo#1294).
- VS Code: "tool parameters array type must have items" (microsoft/vscode#246119, #248810); a tool
  has a description.
- Gemini, `parameters` in the OpenAPI 3.0 dialect (google.genai `types.Schema`): no other keyword
  than that type's fields; every schema has a type or anyOf (google-gemini/gemini-cli#5694); "enum:
  only allowed for STRING type" (google-gemini/gemini-cli#4400); "properties: should be non-empty
  for OBJECT type" (MarkusPfundstein/mcp-obsidian#21); "Unknown name additionalProperties"
  (nanbingxyz/5ire#42); what is required is among the properties; types are no lists.

google-genai itself cannot be installed beside pyppeteer, which wants websockets 10.
"""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from ocd.api import tool_schema
from ocd.api.tool_schema import as_tool
from ocd.calls import catalog

CATALOG = catalog.render(catalog.load().values())
ENTRIES = {entry["name"]: entry for entry in CATALOG["verbs"]}
TOOLS = {name: as_tool(entry) for name, entry in ENTRIES.items()}

TYPES = {"string", "number", "integer", "boolean", "array", "object"}
# The fields of Gemini's Schema, less those that are not JSON Schema's.
GEMINI_KEYWORDS = {
    "anyOf", "default", "description", "enum", "format", "items", "maxItems", "maxLength",
    "maxProperties", "maximum", "minItems", "minLength", "minProperties", "minimum", "pattern",
    "properties", "required", "title", "type",
}  # fmt: skip
Violations = Iterator[str]


def schemas(schema: dict[str, Any], path: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield a schema and all inside it, with where they stand."""
    yield path, schema
    for name, one in schema.get("properties", {}).items():
        yield from schemas(one, f"{path}.{name}")
    for number, one in enumerate(schema.get("anyOf", ())):
        yield from schemas(one, f"{path}|{number}")
    if isinstance(schema.get("items"), dict):
        yield from schemas(schema["items"], f"{path}[]")


def openai(tool: dict[str, Any]) -> Violations:
    if not re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", tool["name"]):
        yield "name"
    top = tool["inputSchema"]
    if top.get("type") != "object" or {"anyOf", "oneOf", "allOf", "enum", "not"} & set(top):
        yield "parameters are no plain object"
    for path, schema in schemas(top):
        if schema.get("type") == "array" and "items" not in schema:
            yield f"{path}: array schema missing items"


def vs_code(tool: dict[str, Any]) -> Violations:
    if not tool["description"]:
        yield "no description"
    for path, schema in schemas(tool["inputSchema"]):
        if schema.get("type") == "array" and not isinstance(schema.get("items"), dict):
            yield f"{path}: array type must have items"


def gemini(tool: dict[str, Any]) -> Violations:
    for path, schema in schemas(tool["inputSchema"]):
        kind = schema.get("type")
        if unknown := set(schema) - GEMINI_KEYWORDS:
            yield f"{path}: unknown names {sorted(unknown)}"
        if kind not in TYPES and not (kind is None and schema.get("anyOf")):
            yield f"{path}: no type"
        if "enum" in schema and (
            kind != "string" or not all(isinstance(one, str) for one in schema["enum"])
        ):
            yield f"{path}: enum only allowed for STRING type"
        if kind == "object" and not schema.get("properties"):
            yield f"{path}: properties should be non-empty for OBJECT type"
        if kind == "array" and not schema.get("items"):
            yield f"{path}: items missing field"
        if kind != "object" and {"properties", "required"} & set(schema):
            yield f"{path}: properties only allowed for OBJECT type"
        if set(schema.get("required", ())) - set(schema.get("properties", ())):
            yield f"{path}: required names no property"


@pytest.mark.parametrize("reader", [openai, vs_code, gemini])
def test_every_reader_accepts_every_tool(reader: Any) -> None:  # noqa: ANN401 - one of the above
    refused = {name: found for name, tool in TOOLS.items() if (found := list(reader(tool)))}
    assert refused == {}


def test_the_catalogs_own_schemas_break_the_rules() -> None:
    """The catalog's own schemas, which are JSON Schema in full, break each of the three."""
    raw = [{**TOOLS[name], "inputSchema": entry["params"]} for name, entry in ENTRIES.items()]
    for reader in (openai, vs_code, gemini):
        assert [tool["name"] for tool in raw if list(reader(tool))]


def test_additional_properties_are_not_mentioned() -> None:
    """Rarely wanted parameters, and other keys of open objects, are taken as well."""
    assert "additionalProperties" not in json.dumps(list(TOOLS.values()))


def test_schemas_agree_with_the_catalog() -> None:
    """What is listed exists, and what is required is listed."""
    for name, tool in TOOLS.items():
        params, shown = ENTRIES[name]["params"], tool["inputSchema"]
        assert set(shown["properties"]) <= set(params["properties"]), name
        assert shown.get("required", []) == params.get("required", []), name


def test_only_tools_that_write_nothing_are_read_only() -> None:
    hints = {name: tool.get("annotations", {}) for name, tool in TOOLS.items()}
    read_only = {name for name, hint in hints.items() if hint.get("readOnlyHint")}
    assert not read_only & {"page_pdf", "page_screenshot", "oc_recording_export", "cookies"}
    assert {"read_page", "oc_output_fetch", "oc_task_list"} <= read_only
    for name, hint in hints.items():
        assert not (hint.get("readOnlyHint") and "destructiveHint" in hint), name


def test_hints_name_existing_verbs() -> None:
    for names in (tool_schema._NON_DESTRUCTIVE, tool_schema._IDEMPOTENT, tool_schema._OPEN_WORLD):
        assert names <= set(ENTRIES)


def test_hints_and_titles_cost_only_what_differs_from_the_defaults() -> None:
    defaults = {
        "readOnlyHint": False,
        "destructiveHint": True,
        "idempotentHint": False,
        "openWorldHint": True,
    }
    for name, tool in TOOLS.items():
        for hint, value in tool.get("annotations", {}).items():
            assert value is not defaults[hint], (name, hint)
        assert 3 <= len(tool["title"]) <= 40


def test_task_kinds_are_listed() -> None:
    """Those of the verbs that are served: with a group its kinds are gone."""
    kind = TOOLS["oc_task_start"]["inputSchema"]["properties"]["kind"]
    assert set(kind["enum"]) == set(catalog.kinds())
    served = {entry["name"] for entry in CATALOG["verbs"] if entry["capability"] != "crawl"}
    entries = {entry["name"]: entry for entry in catalog.limit(CATALOG, served)["verbs"]}
    kinds = entries["oc_task_start"]["params"]["properties"]["kind"]["enum"]
    assert "crawl" not in kinds
    assert "oc_session_snapshot" in kinds
