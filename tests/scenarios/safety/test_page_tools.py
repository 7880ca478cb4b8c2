"""Hostile page tools, and the egress policy for page tools."""

import json
import re
from collections.abc import Callable
from typing import Any

import pytest

from support.daemon import Daemon
from support.mcp import Http, texts
from support.site import Site
from support.waiting import wait_until

pytestmark = pytest.mark.usefixtures("headless_shell")
FENCED = re.compile(
    r"\A\[([0-9a-f]{16}): untrusted page content from [^\n]*\]\n(.*)\n"
    r"\[\1: end of untrusted page content\]\Z",
    re.DOTALL,
)
# Characters that no person sees, and that steer terminals; not in what reaches an agent.
UNSEEN = re.compile("[\u200b\u202e\u2066\U000e0000-\U000e007f\x1b\x07\x00]")


def inside_fence(result: dict[str, Any]) -> str:
    """Return the page text of a result, which has it between one pair of marks and nowhere else."""
    assert not result["isError"], result
    blocks = [text for text in texts(result) if FENCED.match(text)]
    assert len(blocks) == 1, result
    found = FENCED.match(blocks[0])
    assert found
    return found[2]


def test_thirty_hostile_tools_are_fenced_and_sanitised(serving: Daemon, site: Site) -> None:
    """Their text is inside the fence, and none is called unless it is named."""
    http = Http(serving)
    http.do("navigate", url=site.url("injection/tools.html"))
    listed = http.call("page_tools").result
    said = inside_fence(listed)
    tools = {tool["name"]: tool for tool in json.loads(said)}
    assert len(tools) >= 28
    outside = json.dumps([text for text in texts(listed) if not FENCED.match(text)])
    assert not re.search(r"ignore all|developer mode|rather than|Weather", outside, re.IGNORECASE)
    assert not UNSEEN.search(json.dumps(list(tools.values()), ensure_ascii=False))
    assert len(tools["long"]["description"]) <= 4000
    assert "input_schema" not in tools["schema-3"]
    called = ["gives-1", "gives-2", "gives-3", "gives-4", "gives-5", "gives-6", "navigate"]
    for name in called:
        answer = http.call("page_tool_call", name=name).result
        assert not UNSEEN.search(inside_fence(answer)), name
        assert "structuredContent" not in answer or "oh_x" not in str(answer["structuredContent"])
    told = http.call("javascript_tool", code="calls").result
    assert json.loads(inside_fence(told)) == called


def test_a_flood_of_tools_is_cut_off(serving: Daemon, site: Site) -> None:
    """A page that registers thousands costs as much as two hundred; the next page is read again."""
    http = Http(serving)
    http.do("navigate", url=site.url("injection/tools.html"))
    http.do("javascript_tool", code="flood(); listed")
    assert http.do("page_tools")["count"] == 200
    http.do("navigate", url=site.url("tools/shop.html"))
    assert "add" in inside_fence(http.call("page_tools").result)


def test_egress_policy_applies_to_page_tools(
    share_daemon: Callable[..., Daemon], site: Site
) -> None:
    """Nor by a form that is for another, nor by what the page itself calls consequential."""
    daemon = share_daemon("--http", "0", config='[policy]\nexfiltration = "deny"\n')
    shop = site.url("tools/shop.html")
    daemon.do("navigate", url=shop)
    daemon.do("read_page")
    own = {"name": "add", "arguments": {"a": 1, "b": 2}}
    frame = json.loads(daemon.do("page_tools")["content"])[0].get("frame", "")
    assert daemon.do("page_tool_call", **own, frame=frame)["content"] == "3"
    form = {"name": "leak", "arguments": {"getAttribute": "secret words"}}
    codes = [daemon.call("page_tool_call", **asked).code for asked in (form, {"name": "pay"})]
    assert codes == ["exfiltration_denied"] * 2
    daemon.do("navigate", url=shop.replace(site.origin, site.other_origin))
    there = daemon.call("page_tool_call", **own, frame=frame).error
    assert (there["code"], there["target"]) == ("exfiltration_denied", site.other_origin)
    calls = daemon.do("javascript_tool", code="calls")["content"]
    assert json.loads(calls) == []
    assert not [seen for seen in site.seen("tools/sent.html") if "secret" in seen.query]
    events = [one for one in daemon.do("oc_journal", count=100) if one.get("way") == "page_tool"]
    assert [event["decision"] for event in events] == ["refused"] * 2


def test_arguments_are_redacted_where_they_are_recorded(one_tab_daemon: Daemon, site: Site) -> None:
    one_tab_daemon.do("navigate", url=site.url("tools/shop.html"))
    token = "ghp_" + "a1B2c3D4e5" * 4
    one_tab_daemon.do("page_tool_call", name="data", arguments={"token": token})
    calls = [one for one in one_tab_daemon.do("oc_journal", count=50) if one.get("tool")]
    assert any(one["tool"] == "page_tool_call" for one in calls)
    assert token not in json.dumps(calls)


def test_a_consequential_tool_waits_for_a_person(
    share_daemon: Callable[..., Daemon], site: Site
) -> None:
    """The question names the tool and what it is given; nothing is done before the answer."""
    daemon = share_daemon(config='[policy]\nexfiltration = "ask"\n')
    daemon.do("navigate", url=site.url("tools/shop.html"))
    daemon.do("page_tools")
    call = daemon.start_call("page_tool_call", name="pay", timeout_ms=120_000)
    (one,) = wait_until(
        lambda: daemon.oc("approvals", "--json").ok().json["result"]["approvals"],
        what="the approval",
    )
    assert f"pay of {site.origin} with {{}}" in one["asks"]
    daemon.oc("approvals", "allow", one["approval"]).ok()
    assert call.reply().result["content"] == "paid"
    calls = daemon.do("javascript_tool", code="calls")["content"]
    assert json.loads(calls) == [["pay", {}]]


def test_a_crawl_records_the_tools_of_pages(
    daemon: Daemon, share_daemon: Callable[..., Daemon], site: Site
) -> None:
    """Where its formats have `tools`: cleaned like the content, and by the browser alone."""
    wanted = {"max_depth": 0, "format": ["text", "tools"]}
    crawled = daemon.do("crawl", url=site.url("tools/shop.html"), **wanted)
    assert crawled["summary"]["format"] == ["text", "tools"]
    (shop,) = crawled["pages"]
    tools = {tool["name"]: tool for tool in shop["tools"]}
    assert tools["add"]["description"] == "Add two numbers"
    assert tools["add"]["input_schema"]["properties"]["b"] == {"type": "number"}
    assert (tools["add"]["hints"], tools["order"]["form"]) == (["readOnly"], True)
    (hostile,) = daemon.do("crawl", url=site.url("injection/tools.html"), **wanted)["pages"]
    assert len(hostile["tools"]) >= 28
    assert not UNSEEN.search(json.dumps(hostile["tools"], ensure_ascii=False))
    assert hostile["sanitized"]["removed"] > 0
    (plain,) = daemon.do("crawl", url=site.url("tools/sent.html"), **wanted)["pages"]
    assert "tools" not in plain
    static = daemon.call("crawl", url=site.url("tools/shop.html"), engine="static", **wanted).error
    assert (static["code"], static["parameter"]) == ("invalid_argument", "format")
    old = share_daemon("--browser-arg=--disable-features=WebMCP")
    refused = old.call("crawl", url=site.url("tools/sent.html"), **wanted)
    assert refused.code == "webmcp_unsupported"
