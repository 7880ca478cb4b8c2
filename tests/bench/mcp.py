"""The bridge beside other MCP servers: raw JSON-RPC over stdio, the same operations, by turns."""

import argparse
import contextlib
import json
import re
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import psutil

from bench import peers
from bench.daemon import Daemon
from bench.figures import Section, median
from bench.peers import Call, Side
from oc.mcp import stdio_client

# Both as long as a call may be held up and still count as not held up: a page switch on a busy
# machine, not a queue.
PROMPT_MS = 50
SLOW_MS = 2000
CANCELLED_MS = 4000


@contextlib.contextmanager
def running(side: Side) -> Iterator[stdio_client.Server]:
    """Launch a server as a host would, in a folder of its own; end everything that it started."""
    folder = tempfile.mkdtemp(prefix="ocb-")
    server = stdio_client.Server(side.command, stdio_client.host_environ(side.env), cwd=folder)
    try:
        yield server
    finally:
        tree = list[psutil.Process]()
        with contextlib.suppress(psutil.NoSuchProcess):
            tree = psutil.Process(server.process.pid).children(recursive=True)
        server.close()
        for process in tree:
            with contextlib.suppress(psutil.NoSuchProcess):
                process.kill()
        psutil.wait_procs(tree, timeout=5)
        shutil.rmtree(folder, ignore_errors=True)


def bench_sides(options: argparse.Namespace, daemon: Daemon) -> list[Side]:
    """Return our side, then the peers if requested."""
    found = peers.servers() if options.peers else []
    return [peers.ours(daemon.environ), *found]


def answered(server: stdio_client.Server, call: Call, timeout_s: float = 60) -> tuple[str, float]:
    """Call a tool; return its text and its milliseconds."""
    return finished(started(server, call), timeout_s)


def started(server: stdio_client.Server, call: Call) -> stdio_client.Pending:
    """Call a tool without waiting for it."""
    name, arguments = call
    return server.start("tools/call", {"name": name, "arguments": arguments})


def finished(pending: stdio_client.Pending, timeout_s: float = 60) -> tuple[str, float]:
    """Wait for a call; return its text and its milliseconds."""
    reply = pending.wait(timeout_s)
    called = stdio_client.result(reply)
    text = "\n".join(stdio_client.texts(called))
    assert not called.get("isError"), text
    return text, (reply.arrived - pending.started) * 1000


def bridge_rss_mb(server: stdio_client.Server) -> float:
    """Return the RSS of the server's process tree, Chromium's processes left out."""
    root = psutil.Process(server.process.pid)
    total = 0
    for process in [root, *root.children(recursive=True)]:
        with contextlib.suppress(psutil.NoSuchProcess):
            # Not by its title: chrome-devtools-mcp is a node.
            if "chrom" not in Path(process.exe()).name:
                total += process.memory_info().rss
    return total / 2**20


def tools_of(server: stdio_client.Server) -> tuple[int, int]:
    """Return how many tools are listed, and their compact UTF-8 bytes."""
    tools = stdio_client.result(server.request("tools/list", {}))["tools"]
    return len(tools), len(json.dumps(tools, separators=(",", ":"), ensure_ascii=False).encode())


# --- sections -----------------------------------------------------------------------------------


def start(options: argparse.Namespace) -> Section:
    """Compare the time from spawn to the reply of `initialize`, and the memory then."""
    section = Section("MCP: start of the bridge")
    with Daemon() as daemon:
        sides = bench_sides(options, daemon)
        found: dict[str, list[tuple[float, float, tuple[int, int]]]] = {s.name: [] for s in sides}
        _start_once(sides[0])  # the daemon loads its MCP room on the first connection
        for _ in range(max(5, options.rounds * 3)):
            for side in sides:
                found[side.name].append(_start_once(side))
        behind, cold = daemon.rss_mb(), _cold_ms(daemon)
    for name, runs in found.items():
        ms, rss = median([r[0] for r in runs]), median([r[1] for r in runs])
        bounded(section, name, f"{name}: spawn → initialize answered", ms, 60, "ms")
        bounded(section, name, f"{name}: RSS of the bridge, initialized", rss, 15, "MB")
        section.add(f"{name}: tools/list", runs[0][2][1] / 1000, "KB")
        section.add(f"{name}: tools listed", runs[0][2][0], "")
    section.add("ours: RSS of the daemon behind all bridges", behind, "MB")
    section.add("ours: spawn → initialize with no daemon running", cold, "ms")
    return section


def bounded(section: Section, name: str, row: str, figure: float, bound: float, unit: str) -> None:
    """Add a side's figure; ours is compared with a bound."""
    if name == "ours":
        section.at_most(row, figure, bound, unit)
    else:
        section.add(row, figure, unit)


def _start_once(side: Side) -> tuple[float, float, tuple[int, int]]:
    with running(side) as server:
        reply = server.initialize("bench")
        ms = (reply.arrived - server.spawned) * 1000
        stdio_client.result(reply)
        tools = tools_of(server)
        return ms, bridge_rss_mb(server), tools


def _cold_ms(daemon: Daemon) -> float:
    daemon.run("stop")
    ms, _, _ = _start_once(peers.ours(daemon.environ))
    return ms


