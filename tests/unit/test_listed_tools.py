"""What a list of tools shows of parameters: every byte is paid for in each conversation."""

from typing import Any

from ocd.api.tool_schema import as_tool

SHOWN = {"type": "string", "description": "Shown"}
HIDDEN = {"type": "integer", "description": "Hidden", "x-unlisted": True}


def listed(properties: dict[str, Any], **more: Any) -> Any:  # noqa: ANN401 - a JSON schema
    schema = {"type": "object", "properties": properties, "additionalProperties": False, **more}
    return as_tool({"name": "v", "summary": "Do it", "doc": "", "params": schema})["inputSchema"]


def test_unlisted_parameters_may_be_given_all_the_same() -> None:
    """So a host that checks arguments by the schema must not refuse them; at any depth."""
    inner = {"type": "object", "properties": {"a": SHOWN, "b": HIDDEN}}
    found = listed({"part": {**inner, "additionalProperties": False}, "c": HIDDEN})
    part = {"type": "object", "properties": {"a": SHOWN}}
    assert found == {"type": "object", "properties": {"part": part}}


def test_nothing_hidden_means_no_others() -> None:
    assert listed({"a": SHOWN})["additionalProperties"] is False


def test_what_goes_without_saying_is_not_said() -> None:
    """Empty defaults and empty lists of what is required; zero and true are told."""
    flags = {"a": False, "b": "", "c": [], "d": 0, "e": True}
    found = listed({name: {"default": value} for name, value in flags.items()}, required=[])
    assert found["properties"] == {
        "a": {},
        "b": {},
        "c": {},
        "d": {"default": 0},
        "e": {"default": True},
    }
    assert "required" not in found


def test_a_parameter_named_like_a_keyword_stays() -> None:
    assert set(listed({"default": SHOWN, "required": SHOWN})["properties"]) == {
        "default",
        "required",
    }
