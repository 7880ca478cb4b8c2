"""The public surface: every verb is described, tested, and matches the generated files."""

import json
import re
from pathlib import Path

import pytest

from ocd.calls import catalog

ROOT = Path(__file__).resolve().parents[2]
VERBS = catalog.render(catalog.load().values())["verbs"]
NAMES = [verb["name"] for verb in VERBS]
# Every verb that is promised, by capability.
CAPABILITIES = {
    "core", "crawl", "recording", "workflow", "storage", "profile", "totp", "tasks", "perf",
    "skills", "upload",
}  # fmt: skip
LARGE = {
    "crawl", "crawl_sitemap", "network", "network_capture_lite", "network_capture_full",
    "read_page", "page_content", "extract_data", "oc_evidence_bundle", "javascript_tool",
    "batch_execute", "batch_paginate", "console_capture", "oc_journal", "query_dom",
}  # fmt: skip
LONG = {
    "crawl", "crawl_sitemap", "recording", "oc_evidence_bundle", "oc_session_snapshot",
    "batch_execute", "batch_paginate", "execute_plan",
}  # fmt: skip


def test_generated_catalog_is_current() -> None:
    """api/catalog.json is what the declarations say now (`make gen`)."""
    written = json.loads((ROOT / "daemon/ocd/api/catalog.json").read_bytes())
    assert written == json.loads(json.dumps(catalog.render(catalog.load().values())))


def test_generated_page_names_every_verb() -> None:
    """VERBS.md has every verb."""
    page = (ROOT / "VERBS.md").read_text(encoding="utf-8")
    assert [name for name in NAMES if f"### {name}\n" not in page] == []


@pytest.mark.parametrize("verb", VERBS, ids=NAMES)
def test_every_verb_is_documented(verb: dict) -> None:
    """A verb has an imperative summary without a period, and a capability, tier and fair name."""
    assert re.fullmatch(r"[A-Z].*[^.\s]", verb["summary"]), verb["summary"]
    assert "\n" not in verb["summary"]
    assert re.fullmatch(r"[a-z][a-z0-9_]{1,39}", verb["name"])
    assert verb["capability"] in CAPABILITIES
    assert verb["tier"] in (1, 2, 3)
    assert len(verb["summary"]) + len(verb["doc"]) <= 1900


def test_texts_of_pages_pass_the_sanitiser() -> None:
    """Except copies that are put back, and parts of what was cleaned when it was stored."""
    raw = {one.name for one in catalog.load().values() if one.page_keys and not one.is_sanitised}
    assert raw == {"oc_context_export", "oc_output_fetch", "oc_output_search"}


@pytest.mark.parametrize("verb", VERBS, ids=NAMES)
def test_every_parameter_is_described(verb: dict) -> None:
    """Every parameter has a description, at any depth."""
    assert _undescribed(verb["params"], "") == []


def _undescribed(schema: object, path: str) -> list[str]:
    if not isinstance(schema, dict):
        return []
    found = []
    for name, inner in (schema.get("properties") or {}).items():
        if "description" not in inner:
            found.append(f"{path}.{name}")
        found += _undescribed(inner, f"{path}.{name}")
    for inner in [schema.get("items"), *schema.get("anyOf", [])]:
        found += _undescribed(inner, f"{path}[]")
    return found


@pytest.mark.parametrize("name", sorted(LARGE & set(NAMES)))
def test_large_verbs_take_output_modes(name: str) -> None:
    """The verbs with large results take output_mode and output_inline_limit_bytes."""
    properties = VERBS[NAMES.index(name)]["params"]["properties"]
    assert {"output_mode", "output_inline_limit_bytes"} <= set(properties)


@pytest.mark.parametrize("name", sorted(LONG & set(NAMES)))
def test_long_verbs_are_task_kinds(name: str) -> None:
    """The verbs that may take long are kinds of tasks."""
    assert VERBS[NAMES.index(name)].get("long") is True


@pytest.mark.parametrize("name", NAMES)
def test_every_verb_has_a_scenario(name: str) -> None:
    """A scenario calls the verb by name, over the socket or through oc."""
    spelled = [f'"{name}"', f"$ oc {name.replace('_', '-')}"]
    spelled.append(f"$ oc {name.removeprefix('oc_').replace('_', ' ', 1).replace('_', '-')}")
    assert any(word in _SCENARIOS for word in spelled), f"no scenario calls {name}"


_SCENARIOS = "\n".join(
    path.read_text(encoding="utf-8")
    for path in sorted((ROOT / "tests/scenarios").rglob("*"))
    if path.suffix in (".py", ".txt")
)