def surface(options: argparse.Namespace) -> Section:
    """Measure the size of our list of tools in a host's context, by filter."""
    section = Section("MCP: size of tools/list")
    sizes = {}
    with Daemon() as daemon:
        for flags in ([], ["--tools-only", "core"], ["--tier", "1"]):
            with running(peers.ours(daemon.environ, *flags)) as server:
                server.initialize("bench")
                sizes[" ".join(flags) or "default"] = tools_of(server)
    for name in ("default", "--tools-only core"):
        section.add(f"{name}: tools", sizes[name][0], "")
        section.add(f"{name}: size", sizes[name][1] / 1000, "KB")
    section.at_most("--tier 1: tools", sizes["--tier 1"][0], 30, "")
    section.at_most("--tier 1: size", sizes["--tier 1"][1] / 1000, 16, "KB")
    section.at_most(
        "--tools-only core / default", sizes["--tools-only core"][1] / sizes["default"][1], 0.75
    )
    return section


def operations(options: argparse.Namespace) -> Section:
    """Compare a small call, calls beside slow ones, and how soon a cancelled call frees the tab."""
    section = Section("MCP: calls, slow calls, cancelled calls")
    with Daemon() as daemon:
        for side in bench_sides(options, daemon):
            with running(side) as server:
                server.initialize("bench")
                answered(server, side.navigate)
                for what, figure, bound in _operations(server, side):
                    bounded(section, side.name, f"{side.name}: {what}", figure, bound, "ms")
    return section


def _operations(server: stdio_client.Server, side: Side) -> Iterator[tuple[str, float, float]]:
    """Yield each measurement in milliseconds, with the bound for ours."""
    two = side.evaluate("1+1")
    assert "2" in answered(server, two)[0]
    times = 200 if side.name == "ours" else 10
    yield "evaluate 1+1", median([answered(server, two)[1] for _ in range(times)]), 4
    yield "list tabs", median([answered(server, side.tabs)[1] for _ in range(10)]), PROMPT_MS
    slow = started(server, side.evaluate(_later(SLOW_MS)))
    time.sleep(0.1)  # until it works there: no server says so
    yield "list tabs during a slow evaluate (2 s)", answered(server, side.tabs)[1], PROMPT_MS
    finished(slow)
    _cancelled(server, side.evaluate(_later(CANCELLED_MS)))
    yield "list tabs after a cancelled wait (4 s)", answered(server, side.tabs)[1], PROMPT_MS
    yield "evaluate after a cancelled wait (4 s)", answered(server, two)[1], PROMPT_MS
    at = _cancelled(server, side.evaluate(_busy(CANCELLED_MS)))
    last = answered(server, side.evaluate("String(window.last)"))[0]
    worked = _number(last) - at * 1000
    yield "a script's work after it was cancelled (4 s)", max(0.0, worked), PROMPT_MS


def _later(ms: int) -> str:
    return f"new Promise(done => setTimeout(() => done(1), {ms}))"


def _busy(ms: int) -> str:
    # It leaves on the page until when it worked; page and bench share a clock.
    loop = "while (Date.now() < end) window.last = Date.now()"
    return f"(() => {{ const end = Date.now() + {ms}; {loop} }})()"


def _number(text: str) -> int:
    # A time in milliseconds has 13 digits, in this century.
    return int(re.findall(r"\b\d{13}\b", text)[-1])


def _cancelled(server: stdio_client.Server, call: Call) -> float:
    """Start a call and cancel it; return the time of that (time.time)."""
    pending = started(server, call)
    time.sleep(0.5)  # until it works there: no server says so
    at = time.time()
    server.notify("notifications/cancelled", {"requestId": pending.id, "reason": "bench"})
    return at


def many(options: argparse.Namespace, count: int = 50) -> Section:
    """Launch many bridges on one daemon at once; each lists the tools and makes a call."""
    section = Section(f"MCP: {count} bridges on one daemon")
    with Daemon() as daemon, contextlib.ExitStack() as stack:
        side = peers.ours(daemon.environ)
        _start_once(side)
        begun = time.perf_counter()
        servers = [stack.enter_context(running(side)) for _ in range(count)]
        params = {"protocolVersion": stdio_client.PROTOCOL, "capabilities": {}}
        params |= {"clientInfo": {"name": "bench", "version": "1"}}
        first = [server.start("initialize", params) for server in servers]
        for server, pending in zip(servers, first, strict=True):
            stdio_client.result(pending.wait(60))
            server.notify("notifications/initialized")
        for pending in [server.start("tools/list", {}) for server in servers]:
            stdio_client.result(pending.wait(60))
        section.at_most("all have answered tools/list", time.perf_counter() - begun, 3, "s")
        calls = [started(server, side.tabs) for server in servers]
        section.add("one call each, slowest", max(finished(p)[1] for p in calls), "ms")
        pss = [psutil.Process(s.process.pid).memory_full_info().pss / 2**20 for s in servers]
        section.at_most("bridges together, PSS", sum(pss), 300, "MB")
        section.add("daemon, RSS", daemon.rss_mb(), "MB")
    return section
