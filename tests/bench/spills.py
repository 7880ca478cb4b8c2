"""A result of a hundred megabytes: what it costs the daemon, and the calls that come meanwhile."""

import argparse
import threading
import time

import psutil

from bench.daemon import Connection, Daemon
from bench.figures import Section
from ocd.api import paths

MEGABYTES = 100
SCRIPTS = {
    "ASCII text": "'x'.repeat({size})",
    "HTML with dashes": "'<p class=\"a\">text \\u2013 more</p>\\n'.repeat({size} / 30)",
}


def spill(options: argparse.Namespace) -> Section:
    """Store a script's large result as a handle while `status` is requested all the time."""
    section = Section(f"A result of {MEGABYTES} MB goes to a handle")
    with Daemon() as daemon:
        daemon.call("navigate", url="about:blank")
        for name, script in SCRIPTS.items():
            _measure(section, daemon, name, script.format(size=MEGABYTES * 1_000_000))
    return section


def _measure(section: Section, daemon: Daemon, name: str, script: str) -> None:
    before = daemon.rss_mb()
    watch = Watch(daemon)
    watch.start()
    started = time.perf_counter()
    told = daemon.call("javascript_tool", code=script, output_mode="handle", timeout_ms=120_000)
    section.add(f"{name}: the call", time.perf_counter() - started, "s")
    watch.done.set()
    watch.join()
    size = told["size_bytes"] / 2**20
    section.at_most(
        f"{name}: longest of {len(watch.taken)} calls meanwhile", max(watch.taken), 50, "ms"
    )
    section.at_most(f"{name}: memory at its peak / text", (watch.peak_mb - before) / size, 2.5)


class Watch(threading.Thread):
    """Requests the status every 3 ms over a connection of its own, and samples the memory."""

    def __init__(self, daemon: Daemon) -> None:
        super().__init__()
        self.done = threading.Event()
        self.taken: list[float] = []
        self.peak_mb = 0.0
        self._process = psutil.Process(daemon.process.pid)
        self._connection = Connection(paths.daemon_socket(daemon.home))

    def run(self) -> None:
        while not self.done.wait(0.003):
            started = time.perf_counter()
            self._connection.request("GET", "/v1/status")
            self._connection.getresponse().read()
            self.taken.append((time.perf_counter() - started) * 1000)
            self.peak_mb = max(self.peak_mb, self._process.memory_info().rss / 2**20)
        self._connection.close()
