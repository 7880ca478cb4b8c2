"""A real documentation tree: ours beside Scrapy, crawlee and crawl4ai, the same asked of each.

Every side writes a line of JSON for each page: URL, title, Markdown. Counted is all that a side
needs for it, from the start of its first process to the end of the last: of ours the daemon, its
conversion process, and the export.
"""

import argparse
import json
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import psutil

from bench.daemon import Daemon
from bench.figures import Section, median
from bench.peers import crawler_python
from bench.process_tree import ProcessTree, children_cpu_s
from field.packages import unpack, version_of
from field.servers import Server
from field.trees import TREES, Tree
from field.truth import normalise, read_site
from ocd.browser.process.discovery import find_browser

HERE = Path(__file__).parent
TREE = "postgresql"
AT_ONCE = 8
ALL = {"max_pages": 100_000, "max_depth": 1000, "engine": "static"}
PEERS = {
    "Scrapy": "scrapy_http.py",
    "crawlee": "crawlee_documents.py",
    "crawl4ai": "crawl4ai_documents.py",
}
TABS = 4
BROWSER_PAGES = 200
BROWSER_PEERS = {
    "crawlee": "crawlee_documents_browser.py",
    "crawl4ai": "crawl4ai_documents_browser.py",
}


@dataclass(frozen=True)
class Run:
    """The cost of one side, and the pages that it wrote, by URL."""

    pages: dict[str, dict[str, str]]
    cpu_s: float
    memory_mb: float

    @property
    def cpu_ms(self) -> float:
        return self.cpu_s * 1000 / len(self.pages)


def read_pages(path: Path, text: str) -> dict[str, dict[str, str]]:
    """Return the pages of a file of JSON lines whose Markdown is in `text`."""
    with path.open(encoding="utf-8") as lines:
        pages = [json.loads(line) for line in lines]
    named = {normalise(page.get("final_url") or page["url"]): page for page in pages}
    return {
        url: {"title": page["title"], "markdown": page[text]}
        for url, page in named.items()
        if not page.get("error")
    }


def run_peer(runner: str, start: str, more: Sequence[str] = (str(AT_ONCE),)) -> Run:
    """Run one peer as a process of its own; more: how many at once, and what else it is told."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder, "pages.jsonl")
        command = [crawler_python(), HERE / "runners" / runner, start, out, *more]
        before = children_cpu_s()
        process = psutil.Popen(
            command,
            cwd=folder,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        with ProcessTree(process) as tree:
            status = process.wait()
        assert status == 0, f"{runner} ended with status {status}"
        # The kernel's count has all that ended and was waited for.
        cpu_s = max(tree.cpu_s, children_cpu_s() - before)
        return Run(read_pages(out, "markdown"), cpu_s, tree.memory_mb)


def run_ours(start: str, **given: object) -> Run:
    """Start a daemon, crawl, export, and end it."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder, "pages.jsonl")
        before = children_cpu_s()
        with Daemon() as daemon, ProcessTree(daemon.process) as tree:
            crawl = {"url": start, "concurrency": AT_ONCE, **ALL, **given}
            task = daemon.call("oc_task_start", kind="crawl", args=crawl)["task_id"]
            daemon.call("oc_task_wait", task_id=task, timeout_ms=600_000)
            daemon.call("oc_task_export", task_id=task, path=str(out), format="jsonl")
        # `ocd start` and `ocd stop`, too.
        cpu_s = tree.cpu_s + children_cpu_s() - before
        return Run(read_pages(out, "content"), cpu_s, tree.memory_mb)


def over_http(options: argparse.Namespace) -> Section:
    """Crawl the tree without a browser, all sides in turns."""
    tree = TREES[TREE]
    sides: dict[str, Callable[[str], Run]] = {"ours": run_ours}
    if options.peers:
        for name, runner in PEERS.items():
            sides[name] = partial(run_peer, runner)
        crawler_python()
    runs, truth = _run_in_turns(tree, sides, options.rounds)
    assert all(run.pages.keys() == truth for run in runs["ours"])
    title = f"A documentation tree over HTTP ({TREE} {version_of(tree.package)}, {AT_ONCE} at once)"
    return _section(title, runs, truth)


def in_browser(options: argparse.Namespace) -> Section:
    """Crawl a part of the tree in a browser, all sides in turns."""
    tree = TREES[TREE]
    ours = {"engine": "browser", "concurrency": TABS, "max_pages": BROWSER_PAGES}
    sides: dict[str, Callable[[str], Run]] = {"ours": partial(run_ours, **ours)}
    if options.peers:
        told = (str(TABS), str(BROWSER_PAGES), find_browser(None, headed=False))
        for name, runner in BROWSER_PEERS.items():
            sides[name] = partial(run_peer, runner, more=told)
        crawler_python()
    runs, truth = _run_in_turns(tree, sides, options.rounds)
    assert all(len(run.pages) == BROWSER_PAGES for run in runs["ours"])
    title = f"A documentation tree in a browser ({TREE} {version_of(tree.package)}, {TABS} tabs)"
    return _section(title, runs, truth, "documents in a browser")


def _run_in_turns(
    tree: Tree, sides: dict[str, Callable[[str], Run]], rounds: int
) -> tuple[dict[str, list[Run]], set[str]]:
    """Return each side's runs on the tree, served on loopback, and the pages that it has."""
    runs: dict[str, list[Run]] = {name: [] for name in sides}
    with Server(tree.server, unpack(tree.package) / tree.folder) as server:
        start = server.url(tree.start)
        truth = set(read_site(start).pages)
        for _ in range(rounds):
            for name, run in sides.items():
                runs[name].append(run(start))
    return runs, truth


def _section(
    title: str, runs: dict[str, list[Run]], truth: set[str], what: str = "documents"
) -> Section:
    section = Section(title)
    section.add(f"{what}: pages", len(truth), "")
    best = {name: median([run.cpu_ms for run in some]) for name, some in runs.items()}
    most = {name: median([run.memory_mb for run in some]) for name, some in runs.items()}
    for name, some in runs.items():
        label = f"{what}, {name}"
        last = some[-1].pages
        words = sum(len(page["markdown"].split()) for page in last.values())
        untitled = sum(not page["title"] for page in last.values())
        section.add(f"{label}: pages found", len(truth & last.keys()), "")
        section.add(f"{label}: pages that are not the tree's", len(last.keys() - truth), "")
        section.add(f"{label}: pages without a title", untitled, "")
        section.add(f"{label}: words of Markdown a page", words / len(last), "")
        section.add(f"{label}: CPU", best[name], "ms/page")
        section.add(f"{label}: most memory of all processes", most[name], "MB")
    for name in [one for one in runs if one != "ours"]:
        section.at_most(f"{what}: CPU, ours / {name}", best["ours"] / best[name], 1)
        section.at_most(f"{what}: memory, ours / {name}", most["ours"] / most[name], 1)
    return section
