"""Listed tools fit the hosts and show how they are used; unlisted ones are found by words."""

import json
from typing import Any

import msgspec
import pytest

from ocd.api.tool_schema import as_tool, describe
from ocd.calls import catalog
from ocd.calls.param_decoding import decode_call
from ocd.calls.path_params import companions
from ocd.verb_api import tool_search
from ocd.verb_api.capabilities import Capabilities

VERBS = catalog.load()
ENTRIES = catalog.render(VERBS.values())["verbs"]


def size(entries: list[dict[str, Any]]) -> int:
    return len(msgspec.json.encode([as_tool(entry) for entry in entries]))


def listed(tier: int) -> list[dict[str, Any]]:
    return [entry for entry in ENTRIES if entry["tier"] <= tier]


def test_tool_lists_fit_their_hosts() -> None:
    """Cursor takes 40 tools of all servers; each byte is paid for in every conversation."""
    assert len(listed(2)) <= 40
    assert size(listed(2)) <= 32 * 1024
    assert size(listed(1)) <= 16 * 1024
    assert {"crawl", "page_screenshot", "oc_task_list"} <= {entry["name"] for entry in listed(1)}


def test_core_alone_is_a_quarter_smaller() -> None:
    core = Capabilities(VERBS, ["core"], [])
    assert size([e for e in listed(2) if e["name"] in core]) <= 0.75 * size(listed(2))


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry["name"])
def test_examples_are_valid_calls(entry: dict[str, Any]) -> None:
    """Each verb that takes something shows one call of it, which decodes."""
    example = entry.get("example", {})
    verb = VERBS[entry["name"]]
    by_path = {path: name for path, name in companions(verb.params).items() if path in example}
    if by_path:
        return  # read from a file before it is decoded
    decode_call(verb, example)
    required = entry["params"].get("required", ())
    assert set(required) <= set(example), "an example gives what is required"
    if example:
        assert describe(entry).endswith(json.dumps(example, ensure_ascii=False))


def test_crawl_lists_ten_everyday_parameters() -> None:
    (crawl,) = (as_tool(entry) for entry in ENTRIES if entry["name"] == "crawl")
    assert list(crawl["inputSchema"]["properties"]) == [
        "url", "max_pages", "max_depth", "scope", "include", "exclude", "format",
        "only_main_content", "engine", "output_mode",
    ]  # fmt: skip


def test_tools_that_list_elements_refer_to_each_other() -> None:
    texts = {entry["name"]: describe(entry) for entry in ENTRIES}
    for name, others in {
        "read_page": ("find", "inspect"), "find": ("read_page", "query_dom"),
        "query_dom": ("find",), "oc_observe": ("find", "read_page"),
        "vision_find": ("find", "oc_observe"), "page_screenshot": ("read_page", "vision_find"),
    }.items():  # fmt: skip
        assert not [other for other in others if other not in texts[name]], name


QUESTIONS = {
    "click a button": "interact",
    "fill in a form with several fields": "fill_form",
    "take a screenshot of the whole page": "page_screenshot",
    "save the page as a PDF": "page_pdf",
    "upload a file": "file_upload",
    "drag an item onto another": "drag_drop",
    "run JavaScript": "javascript_tool",
    "crawl a website": "crawl",
    "open a list of URLs and run a script in each": "batch_execute",
    "wait until an element appears": "wait_for",
    "read an article as markdown": "read_page",
    "search inside a stored output": "oc_output_search",
    "block or mock network requests": "request_intercept",
    "one-time password for two-factor login": "oc_totp_generate",
    "keep a login for later": "oc_context_export",
    "emulate a phone": "emulate_device",
    "errors in the console": "console_capture",
    "start recording my actions": "oc_recording_start",
    "compare two states of a page": "oc_diff",
    "products and prices as JSON": "extract_data",
}


def test_the_right_tool_is_found_first() -> None:
    first = {words: tool_search.rank(ENTRIES, words)[0]["name"] for words in QUESTIONS}
    missed = {words: name for words, name in first.items() if name != QUESTIONS[words]}
    assert len(missed) <= 2, missed


def test_a_search_for_unrelated_words_finds_nothing() -> None:
    assert tool_search.rank(ENTRIES, "zzyzx qwxyz") == []
    assert tool_search.rank(ENTRIES, "") == []
