"""Output handles: large results are stored, described in 4 KB, and fetched in pages."""

import base64
import json
import re
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from support import wire
from support.daemon import Daemon
from support.recorded import recorded
from support.site import Site
from support.waiting import wait_until

pytestmark = pytest.mark.usefixtures("headless_shell")

KEYS = [
    "output_handle", "mime_type", "size_bytes", "item_count", "preview", "expires_at", "fetch_with",
]  # fmt: skip
HANDLE = re.compile(r"^oh_[A-Z2-7]{12}$")


@pytest.fixture
def daemon(one_tab_daemon: Daemon) -> Daemon:
    """One tab serves them all, for they begin by going to a page."""
    return one_tab_daemon


def _descriptor(daemon: Daemon, verb: str, **params: object) -> dict[str, Any]:
    reply = daemon.call(verb, output_mode="handle", **params)
    assert len(reply.raw) <= 4096
    found: dict[str, Any] = reply.result
    assert list(found) == KEYS
    return found


def _whole(daemon: Daemon, handle: str, limit: int, **options: object) -> list[Any]:
    """Return the `content` of every page, checking the paging's arithmetic on the way."""
    pages, offset = [], 0
    while True:
        page = daemon.do(
            "oc_output_fetch", output_handle=handle, offset=offset, limit=limit, **options
        )
        assert page["output_handle"] == handle
        assert (page["offset"], page["limit"]) == (offset, limit)
        assert 0 <= page["returned"] <= limit
        assert page["eof"] == (page["next_offset"] is None)
        pages.append(page["content"])
        if page["eof"]:
            assert offset + page["returned"] == page["total"]
            return pages
        assert page["next_offset"] == offset + page["returned"]
        offset = page["next_offset"]


# --- scenario 1 and 2: the default, and the descriptor -----------------------------------------


def test_default_reading_has_no_envelope(daemon: Daemon, site: Site) -> None:
    """Without `output_mode` nobody ever sees a handle."""
    daemon.do("navigate", url=site.url("article.html"))
    result = daemon.do("read_page")
    assert "output_handle" not in result
    assert "Cape Ambler" in result["content"]


def test_inline_result_is_the_same_with_and_without_the_mode(daemon: Daemon, site: Site) -> None:
    """`output_mode="inline"` is the default, byte for byte."""
    daemon.do("navigate", url=site.url("many-pages/3.html"))
    assert daemon.call("read_page", mode="text").raw == (
        daemon.call("read_page", mode="text", output_mode="inline").raw
    )


def test_descriptor_has_exactly_the_seven_keys(daemon: Daemon, site: Site) -> None:
    """A handle reply is the descriptor: its keys, its pattern, its size, a preview, an expiry."""
    daemon.do("navigate", url=site.url("many-pages/3.html"))
    found = _descriptor(daemon, "read_page", mode="text")
    assert HANDLE.match(found["output_handle"])
    assert found["size_bytes"] > 0
    assert found["mime_type"] == "text/plain"
    assert found["item_count"] is None
    assert 0 < len(found["preview"].encode()) <= 2048
    assert found["fetch_with"] == "oc_output_fetch"
    left = datetime.fromisoformat(found["expires_at"]) - datetime.now(UTC)
    assert 23 * 3600 < left.total_seconds() <= 24 * 3600


def test_handle_stores_what_would_have_been_returned(daemon: Daemon, site: Site) -> None:
    """The stored payload is the whole inline text, whatever the inline window is."""
    daemon.do("navigate", url=site.url("many-pages/39.html"))
    inline = daemon.do("read_page", mode="text", limit=1_000_000)["content"]
    found = _descriptor(daemon, "read_page", mode="text")
    assert found["size_bytes"] == len(inline.encode())
    assert "".join(_whole(daemon, found["output_handle"], 4000, format="text")) == inline


def test_auto_spills_only_above_the_limit(daemon: Daemon, site: Site) -> None:
    """`auto` answers inline up to `output_inline_limit_bytes`, and a handle above it."""
    daemon.do("navigate", url=site.url("many-pages/3.html"))
    assert "content" in daemon.do("read_page", mode="text", output_mode="auto")
    found = daemon.do("read_page", mode="text", output_mode="auto", output_inline_limit_bytes=1000)
    assert list(found) == KEYS
    daemon.do("navigate", url=site.url("big?kb=64"))
    assert list(daemon.do("read_page", mode="text", output_mode="auto")) == KEYS


