"""A small catalog with one verb of each kind that the command line has to cope with."""

from typing import Any

TEXT = {"type": "string"}
NUMBER = {"type": "integer"}
FLAG = {"type": "boolean"}
COMMON = {"timeout_ms": {"type": "integer", "description": "Deadline of the call in milliseconds"}}
TAB = {"tab_id": {"type": "string", "description": "Tab to work on"}}
LARGE = {
    "output_mode": {"enum": ["inline", "handle", "auto"], "description": "Where the answer goes"},
    "output_inline_limit_bytes": {**NUMBER, "default": 32768},
}


def verb(
    name: str, capability: str = "core", *, needs: tuple[str, ...] = (),
    more: dict[str, Any] | None = None, **flags: object,
) -> dict[str, Any]:  # fmt: skip
    properties = {**(more or {}), **COMMON}
    if flags.get("large"):
        properties |= LARGE
    return {
        "name": name, "capability": capability, "tier": 1, "scope": "tab",
        "summary": f"Do what {name} does", "doc": "At length.",
        "params": {"type": "object", "properties": properties, "required": list(needs)},
        **flags,
    }  # fmt: skip


CRAWL = {
    "url": TEXT,
    "max_pages": {**NUMBER, "default": 20, "description": "Pages to fetch"},
    "scope": TEXT,
    "include": {"type": "array", "items": TEXT},
    "format": {"enum": ["markdown", "text", "html", "links"], "default": "markdown"},
    "respect_robots": {**FLAG, "default": True, "description": "Obey robots.txt"},
    "concurrency": {"anyOf": [NUMBER, {"enum": ["auto"]}]},
}
VERIFY = {"anyOf": [FLAG, {"enum": ["ax_diff", "both"]}], "default": False}

VERBS = [
    verb("navigate", needs=("url",), more={"url": TEXT, **TAB}),
    verb("read_page", large=True, more={"mode": {"enum": ["outline", "markdown"]}, **TAB}),
    verb("javascript_tool", more={"code": TEXT, "code_path": TEXT, **TAB}, large=True),
    verb("tabs_context", more={"summary": FLAG}),
    verb("tabs_close", more={**TAB, "tab_ids": {"type": "array", "items": TEXT}}),
    verb(
        "interact",
        needs=("query",),
        more={"query": TEXT, "action": TEXT, "force": FLAG, "verify": VERIFY},
    ),
    verb(
        "form_input",
        needs=("ref",),
        more={"ref": TEXT, "value": {"anyOf": [TEXT, FLAG, NUMBER]}, "value_path": TEXT},
    ),
    verb(
        "fill_form",
        more={
            "fields": {"type": "object", "additionalProperties": TEXT},
            "fields_path": TEXT,
            "submit": {"anyOf": [TEXT, FLAG], "default": False},
        },
    ),
    verb(
        "file_upload",
        needs=("file_paths",),
        more={
            "ref": TEXT,
            "selector": TEXT,
            "query": TEXT,
            "file_paths": {"type": "array", "items": TEXT},
        },
    ),
    verb("oc_context_import", more={"envelope": {"type": "object"}, "envelope_path": TEXT}),
    verb("network", more={"action": {"enum": ["list", "get", "throttle"], "default": "list"}}),
    verb("lightweight_scroll", more={"amount": NUMBER, "x": {"type": "number"}}),
    verb("page_screenshot", more={"full_page": FLAG}),
    verb("page_pdf", more={"path": TEXT, "landscape": FLAG}),
    verb("worker", needs=("action",), more={"action": {"enum": ["create", "list"]}}),
    verb("worker_update", needs=("worker_id",), more={"worker_id": TEXT}),
    verb("crawl", "crawl", needs=("url",), more=CRAWL, long=True, large=True),
    verb("oc_evidence_bundle", long=True, more={"label": TEXT}),
    verb("oc_journal", needs=("action",), more={"action": {"enum": ["recent", "summary"]}}),
    verb(
        "oc_task_start",
        "tasks",
        needs=("kind",),
        more={
            "kind": {"enum": ["crawl", "oc_evidence_bundle", "recording"]},
            "args": {"type": "object"},
        },
    ),
    verb("oc_task_list", "tasks", more={"status": TEXT, "limit": NUMBER}),
    verb("oc_task_get", "tasks", needs=("task_id",), more={"task_id": TEXT}),
    verb("oc_task_wait", "tasks", needs=("task_id",), more={"task_id": TEXT}),
    verb(
        "oc_output_fetch",
        needs=("output_handle",),
        more={"output_handle": TEXT, "offset": NUMBER, "limit": NUMBER, "format": TEXT},
    ),
]
KINDS = [
    verb("recording", "recording", long=True, more={"name": TEXT, "max_actions": NUMBER}),
]
CATALOG = {"hash": "5a3f0c", "verbs": VERBS, "kinds": KINDS}
