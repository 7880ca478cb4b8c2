"""A verb's catalog entry as a tool: what MCP lists and what expand_tools shows."""

from collections.abc import Mapping
from typing import Any


def as_tool(entry: Mapping[str, Any]) -> dict[str, Any]:
    """Return {"name", "description", "inputSchema"} of a catalog entry."""
    return {
        "name": entry["name"],
        "description": described(entry),
        "inputSchema": _listed(entry["params"]),
    }


def _listed(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schema without the parameters that are rarely wanted: lists are paid for."""
    shown = {k: v for k, v in schema["properties"].items() if not v.get("x-unlisted")}
    return {**schema, "properties": shown}


def described(entry: Mapping[str, Any]) -> str:
    """Return the entry's summary and text as one description."""
    return f"{entry['summary']}. {' '.join(entry['doc'].split())}".rstrip()