def test_limit_applies_to_auto_only(daemon: Daemon, site: Site) -> None:
    """`output_inline_limit_bytes` changes nothing in the other modes."""
    daemon.do("navigate", url=site.url("article.html"))
    assert "content" in daemon.do("read_page", output_inline_limit_bytes=1)
    _descriptor(daemon, "read_page", output_inline_limit_bytes=1_000_000)


# --- scenario 3: paging ------------------------------------------------------------------------


def test_crawl_handle_pages_by_items(daemon: Daemon, site: Site) -> None:
    """A crawl of 30 pages is fetched in pages of 10 items: none missing, none twice."""
    found = _descriptor(
        daemon, "crawl", url=site.url("many-pages/1.html"), max_pages=30, max_depth=9
    )
    assert found["item_count"] == 30
    assert found["mime_type"] == "application/json"
    pages = _whole(daemon, found["output_handle"], 10)
    assert [len(page) for page in pages] == [10, 10, 10]
    urls = [record["url"] for page in pages for record in page]
    assert len(set(urls)) == 30
    assert all(record["content"] for page in pages for record in page)


def test_small_crawl_fits_one_page(daemon: Daemon, site: Site) -> None:
    """Fewer items than the limit: one page, and `eof` at once."""
    found = _descriptor(daemon, "crawl", url=site.url("many-pages/1.html"), max_pages=3)
    (page,) = _whole(daemon, found["output_handle"], 10)
    assert len(page) == 3


@pytest.mark.parametrize("size", [997, 4096, 65536])
def test_text_pages_join_to_the_whole(daemon: Daemon, site: Site, size: int) -> None:
    """Text pages are cut at code points: joined they are the text, none has a broken character."""
    daemon.do("navigate", url=site.url("awkward.html"))
    inline = daemon.do("read_page", mode="text", limit=10_000_000)["content"]
    found = _descriptor(daemon, "read_page", mode="text")
    pages = _whole(daemon, found["output_handle"], size)
    assert "".join(pages) == inline
    assert not any("\ufffd" in page for page in pages)


def test_bytes_are_the_stored_file(daemon: Daemon, site: Site) -> None:
    """`format="bytes"` answers base64 of exactly the bytes on disk."""
    daemon.do("navigate", url=site.url("awkward.html"))
    found = _descriptor(daemon, "read_page", mode="text")
    pages = _whole(daemon, found["output_handle"], 5000, format="bytes")
    stored = b"".join(base64.b64decode(page) for page in pages)
    files = [
        path
        for path in daemon.output_files(found["output_handle"])
        if path.suffix in (".txt", ".md")
    ]
    assert len(files) == 1
    assert stored == files[0].read_bytes()


def test_offset_past_the_end_is_empty_and_final(daemon: Daemon, site: Site) -> None:
    """An offset at or past the end answers nothing, with `eof`."""
    daemon.do("navigate", url=site.url("article.html"))
    handle = _descriptor(daemon, "read_page")["output_handle"]
    page = daemon.do("oc_output_fetch", output_handle=handle, offset=10_000_000)
    assert (page["returned"], page["next_offset"], page["eof"]) == (0, None, True)


def test_items_of_text_are_refused(daemon: Daemon, site: Site) -> None:
    """`format="items"` on something without items is `invalid_format_for_payload`."""
    daemon.do("navigate", url=site.url("article.html"))
    handle = _descriptor(daemon, "read_page", mode="text")["output_handle"]
    reply = daemon.call("oc_output_fetch", output_handle=handle, format="items")
    assert reply.code == "invalid_format_for_payload"


