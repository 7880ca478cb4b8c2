"""`oc mcp doctor`, against bridges that behave as the test scripts them."""

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from oc import __main__
from oc.mcp import agent_hosts, stdio_client
from ocd.api.errors import OcdError

BRIDGE = """
import json, os, sys

ANSWERS = json.loads(sys.argv[1])
for line in sys.stdin:
    message = json.loads(line)
    if "id" not in message or "result" in message or "error" in message:
        continue
    key = message["method"]
    if key == "tools/call":
        key = message["params"]["name"]
    answer = ANSWERS[key]
    if answer == "env":
        names = ",".join(sorted(os.environ))
        answer = {"result": {"serverInfo": {"name": "env", "version": names}}}
    if answer == "exit":
        print("Error: the daemon is away\\\\nHint: ocd start", file=sys.stderr)
        sys.exit(3)
    if answer != "silence":
        print("not json", flush=True)
        print(json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping"}), flush=True)
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], **answer}), flush=True)
""".replace("\\\\n", "\\n")

TOOLS = ("tabs_context", "tabs_create", "tabs_close", "javascript_tool")


def said(body: object, **more: object) -> dict[str, Any]:
    return {"result": {"content": [{"type": "text", "text": json.dumps(body)}], **more}}


def answers(**other: Any) -> dict[str, Any]:  # noqa: ANN401 - any answer
    """What a bridge says to which everything works, but for `other`."""
    server = {"name": "openchrome", "version": "9"}
    return {
        "initialize": {"result": {"serverInfo": server, "protocolVersion": "2025-06-18"}},
        "tools/list": {"result": {"tools": [{"name": name} for name in TOOLS]}},
        "tabs_context": said({"tabs": []}),
        "tabs_create": said({"tab_id": "t1"}),
        "javascript_tool": said({"result": 42}),
        "tabs_close": said({}),
        **other,
    }


class Done(NamedTuple):
    code: int
    out: str
    err: str


Doctor = Callable[..., Done]


@pytest.fixture
def doctor(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Doctor:
    """Run `oc mcp doctor cursor` with a bridge that gives these answers in Cursor's file."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("SECRET_OF_THE_SHELL", "x")
    monkeypatch.chdir(tmp_path)
    script = tmp_path / "bridge.py"
    script.write_text(BRIDGE)

    def run(given: dict[str, Any], *words: str) -> Done:
        entry = {"command": sys.executable, "args": [str(script), json.dumps(given)],
                 "env": {"MORE": "1"}}  # fmt: skip
        path = Path(agent_hosts.file_of(agent_hosts.HOSTS["cursor"], "user"))
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps({"mcpServers": {"openchrome": entry}}))
        return oc("cursor", *words)

    def oc(*words: str) -> Done:
        monkeypatch.setattr(sys, "argv", ["oc", "mcp", "doctor", *words])
        return Done(__main__.main(), *capfd.readouterr())

    run.__dict__["oc"] = oc
    return run


def test_every_check_passes_when_all_works(doctor: Doctor, tmp_path: Path) -> None:
    done = doctor(answers())
    assert done.code == 0, done.out
    lines = done.out.splitlines()
    assert [line.split()[:2] for line in lines] == [
        [name, "ok"] for name in ("configuration", "bridge", "tools", "daemon", "browser")
    ]
    assert str(tmp_path / ".cursor/mcp.json") in lines[0]
    assert "openchrome 9, MCP 2025-06-18" in lines[1]
    assert "4 tools in 0.1 KB" in lines[2]
    assert done.err == ""


def test_json_has_the_time_of_each_check(doctor: Doctor) -> None:
    done = doctor(answers(), "--json")
    result = json.loads(done.out)["result"]
    assert result["ok"] is True
    assert [check["ms"] is None for check in result["checks"]] == [True, False, False, False, False]


def test_bridge_gets_the_environment_a_host_would_give(doctor: Doctor) -> None:
    """The entry's variables are passed on, those of the shell are not."""
    names = doctor(answers(initialize="env")).out.splitlines()[1].split()[-3].split(",")
    assert {"HOME", "MORE"} <= set(names)
    assert "SECRET_OF_THE_SHELL" not in names


@pytest.mark.parametrize(
    ("other", "code", "failed", "words"),
    [
        ({"initialize": "exit"}, 3, "bridge", "the daemon is away"),
        ({"initialize": "silence"}, 4, "bridge", "No answer to initialize within 0.5 s"),
        ({"tools/list": {"error": {"code": -1, "message": "no list"}}}, 1, "tools", "no list"),
        (
            {"initialize": {"error": {"code": -32000, "message": "m", "data": {
                "error": {"code": "no_daemon", "message": "none runs", "hint": "ocd start"}}}}},
            3, "bridge", "none runs",
        ),
        (
            {"tabs_create": said({"error": {"code": "browser_not_found", "message": "no Chromium",
                                            "hint": "apt install chromium"}}, isError=True)},
            5, "browser", "no Chromium",
        ),
        ({"javascript_tool": "silence"}, 4, "browser", "No answer to"),
    ],
)  # fmt: skip
def test_first_failure_is_named(
    doctor: Doctor, other: dict[str, Any], code: int, failed: str, words: str
) -> None:
    """The exit status is that of the failure; nothing is tried after it."""
    # What is silent is given up soon; on a busy machine a bridge that is not needs time to start.
    for limit in ("500", "8000", "60000") if "silence" in other.values() else ("60000",):
        done = doctor(answers(**other), "--timeout-ms", limit)
        last = done.out.splitlines()[-1]
        if last.split()[:2] == [failed, "FAILED"]:
            break
    assert done.code == code, done.out
    assert last.split()[:2] == [failed, "FAILED"]
    assert words in last
    if code in (3, 5):
        assert done.err.startswith(("Hint: ocd start", "Hint: apt install chromium"))


def test_filtered_tools_are_not_called(doctor: Doctor) -> None:
    listed = {"result": {"tools": [{"name": "crawl"}]}}
    done = doctor(answers(**{"tools/list": listed}))
    assert done.code == 0
    assert done.out.count("not tested") == 2


def test_a_host_that_is_not_configured_gets_a_hint(doctor: Doctor) -> None:
    done = doctor.__dict__["oc"]("gemini")
    assert done.code == 2
    assert "Gemini CLI is not configured for openchrome" in done.out
    assert done.err == "Hint: oc mcp config gemini --write\n"


def test_missing_program_is_reported(doctor: Doctor, tmp_path: Path) -> None:
    path = tmp_path / ".codex" / "config.toml"
    path.parent.mkdir()
    path.write_text('[mcp_servers.openchrome]\ncommand = "/nowhere/oc-mcp"\n')
    done = doctor.__dict__["oc"]("codex")
    assert done.code == 1
    assert "Cannot run /nowhere/oc-mcp: No such file" in done.out


def test_entry_with_a_url_is_refused(doctor: Doctor, tmp_path: Path) -> None:
    (tmp_path / ".mcp.json").write_text('{"mcpServers": {"openchrome": {"url": "http://x/mcp"}}}')
    done = doctor.__dict__["oc"]("claude")
    assert done.code == 2
    assert "connects to openchrome by URL" in done.out


def test_a_server_that_exited_is_reported() -> None:
    with stdio_client.Server([sys.executable, "-c", "pass"], dict(os.environ)) as server:
        server.process.wait()
        for _ in range(2):
            with pytest.raises(OcdError, match="ended before answering"):
                server.request("initialize", {}, 10)
