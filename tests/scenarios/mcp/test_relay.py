"""oc-mcp as a host starts it: fast, thin, robust against daemon restarts, ends with its host."""

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable

import psutil
import pytest

from support.daemon import SCRIPTS, Daemon, Home
from support.mcp import Bridge, error_of, modern_meta, texts
from support.site import Site
from support.waiting import wait_until

pytestmark = pytest.mark.usefixtures("headless_shell")


def test_a_host_reads_a_page(serving: Daemon, site: Site) -> None:
    """Handshake, list, call, end."""
    with Bridge(serving.home) as bridge:
        answered = bridge.greet("2025-06-18")
        assert answered["protocolVersion"] == "2025-06-18"
        assert answered["serverInfo"]["name"] == "openchrome"
        assert answered["capabilities"]["tools"] == {"listChanged": True}
        assert len(answered["instructions"]) < 1900
        assert "navigate" in bridge.tools()
        bridge.do("navigate", url=site.url("article.html"))
        assert "Cape Ambler" in texts(bridge.call("read_page"))[1]
        assert bridge.end() == 0
        assert bridge.errors() == ""


def test_each_bridge_has_its_own_session_by_default(serving: Daemon, site: Site) -> None:
    """Unless it is told to share one."""
    with (
        Bridge(serving.home) as one,
        Bridge(serving.home) as two,
        Bridge(serving.home, "--session", "shared") as three,
        Bridge(serving.home, "--session=shared") as four,
    ):
        for bridge in (one, two, three, four):
            bridge.greet()
        one.do("navigate", url=site.url("article.html"))
        three.do("navigate", url=site.url("form.html"))
        assert two.do("tabs_context")["tabs"] == []
        assert one.do("tabs_context")["session"] != two.do("tabs_context")["session"]
        assert [tab["url"] for tab in four.do("tabs_context")["tabs"]] == [site.url("form.html")]


def test_the_relay_starts_the_daemon(home: Home) -> None:
    with Bridge(home) as bridge:
        assert bridge.greet()["serverInfo"]["name"] == "openchrome"
        assert bridge.do("oc_connection_health")["state"] == "stopped"


@pytest.mark.parametrize(
    ("flags", "environ"),
    [(("--no-start",), {}), ((), {"OPENCHROME_AUTO_START": "0"})],
)
def test_a_missing_daemon_is_reported(
    home: Home, flags: tuple[str, ...], environ: dict[str, str]
) -> None:
    """The first request gets an error, the shell gets 3."""
    with Bridge(home, *flags, **environ) as bridge:
        bridge.send({"jsonrpc": "2.0", "method": "notifications/x"})
        error = bridge.ask("initialize", {})["error"]
        assert error["data"]["error"]["code"] == "no_daemon"
        assert error["data"]["error"]["hint"] == "ocd start"
        assert bridge.process.wait(60) == 3
        assert bridge.errors().endswith("Hint: ocd start\n")


def test_a_restarted_daemon_is_found_again(make_daemon: Callable[..., Daemon]) -> None:
    """The handshake is replayed; the host sees an error for the call in flight and goes on."""
    daemon = make_daemon()
    with Bridge(daemon.home) as bridge:
        bridge.greet()
        bridge.do("navigate", url="about:blank")
        pending = bridge.start(
            "tools/call",
            {"name": "javascript_tool", "arguments": {"code": "await new Promise(() => {})"}},
        )
        wait_until(lambda: daemon.status()["calls_in_flight"], 10, "the call")
        daemon.kill9()
        error = bridge.answer(pending)["error"]
        assert error["code"] == -32603
        assert "again" in error["message"]
        daemon.start()
        assert bridge.do("oc_connection_health")["state"] == "stopped"
        assert bridge.next()["method"] == "notifications/tools/list_changed"
        assert bridge.end() == 0


def test_a_call_to_a_dead_daemon_starts_it(make_daemon: Callable[..., Daemon]) -> None:
    """As `oc` would; a daemon that is stopped stays so until somebody calls."""
    daemon = make_daemon()
    with Bridge(daemon.home) as bridge, Bridge(daemon.home, "--no-start") as strict:
        bridge.greet()
        strict.greet()
        daemon.stop()
        refused = strict.ask("tools/list")["error"]["data"]["error"]
        assert refused["code"] == "no_daemon"
        assert bridge.tools()
        assert strict.tools()


def test_modern_requests_survive_a_restart(make_daemon: Callable[..., Daemon]) -> None:
    """That revision has no handshake to replay."""
    daemon = make_daemon()
    with Bridge(daemon.home) as bridge:
        before = bridge.ask("tools/list", {"_meta": modern_meta()})["result"]
        assert before["resultType"] == "complete"
        assert before["ttlMs"] == 300_000
        daemon.restart()
        assert bridge.ask("tools/list", {"_meta": modern_meta()})["result"] == before


