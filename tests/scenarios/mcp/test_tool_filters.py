"""Which tools a host sees and may call: groups, tiers, call_verb."""

import json
from collections.abc import Callable

from ocd.api.tool_schema import describe
from ocd.calls import catalog
from support.daemon import Daemon
from support.mcp import Bridge, Http, error_of


def _size(tools: list[dict[str, object]]) -> int:
    return len(json.dumps(tools, ensure_ascii=False, separators=(",", ":")).encode())


def test_names_and_descriptions_fit_every_host() -> None:
    for entry in catalog.render(catalog.load().values())["verbs"]:
        assert len(entry["name"]) <= 40
        assert len(describe(entry)) <= 1900
        for name, schema in entry["params"]["properties"].items():
            assert schema.get("description"), (entry["name"], name)


def test_the_list_is_deterministic(http: Http) -> None:
    assert http.tools() == http.tools()
    tools = http.tools()
    assert len(tools) <= 40
    assert _size(tools) <= 32 * 1024


def test_tier_1_fits_16_kb(serving: Daemon) -> None:
    """The tools for everyday work, in 16 KB."""
    with Bridge(serving.home, "--tier", "1") as bridge:
        bridge.greet()
        tools = bridge.ask("tools/list")["result"]["tools"]
    assert len(tools) <= 30
    assert _size(tools) <= 16 * 1024
    names = {tool["name"] for tool in tools}
    assert {"crawl", "page_screenshot", "oc_task_list", "oc_output_fetch", "call_verb"} <= names


def test_rare_parameters_are_accepted_though_not_listed(http: Http) -> None:
    """They are in the catalog, and a call may give them; what nobody declared is refused."""
    tools = {tool["name"]: tool["inputSchema"] for tool in http.tools()}
    assert "wait_for_ms" not in tools["find"]["properties"]
    entry = next(e for e in catalog.render(catalog.load().values())["verbs"] if e["name"] == "find")
    assert "wait_for_ms" in entry["params"]["properties"]
    assert http.do("tabs_context", summary=True)["tab_count"] == 0
    assert error_of(http.call("tabs_context", nonsense=1).result)["code"] == "invalid_argument"


def test_core_alone_is_a_quarter_smaller(serving: Daemon, http: Http) -> None:
    with Bridge(serving.home, "--tools-only", "core") as bridge:
        bridge.greet()
        core = bridge.ask("tools/list")["result"]["tools"]
    assert _size(core) <= 0.75 * _size(http.tools())


def test_a_bridge_can_disable_groups(serving: Daemon) -> None:
    """Listing, expanding, calling, call_verb and task kinds obey alike."""
    with Bridge(serving.home, "--disable-tools", "crawl") as bridge:
        bridge.greet()
        assert "crawl" not in bridge.tools()
        assert "oc_task_start" in bridge.tools()
        for tool, arguments in (
            ("crawl", {"url": "https://example.com"}),
            ("expand_tools", {"name": "crawl"}),
            ("call_verb", {"name": "crawl", "arguments": {"url": "https://example.com"}}),
            ("oc_task_start", {"kind": "crawl", "args": {"url": "https://example.com"}}),
        ):
            error = error_of(bridge.call(tool, **arguments))
            assert error["code"] == "CAPABILITY_DISABLED", tool
            assert error["capability"] == "crawl"
        assert "batch_paginate" not in {
            tool["name"] for tool in bridge.do("expand_tools")["hidden"]
        }
        assert bridge.do("expand_tools", query="crawl a site")["expanded"] != ["crawl"]


def test_a_bridge_cannot_exceed_the_daemons_groups(make_daemon: Callable[..., Daemon]) -> None:
    daemon = make_daemon("--tools-only", "core")
    with Bridge(daemon.home, "--tools-only", "core,crawl") as bridge:
        bridge.greet()
        assert "crawl" not in bridge.tools()
        assert error_of(bridge.call("crawl", url="x"))["capability"] == "crawl"


def test_hidden_tools_can_be_called(serving: Daemon) -> None:
    """A tier decides which tools are listed, never which can be called."""
    with Bridge(serving.home, "--tier", "1") as bridge:
        bridge.greet()
        assert "oc_journal" not in bridge.tools()
        assert isinstance(bridge.do("oc_journal", count=1), list)
        journal = bridge.do("call_verb", name="oc_journal", arguments={"count": 1})
        assert isinstance(journal, list)
        assert error_of(bridge.call("call_verb", name="call_verb"))["code"] == "invalid_argument"
        assert error_of(bridge.call("call_verb", name="nope"))["code"] == "unknown_verb"


def test_expand_tools_without_arguments_names_only_hidden_tools(
    serving: Daemon, http: Http
) -> None:
    everything = set(catalog.load())
    hidden = {tool["name"] for tool in http.do("expand_tools")["hidden"]}
    assert hidden == everything - {tool["name"] for tool in http.tools()}
    with Bridge(serving.home, "--tier", "3") as bridge:
        bridge.greet()
        assert bridge.do("expand_tools") == {"hidden": []}
    with Bridge(serving.home, "--tier", "1") as bridge:
        bridge.greet()
        bridge.do("expand_tools", name="cookies")
        listed = bridge.tools()
        assert "cookies" in listed
        hidden = {tool["name"] for tool in bridge.do("expand_tools")["hidden"]}
        assert hidden == everything - set(listed)


def test_expand_tools_shows_the_whole_schema(http: Http) -> None:
    shown = http.do("expand_tools", name="crawl")
    assert shown["expanded"] == ["crawl"]
    (whole,) = shown["tools"]
    listed = next(tool for tool in http.tools() if tool["name"] == "crawl")
    assert whole["description"] == listed["description"]
    rest = listed["inputSchema"]["properties"]
    assert rest.items() <= whole["inputSchema"]["properties"].items()
    assert len(rest) == 10
    assert "respect_robots" in whole["inputSchema"]["properties"]
    assert (
        http.do("expand_tools", query="search stored output")["expanded"][0] == "oc_output_search"
    )
    assert "batch_execute" in http.do("expand_tools", tier=2)["expanded"]
    assert error_of(http.call("expand_tools", name="crawll").result)["code"] == "unknown_verb"
    both = error_of(http.call("expand_tools", name="crawl", tier=2).result)
    assert both["code"] == "invalid_argument"
