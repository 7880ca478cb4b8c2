"""Other MCP servers that misbehave: each fault fails only the call that meets it."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from support.daemon import Daemon
from support.gateways import ROUGH, body_of, seen, table
from support.mcp import Bridge, Http, error_of
from support.waiting import wait_until

MAX_MESSAGE = 16 * 1024 * 1024


@pytest.fixture(scope="module")
def notes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("rough") / "notes.txt"


@pytest.fixture(scope="module")
def rough(notes: Path) -> Iterator[Daemon]:
    with Daemon("--http", "0", config=table(notes, server=ROUGH)) as daemon:
        daemon.do("probe__echo")  # a call waits for the server, a list not for long
        yield daemon


@pytest.fixture
def http(rough: Daemon) -> Http:
    return Http(rough)


def starts(notes: Path) -> int:
    return seen(notes).count("started")


def test_a_server_defined_error_does_not_restart_the_server(http: Http, notes: Path) -> None:
    """-32000 is in the range of errors that are a server's own; it lives, and keeps its state."""
    assert body_of(http.call("probe__echo").result) == "hello"
    before = starts(notes)
    error = error_of(http.call("probe__busy").result)
    assert (error["code"], error["rpc_code"]) == ("upstream_failed", -32000)
    assert error["untrusted_text"] == "Connection closed for lunch"
    assert body_of(http.call("probe__echo").result) == "hello"
    assert starts(notes) == before


def test_invalid_utf_8_ends_only_that_connection(rough: Daemon, http: Http, notes: Path) -> None:
    """Calls in flight fail at once, and later ones find the server started again."""
    assert body_of(http.call("probe__echo").result) == "hello"
    before = starts(notes)
    with Bridge(rough.home) as bridge:
        bridge.greet()
        hanging = bridge.start("tools/call", {"name": "probe__hang", "arguments": {}})
        wait_until(lambda: "hang" in seen(notes), 10, "the call")
        error = error_of(http.call("probe__garble").result)
        assert error["code"] == "upstream_gone"
        assert "not UTF-8" in error["message"]
        assert error_of(bridge.answer(hanging)["result"])["code"] == "upstream_gone"
        assert body_of(bridge.call("probe__echo")) == "hello"
    assert starts(notes) == before + 1


def test_an_invalid_tool_is_left_out_and_named(rough: Daemon, http: Http) -> None:
    tools = {tool["name"] for tool in http.tools() if tool["name"].startswith("probe__")}
    assert {"probe__echo", "probe__text"} <= tools
    assert "probe__shapeless" not in tools
    told = rough.oc("mcp", "upstreams", "--json").ok().json
    refused = {one["tool"]: one["why"] for one in told["result"]["upstreams"][0]["refused"]}
    assert refused["probe__shapeless"] == "its inputSchema does not describe an object"
    assert refused["probe__"] == "it has no name"


def test_a_large_result_is_accepted_and_a_larger_one_refused(http: Http, notes: Path) -> None:
    """The bound is on a message; the connection goes on after one that is beyond it."""
    assert body_of(http.call("probe__echo").result) == "hello"
    before = starts(notes)
    shown = http.call("probe__text", n=15 << 20, output_mode="handle").result
    assert not shown["isError"]
    error = error_of(http.call("probe__text", n=40 << 20).result)
    assert error["code"] == "upstream_failed"
    assert "larger than 16 MiB" in error["message"]
    assert body_of(http.call("probe__echo").result) == "hello"
    assert starts(notes) == before


def test_a_very_long_list_of_tools_is_cut(
    make_daemon: Callable[..., Daemon], tmp_path: Path
) -> None:
    """No more are looked at than could be offered, and a few to say so."""
    flags = ("--tools", "20000")
    config = table(tmp_path / "notes.txt", *flags, server=ROUGH)
    daemon = make_daemon("--http", "0", config=config)

    def offered() -> list[dict[str, Any]]:
        return [tool for tool in Http(daemon).tools() if tool["name"].startswith("probe__")]

    assert 150 < len(wait_until(offered, what="its tools")) <= 200
    told = daemon.oc("mcp", "upstreams", "--json").ok().json
    refused = {one["tool"]: one["why"] for one in told["result"]["upstreams"][0]["refused"]}
    assert refused["probe__more_400"] == "the server has more than 200 tools"
    assert len(refused) <= 500
