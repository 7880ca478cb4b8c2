"""The HTTP body of a reply about a handle is at most 4096 bytes, whatever the page contains."""

import json
from collections.abc import Callable, Mapping

import pytest

from support.daemon import Daemon
from support.mcp import JSON, LEGACY, MODERN, Answer, Http, modern_meta
from support.site import Site

STREAMS = {**JSON, "accept": "application/json, text/event-stream"}
Road = Callable[[Http, Mapping[str, object]], Answer]
# JavaScript expressions: a repeated character costs up to 12 bytes for one after escaping twice.
TEXTS = {
    "quotes": "'\"'",
    "backslashes": "'\\\\'",
    "mixed quotes": "'\\\\\"\\'<&>'",
    "control": "'x\\u0001\\u0002\\u001f\\u007f'",
    "line ends": "'\\r\\n\\t\\u2028\\u2029'",
    "accents": "'é'",
    "Chinese": "'漢字'",
    "emoji": "'👩\\u200d🚀'",
    "invisible": "'a\\u200b\\u202e\\ufeff'",
    "half an emoji": "'\\ud83d'",
    "plain": "'x'",
}


def bare(http: Http, params: Mapping[str, object]) -> Answer:
    """As curl sends it."""
    return http.ask("tools/call", params)


def handshake(http: Http, params: Mapping[str, object]) -> Answer:
    """In a session of the handshake revisions; the body is an event stream."""
    hello = {"protocolVersion": LEGACY, "capabilities": {},
             "clientInfo": {"name": "test", "version": "0"}}  # fmt: skip
    greeted = http.ask("initialize", hello, headers=STREAMS, path="/mcp?session=default")
    session = {"mcp-session-id": greeted.headers["mcp-session-id"]}
    headers = {**STREAMS, **session}
    answered = http.ask("tools/call", params, headers=headers, path="/mcp?session=default")
    assert http.send(None, session, method="DELETE").status == 200
    return answered


def newest(http: Http, params: Mapping[str, object]) -> Answer:
    """By the revision without handshake."""
    told = {"mcp-protocol-version": MODERN, "mcp-method": "tools/call"}
    headers = {**STREAMS, **told, "mcp-name": str(params["name"])}
    return http.ask("tools/call", {**params, "_meta": modern_meta()}, headers=headers)


def result_in(answered: Answer) -> dict[str, object]:
    """Return the result, also out of an event stream."""
    lines = answered.raw.splitlines()
    data = [line[5:] for line in lines if line.startswith(b"data:") and line[5:].strip()]
    message = json.loads(data[-1] if data else answered.raw)
    found: dict[str, object] = message["result"]
    return found


@pytest.mark.parametrize("road", [bare, handshake, newest])
def test_the_reply_about_a_handle_is_bounded_for_every_kind_of_text(
    serving: Daemon, http: Http, site: Site, road: Road
) -> None:
    """For every way to call; the preview is there, and is the text's beginning."""
    http.do("navigate", url=site.url("article.html"))
    for kind, character in TEXTS.items():
        code = f"({character}).repeat(6000)"
        arguments = {"code": code, "output_mode": "handle"}
        answered = road(http, {"name": "javascript_tool", "arguments": arguments})
        assert len(answered.raw) + 1 <= 4096, (kind, len(answered.raw))
        result = result_in(answered)
        blocks = result["content"]
        assert isinstance(blocks, list)
        assert blocks[1]["type"] == "resource_link"
        descriptor = json.loads(blocks[0]["text"])
        preview = descriptor["preview"]
        assert preview, kind
        assert len(preview.encode()) <= 2048, kind
        stored = http.do(
            "oc_output_fetch", output_handle=descriptor["output_handle"], format="text", limit=4096
        )
        assert stored["content"].startswith(preview), kind


def test_the_reply_is_bounded_for_a_crawl_of_many_origins(
    serving: Daemon, http: Http, site: Site
) -> None:
    """Items of many origins and long addresses: the note that names them stays inside, too."""
    answered = http.call(
        "crawl", url=site.url("quotes.html?" + "x" * 1500), max_pages=1, output_mode="handle"
    )
    assert len(answered.raw) + 1 <= 4096
    assert json.loads(answered.result["content"][0]["text"])["item_count"] == 1