def test_search_finds_lines_in_a_large_output(daemon: Daemon, site: Site) -> None:
    """`oc_output_search` finds the few lines that matter, with the context asked for."""
    daemon.do("navigate", url=site.url("busy-dom.html"))
    handle = _descriptor(daemon, "read_page", mode="text")["output_handle"]
    found = daemon.do("oc_output_search", output_handle=handle, pattern=r"section 17\d", limit=3)
    assert len(found["matches"]) == 3
    assert all("17" in json.dumps(match) for match in found["matches"])


def test_search_pattern_cannot_stall_the_daemon(daemon: Daemon, site: Site) -> None:
    """A pattern that takes backtracking engines for ever is answered in linear time."""
    daemon.do("navigate", url=site.url("big?kb=500"))
    handle = _descriptor(daemon, "read_page", mode="text")["output_handle"]
    reply = daemon.call(
        "oc_output_search", output_handle=handle, pattern=r"(\w+\s?)*!$", timeout_ms=120_000
    )
    assert reply.status == 200
    assert daemon.call("oc_output_search", output_handle=handle, pattern="(").code == (
        "invalid_argument"
    )


# --- scenario 4: unknown handles ---------------------------------------------------------------


@pytest.mark.parametrize(
    "handle",
    [
        "oh_DEADBEEF0000", "oh_AAAAAAAAAAAA", "", "oh_", "nonsense", "oh_aaaaaaaaaaaa",
        "../../../etc/passwd", "oh_AAAAAAAAAAA/", "oh_AAAAAAAAAAAA\n", "oh_ÄÖÜÄÖÜÄÖÜÄÖÜ",
        "x" * 10_000,
    ],
)  # fmt: skip
def test_unknown_handle_is_a_structured_error(daemon: Daemon, handle: str) -> None:
    """Whatever is no handle of this daemon is `output_handle_not_found`, in a small reply."""
    for verb, more in (("oc_output_fetch", {}), ("oc_output_search", {"pattern": "x"})):
        reply = daemon.call(verb, output_handle=handle, **more)
        assert (reply.status, reply.code) == (404, "output_handle_not_found")
        assert len(reply.raw) <= 4096


# --- scenario 5: the size of the reply ---------------------------------------------------------


@pytest.mark.parametrize("page", ["quotes.html", "emoji.html", "awkward.html", "big?kb=1000"])
@pytest.mark.parametrize("mode", ["text", "outline", "markdown"])
def test_handle_reply_is_at_most_4096_bytes(
    daemon: Daemon, site: Site, page: str, mode: str
) -> None:
    """The whole reply body fits 4096 bytes after escaping; the preview is cut at a code point."""
    daemon.do("navigate", url=site.url(page))
    preview = _descriptor(daemon, "read_page", mode=mode)["preview"]
    assert len(preview.encode()) <= 2048
    assert "\ufffd" not in preview
    assert preview


def test_handle_reply_is_a_tenth_of_the_inline_one(daemon: Daemon, site: Site) -> None:
    """For 30 pages the handle reply is ≤ 0.10 of the inline reply."""
    args = {"url": site.url("many-pages/1.html"), "max_pages": 30, "max_depth": 9}
    inline = daemon.call("crawl", **args)
    stored = daemon.call("crawl", **args, output_mode="handle")
    assert len(inline.result["pages"]) == 30
    assert len(stored.raw) <= 0.10 * len(inline.raw)


# What a call of each large verb needs, `{site}` being the fixture site.
ARGUMENTS: dict[str, dict[str, Any]] = {
    "batch_execute": {"tasks": [{"script": "1 + 1"}]},
    "batch_paginate": {"total_pages": 1},
    "crawl": {"url": "{site}/many-pages/1.html", "max_pages": 2},
    "crawl_sitemap": {"url": "{site}/", "max_pages": 2},
    "execute_plan": {"plan": {"steps": [{"tool": "tabs_context"}]}},
    "extract_data": {"schema": {"properties": {"name": {"type": "string"}}}},
    "network_capture_full": {"action": "start"},
    "network_capture_lite": {"action": "start"},
    "javascript_tool": {"code": "({a: [1, 2, 3]})"},
    "page_tool_call": {"name": "data"},
    "oc_diff": {"a": "{bundle}", "b": "{other}"},
    "oc_journal": {"action": "recent"},
    "oc_observe": {"scope": "document", "include_hidden": True},
    "query_dom": {"method": "css", "selector": "h1", "multiple": True},
    "oc_task_get": {"task_id": "{task}", "include_result": True},
}
# What they read, if not a product's page.
PAGES = {
    "console_capture": "console.html", "oc_observe": "acting/rows.html",
    "page_tools": "tools/shop.html", "page_tool_call": "tools/shop.html",
}  # fmt: skip
CATALOG = Path(__file__).resolve().parents[2] / "daemon" / "ocd" / "api" / "catalog.json"
LARGE = [verb["name"] for verb in json.loads(CATALOG.read_bytes())["verbs"] if verb.get("large")]


