"""What the loop's thread computes between two turns: hostile pages beside a long crawl."""

import argparse
import contextlib
import json
import subprocess
import sys
from pathlib import Path
from typing import Any, Self

import psutil

from bench.crawls import site
from bench.daemon import Connection, Daemon
from bench.figures import Section
from bench.site import hostile
from ocd.api import paths
from support.waiting import wait_until

RUNNER = Path(__file__).parent / "runners" / "turning_ocd.py"
PAGES, SIZE = 10_000, 1000
MOST_MS = 250.0
_START_S = 60.0
# Each reading may fail; it may not keep the loop.
READINGS: tuple[tuple[str, dict[str, object]], ...] = (
    *(("read_page", {"mode": mode}) for mode in ("outline", "dom", "css", "markdown", "text")),
    *(
        ("read_page", {"mode": "markdown", "content_filter": kind, "query": "word"})
        for kind in ("prune", "bm25")
    ),
    *(("read_page", {"mode": "text", "compression": "delta"}) for _ in range(2)),
    ("find", {"query": "x"}),
    ("query_dom", {"selector": "*", "multiple": True}),
    ("inspect", {"query": "what is here"}),
    ("oc_observe", {}),
    ("page_content", {}),
    ("extract_data", {"schema": {"type": "object", "properties": {"price": {}, "name": {}}}}),
    ("console_capture", {"action": "get"}),
    ("network", {"action": "list"}),
    ("page_screenshot", {}),
)


class TurningDaemon(Daemon):
    """A daemon that counts its turns."""

    def __enter__(self) -> Self:
        self.found = Path(self.home, "turns.json")
        self._child = subprocess.Popen(
            [sys.executable, RUNNER, self.found, "run", *self.flags],
            env=self.environ, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        wait_until(self._answers, _START_S, "the daemon")
        self.process = psutil.Process(self.status()["pid"])
        return self

    def _answers(self) -> bool:
        self.connection = Connection(paths.daemon_socket(self.home))
        with contextlib.suppress(OSError):
            return bool(self.status())
        return False

    def turns(self) -> dict[str, Any]:
        """End the daemon and return its counts."""
        self.connection.close()
        self.run("stop")
        self._child.wait(60)
        counted: dict[str, Any] = json.loads(self.found.read_text("utf-8"))
        return counted


def longest(options: argparse.Namespace) -> Section:
    """Read ten hostile pages in every way, again and again, during a crawl."""
    section = Section(f"The loop's longest turn (10 hostile pages, a crawl of {PAGES:,} pages)")
    read = 0
    with site(PAGES, SIZE) as base, TurningDaemon() as daemon:
        args = {"url": f"{base}/p/0", "max_pages": PAGES, "max_depth": 20, "engine": "static"}
        task = daemon.call("oc_task_start", kind="crawl", args=args)
        meta = task
        while not read or not meta.get("ended_at"):
            for path in hostile():
                daemon.answer("console_capture", action="start")
                daemon.answer("navigate", url=base + path, wait="dom")
                for verb, params in READINGS:
                    daemon.answer(verb, **params, timeout_ms=20_000)
                    read += 1
            meta = daemon.call("oc_task_get", task_id=task["task_id"])["meta"]
        assert meta["status"] == "COMPLETED", meta
        counted = daemon.turns()
    for used, stack in counted["stacks"]:
        print(f"{used * 1000:.0f} ms:\n{stack}", flush=True)
    section.add("readings of hostile pages", read, "")
    section.at_most("most CPU between two turns", counted["longest_ms"], MOST_MS, "ms")
    return section
