"""A crawl of very many static pages: whether it becomes larger or slower on its way."""

import argparse
import itertools
import time
from dataclasses import dataclass

from bench.crawls import site
from bench.daemon import Daemon
from bench.figures import Section, median
from bench.process_tree import ProcessTree, pss_mb

PAGES = 100_000
STEP = 10_000
_PACE_S = 0.25


@dataclass(frozen=True)
class Stage:
    """The state after so many pages; CPU and memory are those of all processes."""

    pages: int
    at_s: float
    cpu_s: float
    memory_mb: float


def _stages(daemon: Daemon, base: str) -> list[Stage]:
    args = {
        "url": f"{base}/p/0", "max_pages": PAGES, "max_depth": 99, "engine": "static",
        "concurrency": 16,
    }  # fmt: skip
    task = daemon.call("oc_task_start", kind="crawl", args=args)["task_id"]
    found = [_stage(daemon, 0)]
    meta: dict[str, object] = {}
    while not meta.get("ended_at"):
        time.sleep(_PACE_S)
        answer = daemon.call("oc_task_get", task_id=task)["meta"]
        meta, done = answer, answer["progress"]["done"]
        if done >= found[-1].pages + STEP or meta.get("ended_at"):
            found.append(_stage(daemon, done))
    assert (meta["status"], found[-1].pages) == ("COMPLETED", PAGES), meta
    return found


def _stage(daemon: Daemon, pages: int) -> Stage:
    with ProcessTree(daemon.process) as tree:
        processes = [daemon.process, *daemon.process.children(recursive=True)]
        memory = sum(pss_mb(one.pid) for one in processes)
    return Stage(pages, time.monotonic(), tree.cpu_s, memory)


def flat(_options: argparse.Namespace) -> Section:
    """Crawl, and compare the first 10,000 pages with the last."""
    section = Section(f"A static crawl of {PAGES:,} pages (2 KB each, 16 at once)")
    with site(PAGES, 0, "--short") as base, Daemon() as daemon:
        stages = _stages(daemon, base)
    steps = list(itertools.pairwise(stages))
    rates = [(b.pages - a.pages) / (b.at_s - a.at_s) for a, b in steps]
    cpu_ms = [(b.cpu_s - a.cpu_s) * 1000 / (b.pages - a.pages) for a, b in steps]
    for stage in stages[1:]:
        print(f"{stage.pages}: {stage.memory_mb:.1f} MB", flush=True)
    section.add("long: first 10,000 pages", rates[0], "pages/s")
    section.add("long: all", median(rates), "pages/s")
    section.at_least("long: rate of the last 10,000 / the first", rates[-1] / rates[0], 0.9)
    section.add("long: CPU of all processes, first 10,000", cpu_ms[0], "ms/page")
    section.at_most("long: CPU of the last 10,000 / the first", cpu_ms[-1] / cpu_ms[0], 1.1)
    memory = [stage.memory_mb for stage in stages[1:]]
    half = len(memory) // 2
    section.add("long: memory after 10,000 pages", memory[0], "MB")
    section.add("long: memory at the end", memory[-1], "MB")
    section.add("long: most memory in the first half", max(memory[:half]), "MB")
    section.at_most(
        "long: most memory, second half / first", max(memory[half:]) / max(memory[:half]), 1.05
    )
    return section
