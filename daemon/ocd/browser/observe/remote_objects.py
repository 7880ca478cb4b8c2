"""CDP's remote objects as text, as a console shows them."""

import re
from collections.abc import Sequence
from typing import Any

import msgspec

_FORMAT = re.compile(r"%(?:[sdifoOc%])")
MAX_TEXT = 10_000


def format_arguments(values: Sequence[dict[str, Any]]) -> str:
    """Return a console call's arguments as its one line, `%s` and the like filled in."""
    rest = list(values)
    if rest and rest[0].get("type") == "string" and len(rest) > 1:
        text, rest = _format_placeholders(str(rest[0].get("value", "")), rest[1:])
        parts = [text]
    else:
        parts = []
    line = " ".join([*parts, *(value_text(value) for value in rest)])
    if len(line) > MAX_TEXT:
        return f"{line[:MAX_TEXT]}… ({len(line)} characters)"
    return line


def _format_placeholders(
    text: str, values: list[dict[str, Any]]
) -> tuple[str, list[dict[str, Any]]]:
    remaining = list(values)

    def fill(match: re.Match[str]) -> str:
        if match[0] == "%%":
            return "%"
        if not remaining:
            return match[0]
        value = remaining.pop(0)
        # %c is a style for what follows.
        return "" if match[0] == "%c" else _number(match[0], value)

    return _FORMAT.sub(fill, text), remaining


def _number(directive: str, value: dict[str, Any]) -> str:
    if directive in ("%d", "%i") and value.get("type") == "number" and "value" in value:
        return str(int(value["value"]))
    return value_text(value)


def value_text(value: dict[str, Any]) -> str:
    """Return one remote object as text: its value, preview or description."""
    if "unserializableValue" in value:
        return str(value["unserializableValue"])
    if "value" in value and value.get("subtype") != "null":
        plain = value["value"]
        return plain if isinstance(plain, str) else _plain_value_text(plain)
    if value.get("subtype") == "null":
        return "null"
    preview = value.get("preview")
    if preview and value.get("subtype") in (None, "array", "map", "set"):
        return _preview_text(preview)
    return str(value.get("description", value.get("type", "")))


def _plain_value_text(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict | list):
        return msgspec.json.encode(value).decode()
    return str(value)


def _preview_text(preview: dict[str, Any]) -> str:
    is_list = preview.get("subtype") == "array"
    parts = [_property(item, named=not is_list) for item in preview.get("properties", ())]
    for entry in preview.get("entries", ()):
        key = f"{_preview_text(entry['key'])} => " if "key" in entry else ""
        parts.append(key + _preview_text(entry["value"]))
    if preview.get("overflow"):
        parts.append("…")
    if not parts and "description" in preview and preview.get("type") != "object":
        return str(preview["description"])
    inner = ", ".join(parts)
    name = (
        "" if preview.get("description") in ("Object", None) or is_list else preview["description"]
    )
    return f"[{inner}]" if is_list else f"{name} {{{inner}}}".strip()


def _property(property_preview: dict[str, Any], *, named: bool) -> str:
    value = property_preview.get("value", property_preview.get("type", ""))
    text = f"'{value}'" if property_preview.get("type") == "string" else value
    return f"{property_preview['name']}: {text}" if named else str(text)
