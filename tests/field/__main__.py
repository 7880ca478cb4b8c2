"""`make field`: what others wrote is crawled and worked on; exit 1 if anything differs.

`trees`: each is served by nginx or Apache, read by an independent crawler (`field.truth`), and
crawled by `oc task start crawl` with the static engine. `miniwob`: the small tasks of MiniWoB++,
from the outline and `find` alone, judged by the page itself. `tasks`: what an agent does with
`oc` in applications, looked up in their own data; $FIELD_BESIDE names the folder of another
checkout's commands, $FIELD_RIVALS the commands of other tools (`field.tasks.rivals`), which do the
same beside ours if they are installed. `replay`: a crawl's archive is checked by warcio and
replayed by pywb, each answer compared with what the server sent.

`PYTHONPATH=tests python -m field --only miniwob click-menu` does a part of one of them. Needs the
package registries of Debian or Ubuntu, of Python, and of npm.
"""

from __future__ import annotations

import argparse
import json
import sys
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil

from field import replay
from field.comparison import Difference, compare
from field.miniwob import trial as miniwob
from field.miniwob.policies import POLICIES
from field.packages import unpack, version_of
from field.servers import Server
from field.tasks import trial as tasks
from field.trees import TREES, Tree
from field.truth import Truth, read_site
from support.daemon import TERMINAL, Daemon

# No page limit and no depth limit that a tree could reach.
_ALL = ("--max-pages", "100000", "--max-depth", "1000", "--engine", "static")
_WAIT_MS = 300_000


@dataclass
class Memory:
    """The most resident memory in MB that a process had while `with memory:` went on."""

    pid: int
    most: float = 0.0
    _over: threading.Event = field(default_factory=threading.Event)

    def __enter__(self) -> Memory:
        self._thread = threading.Thread(target=self._watch)
        self._thread.start()
        return self

    def __exit__(self, *exc: object) -> None:
        self._over.set()
        self._thread.join()

    def _watch(self) -> None:
        process = psutil.Process(self.pid)
        while not self._over.wait(0.5):
            self.most = max(self.most, process.memory_info().rss / 2**20)


def main() -> int:
    """Do what was asked for and return the exit status."""
    options = _options()
    statuses = [_KINDS[kind](options.names) for kind in options.only or _KINDS]
    return max(statuses)


def _crawl_trees(names: list[str]) -> int:
    """Crawl every tree, print a row for each, return the exit status."""
    faults: list[str] = []
    rows: list[tuple[str, ...]] = [
        ("tree", "truth", "found", "missed", "twice", "surplus", "titles", "depths", "own words",
         "failed truth/ours", "aside", "s", "MB"),
    ]  # fmt: skip
    for name in names or list(TREES):
        row, found = _try(name, TREES[name])
        faults += [f"{name}: {one}" for one in found]
        rows.append(row)
        print("  ".join(row), file=sys.stderr, flush=True)
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        print("  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)))
    print("\n".join(faults[:200]))
    return 1 if faults else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make field", description=__doc__)
    parser.add_argument("--only", choices=_KINDS, action="append", help="default: all of them")
    parser.add_argument("names", nargs="*", help="trees or tasks, with --only; default: all")
    options = parser.parse_args()
    if options.names and len(options.only or []) != 1:
        parser.error("names need --only")
    known = {
        "trees": TREES, "miniwob": POLICIES, "tasks": tasks.APPLICATIONS, "replay": replay.ENGINES,
    }  # fmt: skip
    if options.names and (unknown := set(options.names).difference(known[options.only[0]])):
        parser.error(f"no such name: {', '.join(sorted(unknown))}")
    return options


def _try(name: str, tree: Tree) -> tuple[tuple[str, ...], list[str]]:
    """Return the tree's row of the table and what was wrong."""
    folder = unpack(tree.package) / tree.folder
    with Server(tree.server, folder) as server, Daemon() as daemon:
        truth = read_site(server.url(tree.start))
        with Memory(daemon.identity.pid) as memory:
            began = time.monotonic()
            meta, records = _crawl(daemon, server.url(tree.start))
            took = time.monotonic() - began
    failed = [record for record in records if record.get("error")]
    difference = compare(records, truth)
    faults = difference.faults
    if meta["status"] != "COMPLETED":
        faults.append(f"the task is {meta['status']}: {meta.get('error')}")
    if len(truth.pages) < tree.least:
        faults.append(f"the truth has {len(truth.pages)} pages, not {tree.least}")
    label = f"{name} {version_of(tree.package)}"
    return _row(label, truth, difference, len(failed), (took, memory.most)), faults


def _row(
    label: str, truth: Truth, difference: Difference, failed: int, cost: tuple[float, float]
) -> tuple[str, ...]:
    figures = (
        len(truth.pages), difference.found, len(difference.missed), len(difference.twice),
        len(difference.surplus), len(difference.titles), len(difference.depths),
        len(difference.own_words), f"{len(truth.failed)}/{failed}",
        " ".join(f"{kind} {count}" for kind, count in truth.aside.items()) or "-",
    )  # fmt: skip
    return (label, *map(str, figures), *(f"{figure:.0f}" for figure in cost))


def _crawl(daemon: Daemon, url: str) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return the crawl's ended task and its pages."""
    started = daemon.oc("task", "start", "crawl", "--url", url, *_ALL, "--json").ok()
    task_id = started.json["result"]["task_id"]
    while True:
        wait = ("task", "wait", task_id, "--timeout-ms", str(_WAIT_MS), "--json")
        daemon.oc(*wait, timeout=_WAIT_MS / 1000 + 60)
        meta = daemon.oc("task", "get", task_id, "--json").ok().json["result"]["meta"]
        if meta["status"] in TERMINAL:
            break
    # A large one is 200 MB: from the file that `oc task get` would serve, not through a pipe.
    result: Path = daemon.task_folder(task_id) / "result.json"
    return meta, json.loads(result.read_bytes())["pages"] if result.exists() else []


_KINDS = {"trees": _crawl_trees, "miniwob": miniwob.run, "tasks": tasks.run, "replay": replay.run}

if __name__ == "__main__":
    sys.exit(main())