def test_the_relay_ends_with_its_parent(serving: Daemon) -> None:
    """A host that is killed leaves no bridge behind, even if somebody holds its stdin open."""
    keep, give = os.pipe()
    script = (
        f"import os, subprocess; p = subprocess.Popen([{str(SCRIPTS / 'oc-mcp')!r}], stdin={keep},"
        f" stdout=subprocess.DEVNULL, pass_fds=[{keep}]); p.wait()"
    )
    command = [sys.executable, "-c", script]
    host = subprocess.Popen(command, env=serving.home.environ, pass_fds=[keep])
    wait_until(lambda: serving.status()["mcp"]["bridges"], 10, "the bridge")
    host.kill()
    host.wait(60)
    wait_until(lambda: not serving.status()["mcp"]["bridges"], 8, "the bridge's end")
    os.close(keep)
    os.close(give)
    assert serving.status()["pid"] == serving.identity.pid


def test_a_call_is_cancelled_when_its_host_dies(serving: Daemon, site: Site) -> None:
    """Its call is cancelled; the daemon serves the others."""
    with Bridge(serving.home) as bridge:
        bridge.greet()
        bridge.start("tools/call", {"name": "navigate", "arguments": {"url": site.url("hang")}})
        wait_until(lambda: serving.status()["calls_in_flight"], 10, "the call")
        bridge.process.send_signal(signal.SIGKILL)
        wait_until(lambda: not serving.status()["calls_in_flight"], 20, "the call's end")
    wait_until(lambda: not serving.status()["mcp"]["bridges"], 20, "the connection's end")
    with Bridge(serving.home) as another:
        another.greet()
        assert "tabs" in another.do("tabs_context")


def test_cancelling_stops_the_work_at_once(serving: Daemon, site: Site) -> None:
    """No answer comes to a cancelled request, and the tab is free again."""
    with Bridge(serving.home) as bridge:
        bridge.greet()
        bridge.do("navigate", url=site.url("article.html"))
        pending = bridge.start(
            "tools/call",
            {"name": "javascript_tool", "arguments": {"code": "for (;;) {}"}},
        )
        wait_until(lambda: serving.status()["calls_in_flight"], 10, "the call")
        bridge.send(
            {
                "jsonrpc": "2.0",
                "method": "notifications/cancelled",
                "params": {"requestId": pending},
            }
        )
        wait_until(lambda: not serving.status()["calls_in_flight"], 20, "the call's end")
        assert texts(bridge.call("javascript_tool", code="1+1"))[1].splitlines()[1] == "2"


def test_slow_calls_do_not_delay_fast_ones(serving: Daemon, site: Site) -> None:
    with Bridge(serving.home) as bridge:
        bridge.greet()
        slow = bridge.start(
            "tools/call", {"name": "navigate", "arguments": {"url": site.url("hang")}}
        )
        for _ in range(20):
            assert bridge.do("oc_connection_health")
        site.open_gate("hang")
        assert bridge.answer(slow)["result"]["isError"] is False


def test_large_messages_in_both_directions(serving: Daemon, site: Site) -> None:
    """50 MB in, 15 MB (the most) out; then neither the bridge nor the daemon stays that large."""
    with Bridge(serving.home) as bridge:
        bridge.greet()
        bridge.do("navigate", url=site.url("article.html"))
        padding = "x" * (50 * 1024 * 1024)
        error = error_of(bridge.call("tabs_context", padding=padding))
        assert error["code"] == "invalid_argument"
        relay, daemon = (psutil.Process(one) for one in (bridge.process.pid, serving.identity.pid))
        before = daemon.memory_info().rss
        code = "'y'.repeat(15_000_000)"
        text = texts(bridge.call("javascript_tool", code=code, output_mode="inline"))[1]
        assert text.count("y") >= 15_000_000
        wait_until(lambda: relay.memory_info().rss < 40_000_000, what="the bridge's memory")
        wait_until(lambda: daemon.memory_info().rss < before + 40_000_000, what="the daemon's")


@pytest.mark.parametrize(
    ("line", "code", "request_id"),
    [
        (b"nonsense", -32700, None),
        (b"\xff\xfe", -32700, None),
        (b"[" * 100_000, -32700, None),
        (b'{"jsonrpc":"2.0","id":6,"method":"ping","params":{"x":"\\ud83d"}}', -32700, 6),
        (b"[]", -32600, None),
        (b"1", -32600, None),
        (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600, None),
        (b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}', -32600, None),
        (b'{"jsonrpc":"2.0","id":true,"method":"ping"}', -32600, None),
        (b'{"jsonrpc":"2.0","id":{},"method":"ping"}', -32600, None),
        (b'{"jsonrpc":"1.0","id":7,"method":"ping"}', -32600, 7),
        (b'{"jsonrpc":"2.0","id":8,"method":5}', -32600, 8),
    ],
)
def test_lines_that_are_not_messages_are_errors(
    serving: Daemon, line: bytes, code: int, request_id: object
) -> None:
    """Each gets an error, and the connection stays."""
    with Bridge(serving.home) as bridge:
        bridge.greet()
        bridge.write(line + b"\n")
        answered = bridge.next()
        assert (answered["error"]["code"], answered["id"]) == (code, request_id)
        assert bridge.ask("ping")["result"] == {}


