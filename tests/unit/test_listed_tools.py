"""What a list of tools shows of parameters: every byte is paid for in each conversation."""

from typing import Any

import pytest

from ocd.api.tool_schema import as_tool, signature

SHOWN = {"type": "string", "description": "Shown"}
HIDDEN = {"type": "integer", "description": "Hidden", "x-unlisted": True}


def entry(properties: dict[str, Any], **more: object) -> dict[str, Any]:
    schema = {"type": "object", "properties": properties, "additionalProperties": False}
    return {"name": "v", "summary": "Do it", "doc": "", "params": schema, "scope": "tab", **more}


def listed(properties: dict[str, Any], **more: Any) -> Any:  # noqa: ANN401 - a JSON schema
    given = entry(properties)
    given["params"] |= more
    return signature(given)["inputSchema"]


def test_unlisted_parameters_are_accepted() -> None:
    """A host that checks arguments by the schema must not refuse them, at any depth."""
    inner = {"type": "object", "properties": {"a": SHOWN, "b": HIDDEN}}
    found = listed({"part": {**inner, "additionalProperties": False}, "c": HIDDEN})
    part = {"type": "object", "properties": {"a": SHOWN}}
    assert found == {"type": "object", "properties": {"part": part}}


def test_a_tool_without_parameters_shows_one_that_is_rarely_wanted() -> None:
    """Some hosts refuse an object without properties."""
    found = listed({"c": HIDDEN, "d": HIDDEN})
    assert found["properties"] == {"c": {"type": "integer", "description": "Hidden"}}


def test_empty_defaults_are_left_out() -> None:
    """So are empty lists of required parameters; zero and true are listed."""
    flags = {"a": False, "b": "", "c": [], "d": 0, "e": True}
    given = {name: {**SHOWN, "default": value} for name, value in flags.items()}
    found = listed(given, required=[])
    defaults = {name: one.get("default") for name, one in found["properties"].items()}
    assert defaults == {"a": None, "b": None, "c": None, "d": 0, "e": True}
    assert "required" not in found


def test_a_parameter_named_like_a_keyword_stays() -> None:
    assert set(listed({"default": SHOWN, "required": SHOWN})["properties"]) == {
        "default",
        "required",
    }


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"enum": ["a", "b"]}, {"type": "string", "enum": ["a", "b"]}),
        ({"enum": [1, 2, 3]}, {"type": "integer", "minimum": 1, "maximum": 3}),
        ({"type": "number", "exclusiveMinimum": 5}, {"type": "number", "minimum": 5}),
        ({"type": "integer", "exclusiveMaximum": 5}, {"type": "integer", "maximum": 4}),
        ({"anyOf": [{"type": "integer"}, {"type": "number"}]}, {"type": "number"}),
    ],
)
def test_schemas_that_hosts_refuse_are_reworded(
    given: dict[str, Any], expected: dict[str, Any]
) -> None:
    assert listed({"a": given})["properties"]["a"] == expected


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ({"reads": True}, {"readOnlyHint": True}),
        ({"reads": True, "writes_files": True}, None),
        ({"reads": True, "scope": "daemon"}, {"readOnlyHint": True, "openWorldHint": False}),
        ({"name": "navigate"}, {"destructiveHint": False}),
        ({"scope": "session", "name": "tabs_close"},
         {"idempotentHint": True, "openWorldHint": False}),
        ({"scope": "upstream", "name": "s__t"}, None),
    ],
)  # fmt: skip
def test_annotations_have_only_what_differs_from_the_defaults(
    more: dict[str, Any], expected: dict[str, bool] | None
) -> None:
    assert as_tool(entry({"a": SHOWN}, **more)).get("annotations") == expected
