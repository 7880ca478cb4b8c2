"""Crawling: our engines beside the bare-CDP floor, crawlee and crawl4ai on one site."""

import argparse
import contextlib
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import psutil

from bench.daemon import Daemon
from bench.figures import Section, median
from bench.peers import crawler_python
from ocd.browser.process.discovery import find_browser

HERE = Path(__file__).parent
TABS = 4


@contextlib.contextmanager
def site(pages: int, size: int = 20_000, *options: str | Path) -> Iterator[str]:
    """Serve the bench's site in a process of its own; yield its base URL."""
    command = [sys.executable, HERE / "site.py", "--pages", str(pages), "--size", str(size)]
    command += map(str, options)
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin
        assert process.stdout
        yield process.stdout.readline().strip()
        process.stdin.close()


def cpu_seconds(process: psutil.Process) -> float:
    """Return the user and system time of a process tree, including children that have ended."""
    total = 0.0
    for one in [process, *process.children(recursive=True)]:
        with contextlib.suppress(psutil.NoSuchProcess):
            times = one.cpu_times()
            total += times.user + times.system + times.children_user + times.children_system
    return total


def run_alone(python: Path | str, runner: str, base: str, pages: int) -> dict[str, float]:
    """Run one crawler as a process; return pages, seconds, and CPU milliseconds per page.

    The CPU is that of the crawl where the runner says it, else of the whole process.
    """
    command = [python, HERE / "runners" / runner, find_browser(None, headed=False)]
    with tempfile.TemporaryDirectory() as folder:
        process = psutil.Popen(
            [*command, base, str(pages), str(TABS)],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            cwd=folder,
        )
        used = 0.0
        while process.poll() is None:
            with contextlib.suppress(psutil.NoSuchProcess):
                used = max(used, cpu_seconds(process))
            time.sleep(0.1)  # the pace of the samples; after its end its CPU cannot be asked for
        found = json.loads(process.stdout.read().splitlines()[-1])
    return {"cpu_ms": used * 1000 / found["pages"]} | found


def run_ours(daemon: Daemon, base: str, pages: int, **params: object) -> dict[str, float]:
    """Crawl as a task of a running daemon; the clock runs from start to the terminal state."""
    before = cpu_seconds(daemon.process)
    started = time.perf_counter()
    task = daemon.call(
        "oc_task_start",
        kind="crawl",
        args={"url": f"{base}/p/0", "max_pages": pages, "max_depth": 9, **params},
    )
    daemon.call("oc_task_wait", task_id=task["task_id"], timeout_ms=300_000)
    seconds = time.perf_counter() - started
    used = cpu_seconds(daemon.process) - before
    result = daemon.call("oc_task_get", task_id=task["task_id"], include_result=True)["result"]
    done = [page for page in result["pages"] if not page.get("error")]
    scripted = sum("MADE-BY-SCRIPT words" in page["content"] for page in done)
    return {
        "pages": len(done),
        "scripted": scripted,
        "seconds": seconds,
        "cpu_ms": used * 1000 / len(done),
    }


def rate(run: dict[str, float]) -> float:
    """Return pages per second."""
    return run["pages"] / run["seconds"]


def browser_engine(options: argparse.Namespace) -> Section:
    """Compare rendered pages per second: floor and ours in turns, then the peers."""
    section = Section(f"Browser engine ({options.pages} pages of 20 KB, {TABS} tabs)")
    floor: list[dict[str, float]] = []
    ours: list[dict[str, float]] = []
    peers: dict[str, dict[str, float]] = {}
    with site(options.pages) as base:
        with Daemon() as daemon:
            daemon.call("tabs_create")  # Chromium runs, as it does in a daemon's life
            for _ in range(options.rounds):
                floor.append(run_alone(sys.executable, "floor_cdp.py", base, options.pages))
                ours.append(
                    run_ours(daemon, base, options.pages, engine="browser", concurrency=TABS)
                )
        if options.peers:
            python = crawler_python()
            for name in ("crawlee_browser", "crawl4ai_browser"):
                peers[name] = run_alone(python, f"{name}.py", base, min(options.pages, 150))
    assert all(run["scripted"] == run["pages"] == options.pages for run in (*floor, *ours))
    best, mine = median([rate(r) for r in floor]), median([rate(r) for r in ours])
    section.add("floor: raw CDP, nothing else", best, "pages/s")
    section.add("ours: ledger, robots and Markdown included", mine, "pages/s")
    section.add("floor, CPU", median([r["cpu_ms"] for r in floor]), "ms/page")
    section.add("ours, CPU (Chromium included)", median([r["cpu_ms"] for r in ours]), "ms/page")
    section.at_least("ours / floor", mine / best, 0.85)
    for name, run in peers.items():
        section.add(name, rate(run), "pages/s")
        section.add(f"{name}, CPU", run["cpu_ms"], "ms/page")
        section.at_least(f"ours / {name}", mine / rate(run), 8)
    return section


def static_engine(options: argparse.Namespace) -> Section:
    """Compare pages per second without a browser, and through the browser's network stack."""
    section = Section(f"Static engine ({options.pages} pages of 20 KB)")
    ours: list[dict[str, float]] = []
    login: list[dict[str, float]] = []
    peer: list[dict[str, float]] = []
    with site(options.pages) as base, Daemon() as daemon:
        daemon.call("tabs_create")
        # Neither side's clock counts the start of its interpreters.
        run_ours(daemon, base, options.pages, engine="static")
        for _ in range(options.rounds):
            ours.append(run_ours(daemon, base, options.pages, engine="static"))
            login.append(run_ours(daemon, base, options.pages, engine="static", share_login=True))
            if options.peers:
                peer.append(run_alone(crawler_python(), "crawlee_http.py", base, options.pages))
    mine = median([rate(run) for run in ours])
    section.add("ours, Markdown made", mine, "pages/s")
    section.add("ours, CPU", median([run["cpu_ms"] for run in ours]), "ms/page")
    share_login = median([rate(run) for run in login])
    section.add("ours, share_login (the browser's network stack)", share_login, "pages/s")
    if peer:
        theirs = median([rate(run) for run in peer])
        section.add("crawlee's HTTP crawler, no Markdown", theirs, "pages/s")
        section.add("crawlee, CPU", median([run["cpu_ms"] for run in peer]), "ms/page")
        section.at_least("ours / crawlee", mine / theirs, 1.5)
    return section


def steady_memory(options: argparse.Namespace, pages: int = 1200) -> Section:
    """Compare the daemon's own memory at the end of a long crawl with that at its first quarter."""
    section = Section(f"Memory over {pages:,} browser pages")
    with site(pages) as base, Daemon() as daemon:
        daemon.call("tabs_create")
        run_ours(daemon, base, pages // 4, engine="browser")
        early = daemon.rss_mb()
        args = {"url": f"{base}/p/0", "max_pages": pages, "max_depth": 9, "engine": "browser"}
        task = daemon.call("oc_task_start", kind="crawl", args=args)
        peak, meta = early, task
        while not meta.get("ended_at"):
            peak = max(peak, daemon.rss_mb())
            time.sleep(0.5)  # the pace of the samples
            meta = daemon.call("oc_task_get", task_id=task["task_id"])["meta"]
        assert meta["status"] == "COMPLETED", meta
        late = daemon.rss_mb()
    section.add(f"daemon's RSS after {pages // 4:,} pages", early, "MB")
    section.add(f"daemon's RSS after {pages // 4 + pages:,} pages", late, "MB")
    section.at_most("largest RSS on the way", peak, 100, "MB")
    section.at_most("growth", late / early, 1.15)
    return section
