"""A crawl by two Dask workers in network namespaces of their own, of a site in a third.

`PYTHONPATH=tests python -m soak.namespaces --pages 400`, as root, with iproute2. One worker is
killed with SIGKILL while both are at work; the end must be that of a crawl by one process: the same
pages, each once, and no page asked for again but those that the worker had. Exit 1, and the
differences, if it is not so.
"""

from __future__ import annotations

import argparse
import contextlib
import ctypes
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from support.cluster import SLOTS, DaskCluster
from support.daemon import Daemon
from support.waiting import wait_until
from support.web_graph import WebGraph, web_graph

# Reserved for measurements between networks: no machine has them.
_NETWORK = "198.18.{net}.{host}"
_CLONE_NEWNET = 0x40000000
_CRAWL: dict[str, Any] = {
    "engine": "static", "max_pages": 100_000, "max_depth": 200, "concurrency": 16,
    "page_timeout_ms": 120_000,
}  # fmt: skip


@dataclass(frozen=True)
class Namespace:
    """A network namespace with one address."""

    name: str
    address: str

    @property
    def command(self) -> tuple[str, ...]:
        """The words that run a command in it."""
        return ("ip", "netns", "exec", self.name)

    @contextlib.contextmanager
    def entered(self) -> Iterator[None]:
        """Have this thread, and what it starts, open its sockets there during the block."""
        with (
            Path("/proc/thread-self/ns/net").open("rb") as own,
            Path("/run/netns", self.name).open("rb") as there,
        ):
            _move_to(there.fileno())
            try:
                yield
            finally:
                _move_to(own.fileno())


def _move_to(namespace: int) -> None:
    if ctypes.CDLL(None, use_errno=True).setns(namespace, _CLONE_NEWNET):
        raise OSError(ctypes.get_errno(), "setns")


class Network:
    """A bridge that this machine has an address on, and namespaces beside it."""

    def __init__(self) -> None:
        self._number = os.getpid()
        self._bridge = f"oc{self._number}"
        self._net = self._number % 200
        self.address = self._address(1)
        self._namespaces: list[Namespace] = []

    def __enter__(self) -> Self:
        _ip("link", "add", self._bridge, "type", "bridge")
        _ip("addr", "add", f"{self.address}/24", "dev", self._bridge)
        _ip("link", "set", self._bridge, "up")
        return self

    def __exit__(self, *_: object) -> None:
        for one in self._namespaces:
            _ip("netns", "del", one.name)  # with the link in it
        _ip("link", "del", self._bridge)

    def add(self) -> Namespace:
        """Make one more namespace."""
        number = len(self._namespaces) + 2
        one = Namespace(f"{self._bridge}-{number}", self._address(number))
        near, far = f"{self._bridge}v{number}", "eth0"
        _ip("netns", "add", one.name)
        self._namespaces.append(one)
        _ip("link", "add", near, "type", "veth", "peer", "name", far, "netns", one.name)
        _ip("link", "set", near, "master", self._bridge, "up")
        for words in (
            ("link", "set", "lo", "up"),
            ("addr", "add", f"{one.address}/24", "dev", far),
            ("link", "set", far, "up"),
        ):
            _ip("-n", one.name, *words)
        return one

    def _address(self, host: int) -> str:
        return _NETWORK.format(net=self._net, host=host)


def _ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True)


def main() -> int:
    """Crawl by one process, then by the workers, one of which dies; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=400)
    options = parser.parse_args()
    with contextlib.ExitStack() as stack:
        network = stack.enter_context(Network())
        site, *workers = (network.add() for _ in range(3))
        with site.entered():
            graph = stack.enter_context(web_graph(options.pages, site.address))
        cluster = stack.enter_context(DaskCluster(workers=0, host=network.address))
        daemon = stack.enter_context(Daemon(config=cluster.config))
        whole = _finish(daemon, _start(daemon, graph))
        graph.seen.clear()
        graph.clients.clear()
        for one in workers:
            cluster.add_worker(one.address, one.command)
        result, before = _crawl_with_a_death(daemon, cluster, graph)
        faults = _faults(result, whole, graph, before, {one.address for one in workers})
    print(f"{len(result)} pages, {sum(graph.seen.values())} requests, by address: {graph.clients}")
    print("\n".join(faults) or "the same pages as one process finds, each once")
    return 1 if faults else 0


def _start(daemon: Daemon, graph: WebGraph, **args: object) -> str:
    return daemon.start_task("crawl", url=f"{graph.url}/p/0", **_CRAWL, **args)


def _finish(daemon: Daemon, task_id: str) -> list[tuple[object, ...]]:
    meta = daemon.finish(task_id)
    assert meta["status"] == "COMPLETED", meta
    names = ("url", "depth", "final_url", "status", "title", "content", "links")
    pages = daemon.result_of(task_id)["pages"]
    return [tuple(map(str, map(page.get, names))) for page in pages]


def _crawl_with_a_death(
    daemon: Daemon, cluster: DaskCluster, graph: WebGraph
) -> tuple[list[tuple[object, ...]], Counter[str]]:
    """Return what the crawl came to, and what had been asked for when the worker died."""
    graph.free = graph.count // 3
    task_id = _start(daemon, graph, cluster="lab")
    wait_until(lambda: len(graph.clients) == len(cluster.workers), 120, "both workers")
    graph.wait_for_requests(graph.free + 2 * SLOTS)
    before = graph.seen.copy()
    victim = cluster.workers.pop(0)
    victim.kill()
    victim.wait(60)
    graph.gate.set()
    return _finish(daemon, task_id), before


def _faults(
    result: list[tuple[object, ...]], whole: list[tuple[object, ...]], graph: WebGraph,
    before: Counter[str], workers: set[str],
) -> list[str]:  # fmt: skip
    counts, wanted = Counter(result), Counter(whole)
    faults = [f"missing or another: {page[0]}" for page in wanted - counts]
    faults += [f"twice or another: {page[0]}" for page in counts - wanted]
    repeated = sum(graph.seen.values()) - len(graph.seen)
    if repeated > 2 * SLOTS:
        faults.append(f"asked for again: {graph.seen - before}")
    if set(graph.clients) != workers:
        faults.append(f"pages were asked for by {graph.clients}, not by {workers}")
    return faults


if __name__ == "__main__":
    sys.exit(main())
