"""A documentation tree read by workers of a Dask cluster: how much faster, and for how much CPU.

The scheduler and the workers are processes on loopback, over TLS, set up as the documentation's
page says. The three sides take turns.
"""

import argparse
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

from bench.crawls import cpu_seconds, site
from bench.daemon import Daemon
from bench.documents import TREE
from bench.figures import Section, median
from field.packages import unpack, version_of
from field.trees import TREES
from support.cluster import SLOTS, DaskCluster

FAR_MS = 300
# Of the tree; one worker takes half a minute for them.
FAR_PAGES = 400
NEAR_ROUNDS = 7  # at least: CPU time is compared, which differs by some percent each time
AT_ONCE = 64  # of one host; how many are really read at a time is the workers' slots
WORKERS = {"local": 0, "one": 1, "two": 2}
TUNED = {
    "DASK_DISTRIBUTED__ADMIN__EVENT_LOOP": "uvloop",
    "DASK_DISTRIBUTED__ADMIN__TICK__INTERVAL": "1s",
    "DASK_DISTRIBUTED__ADMIN__SYSTEM_MONITOR__INTERVAL": "2s",
    "DASK_DISTRIBUTED__WORKER__PROFILE__ENABLED": "false",
}


@dataclass(frozen=True)
class Run:
    """One crawl: how long it took, and the CPU of the daemon, the workers and the scheduler."""

    pages: frozenset[tuple[str, str]]
    seconds: float
    cpu_s: float

    @property
    def cpu_ms(self) -> float:
        return self.cpu_s * 1000 / len(self.pages)


class Sides:
    """One daemon without a cluster, and with each of two clusters."""

    def __init__(self, daemon: Daemon, clusters: dict[str, DaskCluster]) -> None:
        self._daemon = daemon
        self._processes = {
            name: [
                daemon.process,
                *(
                    psutil.Process(one.pid)
                    for one in (cluster.scheduler, *cluster.workers)
                    if one is not None
                ),
            ]
            for name, cluster in clusters.items()
        } | {"local": [daemon.process]}

    def crawl(self, side: str, start: str, pages: int) -> Run:
        """Crawl once; fail unless every page was read."""
        before, began = self._cpu_s(side), time.perf_counter()
        args = {
            "url": start, "engine": "static", "max_pages": pages, "max_depth": 1000,
            "concurrency": AT_ONCE, "cluster": "" if side == "local" else side,
        }  # fmt: skip
        task = self._daemon.call("oc_task_start", kind="crawl", args=args)["task_id"]
        self._daemon.call("oc_task_wait", task_id=task, timeout_ms=600_000)
        seconds, cpu_s = time.perf_counter() - began, self._cpu_s(side) - before
        result: dict[str, Any] = self._daemon.call(
            "oc_task_get", task_id=task, include_result=True
        )["result"]
        assert not [page for page in result["pages"] if page.get("error")], side
        return Run(
            frozenset((page["url"], page["content"]) for page in result["pages"]), seconds, cpu_s
        )

    def _cpu_s(self, side: str) -> float:
        return sum(map(cpu_seconds, self._processes[side]))


@contextmanager
def _sides() -> Iterator[Sides]:
    with ExitStack() as stack:
        clusters = {
            name: stack.enter_context(DaskCluster(count, environ=TUNED))
            for name, count in WORKERS.items()
            if count
        }
        config = "".join(cluster.table(name) for name, cluster in clusters.items())
        daemon = stack.enter_context(Daemon(config=config))
        yield Sides(daemon, clusters)


def _in_turns(
    sides: Sides, names: Sequence[str], start: str, pages: int, rounds: int
) -> dict[str, list[Run]]:
    runs: dict[str, list[Run]] = {name: [] for name in names}
    for _ in range(rounds):
        for name in names:
            runs[name].append(sides.crawl(name, start, pages))
    return runs


def scaled(options: argparse.Namespace) -> Section:
    """Crawl with the daemon alone, with one worker of four slots, and with two."""
    tree = TREES[TREE]
    folder: Path = unpack(tree.package) / tree.folder
    version = version_of(tree.package)
    with (
        _sides() as sides,
        site(0, 0, "--folder", folder) as near,
        site(0, 0, "--folder", folder, "--delay-ms", str(FAR_MS)) as far,
    ):
        # Nobody's first crawl counts: a worker imports what it needs with it.
        whole = _in_turns(
            sides, [*WORKERS], f"{near}/{tree.start}", 100_000, 1 + max(options.rounds, NEAR_ROUNDS)
        )
        few = _in_turns(sides, ["one", "two"], f"{far}/{tree.start}", FAR_PAGES, options.rounds)
    assert len({run.pages for some in whole.values() for run in some}) == 1
    cpu_ms = {name: median([run.cpu_ms for run in some[1:]]) for name, some in whole.items()}
    seconds = {name: median([run.seconds for run in some]) for name, some in few.items()}
    section = Section(f"A documentation tree by a cluster ({TREE} {version}, {SLOTS} slots each)")
    section.add("cluster: pages, the same by each side", len(whole["local"][0].pages), "")
    section.add("cluster, the daemon alone: CPU", cpu_ms["local"], "ms/page")
    for name, count in WORKERS.items():
        if count:
            section.add(f"cluster, workers {count}: CPU of all", cpu_ms[name], "ms/page")
            far_ms = median([run.cpu_ms for run in few[name]])
            section.add(
                f"cluster, workers {count}, {FAR_MS} ms away: CPU of all", far_ms, "ms/page"
            )
            rate = FAR_PAGES / seconds[name]
            section.add(f"cluster, workers {count}, {FAR_MS} ms away", rate, "pages/s")
    section.at_most("cluster: CPU, one worker / the daemon", cpu_ms["one"] / cpu_ms["local"], 1.15)
    section.at_most("cluster: CPU, two workers / the daemon", cpu_ms["two"] / cpu_ms["local"], 1.15)
    section.at_least("cluster: two workers / one", seconds["one"] / seconds["two"], 1.8)
    return section
