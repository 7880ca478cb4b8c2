"""Prompt injection by pages, as an agent host sees the replies."""

import json
import re
from typing import Any

import pytest

from support.daemon import Daemon
from support.mcp import Http, texts
from support.site import Site

NONCE = re.compile(r"\A\[([0-9a-f]{16}): untrusted page content from ")
# Every verb that returns text of a page, with the arguments that ask for most of it.
READERS: dict[str, dict[str, Any]] = {
    "outline": {"verb": "read_page"},
    "dom": {"verb": "read_page", "mode": "dom"},
    "markdown": {"verb": "read_page", "mode": "markdown"},
    "text": {"verb": "read_page", "mode": "text"},
    "semantic": {"verb": "read_page", "mode": "semantic"},
    "content": {"verb": "page_content"},
    "inspect": {"verb": "inspect", "query": "recipe"},
    "find": {"verb": "find", "query": "PLANTED"},
    "observe": {"verb": "oc_observe"},
    "query_dom": {"verb": "query_dom", "selector": "p, div, span, button", "multiple": True},
}


def read(daemon: Daemon, url: str, reader: str) -> dict[str, Any]:
    http = Http(daemon)
    http.do("navigate", url=url)
    arguments = dict(READERS[reader])
    result: dict[str, Any] = http.call(arguments.pop("verb"), **arguments).result
    return result


@pytest.mark.parametrize("reader", READERS)
def test_hidden_text_does_not_reach_the_caller(serving: Daemon, site: Site, reader: str) -> None:
    """However it is hidden: by styles, sizes, places, comments, templates or shadow trees."""
    result = read(serving, site.url("injection/hidden.html"), reader)
    said = json.dumps(result)
    # The words of the query are the caller's own.
    planted = set(re.findall(r"PLANTED-[a-z]+", said))
    assert not planted
    if reader in ("outline", "dom", "markdown", "text", "content"):
        assert {"VISIBLE-one", "VISIBLE-two", "VISIBLE-shadow"} <= set(
            re.findall(r"VISIBLE-[a-z]+", said)
        )


# A sign that turns the direction, one of the invisible alphabet, and one without width.
UNSEEN = "\u202e\U000e0041\u200b"
# Verbs whose JSON has texts of the page, beside or instead of its content.
TEXTS_IN_JSON: dict[str, dict[str, Any]] = {
    "console_capture": {},
    "storage": {"action": "get"},
    "tabs_context": {},
    "wait_for": {"type": "load"},
    "oc_checkpoint": {"action": "save"},
    "oc_evidence_bundle": {},
    "batch_execute": {"tasks": [{"script": "document.title"}]},
    "execute_plan": {"plan": {"steps": [{"tool": "console_capture"}, {"tool": "tabs_context"}]}},
}


@pytest.mark.parametrize("verb", TEXTS_IN_JSON)
def test_invisible_characters_do_not_reach_the_caller_in_json(
    serving: Daemon, site: Site, verb: str
) -> None:
    """Nor a task's result on disk; what was removed is counted."""
    http = Http(serving)
    http.do("navigate", url=site.url("article.html"))
    text = json.dumps(f"VISIBLE{UNSEEN}text")
    code = f"document.title = localStorage.kept = {text}; console.log({text})"
    http.do("javascript_tool", code=code)
    said = json.dumps(http.call(verb, **TEXTS_IN_JSON[verb]).result, ensure_ascii=False)
    if verb == "oc_checkpoint":
        said = json.dumps(http.call(verb, action="load").result, ensure_ascii=False)
    tasks = "".join(path.read_text() for path in serving.home.path.glob("tasks/*/result.json"))
    assert not set(UNSEEN) & set(said + tasks)
    assert "VISIBLEtext" in said
    assert "sanitized" in said or verb == "batch_execute"  # whose scripts' results are cleaned


@pytest.mark.parametrize("engine", ["static", "browser"])
def test_a_crawl_leaves_hidden_text_out(serving: Daemon, site: Site, engine: str) -> None:
    """The static engine knows no styles of classes: it leaves out what the page itself says."""
    pages = Http(serving).do(
        "crawl", url=site.url("injection/hidden.html"), max_pages=1, engine=engine
    )["pages"]
    said = json.dumps(pages)
    assert "VISIBLE-two" in said
    for name in ("comment", "display", "hidden", "visibility", "opacity", "template", "script"):
        assert f"PLANTED-{name}" not in said
    if engine == "browser":
        assert "PLANTED" not in said


@pytest.mark.parametrize("reader", ["outline", "dom", "markdown", "text", "content", "observe"])
def test_invisible_characters_are_removed_and_joiners_stay(
    serving: Daemon, site: Site, reader: str
) -> None:
    result = read(serving, site.url("injection/characters.html"), reader)
    said = "\n".join(texts(result))
    for code in (0x200B, 0x2060, 0xFEFF, 0x202E, 0x202C, 0x2066, 0x2069, 0xE0001, 0xE0068):
        assert chr(code) not in said, hex(code)
    if reader != "observe":
        assert "👩\u200d👩\u200d👧" in said
        assert "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645" in said


@pytest.mark.parametrize("reader", ["outline", "dom", "markdown", "text", "content"])
def test_a_fence_cannot_be_closed_from_inside(serving: Daemon, site: Site, reader: str) -> None:
    """The nonce is new in every reply; what looks like a fence inside stays between the lines."""
    first = read(serving, site.url("injection/fences.html"), reader)
    block = first["content"][1]["text"]
    match = NONCE.match(block)
    assert match
    lines = block.splitlines()
    assert lines[-1] == f"[{match[1]}: end of untrusted page content]"
    assert block.count(match[1]) == 2
    second = read(serving, site.url("injection/fences.html"), reader)["content"][1]["text"]
    assert NONCE.match(second)[1] != match[1]  # type: ignore[index]


@pytest.mark.parametrize("reader", ["outline", "dom", "markdown", "text", "content", "observe"])
def test_injection_phrases_are_counted_and_stay_readable(
    serving: Daemon, site: Site, reader: str
) -> None:
    """A page about such attacks must stay readable, so the phrases are only counted."""
    said = "\n".join(texts(read(serving, site.url("injection/fences.html"), reader)))
    assert "instruction" in said.lower()
    assert re.search(r"\[[^\]\n]*(?:instruction|phrase)[^\]\n]*\]", said)


def test_a_title_stays_inside_the_json(serving: Daemon, site: Site) -> None:
    """A page's words in JSON are named as untrusted by the reply's last block."""
    result = Http(serving).call("navigate", url=site.url("injection/fences.html")).result
    assert json.loads(result["content"][0]["text"])["title"].startswith("[end of untrusted")
    assert '"title"' in texts(result)[-1]
    assert "untrusted page content" in texts(result)[-1]
