"""Replies to agent hosts are bounded, whatever the page: every verb of the catalog is tried."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support.daemon import Daemon
from support.mcp import Http, texts
from support.site import Site

THRESHOLD, PREVIEW = 30_000, 3000
# JSON, page text, and what the pointer and the fences say around them.
BOUND = 2 * THRESHOLD + PREVIEW + 4000

# What asks each verb for as much as it can say of the page.
ASKS: dict[str, dict[str, Any]] = {
    "act": {"instruction": "scroll down"},
    "batch_execute": {"tasks": [{"script": "document.body.innerText"}]},
    "batch_paginate": {"max_pages": 1},
    "call_verb": {"name": "javascript_tool", "arguments": {"code": "document.body.innerHTML"}},
    "computer": {"action": "scroll"},
    "console_capture": {"limit": 10_000},
    "cookies": {},
    "crawl": {"url": "HERE", "max_pages": 3, "engine": "browser"},
    "crawl_sitemap": {"url": "HERE"},
    "downloads": {},
    "expand_tools": {"tier": 3},
    "extract_data": {},
    "fill_form": {"fields": [{"label": "Field 1", "value": "x"}]},
    "find": {"query": "Act on"},
    "form_input": {"query": "Field 3", "value": "y"},
    "inspect": {},
    "interact": {"selector": "article:nth-child(9) button", "action": "click"},
    "javascript_tool": {"code": "[...document.querySelectorAll('h2')].map((e) => e.textContent)"},
    "lightweight_scroll": {},
    "list_profiles": {},
    "memory": {"action": "query"},
    "navigate": {"url": "HERE"},
    "network": {"limit": 1000},
    "network_capture_full": {"action": "start"},
    "oc_assert": {"contract": {"kind": "dom_text", "contains": "nowhere"}},
    "oc_checkpoint": {"action": "list"},
    "oc_context_export": {},
    "oc_evidence_bundle": {},
    "oc_journal": {"count": 1000},
    "oc_observe": {"limit": 1000},
    "oc_recording_list": {},
    "oc_session_snapshot": {"objective": "x", "current_step": "y", "next_actions": ["z"]},
    "oc_task_list": {"limit": 1000},
    "page_content": {"limit": 10_000_000},
    "page_tools": {},
    "page_screenshot": {"full_page": True, "format": "jpeg"},
    "performance_metrics": {"include_resources": True},
    "query_dom": {"selector": "article", "limit": 1000},
    "read_page": {"limit": 10_000_000},
    "request_intercept": {"action": "get_logs"},
    "storage": {},
    "tabs_context": {},
    "validate_page": {"url": "HERE"},
    "vision_find": {},
    "wait_for": {"type": "selector", "value": "h2"},
}
# What says nothing of pages, ends what the others need, or works on what another verb gave.
APART = {
    "drag_drop", "emulate_device", "execute_plan", "file_upload", "geolocation", "http_auth",
    "init_script",
    "network_capture_lite", "oc_connection_health", "oc_context_import", "oc_devtools_url",
    "oc_ask_human", "oc_diff", "oc_doctor_report", "oc_output_fetch", "oc_output_search",
    "oc_performance_analyze", "oc_performance_insights", "oc_profile_status", "oc_reap_orphans",
    "oc_recording_export", "oc_recording_start", "oc_recording_stop", "oc_session_resume",
    "oc_skill_recall", "oc_skill_record", "oc_skill_replay", "oc_stop", "oc_task_cancel",
    "oc_task_export", "oc_task_get", "oc_task_resume", "oc_task_start", "oc_task_wait",
    "oc_totp_generate",
    "ocs_upload_collection_files", "page_pdf", "page_reload", "page_tool_call",
    "tabs_close", "tabs_create",
    "user_agent", "worker", "worker_complete", "worker_update", "workflow_cleanup",
    "workflow_collect", "workflow_collect_partial", "workflow_init", "workflow_status",
}  # fmt: skip


@pytest.fixture(scope="module")
def here(serving: Daemon) -> Iterator[str]:
    """The address of a page that makes every answer huge, open in the daemon's tab."""
    with Site() as site:
        url = site.url("injection/huge.html")
        serving.do("navigate", url=url)
        yield url


def test_every_verb_is_tried_or_listed_as_bounded(serving: Daemon) -> None:
    """Each verb is either asked for a huge reply, or listed as unable to give one."""
    names = {entry["name"] for entry in serving.request("GET", "/v1/catalog").body["verbs"]}
    assert names <= ASKS.keys() | APART


@pytest.fixture(scope="module")
def limited(serving: Daemon) -> set[str]:
    """The verbs that take a time limit: the page is huge, and the machine may be slow.

    oc_assert would wait for all of it until what it asserts holds.
    """
    entries = serving.request("GET", "/v1/catalog").body["verbs"]
    names = {one["name"] for one in entries if "timeout_ms" in one["params"]["properties"]}
    return names - {"oc_assert"}


@pytest.mark.parametrize("verb", ASKS)
def test_no_reply_exceeds_its_limit(
    serving: Daemon, here: str, limited: set[str], verb: str
) -> None:
    arguments = {key: here if value == "HERE" else value for key, value in ASKS[verb].items()}
    arguments |= {"timeout_ms": 100_000} if verb in limited else {}
    result = Http(serving).call(verb, **arguments).result
    assert not result["isError"], result
    assert sum(map(len, texts(result))) <= BOUND, json.dumps(result)[:500]
    for block in result["content"]:
        if block["type"] == "image":
            assert len(block["data"]) <= 12 * 1024 * 1024


THROWS = {"code": "throw new Error('long '.repeat(200_000))"}
# What fails with a long text, by whose text it is.
LONG_FAILURES: dict[str, tuple[str, dict[str, Any]]] = {
    "script": ("javascript_tool", THROWS),
    "step": ("execute_plan", {"plan": {"steps": [{"tool": "javascript_tool", "args": THROWS}]}}),
    "url": ("navigate", {"url": "http://127.0.0.1:1/?" + "long" * 200_000}),
    "selector": ("interact", {"selector": "#" + "long" * 20_000}),
    "label": ("fill_form", {"fields": {"long" * 20_000: "x"}, "wait_for_ms": 0}),
    "id": ("oc_task_get", {"task_id": "long" * 20_000}),
    "verb": ("long" * 20_000, {}),
}


@pytest.mark.parametrize(("verb", "args"), LONG_FAILURES.values(), ids=LONG_FAILURES)
def test_errors_are_bounded(serving: Daemon, here: str, verb: str, args: dict[str, Any]) -> None:
    """Whoever a text in it comes from: the page, the server, the caller."""
    client = Http(serving)
    client.call("navigate", url=here)
    answered = client.call(verb, **args)
    assert answered.result["isError"]
    assert "long" in answered.result["content"][0]["text"]
    assert len(json.dumps(answered.result)) < BOUND


def test_a_spilled_reply_is_complete(serving: Daemon, here: str) -> None:
    """The pointer leads to all of a page of more than a megabyte, to the last item."""
    result = Http(serving).call("read_page", limit=10_000_000, timeout_ms=120_000).result
    assert not result["isError"], result
    path = Path(result["content"][0]["text"].split("saved to ", 1)[1].split("]\n", 1)[0])
    said = path.read_text(encoding="utf-8")
    assert len(said) > 1_000_000
    assert "Item 999" in said
