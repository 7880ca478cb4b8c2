"""No large value has to be typed: every parameter that can be large can also come from a file."""

import json
from pathlib import Path
from typing import Any

import pytest

CATALOG = json.loads(
    (Path(__file__).parents[2] / "daemon" / "ocd" / "api" / "catalog.json").read_text()
)
LARGE = 10 * 1024
# Short by nature: a word, a name, an address, a line. A new parameter is not among them until
# somebody has decided that it is.
SHORT = {
    "a", "accept_language", "action", "actions", "after", "args", "arguments", "auto_stop", "b",
    "base_url", "before", "bundle_id", "checkpoint_id", "clip", "cluster", "compare_to",
    "context_id", "contract_id",
    "description", "domain", "drop", "exclude", "exclude_selectors", "file_paths", "files",
    "filter", "filter_options", "footer_template", "goal", "header_template", "headers", "id",
    "ignore_params", "include", "include_types",
    "insight", "instruction", "key", "keys", "kind", "label", "labels", "margin_bottom",
    "margin_left", "margin_right", "margin_top", "method", "name", "names", "objective",
    "options", "origin", "origins", "output_handle", "page_ranges", "password", "path",
    "pattern", "pattern_id", "plan_id", "proxy", "query", "recording_id", "ref", "refs",
    "resource_type",
    "rule", "rule_id", "save_as",
    "scope", "selector", "session_id", "since", "sitemap_url", "skill",
    "skill_id", "snapshot_id", "source_query", "source_ref", "source_selector", "start",
    "status", "submit", "tab_id", "tab_ids", "tags", "target_id", "target_query", "target_ref",
    "target_selector", "task_id", "team", "text", "trace_id", "url", "urls", "user_agent",
    "user_data_dir", "username", "value", "wait_for_selector", "worker", "worker_id",
    "worker_name", "workers", "workflow_id", "xpath",
}  # fmt: skip
# Beside their companions: what the specification names.
NAMED = {
    "javascript_tool": "code",
    "form_input": "value",
    "fill_form": "fields",
    "storage": "value",
    "request_intercept": "body",
    "extract_data": "schema",
    "oc_assert": "contract",
    "oc_evidence_bundle": "evidence",
    "oc_context_import": "envelope",
    "execute_plan": "plan",
    "batch_execute": "tasks",
}


def can_be_large(schema: dict[str, Any]) -> bool:
    """Return whether a value of this schema may have more than 10 KB."""
    if schema.get("enum") or "pattern" in schema:
        return False
    if branches := schema.get("anyOf"):
        return any(map(can_be_large, branches))
    match schema.get("type"):
        case "string":
            return bool(schema.get("maxLength", LARGE + 1) > LARGE)
        case "array":
            return can_be_large(schema.get("items", {}))
        case "integer" | "number" | "boolean":
            return False
    return True


@pytest.mark.parametrize("entry", CATALOG["verbs"], ids=lambda entry: entry["name"])
def test_every_large_parameter_has_a_companion(entry: dict[str, Any]) -> None:
    """`code` has `code_path`: a file is read here, and its text is never typed by a model."""
    properties = entry["params"]["properties"]
    large = {
        name
        for name, schema in properties.items()
        if can_be_large(schema) and f"{name}_path" not in properties and not name.endswith("_path")
    }
    assert large <= SHORT


@pytest.mark.parametrize("verb", NAMED)
def test_parameters_named_by_the_specification_have_companions(verb: str) -> None:
    (entry,) = (entry for entry in CATALOG["verbs"] if entry["name"] == verb)
    properties = entry["params"]["properties"]
    assert {NAMED[verb], f"{NAMED[verb]}_path"} <= properties.keys()
    assert NAMED[verb] not in entry["params"].get("required", ())
