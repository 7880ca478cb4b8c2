"""The official SDK's client through the relay and over HTTP, in both eras."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import mcp_types as types
import pytest
from mcp import Client, StdioServerParameters
from mcp.shared.exceptions import MCPError
from pydantic import BaseModel

from support.daemon import SCRIPTS, Daemon
from support.mcp import Http, error_of, json_of
from support.site import Site

ERAS = {"legacy": "2025-11-25", "auto": "2026-07-28"}
pytestmark = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.usefixtures("headless_shell"),
]


@asynccontextmanager
async def _client(
    daemon: Daemon,
    transport: str,
    era: str,
    **options: Any,  # noqa: ANN401 - the client's own
) -> AsyncIterator[Client]:
    target: Any = Http(daemon).url
    if transport == "relay":
        target = StdioServerParameters(command=str(SCRIPTS / "oc-mcp"), env=daemon.home.environ)
    async with Client(target, mode=era, **options) as client:
        assert client.protocol_version == ERAS[era]
        yield client


def _plain(result: BaseModel) -> dict[str, Any]:
    found: dict[str, Any] = result.model_dump(by_alias=True, exclude_none=True, mode="json")
    return found


both = pytest.mark.parametrize("era", ["legacy", "auto"])
everywhere = pytest.mark.parametrize("transport", ["relay", "http"])


@both
@everywhere
async def test_a_client_reads_pages_and_stored_outputs(
    serving: Daemon, site: Site, transport: str, era: str
) -> None:
    async with _client(serving, transport, era) as client:
        names = [tool.name for tool in (await client.list_tools()).tools]
        assert names == sorted(names)
        await client.call_tool("navigate", {"url": site.url("article.html")})
        read = _plain(await client.call_tool("read_page", {}))
        assert "Cape Ambler" in read["content"][1]["text"]
        handle = _plain(await client.call_tool("read_page", {"output_mode": "handle"}))
        assert handle["content"][1]["type"] == "resource_link"
        failed = _plain(await client.call_tool("oc_output_fetch", {"output_handle": "oh_X"}))
        assert error_of(failed)["code"] == "output_handle_not_found"


@both
@everywhere
async def test_a_resource_is_read_in_pages(
    serving: Daemon, site: Site, transport: str, era: str
) -> None:
    """A link is read in pages of 8 KiB that lead to each other."""
    async with _client(serving, transport, era) as client:
        listed = await client.list_resources()
        assert [str(one.uri) for one in listed.resources] == [
            "openchrome://guide", "openchrome://status",
        ]  # fmt: skip
        templates = await client.list_resource_templates()
        assert [one.uri_template for one in templates.resource_templates] == [
            "openchrome://output/{handle}{?offset}", "openchrome://task/{task_id}",
        ]  # fmt: skip
        args = {"url": site.url("article.html"), "max_pages": 1}
        started = await client.call_tool("oc_task_start", {"kind": "crawl", "args": args})
        task_id = json_of(_plain(started))["task_id"]
        (state,) = _plain(await client.read_resource(f"openchrome://task/{task_id}"))["contents"]
        assert json.loads(state["text"])["kind"] == "crawl"
        await client.call_tool("navigate", {"url": site.url("big?kb=20")})
        kept = await client.call_tool("read_page", {"output_mode": "handle", "mode": "text"})
        descriptor = json_of(_plain(kept))
        uri, text = f"openchrome://output/{descriptor['output_handle']}", ""
        while uri:
            payload, note = _plain(await client.read_resource(uri))["contents"]
            assert len(payload["text"].encode()) <= 8192
            assert "untrusted" in note["text"]
            text += payload["text"]
            uri = note["text"].partition("next: ")[2].partition(",")[0]
        assert len(text.encode()) == descriptor["size_bytes"]
        guide = _plain(await client.read_resource("openchrome://guide"))
        assert "read_page" in guide["contents"][0]["text"]
        status = _plain(await client.read_resource("openchrome://status"))
        assert '"uptime_s"' in status["contents"][0]["text"]
        for missing in ("openchrome://output/oh_AAAAAAAAAAAA", "openchrome://nothing", "file:///x"):
            with pytest.raises(MCPError) as caught:
                await client.read_resource(missing)
            assert caught.value.error.code == -32602


@both
async def test_a_client_gets_prompts_and_completions(serving: Daemon, site: Site, era: str) -> None:
    async with _client(serving, "relay", era) as client:
        prompts = (await client.list_prompts()).prompts
        assert [prompt.name for prompt in prompts] == [
            "crawl-and-summarise", "fill-form", "report-page-problems", "watch-task",
        ]  # fmt: skip
        given = await client.get_prompt("report-page-problems", {"url": "https://example.com"})
        assert "https://example.com" in _plain(given)["messages"][0]["content"]["text"]
        with pytest.raises(MCPError):
            await client.get_prompt("report-page-problems", {})
        await client.call_tool("navigate", {"url": site.url("article.html")})
        kept = json_of(_plain(await client.call_tool("read_page", {"output_mode": "handle"})))
        started = await client.call_tool(
            "oc_task_start", {"kind": "crawl", "args": {"url": site.url(""), "max_pages": 1}}
        )
        task_id = json_of(_plain(started))["task_id"]
        template = {"type": "ref/resource", "uri": "openchrome://output/{handle}{?offset}"}
        prompt = {"type": "ref/prompt", "name": "watch-task"}
        for ref, argument, expected in (
            (template, "handle", kept["output_handle"]),
            (prompt, "task_id", task_id),
            (prompt, "tab_id", "t1"),
        ):
            known = await client.complete(_ref(ref), {"name": argument, "value": expected[:2]})
            assert expected in known.completion.values


def _ref(
    ref: dict[str, str],
) -> types.PromptReference | types.ResourceTemplateReference:
    if ref["type"] == "ref/prompt":
        return types.PromptReference(name=ref["name"])
    return types.ResourceTemplateReference(uri=ref["uri"])


@both
@everywhere
async def test_progress_is_increasing_and_infrequent(
    serving: Daemon, site: Site, transport: str, era: str
) -> None:
    """At most two a second, each greater than the one before."""
    values: list[float] = []
    loop = asyncio.get_running_loop()

    async def hear(progress: float, total: float | None, message: str | None) -> None:
        values.append(progress)

    async with _client(serving, transport, era) as client:
        begun = loop.time()
        done = await client.call_tool(
            "crawl",
            {
                "url": site.url("many-pages/"),
                "max_pages": 12,
                "max_depth": 20,
                "delay_ms": 200,
                "engine": "static",
                "output_mode": "inline",
            },
            progress_callback=hear,
        )
        took_s = loop.time() - begun
        assert len(json_of(_plain(done))["pages"]) == 12
    assert values
    assert values == sorted(set(values))
    # Counted, not timed one by one: on a busy machine two that were sent apart arrive together.
    assert len(values) <= 2 * took_s + 1


@everywhere
async def test_expanded_tools_are_listed_on_that_connection_only(
    make_daemon: Callable[..., Daemon], transport: str
) -> None:
    """Handshake revisions only: the newest forbids lists that change."""
    daemon = make_daemon("--http", "0", "--tier", "1")
    changed = asyncio.Event()

    async def hear(message: object) -> None:
        if getattr(message, "method", "") == "notifications/tools/list_changed":
            changed.set()

    async with (
        _client(daemon, transport, "legacy", message_handler=hear) as one,
        _client(daemon, transport, "legacy") as two,
        _client(daemon, transport, "auto") as modern,
    ):
        before = await _names(one)
        assert "cookies" not in before
        shown = json_of(_plain(await one.call_tool("expand_tools", {"name": "cookies"})))
        assert shown["tools"][0]["inputSchema"]["properties"]["domain"]
        async with asyncio.timeout(300):
            await changed.wait()
        assert await _names(one) == before | {"cookies"}
        assert await _names(two) == before
        await modern.call_tool("expand_tools", {"tier": 2})
        assert await _names(modern) == before


async def _names(client: Client) -> set[str]:
    return {tool.name for tool in (await client.list_tools(cache_mode="bypass")).tools}
