"""`oc-mcp --page-tools`: a host gets the tools of its tab's page in addition to ours."""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from support.daemon import Daemon
from support.mcp import Bridge, error_of, texts
from support.site import Site

CHANGED = "notifications/tools/list_changed"
# Characters that no person sees, and that steer terminals.
UNSEEN = re.compile("[\u200b\u202e\u2066\U000e0000-\U000e007f\x1b\x07\x00]")


@pytest.fixture
def host(serving: Daemon) -> Iterator[Bridge]:
    with Bridge(serving.home, "--page-tools") as bridge:
        bridge.greet()
        yield bridge


def wait_changed(host: Bridge) -> None:
    """Wait until the host is told that its list of tools has changed."""
    while host.next().get("method") != CHANGED:
        pass


def of_the_page(host: Bridge) -> dict[str, dict[str, Any]]:
    """Return the listed tools of the page; the host has been told of them."""
    listed = host.ask("tools/list")["result"]["tools"]
    return {tool["name"]: tool for tool in listed if tool["name"].startswith("page__")}


def test_a_host_calls_the_tools_of_its_page(host: Bridge, site: Site) -> None:
    """They come with their page and go with it; several of a name are told apart."""
    assert of_the_page(host) == {}
    host.call("navigate", url=site.url("tools/shop.html"))
    wait_changed(host)
    tools = of_the_page(host)
    data = tools["page__data"]
    assert (data["inputSchema"]["type"], site.origin in data["description"]) == ("object", True)
    assert "readOnlyHint" not in data.get("annotations", {})
    answer = host.call("page__data")
    assert "lamps" in " ".join(texts(answer))
    assert re.match(r"\[[0-9a-f]{16}: untrusted page content from ", texts(answer)[-1])
    sums = [name for name in tools if name.startswith("page__add")]
    given = {"a": 1, "b": 2}
    told = [" ".join(texts(host.call(name, **given))) for name in sums]
    assert len(told) == 2
    assert any("3" in words for words in told)
    host.call("navigate", url=site.url("tools/shop.html").replace(site.origin, site.other_origin))
    gone = error_of(host.call("page__data"))
    assert gone["code"] == "page_tool_not_found"
    host.call("navigate", url=site.url("article.html"))
    assert of_the_page(host) == {}
    assert error_of(host.call("page__data"))["code"] == "page_tool_not_found"


def test_hostile_page_tools_are_sanitised_and_renamed(
    host: Bridge, serving: Daemon, site: Site
) -> None:
    """No name is that of a verb or longer than hosts take; no text has what nobody sees."""
    host.call("navigate", url=site.url("injection/tools.html"))
    tools = of_the_page(host)
    assert len(tools) >= 28
    assert all(re.fullmatch(r"page__[A-Za-z0-9_-]{1,34}", name) for name in tools)
    assert not UNSEEN.search(json.dumps(list(tools.values()), ensure_ascii=False))
    assert len(json.dumps(tools)) < 100_000
    for tool in tools.values():
        assert tool["description"].startswith(f"A tool of the page at {site.origin}, in that page")
        assert "$ref" not in tool["inputSchema"]
    host.call("page__navigate")
    host.call("page__oc_stop")
    called = host.call("javascript_tool", code="calls")
    assert '["navigate","oc_stop"]' in " ".join(texts(called)).replace(" ", "")
    assert serving.answers()
    with Bridge(serving.home) as plain:
        plain.greet()
        plain.call("navigate", url=site.url("injection/tools.html"))
        assert of_the_page(plain) == {}
