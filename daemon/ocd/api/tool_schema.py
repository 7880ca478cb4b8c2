"""A verb's catalog entry as an MCP tool that the strictest hosts accept.

If a provider rejects one schema, it rejects the whole list, and with it every request of the host.
tests/contract/test_tool_schemas.py has the readers' rules with their sources.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

Schema = Mapping[str, Any]

# Gemini's dialect takes no object without properties, so an object with free keys shows some that
# it may have. They are examples: nothing is required, and other keys are taken as well.
_TEXT: Schema = {"type": "string"}
_NUMBER: Schema = {"type": "number"}
_EXAMPLE_KEYS: Mapping[str, Schema] = {
    "args": {"url": _TEXT},
    "arguments": {"url": _TEXT},
    "clip": dict.fromkeys(("x", "y", "width", "height"), _NUMBER),
    "contract": {"kind": _TEXT},
    "envelope": {"url": _TEXT},
    "evidence": {"url": _TEXT},
    "extracted_data": {"name": _TEXT},
    "fields": {"label": _TEXT},
    "filter_options": dict.fromkeys(
        ("min_words", "max_sections", "bm25_threshold", "prune_threshold"), _NUMBER
    ),
    "headers": {"Accept": _TEXT},
    "parameters": {"name": _TEXT},
    "params": {"name": _TEXT},
    "plan": {"name": _TEXT},
    "schema": {"type": _TEXT},
    "steps": {"verb": _TEXT},
    "target_schema": {"type": _TEXT},
    "value": {"name": _TEXT},
}
# The same for lists that take anything: what is usual in them.
_ITEMS: Mapping[str, Schema] = {
    "completed_steps": _TEXT,
    "pending_steps": _TEXT,
    "contract": {"type": "object", "properties": _EXAMPLE_KEYS["contract"]},
    "plan": {"type": "object", "properties": {"tool": _TEXT}},
}
_ANY_OF = [_TEXT, _NUMBER, {"type": "boolean"}]

# What MCP's hints say of verbs that change something. Without a hint a host assumes the worst: that
# a tool destroys, that calling it twice does more than once, and that it reaches into the world.
_NON_DESTRUCTIVE = frozenset((
    "batch_paginate", "console_capture", "drag_drop", "emulate_device", "geolocation",
    "lightweight_scroll", "navigate", "network", "network_capture_full", "network_capture_lite",
    "oc_context_export", "oc_evidence_bundle", "oc_performance_insights", "oc_recording_export",
    "oc_recording_start", "oc_recording_stop", "oc_session_resume", "oc_session_snapshot",
    "oc_skill_record", "oc_totp_generate", "page_pdf", "page_reload", "page_screenshot",
    "tabs_create", "user_agent", "validate_page", "worker_complete", "worker_update",
    "workflow_init",
))  # fmt: skip
_IDEMPOTENT = frozenset((
    "emulate_device", "geolocation", "oc_recording_stop", "oc_stop", "oc_task_cancel", "tabs_close",
    "user_agent", "worker_complete", "workflow_cleanup",
))  # fmt: skip
_OPEN_SCOPES = ("tab", "task", "upstream")
_OPEN_WORLD = frozenset((
    "call_verb", "oc_assert", "oc_skill_replay", "oc_task_start", "ocs_upload_collection_files",
    "tabs_create",
))  # fmt: skip


def as_tool(entry: Mapping[str, Any]) -> dict[str, Any]:
    """Return a catalog entry as tools/list has it: signature, title, and annotations if any."""
    hints = annotations(entry)
    tool = {**signature(entry), "title": title(entry["name"])}
    return {**tool, "annotations": hints} if hints else tool


def signature(entry: Mapping[str, Any], *, unlisted: bool = False) -> dict[str, Any]:
    """Return the part that callers need: {"name", "description", "inputSchema"}.

    unlisted: with the parameters that are rarely wanted.
    """
    return {
        "name": entry["name"],
        "description": describe(entry),
        "inputSchema": input_schema(entry["params"], unlisted=unlisted),
    }


def describe(entry: Mapping[str, Any]) -> str:
    """Return the entry's summary and text as one description, with its example."""
    text = f"{entry['summary']}. {' '.join(entry['doc'].split())}".rstrip()
    if example := entry.get("example"):
        text += f" Example: {json.dumps(example, ensure_ascii=False)}"
    return text


def title(name: str) -> str:
    """Return a verb's name for people: `oc_task_list` is "Task list"."""
    words = name.removeprefix("oc_").replace("__", ": ").replace("_", " ")
    return words[:1].upper() + words[1:]


def annotations(entry: Mapping[str, Any]) -> dict[str, bool]:
    """Return the hints of a tool that differ from what MCP assumes of a tool without them."""
    name = entry["name"]
    hints: dict[str, bool] = {}
    if entry.get("reads") and not entry.get("writes_files"):
        hints["readOnlyHint"] = True  # the next two then mean nothing
    else:
        if name in _NON_DESTRUCTIVE:
            hints["destructiveHint"] = False
        if name in _IDEMPOTENT:
            hints["idempotentHint"] = True
    if entry.get("scope", "upstream") not in _OPEN_SCOPES and name not in _OPEN_WORLD:
        hints["openWorldHint"] = False
    return hints


