"""What a call costs: over the socket, through `oc`, and what a daemon costs that does nothing."""

import argparse
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from bench.daemon import Daemon
from bench.figures import Section, median


def milliseconds(act: Callable[[], object], times: int) -> float:
    """Return the median duration of `act` after three calls to warm up."""
    for _ in range(3):
        act()
    taken = []
    for _ in range(times):
        started = time.perf_counter()
        act()
        taken.append((time.perf_counter() - started) * 1000)
    return median(taken)


def latencies(options: argparse.Namespace) -> Section:
    """Measure single calls over one open connection to the socket."""
    section = Section("Calls over the socket")
    with Daemon() as daemon:
        daemon.call("navigate", url="data:text/html,<title>x</title><p>hello")
        evaluate = milliseconds(lambda: daemon.call("javascript_tool", code="1+1"), 200)
        section.at_most("evaluate 1+1", evaluate, 3, "ms")
        section.add("tabs_context", milliseconds(lambda: daemon.call("tabs_context"), 200), "ms")
        section.add("read_page", milliseconds(lambda: daemon.call("read_page"), 100), "ms")
        url = "data:text/html,<p>there"
        section.add("navigate", milliseconds(lambda: daemon.call("navigate", url=url), 50), "ms")
        section.add(
            "page_screenshot", milliseconds(lambda: daemon.call("page_screenshot"), 20), "ms"
        )
    return section


def client_start(options: argparse.Namespace) -> Section:
    """Compare a warm `oc` call with an interpreter that does nothing."""
    section = Section("Start of the client")
    oc = shutil.which("oc", path=Path(sys.executable).parent)
    assert oc, "oc is installed beside the interpreter"
    with Daemon() as daemon:

        def run(*command: str) -> None:
            subprocess.run(command, env=daemon.environ, check=True, stdout=subprocess.DEVNULL)

        run(oc, "navigate", "data:text/html,hello")
        bare = milliseconds(lambda: run(sys.executable, "-c", "pass"), 20)
        section.add("python -c pass", bare, "ms")
        verb = milliseconds(lambda: daemon.call("tabs_context"), 50)
        whole = milliseconds(lambda: run(oc, "tabs", "context", "--json"), 20)
        section.add("oc tabs context", whole, "ms")
        section.at_most("(oc - the verb's own time) / python -c pass", (whole - verb) / bare, 3)
    return section


def idle_daemon(options: argparse.Namespace) -> Section:
    """Measure a daemon that has only been started."""
    section = Section("Idle daemon")
    with Daemon() as daemon:
        section.at_most("RSS without Chromium", daemon.rss_mb(), 60, "MB")
        started = time.perf_counter()
        daemon.run("restart")
        section.add("ocd restart", (time.perf_counter() - started) * 1000, "ms")
    return section
