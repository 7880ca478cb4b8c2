"""A large crawl that is killed, cancelled, stopped by limits or by the disk, and resumed each time.

`PYTHONPATH=tests python -m soak.resuming --pages 2000 --times 10`. The end must be that of a crawl
that nobody disturbed: the same pages at the same depths, each once; and the server must not have
been asked again for a page that was finished. With `--cache` the cache's file must be whole then.
Exit 1, and the differences, if it is not so.
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
import json
import random
import resource
import sqlite3
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from support.daemon import Daemon
from support.web_graph import WebGraph, web_graph

_WAYS = ("kill", "disk", "cancel", "kill", "limit")
_CRAWL: dict[str, Any] = {"engine": "static", "max_depth": 200, "concurrency": 16}


@dataclass
class _Interrupted:
    """One crawl with its interruptions: what it had finished then, and what was asked for later."""

    daemon: Daemon
    graph: WebGraph
    task_id: str
    left: list[tuple[Counter[str], set[str]]] = field(default_factory=list)

    def interrupt(self, way: str) -> None:
        """End the crawl in one way."""
        if way == "kill":
            self.daemon.kill9().run_in_foreground()
        elif way == "cancel":
            self.daemon.do("oc_task_cancel", task_id=self.task_id)
        elif way == "disk":
            self._fill_disk()
        self.daemon.finish(self.task_id)
        if way == "disk":
            assert self.daemon.task(self.task_id)["error"]["code"] == "storage_failed"
            self._limit_files(resource.RLIM_INFINITY)

    def _fill_disk(self) -> None:
        """Let no file of the daemon grow beyond what the finished pages take."""
        self._limit_files(self._units.stat().st_size)

    def _limit_files(self, size: int) -> None:
        pid = self.daemon.identity.pid
        _, hard = resource.prlimit(pid, resource.RLIMIT_FSIZE)
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (size, hard))

    @property
    def _units(self) -> Path:
        return self.daemon.task_folder(self.task_id) / "pages.jsonl"

    def _finished(self) -> set[str]:
        if self._units.exists():  # there was no room for the result
            lines = self._units.read_bytes().splitlines()
            return {json.loads(line)["url"] for line in lines}
        return {page["url"] for page in self.daemon.result_of(self.task_id)["pages"]}

    def resume(self, max_pages: int) -> None:
        """Record what is finished, and resume."""
        self.left.append((self.graph.seen.copy(), self._finished()))
        resumed = self.daemon.do("oc_task_resume", task_id=self.task_id, max_pages=max_pages)
        self.task_id = resumed["task_id"]

    def asked_again(self) -> list[str]:
        """Return the finished pages that were asked for again."""
        later = ((self.graph.seen - before, urls) for before, urls in self.left)
        return [path for asked, urls in later for path in asked if self.graph.url + path in urls]


def main() -> int:
    """Run, print the figures, return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=2000)
    parser.add_argument("--ways", nargs="+", choices=sorted(set(_WAYS)), default=_WAYS)
    parser.add_argument("--times", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cache", action="store_true", help="each crawl with cache=true")
    options = parser.parse_args()
    if options.cache:
        _CRAWL["cache"] = True
    with web_graph(options.pages) as graph, Daemon() as daemon:
        whole, requests = _undisturbed(daemon, graph)
        chosen = itertools.islice(itertools.cycle(options.ways), options.times)
        report = _disturbed(daemon, graph, list(chosen), random.Random(options.seed), whole)
        if options.cache:
            report["differences"] += _faults_of_cache(daemon)
    report["requests_undisturbed"] = requests
    print(json.dumps(report, indent=1))
    return 1 if report["asked_again"] or report["differences"] else 0


def _undisturbed(daemon: Daemon, graph: WebGraph) -> tuple[dict[str, Any], int]:
    task_id = daemon.start_task("crawl", url=f"{graph.url}/p/0", max_pages=10_000, **_CRAWL)
    daemon.finish(task_id)
    asked, graph.seen = sum(graph.seen.values()), Counter()
    return daemon.result_of(task_id), asked


def _disturbed(
    daemon: Daemon, graph: WebGraph, ways: list[str], chance: random.Random, whole: dict[str, Any]
) -> dict[str, Any]:
    total = len(whole["pages"])
    stops = sorted(chance.sample(range(20, total), len(ways)))
    limits = [stop if way == "limit" else 10_000 for stop, way in zip(stops, ways, strict=True)]
    task_id = daemon.start_task("crawl", url=f"{graph.url}/p/0", max_pages=limits[0], **_CRAWL)
    crawl = _Interrupted(daemon, graph, task_id)
    took = []
    for stop, way, limit in zip(stops, ways, [*limits[1:], 10_000], strict=True):
        if way != "limit":
            graph.wait_for_requests(stop)
        crawl.interrupt(way)
        began = time.monotonic()
        crawl.resume(limit)
        took.append(round(time.monotonic() - began, 3))
    daemon.finish(crawl.task_id)
    result = daemon.result_of(crawl.task_id)
    urls = [page["url"] for page in result["pages"]]
    return {
        "ways": ways,
        "finished_at_each": [len(urls) for _, urls in crawl.left],
        "resume_call_s": took,
        "pages": len(urls),
        "twice_in_result": len(urls) - len(set(urls)),
        "asked_again": crawl.asked_again(),
        "requests": sum(graph.seen.values()),
        "differences": _differences(whole, result),
    }


def _faults_of_cache(daemon: Daemon) -> list[str]:
    """Return what SQLite finds wrong with the cache, and whether nothing was stored at all."""
    with contextlib.closing(sqlite3.connect(daemon.home.path / "cache" / "http.db")) as cache:
        (said,) = cache.execute("PRAGMA integrity_check").fetchone()
        (stored,) = cache.execute("SELECT count(*) FROM answers").fetchone()
    return [f"the cache: {said}, {stored} answers"] if said != "ok" or not stored else []


def _differences(whole: dict[str, Any], result: dict[str, Any]) -> list[str]:
    one, other = (
        {page["url"]: (page["depth"], page["status"], page["title"]) for page in found["pages"]}
        for found in (whole, result)
    )
    names = ("succeeded", "failed", "files", "duplicates", "skipped", "max_depth_reached")
    counted = [
        f"{name}: {whole['summary'][name]} | {result['summary'][name]}"
        for name in names
        if whole["summary"][name] != result["summary"][name]
    ]
    return counted + sorted(
        url for url in one.keys() | other.keys() if one.get(url) != other.get(url)
    )


if __name__ == "__main__":
    sys.exit(main())