def input_schema(params: Schema, *, unlisted: bool = False) -> dict[str, Any]:
    """Return a verb's parameters in the dialect that every reader takes; see the module.

    Parameters that are rarely wanted are left out unless `unlisted`. They may be given all the
    same, as may other
    keys of open objects, so nothing says `additionalProperties`: a host that checks arguments by
    the schema would refuse them. A schema that names its own dialect (none of ours does) is left as
    its author wrote it.
    """
    if "$schema" in params:
        return dict(params)
    schema = _object("", _all_listed(params) if unlisted else params)
    if not schema["properties"]:  # something must be there: what is rarely wanted
        first = next(iter(params.get("properties", {}).items()), None)
        schema["properties"] = {first[0]: _schema(*first)} if first else {}
    return schema


def _all_listed(params: Schema) -> Schema:
    properties = {
        name: {key: value for key, value in one.items() if key != "x-unlisted"}
        for name, one in params.get("properties", {}).items()
    }
    return {**params, "properties": properties}


def _schema(name: str, schema: Schema) -> dict[str, Any]:
    """Return the schema of a parameter, or of a part of it; `name` is the parameter's."""
    result = _listed_keywords(schema)
    if "anyOf" in result:
        rest = {key: value for key, value in result.items() if key != "anyOf"}
        return _one_of([_schema(name, branch) for branch in _branches(result["anyOf"])]) | rest
    if "enum" in result:
        return _enumeration(result)
    kind = result.get("type")
    if kind == "object":
        return _object(name, schema)
    if kind == "array":
        items = result.get("items") or _ITEMS.get(name) or _anything(name)
        return {**result, "items": _without_description(_schema(name, items))}
    if kind is None and "$ref" not in result:
        return {**result, **_anything(name)}
    return _inclusive(result)


def _object(name: str, schema: Schema) -> dict[str, Any]:
    result = _listed_keywords(schema)
    properties = schema.get("properties", {})
    listed_properties = {
        key: _schema(key, one) for key, one in properties.items() if not one.get("x-unlisted")
    }
    examples: Schema = {} if properties else _EXAMPLE_KEYS.get(name, {})
    return {**result, "properties": listed_properties or dict(examples)}


def _branches(branches: Sequence[Schema]) -> list[Schema]:
    """Return the branches that add anything: no integer beside number."""
    if {"type": "number"} not in branches:
        return list(branches)
    return [branch for branch in branches if branch != {"type": "integer"}]


def _without_description(schema: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in schema.items() if key != "description"}


def _one_of(branches: list[dict[str, Any]]) -> dict[str, Any]:
    return branches[0] if len(branches) == 1 else {"anyOf": branches}


def _anything(name: str) -> dict[str, Any]:
    free = {"type": "object", "properties": _EXAMPLE_KEYS.get(name, {"name": _TEXT})}
    return {"anyOf": [*_ANY_OF, free]}


def _enumeration(schema: dict[str, Any]) -> dict[str, Any]:
    """Return a choice of texts with its type, one of whole numbers as a range."""
    choices = schema["enum"]
    if all(isinstance(choice, str) for choice in choices):
        return {"type": "string", **schema}
    rest = {key: value for key, value in schema.items() if key != "enum"}
    return {"type": "integer", **rest, "minimum": min(choices), "maximum": max(choices)}


def _inclusive(schema: dict[str, Any]) -> dict[str, Any]:
    """Return bounds that the value may have; the daemon still refuses the bound itself."""
    for exclusive, bound, step in (
        ("exclusiveMinimum", "minimum", 1),
        ("exclusiveMaximum", "maximum", -1),
    ):
        if exclusive in schema:
            value = schema.pop(exclusive)
            schema[bound] = value + step if schema.get("type") == "integer" else value
    return schema


# What the daemon checks, and a model need not know to get it right.
_UNLISTED_KEYWORDS = frozenset(
    ("additionalProperties", "maxLength", "maxProperties", "minLength", "minProperties")
)

# Nobody goes as far by mistake.
_UNLISTED_MAXIMUM = 10_000
_MANY_ITEMS = 100


def _listed_keywords(schema: Schema) -> dict[str, Any]:
    """Return a schema without keywords that are implied: hosts pay for every byte of a list."""
    return {
        key: value
        for key, value in schema.items()
        if key not in _UNLISTED_KEYWORDS
        and key != "x-unlisted"
        and not (key == "required" and value == [])
        and not (key == "default" and (value is False or value in ("", [], (), {})))
        and not (key == "minimum" and value in (0, 1))
        and not (key == "maximum" and value >= _UNLISTED_MAXIMUM)
        and not (key == "maxItems" and value >= _MANY_ITEMS)
        and not (key == "minItems" and value == 1)
    }