@pytest.mark.parametrize("verb", LARGE)
def test_every_large_verb_can_return_a_handle(daemon: Daemon, site: Site, verb: str) -> None:
    """Every verb that takes `output_mode` answers a descriptor when asked, and it is redeemable."""
    daemon.close_tabs()  # in the same tab, a capture that another verb has begun would go on
    daemon.do("navigate", url=site.url(PAGES.get(verb, "product.html")))
    task = daemon.start_task("crawl", url=site.url("article.html"), max_pages=1)
    daemon.finish(task)
    with recorded(daemon):
        daemon.do("page_reload")
    if verb.startswith("page_tool"):
        wait_until(lambda: "data" in daemon.do("page_tools")["content"], 60, "the page's tools")
    text = json.dumps(ARGUMENTS.get(verb, {}))
    if "{bundle}" in text:
        bundle = daemon.do("oc_evidence_bundle", include=["facts"])["bundle_id"]
        other = daemon.do("oc_evidence_bundle", evidence={"url": "about:blank"})["bundle_id"]
        text = text.replace("{bundle}", bundle).replace("{other}", other)
    if verb.startswith("workflow_"):
        daemon.do("workflow_init", name="n", workers=[{"name": "a", "task": "t"}])
        daemon.do("worker_complete", worker_name="a", status="SUCCESS", result_summary="s")
        daemon.do("workflow_cleanup")
    params = json.loads(text.replace("{site}", site.origin).replace("{task}", task))
    found = _descriptor(daemon, verb, **params)
    page = daemon.do("oc_output_fetch", output_handle=found["output_handle"])
    assert page["content"]


# --- scenario 6: expiry ------------------------------------------------------------------------


def test_ttl_zero_expires_at_once_and_the_sweep_removes_the_file(
    make_daemon: Callable[..., Daemon], site: Site
) -> None:
    """With TTL 0 a handle is refused at once, and after a 2 s sweep its files are gone."""
    daemon = make_daemon(
        "--output-handle-ttl-hours", "0", "--output-handle-sweep-interval-seconds", "2"
    )
    daemon.do("navigate", url=site.url("article.html"))
    handle = _descriptor(daemon, "read_page")["output_handle"]
    reply = daemon.call("oc_output_fetch", output_handle=handle)
    assert reply.code == "output_handle_not_found"
    wait_until(lambda: not daemon.output_files(handle), 6, "the sweep")


def test_orphans_of_a_crash_are_swept(make_daemon: Callable[..., Daemon], site: Site) -> None:
    """A payload without meta, and a meta without payload, are swept; strangers' files are not."""
    daemon = make_daemon("--output-handle-sweep-interval-seconds", "1")
    daemon.do("navigate", url=site.url("article.html"))
    kept = _descriptor(daemon, "read_page")["output_handle"]
    folder = daemon.output_files(kept)[0].parent
    daemon.stop()
    orphan = folder / "oh_AAAAAAAAAAAA.json"
    orphan.write_text("[]")
    old = folder / "oh_BBBBBBBBBBBB.meta.json"
    old.write_text("{}")
    stranger = folder / "notes.md"
    stranger.write_text("mine")
    daemon.start()
    wait_until(lambda: not orphan.exists(), 6, "the sweep of the orphan")
    assert stranger.exists()
    assert daemon.do("oc_output_fetch", output_handle=kept)["total"] > 0


