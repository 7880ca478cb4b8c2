"""A server behind the gateway that stops answering."""

import asyncio
import sys
from pathlib import Path
from typing import Any

import pytest

from oc_mcp.client import upstream_connection
from oc_mcp.client.upstream_connection import Upstream

# Answers one line at a time: whoever asks for `hang` stops it for good.
SERVER = r"""
import json, sys, time
for line in sys.stdin:
    message = json.loads(line)
    match message.get("method"):
        case "initialize":
            version = message["params"]["protocolVersion"]
            found = {"protocolVersion": version, "capabilities": {"tools": {}},
                     "serverInfo": {"name": "one", "version": "1"}}
        case "tools/list":
            found = {"tools": [{"name": name, "inputSchema": {"type": "object"}}
                               for name in ("echo", "hang")]}
        case "tools/call" if message["params"]["name"] == "hang":
            time.sleep(600)
        case "tools/call":
            found = {"content": [{"type": "text", "text": "hello"}]}
        case _:
            found = None
    if found is None and "id" in message:
        error = {"code": -32601, "message": "no such method"}
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "error": error}), flush=True)
    if found is None:
        continue
    print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": found}), flush=True)
"""


async def ignore(_tools: Any) -> None:  # noqa: ANN401 - as they are on the wire
    pass


async def restarted(upstream: Upstream, starts: int) -> None:
    async with asyncio.timeout(60):
        while upstream.state()["starts"] <= starts:  # noqa: ASYNC110 - it tells nobody
            await asyncio.sleep(0.01)


async def test_a_server_that_hangs_is_started_again_once_nobody_waits_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A call that is given up asks it for its tools; while another one waits, it is left alone."""
    monkeypatch.setattr(upstream_connection, "LIST_S", 1.0)
    monkeypatch.setattr(upstream_connection, "FIRST_DELAY_S", 0.01)
    (tmp_path / "server.py").write_text(SERVER)
    start = {
        "command": [sys.executable, str(tmp_path / "server.py")], "env": {}, "cwd": str(tmp_path),
        "url": "", "headers": {},
    }  # fmt: skip
    upstream = Upstream("one", start, ignore, lambda _what: None)
    async with asyncio.TaskGroup() as group:
        group.create_task(upstream.run())
        assert (await upstream.call("echo", {}, None))["content"][0]["text"] == "hello"
        calls = [group.create_task(upstream.call(tool, {}, None)) for tool in ("hang", "echo")]
        await asyncio.sleep(0)  # they begin
        calls[1].cancel()
        await asyncio.wait(calls[1:])
        assert upstream.state() | {"revision": ""} == {
            "state": "running", "starts": 1, "revision": "",
        }  # fmt: skip
        calls[0].cancel()
        await restarted(upstream, 1)
        assert (await upstream.call("echo", {}, None))["content"][0]["text"] == "hello"
        upstream.stop()
