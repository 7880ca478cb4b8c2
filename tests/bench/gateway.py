"""What our gateway adds to another server's tools: the same calls straight and through us."""

import argparse
import sys
import tempfile
from pathlib import Path

from bench import peers
from bench.daemon import Daemon
from bench.figures import Section, median
from bench.mcp import answered, running
from bench.peers import Side
from oc.mcp import stdio_client
from support.gateways import SERVER, table

MEGABYTE = 1_000_000


def overhead(options: argparse.Namespace) -> Section:
    """Compare calls through the gateway with direct calls of the same server."""
    section = Section("MCP: the gateway")
    notes = Path(tempfile.gettempdir()) / "bench-upstream.txt"
    notes.unlink(missing_ok=True)
    with Daemon(config=table(notes, server=SERVER)) as daemon:
        straight = Side("straight", (sys.executable, str(SERVER)), ("", {}), ("", {}), ("", "", {}))
        with running(straight) as server, running(peers.ours(daemon.environ)) as bridge:
            for each in (server, bridge):
                each.initialize("bench")
                stdio_client.result(each.request("tools/list", {}))
            for name, args, times, bound in (
                ("echo", {"text": "x" * 100}, 100 * options.rounds, 2),
                ("big", {"n": MEGABYTE}, 10 * options.rounds, 30),
            ):
                ours, theirs = _by_turns(server, bridge, name, args, times)
                section.add(f"{name}: straight", theirs, "ms")
                section.add(f"{name}: through the gateway", ours, "ms")
                section.at_most(f"{name}: what the gateway adds", ours - theirs, bound, "ms")
    return section


def _by_turns(
    server: stdio_client.Server,
    bridge: stdio_client.Server,
    name: str,
    args: dict[str, object],
    times: int,
) -> tuple[float, float]:
    ours, theirs = list[float](), list[float]()
    for _ in range(times):
        theirs.append(answered(server, (name, args))[1])
        ours.append(answered(bridge, (f"probe__{name}", args))[1])
    return median(ours), median(theirs)