def test_handles_survive_a_restart(make_daemon: Callable[..., Daemon], site: Site) -> None:
    """A handle can be redeemed after the daemon was stopped and started, and after kill -9."""
    daemon = make_daemon()
    daemon.do("navigate", url=site.url("many-pages/2.html"))
    handle = _descriptor(daemon, "read_page", mode="text")["output_handle"]
    before = daemon.do("oc_output_fetch", output_handle=handle)
    daemon.restart()
    assert daemon.do("oc_output_fetch", output_handle=handle) == before
    daemon.kill9().start()
    assert daemon.do("oc_output_fetch", output_handle=handle) == before


# --- scenario 7 and the rest --------------------------------------------------------------------


def test_journal_records_the_creation(daemon: Daemon, site: Site) -> None:
    """`oc_journal(recent)` is an array, newest last, with the event beside the calls."""
    daemon.do("navigate", url=site.url("article.html"))
    found = _descriptor(daemon, "read_page")
    entries = daemon.do("oc_journal", action="recent", count=50)
    events = [e for e in entries if e.get("event") == "output_handle_created"]
    assert events[-1]["handle"] == found["output_handle"]
    assert set(events[-1]) == {"event", "handle", "source_tool", "size_bytes", "mime_type", "ts"}
    assert events[-1]["source_tool"] == "read_page"
    assert events[-1]["size_bytes"] == found["size_bytes"]
    assert [e["ts"] for e in entries] == sorted(e["ts"] for e in entries)
    assert any(e.get("tool") == "navigate" for e in entries)


def test_stored_text_is_sanitised(daemon: Daemon, site: Site) -> None:
    """What a person would not see is neither returned nor stored."""
    daemon.do("navigate", url=site.url("hidden.html"))
    found = _descriptor(daemon, "read_page", mode="text")
    stored = "".join(
        p.read_text() for p in daemon.output_files(found["output_handle"]) if p.suffix != ".idx"
    )
    assert "Visible text" in stored
    assert "Hidden" not in stored
    assert "\u202e" not in stored
    assert "\u200b" not in stored
    assert "\U0001f468\u200d\U0001f469\u200d\U0001f467" in stored


def test_large_inline_crawl_is_not_cut(daemon: Daemon, site: Site) -> None:
    """More than 50,000 characters inline: every page whole, nothing cut away silently."""
    result = daemon.do("crawl", url=site.url("many-pages/1.html"), max_pages=12, max_depth=9)
    assert len(json.dumps(result)) > 50_000
    assert all(len(page["content"]) > 3000 for page in result["pages"])


def test_inline_reading_is_paged_with_offset_and_limit(daemon: Daemon, site: Site) -> None:
    """An inline reading is cut at `limit` characters and says where to go on."""
    daemon.do("navigate", url=site.url("many-pages/39.html"))
    parts, offset = [], 0
    while offset is not None:
        result = daemon.do("read_page", mode="text", offset=offset, limit=1500)
        assert len(result["content"]) <= 1500
        parts.append(result["content"])
        offset = result["next_offset"]
    whole = daemon.do("read_page", mode="text", limit=1_000_000)
    assert "".join(parts) == whole["content"]
    assert whole["total"] == len(whole["content"])


def test_ten_writers_get_ten_handles(daemon: Daemon, site: Site) -> None:
    """Handles made at the same time are all different and all redeemable."""
    daemon.do("navigate", url=site.url("article.html"))
    calls = [
        daemon.start_call("oc_journal", action="recent", output_mode="handle") for _ in range(10)
    ]
    handles = {call.reply().result["output_handle"] for call in calls}
    assert len(handles) == 10
    for handle in handles:
        assert daemon.call("oc_output_fetch", output_handle=handle).status == 200


def test_the_bound_applies_to_the_raw_body(daemon: Daemon, site: Site) -> None:
    """The bound holds for the raw HTTP body, also for a caller that asks for NDJSON."""
    daemon.do("navigate", url=site.url("awkward.html"))
    params = {"mode": "text", "output_mode": "handle"}
    body = wire.call_body("read_page", params, None)
    headers = {**wire.JSON_BODY, "Accept": "application/x-ndjson"}
    reply = daemon.request("POST", "/v1/call", body, headers)
    assert len(reply.raw) <= 4096
