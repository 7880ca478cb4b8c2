"""A verb's catalog entry as a tool: what MCP lists and what expand_tools shows."""

from collections.abc import Mapping
from typing import Any


def as_tool(entry: Mapping[str, Any]) -> dict[str, Any]:
    """Return {"name", "description", "inputSchema"} of a catalog entry."""
    return {
        "name": entry["name"],
        "description": describe(entry),
        "inputSchema": _drop_unlisted(entry["params"]),
    }


def _drop_unlisted(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return a schema without what is rarely wanted or goes without saying: lists are paid for.

    Parameters that are not shown may be given all the same, so it does not say then that there are
    no others: a host that checks arguments by the schema would refuse them.
    """
    listed = {key: _part(key, value) for key, value in schema.items() if not _idle(key, value)}
    if len(listed.get("properties", ())) < len(schema.get("properties", ())):
        listed.pop("additionalProperties", None)
    return listed


def _part(key: str, value: Any) -> Any:  # noqa: ANN401 - JSON
    if key == "properties":
        return {
            name: _drop_unlisted(one) for name, one in value.items() if not one.get("x-unlisted")
        }
    if key == "anyOf":
        return [_drop_unlisted(one) for one in value]
    return _drop_unlisted(value) if key == "items" else value


def _idle(key: str, value: object) -> bool:
    # What is not required and not given is empty, or false.
    return (key == "required" and value == []) or (
        key == "default" and (value is False or value in ("", [], {}))
    )


def describe(entry: Mapping[str, Any]) -> str:
    """Return the entry's summary and text as one description."""
    return f"{entry['summary']}. {' '.join(entry['doc'].split())}".rstrip()
