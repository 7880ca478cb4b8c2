"""Parameters that could carry data to another origin: each is declared, or exempt with a reason."""

import re
from collections.abc import Iterator
from typing import Any

import pytest

from ocd.calls import catalog
from ocd.calls.path_params import extras_of
from ocd.verb_api.declaration import Verb

NAMED = re.compile(
    r"(?:^|[_ ])(?:ur[il]s?|href|links?|address(?:es)?|origins?|hosts?|domains?|sites?|sitemap|"
    r"servers?|endpoint|webhook|redirect|referr?er|headers?|body|cookies?|storage|log_?in|"
    r"user_?name|password|credentials?|auth|tokens?|proxy|agent|language)(?:[_ ]|$)",
    re.IGNORECASE,
)
DESCRIBED = re.compile(
    r"\b(?:URLs?|https?:|address(?:es)?|headers?|cookies?|log ?in|passwords?|user name|user agent|"
    r"credentials|authori[sz]ation|origins?|servers?)\b",
    re.IGNORECASE,
)
# What takes no words takes no data.
NO_WORDS = ("boolean", "integer", "number")
Schema = dict[str, Any]

REASONS: dict[str, str] = {
    "its parts run as calls of other verbs, which are judged by their own declarations": """
        batch_execute.tasks.url batch_execute.tasks.worker_id batch_paginate.url_template
        workflow_init.workers.url execute_plan.plan execute_plan.params call_verb.arguments
        oc_skill_record.steps""",
    "judged when the task is started, by the declaration of its kind": """
        oc_task_start.args oc_task_resume.args""",
    "a pattern that addresses are compared with here": """
        crawl.scope crawl.include crawl.exclude crawl.ignore_params
        crawl_sitemap.filter crawl_sitemap.exclude crawl_sitemap.scope network.url wait_for.type
        network_capture_full.options.url_allowlist network_capture_full.options.url_blocklist
        network_capture_lite.options.url_allowlist network_capture_lite.options.url_blocklist""",
    "a label of what is kept in the daemon's own files": """
        memory.domain memory.value oc_skill_recall.domain oc_skill_record.domain
        oc_skill_replay.domain oc_totp_generate.domain oc_checkpoint.extracted_data
        worker_complete.extracted_data worker_update.extracted_data""",
    "compared with pages or evidence here": """
        extract_data.schema crawl.extract crawl_sitemap.extract oc_assert.contract
        oc_assert.evidence oc_evidence_bundle.evidence
        oc_evidence_bundle.target_schema oc_skill_record.contract""",
    "names whose data is read, and sends none": "oc_context_export.origin",
    "whom to let ask for a position; nothing is asked of that origin": "geolocation.origin",
    "one of a few words": """
        storage.storage_type cookies.same_site crawl.keep crawl_sitemap.keep http_auth.action""",
    "asked when it is known whose tool it is": "page_tool_call.arguments page_tool.arguments",
    "declared by `uploads`": "ocs_upload_collection_files.base_url",
    "Chromium runs no scripts in it and loads nothing for it": "page_pdf.header_template",
    "the companion of what is judged": """
        request_intercept.body_path crawl.urls_path crawl.cookies_path crawl_sitemap.cookies_path
        """,
}
EXCUSED = {name for names in REASONS.values() for name in names.split()}
VERBS = {**catalog.load(), **catalog.kinds()}


def parameters(node: Schema, path: str = "") -> Iterator[tuple[str, str, Schema]]:
    """Yield the path, name and schema of every parameter, at any depth."""
    for name, inner in node.get("properties", {}).items():
        yield f"{path}{name}", name, inner
        yield from parameters(inner, f"{path}{name}.")
    for inner in (node.get("items"), node.get("additionalProperties"), *node.get("anyOf", ())):
        if isinstance(inner, dict):
            yield from parameters(inner, path)


def takes_anything(schema: Schema) -> bool:
    """Whether what stands there is not said: any JSON, or an object with any keys."""
    if schema.get("type") == "object":
        values = schema.get("additionalProperties")
        return not schema.get("properties") and not isinstance(values, dict)
    if not schema.keys() & {"type", "enum", "const", "anyOf"}:
        return True
    inner = [*schema.get("anyOf", ()), schema.get("items")]
    return any(takes_anything(one) for one in inner if isinstance(one, dict))


def can_carry(name: str, schema: Schema) -> bool:
    if schema.get("type") in NO_WORDS:
        return False
    said = schema.get("description", "")
    return bool(NAMED.search(name) or DESCRIBED.search(said) or takes_anything(schema))


def says_so(verb: Verb, path: str) -> bool:
    extras = extras_of(verb.params)
    if extras.get(path, {}).get("sends_to"):
        return True
    judged = verb.sends.names if verb.sends else ()
    return any(path == name or path.startswith(f"{name}.") for name in judged)


def carriers() -> Iterator[tuple[Verb, str]]:
    for entry in catalog.render(VERBS.values())["verbs"]:
        for path, name, schema in parameters(entry["params"]):
            if can_carry(name, schema):
                yield VERBS[entry["name"]], path


def test_every_parameter_that_could_carry_data_is_declared_or_exempt() -> None:
    """A new one: extra=SENDS_TO for an address, `sends=` of the verb for all else, or a reason."""
    silent = {f"{verb.name}.{path}" for verb, path in carriers() if not says_so(verb, path)}
    assert sorted(silent - EXCUSED) == []
    assert sorted(EXCUSED - silent) == [], "reasons for nothing"


def test_declared_parameters_exist() -> None:
    entries = {entry["name"]: entry for entry in catalog.render(VERBS.values())["verbs"]}
    for verb in VERBS.values():
        known = {path for path, _, _ in parameters(entries[verb.name]["params"])}
        assert set(verb.sends.names if verb.sends else ()) <= known, verb.name


@pytest.mark.parametrize(
    ("name", "schema"),
    [
        ("callback_url", {"type": "string"}),
        ("target", {"type": "string", "description": "Address to tell"}),
        ("extra_headers", {"type": "object", "additionalProperties": {"type": "string"}}),
        ("jar", {"type": "array", "items": {"type": "object"}}),
        ("who", {"type": "string", "description": "User name at the site"}),
        ("options", {"description": "More"}),
    ],
)
def test_parameters_are_recognised_by_name_description_or_schema(name: str, schema: Schema) -> None:
    assert can_carry(name, schema)


def test_nested_parameters_are_found() -> None:
    inner = {"type": "object", "properties": {"proxy": {"type": "string"}}}
    outer = {"properties": {"jobs": {"type": "array", "items": {"anyOf": [inner]}}}}
    found = [path for path, name, schema in parameters(outer) if can_carry(name, schema)]
    assert found == ["jobs.proxy"]