def test_request_ids_of_every_type(serving: Daemon) -> None:
    """Huge, empty, negative; one id twice at the same time; unknown methods; after a cancel."""
    with Bridge(serving.home) as bridge:
        bridge.greet()
        for request_id in ("", "x" * 5000, 0, -5, 2**70):
            bridge.send({"jsonrpc": "2.0", "id": request_id, "method": "ping"})
            assert bridge.answer(request_id)["result"] == {}
        assert bridge.ask("no/such")["error"]["code"] == -32601
        for _ in range(2):
            bridge.send({"jsonrpc": "2.0", "id": "twice", "method": "tools/list"})
        assert bridge.answer("twice")["result"] == bridge.answer("twice")["result"]
        cancel = {"requestId": "nobody"}
        bridge.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": cancel})
        bridge.send({"jsonrpc": "2.0", "id": "nobody", "result": {}})
        assert bridge.ask("ping")["result"] == {}


def test_the_socket_works_without_a_greeting(serving: Daemon) -> None:
    """socat works too; garbage gets an error and affects nobody else."""
    with socket.socket(socket.AF_UNIX) as plain:
        plain.connect(str(serving.home.path / "run" / "mcp.sock"))
        plain.sendall(b'\x00\xffgarbage\n{"jsonrpc":"2.0","id":1,"method":"ping"}\n')
        lines = [json.loads(line) for line in _read_lines(plain, 2)]
    assert lines[0]["error"]["code"] == -32700
    assert lines[1] == {"jsonrpc": "2.0", "id": 1, "result": {}}


def _read_lines(plain: socket.socket, count: int) -> list[bytes]:
    data = b""
    while data.count(b"\n") < count:
        data += plain.recv(65536)
    return data.splitlines()


def test_the_socket_is_private(serving: Daemon) -> None:
    assert (serving.home.path / "run" / "mcp.sock").stat().st_mode & 0o777 == 0o600


def test_invalid_flags_are_usage_errors(home: Home) -> None:
    assert home.run("oc-mcp", "--help").ok().out.startswith("Usage: oc-mcp")
    assert home.run("oc-mcp", "--version").ok().out.startswith("oc-mcp ")
    for flags in (
        ("--tier", "4"),
        ("--nope",),
        ("--session",),
        ("--tools-only=a", "--disable-tools=b"),
    ):
        done = home.run("oc-mcp", *flags)
        assert done.code == 2
        assert done.err.startswith("Error: ")


def test_an_unknown_group_ends_the_bridge(serving: Daemon) -> None:
    done = serving.home.run("oc-mcp", "--tools-only", "core,nonsense")
    assert done.code == 2
    assert "nonsense" in done.err
    assert "core, crawl" in done.err


def test_fifty_bridges_share_one_daemon(make_daemon: Callable[..., Daemon]) -> None:
    """One daemon, fifty hosts."""
    daemon = make_daemon()
    with Bridge(daemon.home) as first:
        first.greet()
    bridges = [Bridge(daemon.home) for _ in range(50)]
    try:
        for bridge in bridges:
            bridge.greet()
        wait_until(lambda: daemon.status()["mcp"]["bridges"] == 50, what="the first one's end")
        used = sum(psutil.Process(b.process.pid).memory_full_info().pss for b in bridges)
        assert used < 300 * 1024 * 1024
        assert all(bridge.tools() for bridge in bridges)
    finally:
        for bridge in bridges:
            bridge.end()
            bridge.close()
    wait_until(lambda: daemon.status()["mcp"]["bridges"] == 0, 10, "the end of the connections")
    assert all(bridge.process.returncode is not None for bridge in bridges)


def test_the_relay_imports_the_standard_library_only() -> None:
    """Its start is what a host waits for."""
    code = "import sys, oc_mcp.__main__, oc_mcp.relay.relay; print('\\n'.join(sys.modules))"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    roots = {name.partition(".")[0] for name in said.stdout.split()}
    editable = {name for name in roots if name.startswith("_") and "editable" in name}
    known = set(sys.stdlib_module_names) | {"oc_mcp", "ocd", "__main__"}
    # What other packages put into site-packages/*.pth is not ours to choose.
    bare = subprocess.run(
        [sys.executable, "-c", "import sys; print('\\n'.join(sys.modules))"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    started = {name.partition(".")[0] for name in bare.stdout.split()}
    assert roots - editable - started <= known
    assert not roots & {"asyncio", "subprocess", "argparse", "logging", "tempfile"}
