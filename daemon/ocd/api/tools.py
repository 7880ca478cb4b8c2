"""A verb's catalog entry as a tool: what MCP lists and what expand_tools shows."""

from collections.abc import Mapping
from typing import Any


def as_tool(entry: Mapping[str, Any]) -> dict[str, Any]:
    """Return {"name", "description", "inputSchema"} of a catalog entry."""
    return {
        "name": entry["name"],
        "description": described(entry),
        "inputSchema": entry["params"],
    }


def described(entry: Mapping[str, Any]) -> str:
    """Return the entry's summary and text as one description."""
    return f"{entry['summary']}. {' '.join(entry['doc'].split())}".rstrip()
