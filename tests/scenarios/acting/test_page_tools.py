"""Tools that pages offer to agents: listed, called, gone again."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from support.daemon import Daemon
from support.site import Site
from support.waiting import wait_until


@pytest.fixture
def shop(one_tab_daemon: Daemon, site: Site) -> Daemon:
    one_tab_daemon.do("navigate", url=site.url("tools/shop.html"))
    wait_until(lambda: "Add a hundred" in str(tools_of(one_tab_daemon)), 60, "the frame's tool")
    return one_tab_daemon


def tools_of(daemon: Daemon) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(daemon.do("page_tools")["content"])
    return found


def names_of(daemon: Daemon) -> list[str]:
    return [tool["name"] for tool in tools_of(daemon)]


def calls_of(daemon: Daemon) -> list[Any]:
    found: list[Any] = json.loads(daemon.do("javascript_tool", code="calls")["content"])
    return found


def test_page_tools_are_listed_with_their_schemas(shop: Daemon) -> None:
    """Tools of scripts and forms in all frames; the first line of a reading mentions them."""
    tools = {(tool["name"], tool["description"]): tool for tool in tools_of(shop)}
    add = tools["add", "Add two numbers"]
    assert add["input_schema"]["properties"]["b"] == {"type": "number"}
    assert add["hints"] == ["readOnly"]
    order = tools["order", "Order a lamp"]
    assert order["form"] is True
    assert order["input_schema"]["required"] == ["name"]
    inner = tools["add", "Add a hundred"]
    assert inner["url"].endswith("tools/inner.html")
    assert inner["frame"] != add["frame"]
    head = shop.do("read_page")["content"].splitlines()[0]
    assert head.endswith(f"offers {len(tools)} tools (page_tools)")


def test_page_tools_are_registered_and_removed(shop: Daemon, site: Site) -> None:
    """Registered later, unregistered, gone with their form, frame and page."""
    assert "goes" in names_of(shop)
    change = """coming.abort(); document.querySelector('[toolname=draft]').remove();
        document.querySelector('iframe').remove();
        document.modelContext.registerTool({name: 'late', description: 'Late', execute() {}}); 1"""
    shop.do("javascript_tool", code=change)
    wait_until(lambda: "late" in names_of(shop), 60, "the late tool")
    names = names_of(shop)
    assert not {"goes", "draft"} & set(names)
    assert names.count("add") == 1
    shop.do("navigate", url=site.url("tools/sent.html"))
    assert names_of(shop) == []
    assert "offers" not in shop.do("read_page")["content"]
    gone = shop.call("page_tool_call", name="add", arguments={"a": 1, "b": 1})
    assert gone.code == "page_tool_not_found"


def test_calls_return_the_tools_result(shop: Daemon) -> None:
    """Text blocks, data, errors; the page saw the arguments, and no tool ran uncalled."""
    by_frame = {tool["description"]: tool for tool in tools_of(shop) if tool["name"] == "add"}
    several = shop.call("page_tool_call", name="add", arguments={"a": 1, "b": 2}).error
    frames = [tool["frame"] for tool in by_frame.values()]
    assert (several["code"], several["candidates"]) == ("ambiguous", frames)
    answers = [
        shop.do("page_tool_call", name="add", arguments={"a": 1, "b": 2}, frame=frame)["content"]
        for frame in frames
    ]
    assert answers == ["3", "101"]
    assert json.loads(shop.do("page_tool_call", name="data")["content"])["lamps"][0]["watts"] == 40
    thrown = shop.call("page_tool_call", name="throws").error
    assert (thrown["code"], "no lamps left" in thrown["message"]) == ("page_tool_failed", True)
    refused = shop.call("page_tool_call", name="refuses").error
    assert (refused["code"], "sold out" in refused["message"]) == ("page_tool_failed", True)
    called = [["add", {"a": 1, "b": 2}], *([name, {}] for name in ("data", "throws", "refuses"))]
    assert calls_of(shop) == called


def test_forms_are_filled_in_and_sent(shop: Daemon, site: Site) -> None:
    """With autosubmit immediately; otherwise once submitted, which another call can do."""
    sent = shop.do("page_tool_call", name="order", arguments={"name": "Ada", "count": 2})
    assert sent["navigated"] is True
    assert [seen.query for seen in site.seen("tools/sent.html")] == ["name=Ada&count=2"]
    shop.do("navigate", url=site.url("tools/shop.html"))
    pending = shop.start_call("page_tool_call", name="draft", arguments={"words": "Dear Ada"})
    filled = "document.querySelector('[name=words]').value === 'Dear Ada'"
    shop.do("wait_for", type="function", value=filled, timeout_ms=60_000)
    shop.do("interact", selector="#send")
    assert pending.reply(60).result["navigated"] is True
    assert site.seen("tools/sent.html")[-1].query == "words=Dear Ada"


def test_failed_calls_have_specific_errors(shop: Daemon, site: Site) -> None:
    """No reply, a late one, a dialog, a navigation: each has its error, and the tab still works."""
    never = shop.call("page_tool_call", name="never", timeout_ms=300)
    assert never.code == "timeout"
    asked = shop.call("page_tool_call", name="asks")
    assert asked.code == "dialog_open"
    shop.do("interact", action="accept_dialog")
    left = shop.do("page_tool_call", name="leaves")
    assert (left["navigated"], left["content"]) == (True, "")
    shop.do("navigate", url=site.url("tools/shop.html"))
    fled = shop.call("page_tool_call", name="flees").error
    assert fled["code"] == "page_tool_failed"
    shop.do("navigate", url=site.url("tools/shop.html"))
    pending = shop.start_call("page_tool_call", name="never", timeout_ms=60_000)
    running = "calls.some(([name]) => name === 'never')"
    shop.do("wait_for", type="function", value=running, timeout_ms=60_000)
    shop.do("navigate", url=f"{site.other_origin}/tools/sent.html")
    assert pending.reply(60).result["navigated"] is True


def test_tools_of_page_libraries_are_listed(one_tab_daemon: Daemon, site: Site) -> None:
    """A page's own navigator.modelContext: its tools are listed when asked for."""
    daemon = one_tab_daemon
    daemon.do("navigate", url=site.url("tools/library.html"))
    doubled = daemon.do("page_tool_call", name="double", arguments={"a": 21})
    assert doubled["content"] == "42"
    tools = {tool["name"]: tool for tool in tools_of(daemon)}
    assert set(tools) == {"browser", "double", "breaks", "goes", "inside"}
    assert tools["double"]["input_schema"]["required"] == ["a"]
    assert tools["double"]["hints"] == ["readOnly"]
    assert tools["inside"]["url"].endswith("library-inner.html")
    assert daemon.do("read_page")["content"].splitlines()[0].endswith("offers 5 tools (page_tools)")
    inside = daemon.do("page_tool_call", name="inside", arguments={"lamp": "Ada"})
    assert json.loads(inside["content"]) == {"given": {"lamp": "Ada"}}
    broken = daemon.call("page_tool_call", name="breaks").error
    assert (broken["code"], "no lamps left" in broken["message"]) == ("page_tool_failed", True)
    assert calls_of(daemon) == [["double", {"a": 21}], ["breaks", {}]]
    change = "tools.delete('goes'); library.registerTool({ name: 'late', description: 'Late' }); 1"
    daemon.do("javascript_tool", code=change)
    assert set(names_of(daemon)) == {"browser", "double", "breaks", "late", "inside"}
    daemon.do("javascript_tool", code="library.listTools = () => { throw new Error('no') }; 1")
    assert {"browser", "late"} <= set(names_of(daemon))


def test_long_tool_calls_are_tasks(shop: Daemon) -> None:
    """50 MB goes to a handle; a task can be cancelled, and with it the tool."""
    stored = shop.do("page_tool_call", name="much", output_mode="handle", timeout_ms=120_000)
    assert stored["size_bytes"] == 50_000_000
    quick = shop.start_task("page_tool", name="data")
    shop.finish(quick)
    assert "Ada" in shop.result_of(quick)["content"]
    slow = shop.start_task("page_tool", name="never")
    running = "calls.some(([name]) => name === 'never')"
    shop.do("wait_for", type="function", value=running, timeout_ms=60_000)
    shop.do("oc_task_cancel", task_id=slow)
    assert shop.finish(slow)["status"] == "CANCELLED"


def test_a_chromium_without_webmcp_is_reported(
    share_daemon: Callable[..., Daemon], site: Site
) -> None:
    """An older Chromium: the error says so, and the page can be read."""
    daemon = share_daemon("--browser-arg=--disable-features=WebMCP")
    daemon.do("navigate", url=site.url("tools/sent.html"))
    assert daemon.call("page_tools").code == "webmcp_unsupported"
    assert "Thank you" in daemon.do("read_page")["content"]
